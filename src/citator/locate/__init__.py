"""Files to an issue: signals, one file each, and the small linear model that joins them."""
