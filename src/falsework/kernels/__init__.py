"""Compiled numerics without physics: sparse factors of block matrices, convex programs, machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.kernels.machine_code import folder as folder

__all__, __getattr__, __dir__ = exports(__name__, {"machine_code": "folder"})
