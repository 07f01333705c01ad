"""Cells: the kinds that come with the house, where parts lie in them, what they reach, where bases should stand."""
