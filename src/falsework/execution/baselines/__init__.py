"""Whoever else might build: an instructor turns a product into instructions, a policy acts on what it observes."""
