"""Runs git: the one place that starts a process in a repository."""
