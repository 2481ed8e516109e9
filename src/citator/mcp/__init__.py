"""The MCP server: parse, call one use case, render."""
