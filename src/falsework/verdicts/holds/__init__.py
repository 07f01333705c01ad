"""Which parts to hold so that the rest stands, and what falls without one."""
