"""What the demo runs on."""
