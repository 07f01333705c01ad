"""Compiled numerics without physics: sparse factors of block matrices, convex programs, machine code."""
