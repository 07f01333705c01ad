"""Walks over the nodes, and searches of a walk."""
