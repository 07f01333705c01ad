"""Solids: planes, faces, convex pieces, studs and grids, and whole scenes of them."""
