"""How far from the limit: friction, load, tilt and strength at which a state first fails."""
