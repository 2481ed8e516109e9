"""What a repository's source files define, import, call and say, kept by blob id."""
