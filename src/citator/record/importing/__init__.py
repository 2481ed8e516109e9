"""What other formats hold → migrations that propose it. Nothing here approves, reads or writes."""
