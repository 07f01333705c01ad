"""Arms among snap-fit bricks: they grip by contact, carry, press home with a guard on the force, and let go."""
