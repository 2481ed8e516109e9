"""Text formats read as they are met in the wild: YAML, Markdown, ADR dialects, trailers."""
