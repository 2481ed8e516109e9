"""What left a repository with a reason, and the marks by which it is known again."""
