"""Does it stand? Equilibrium of parts and interfaces, with forces or a motion as proof."""
