"""How far things are from the surface of a solid, and whether one that moves keeps out of another."""
