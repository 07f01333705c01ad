"""Arms that build: how they move, what they touch, where they should stand."""
