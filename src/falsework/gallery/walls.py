"""Walls: courses of equal blocks, each course shifted by half a block."""

from __future__ import annotations

from itertools import pairwise

from falsework.gallery.bricklaying import Layout
from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.gallery.stones import block, bond
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground
from falsework.model.part import Part

LENGTH_M, DEPTH_M, HEIGHT_M = 0.2, 0.1, 0.06


def running_bond_wall(columns: int, courses: int) -> Assembly:
    """A wall with straight ends on a table: every other course has half blocks at both ends."""
    parts: list[Part] = []
    for course in range(courses):
        for left, right in pairwise(bond(columns, shifted=bool(course % 2))):
            size = ((right - left) * LENGTH_M, DEPTH_M, HEIGHT_M)
            parts.append(block(f"block-{len(parts) + 1}", size, left * LENGTH_M, 0.0, course * HEIGHT_M))
    return grounded(Assembly(tuple(parts)), Ground("table"))


def brick_wall(columns: int, courses: int) -> Assembly:
    """A running-bond wall of 2x4 bricks, with 2x2 bricks at the ends of every other course."""
    layout = Layout()
    for course in range(courses):
        x = 0
        while x < 4 * columns:
            length = 2 if course % 2 and x in (0, 4 * columns - 2) else 4
            layout.brick(length, 2, x, 0, course)
            x += length
    return layout.on_baseplate()


_SIZE = (
    Parameter("columns", 5, "blocks", "blocks in a full course", 1, 200),
    Parameter("courses", 5, "", "courses on top of each other", 1, 200),
)

KINDS = (
    Kind(
        "running-bond-wall",
        "a wall of loose blocks, each course shifted by half a block",
        _SIZE,
        running_bond_wall,
        always(Truth(True, "every block lies flat on the course below, on both sides of its middle", hands=1)),
    ),
    Kind(
        "brick-wall",
        "a wall of 2x4 bricks in running bond",
        _SIZE,
        brick_wall,
        always(Truth(True, "the weight goes straight down through every brick; the clutches carry nothing", hands=1)),
    ),
)
