"""Where solids touch: patches, clutches, corners and edges, and what overlaps."""
