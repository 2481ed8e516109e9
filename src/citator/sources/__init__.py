"""Everything citable, read into documents."""
