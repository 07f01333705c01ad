"""In what order: states and moves, checks of what a move needs, rules made of them, and searches."""
