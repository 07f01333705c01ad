"""What an arm touches: distances between convex bodies, at many positions at once and all along a motion."""
