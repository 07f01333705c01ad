"""Motions of arms: files of our own, and what drivers read."""
