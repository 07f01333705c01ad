"""Arms, tools and cells as data: what robots are, where they stand, what they grip with."""
