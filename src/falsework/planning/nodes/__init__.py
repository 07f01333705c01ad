"""What planning is about: nodes and moves, which of them stand, and what a move needs."""
