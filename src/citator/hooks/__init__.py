"""What an agent or git starts at its own events: it answers in milliseconds, or says nothing."""
