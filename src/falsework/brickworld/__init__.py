"""Snap-fit bricks in a physics engine: they join when pressed and break when overloaded (seed 000)."""
