"""Findings to a change: what it brings back, what was refused, whom it concerns."""
