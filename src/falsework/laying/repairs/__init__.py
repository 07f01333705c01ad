"""Weak spots and what mends them: proposals, cheapest first, each checked before it is told."""
