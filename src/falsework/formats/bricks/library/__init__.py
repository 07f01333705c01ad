"""LDraw's parts: from files of triangles to solids with studs and holes."""
