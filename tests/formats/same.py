"""What it means that an assembly came back the same from a file."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part

DIGITS = 9  # after the point, in metres


def assert_same_thing(one: Assembly, other: Assembly) -> None:
    """Equal parts in equal places under equal circumstances; frames of symmetric bricks may be turned."""
    assert one.names == other.names
    assert (one.fixed, one.ground, one.friction) == (other.fixed, other.ground, other.friction)
    assert np.array_equal(one.gravity, other.gravity)
    assert one.gap_m == other.gap_m
    for first, second in zip(one.parts, other.parts, strict=True):
        assert first.color == second.color
        assert first.is_brick == second.is_brick
        assert np.isclose(first.mass_kg, second.mass_kg, rtol=1e-9)
        assert np.allclose(first.com_world_m, second.com_world_m, atol=1e-9)
        assert np.array_equal(corners_m(first), corners_m(second))
    joints, again = interfaces(one), interfaces(other)
    assert len(joints.patches) == len(again.patches)
    assert _clutched(joints.clutches.bodies) == _clutched(again.clutches.bodies)


def corners_m(part: Part) -> Array:
    """Corners of the surface in the world, sorted."""
    vertices = surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return np.unique(np.round(vertices, DIGITS) + 0.0, axis=0)


def _clutched(bodies: Array) -> list[list[int]]:
    return sorted(bodies.tolist())
