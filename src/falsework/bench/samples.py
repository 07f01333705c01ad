"""Assemblies of any size to measure on."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Polyhedron
from falsework.model.state import State

HEXAHEDRON = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def brick_wall(count: int) -> Assembly:
    """A running-bond wall of about `count` bricks on a baseplate, a little wider than high."""
    shape = BrickShape(brick_type("brick_4x2"))
    length, _, height = shape.kind.size_m
    rows = max(1, round((count / 1.6) ** 0.5))
    columns = max(1, round(count / rows))
    parts = []
    for row in range(rows):
        for column in range(columns):
            pose = np.eye(4)
            pose[:3, 3] = ((column + 0.5 * (row % 2)) * length, 0.0, row * height)
            parts.append(make_part(f"{row}-{column}", shape, pose))
    return grounded(Assembly(tuple(parts)), Ground("baseplate"))


def cantilever(count: int, reach: int) -> Assembly:
    """A tower of about `count` bricks in running bond; every sixth and fifth course reaches `reach` bricks out."""
    shape = BrickShape(brick_type("brick_4x2"))
    length, _, height = shape.kind.size_m
    width = max(3, round(count**0.5 / 2.6))
    parts: list[Part] = []
    course = 0
    while len(parts) < count or course % 6:
        arm = reach if course % 6 in (4, 5) else 0
        for column in range(-arm, width + arm):
            pose = np.eye(4)
            pose[:3, 3] = ((column + 0.5 * (course % 2)) * length, 0.0, course * height)
            parts.append(make_part(f"{course}:{column}", shape, pose))
        course += 1
    return grounded(Assembly(tuple(parts)), Ground("baseplate"))


def vault(count: int, layers: int = 2) -> Assembly:
    """A barrel vault of about `count` voussoirs in running bond, `layers` deep; the springers are fixed.

    With two layers every block touches about a dozen others, as in the published shells.
    """
    around = max(4, round((count / layers) ** 0.5 * 1.5))
    along = max(1, round(count / layers / around))
    parts: list[Part] = []
    fixed = []
    for layer in range(layers):
        radii = (1.0 + 0.1 * layer, 1.0 + 0.1 * (layer + 1))
        for i in range(around):
            for j in range(along):
                name = f"{layer}-{i}-{j}"
                shift = 0.5 * ((i + layer) % 2)
                parts.append(_voussoir(name, radii, (i / around, (i + 1) / around), (j + shift, j + shift + 1)))
                fixed += [name] if i in (0, around - 1) else []
    return Assembly(tuple(parts), fixed=frozenset(fixed))


def random_state(assembly: Assembly, rng: np.random.Generator) -> State:
    """Some parts absent, some held; how many is itself random, so that both verdicts are common."""
    movable = [name for name in assembly.names if name not in assembly.fixed]
    share, grip = rng.uniform(0, 0.5), rng.uniform(0, 0.4)
    absent = [name for name in movable if rng.random() < share]
    held = [name for name in movable if name not in absent and rng.random() < grip]
    return State.complete(assembly, assembly.mask(held), assembly.mask(absent))


def _voussoir(name: str, radii: tuple[float, float], arc: tuple[float, float], along: tuple[float, float]) -> Part:
    """A block between two radii, two fractions of a half circle and two places along the vault."""
    corners: list[Array] = []
    for y in along:
        for radius, turn in ((radii[0], arc[0]), (radii[1], arc[0]), (radii[1], arc[1]), (radii[0], arc[1])):
            angle = np.pi * (1.0 - turn)
            corners.append(np.array([radius * np.cos(angle), 0.3 * y, radius * np.sin(angle)]))
    return make_part(name, Polyhedron(np.array(corners), HEXAHEDRON), np.eye(4))
