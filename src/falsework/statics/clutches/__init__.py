"""Snap-fit structures, compiled: springs that yield, an interior point, and what a clutch can carry."""
