"""Tests of the question sets and of how answers are scored."""
