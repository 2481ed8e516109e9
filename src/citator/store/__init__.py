"""Files that survive a crash: atomic replacement, locks, the layout of the data directory."""
