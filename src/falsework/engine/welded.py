"""The published scheme (seed 000, section IV): one body a brick, welds between connected bricks, and shortcuts.

Extra welds along a random regular graph of a fixed degree shorten the paths that forces take through the engine's
solver. Kept to compare with: `composites` needs no welds at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.engine.rigid import RigidScene
from falsework.formats.rotations import to_quaternion
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown

DEGREE = 4  # d of the seed


def welded(
    assembly: Assembly,
    pairs: Ints,
    *,
    degree: int = DEGREE,
    rng: np.random.Generator | None = None,
    settings: ContactSettings | None = None,
) -> RigidScene:
    """One component of bricks, connected as `pairs` (k, 2) of bodies say; its bricks do not collide with each other."""
    if degree < 0 or degree % 2:
        raise BadInput(f"degree: found {shown(degree)}, expected an even number, 0 or more")
    used = settings or ContactSettings()
    fixed = assembly.fixed_mask()
    free = np.array([number for number in range(len(assembly.bodies)) if not fixed >> number & 1])
    shortcuts = regular_pairs(free, degree, rng or np.random.default_rng(0))
    joined = sorted({(min(a, b), max(a, b)) for a, b in (*pairs.tolist(), *shortcuts)})

    def weld(spec: Any) -> None:
        library = mujoco()
        for first, second in joined:
            made = spec.add_equality(type=library.mjtEq.mjEQ_WELD, objtype=library.mjtObj.mjOBJ_BODY)
            made.name1, made.name2 = f"{first}", f"{second}"
            relative = np.linalg.inv(assembly.poses[first]) @ assembly.poses[second]
            # anchor, place and turn of the second body seen from the first, weight of turning against shifting
            made.data[:11] = (*np.zeros(3), *relative[:3, 3], *to_quaternion(relative[:3, :3]), 1.0)
            made.solref, made.solimp = (2 * used.step_s, 1.0), (*used.hard, 1e-3, 0.5, 2.0)

    return RigidScene(assembly, settings=used, among_themselves=False, extend=weld)


def regular_pairs(members: Ints, degree: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Edges of a random regular graph of an even degree: every two degrees are one random round trip."""
    edges: set[tuple[int, int]] = set()
    for _ in range(degree // 2):
        order = rng.permutation(members)
        pairs = zip(order.tolist(), np.roll(order, -1).tolist(), strict=True)
        edges.update((min(a, b), max(a, b)) for a, b in pairs if a != b)
    return sorted(edges)
