"""Citator: ask a code base why; get the decision, who made it, and whether it still holds."""

__version__ = "0.1.0"
