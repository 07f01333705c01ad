"""Ways out of parts of any shape, by the distance of their surfaces."""
