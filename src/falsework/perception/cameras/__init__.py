"""Cameras: simulated ones with stated noise, and recordings of real ones played again."""
