"""What masonry engineers ask: thrust, reactions, how thin joints might be, earthquakes, settlements, moving loads."""
