"""What commits say and do about earlier commits."""
