"""What bears on some lines: the commits that gave them their behaviour, what stood there before."""
