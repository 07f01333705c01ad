"""Formats of meshes, blocks and cells."""
