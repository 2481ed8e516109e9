"""The use cases, one file each: the only thing a face calls."""
