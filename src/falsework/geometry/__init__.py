"""Contacts and clutches from shapes and poses; solids, faces and meshes of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.geometry.contacts.ground import bounds_m as bounds_m
    from falsework.geometry.contacts.ground import grounded as grounded
    from falsework.geometry.shapes.solids import bulk as bulk
    from falsework.geometry.shapes.solids import make_part as make_part
    from falsework.geometry.shapes.solids import surface as surface
    from falsework.geometry.summary import Summary as Summary

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "contacts.ground": "bounds_m grounded",
        "shapes.solids": "bulk make_part surface",
        "summary": "Summary",
    },
)
