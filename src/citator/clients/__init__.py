"""The clients that can start the server, and how an entry gets into their files: text to text."""
