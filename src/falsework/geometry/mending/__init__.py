"""Surfaces as files have them, mended: closed, outward, and told what was done."""
