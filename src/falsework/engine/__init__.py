"""Rigid bodies in time: MuJoCo, and everything that imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.engine.contact import ContactSettings as ContactSettings
    from falsework.engine.rigid import RigidScene as RigidScene

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "contact": "ContactSettings",
        "rigid": "RigidScene",
    },
)
