"""What a team knows beside its history: notes and claims. Advice, never a ruling or a lock."""
