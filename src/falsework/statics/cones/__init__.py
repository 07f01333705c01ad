"""Contacts with friction, compiled: Newton for forces, an interior point for motions."""
