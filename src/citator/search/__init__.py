"""A question over one open snapshot: legs, fusion, slots, budget, abstention."""
