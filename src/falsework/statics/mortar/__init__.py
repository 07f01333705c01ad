"""Joints of limited strength: cohesion and crushing, on cells of every contact."""
