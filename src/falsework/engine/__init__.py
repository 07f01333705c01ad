"""Rigid bodies in time: MuJoCo, and everything that imports it."""
