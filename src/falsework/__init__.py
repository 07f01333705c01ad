"""Falsework: how things made of rigid parts stand, fall, and get built."""

from falsework.version import __version__

__all__ = ["__version__"]
