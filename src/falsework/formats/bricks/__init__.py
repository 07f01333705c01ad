"""Formats of bricks."""
