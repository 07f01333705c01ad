"""The published scheme (seed 000, section IV): one body per brick, welds between connected bricks, and shortcuts.

Extra welds along a random regular graph of a fixed degree shorten the paths that forces take through the engine's
solver. Kept to compare with: `composites` needs no welds at all.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.engine.rigid import RigidScene
from falsework.geometry.shapes.linking import components_of
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.poses import to_quaternion

DEGREE = 4  # d of the seed


def welded(
    assembly: Assembly,
    pairs: Ints,
    *,
    degree: int = DEGREE,
    rng: np.random.Generator | None = None,
    settings: ContactSettings | None = None,
) -> RigidScene:
    """Bricks connected as `pairs` (k, 2) of bodies say; those of one component do not collide with each other."""
    if degree < 0 or degree % 2:
        raise BadInput(f"degree: found {shown(degree)}, expected an even number, 0 or more")
    used = settings or ContactSettings()
    components = _components(assembly, pairs)
    drawn = rng or np.random.default_rng(0)
    shortcuts = [pair for members in components for pair in regular_pairs(members, degree, drawn)]
    joined = sorted({(min(a, b), max(a, b)) for a, b in (*pairs.tolist(), *shortcuts)})

    def extend(spec: Any) -> None:
        for first, second in joined:
            _weld(spec, assembly, first, second, used)
        if len(components) > 1:
            for members in components:
                for first, second in combinations(members.tolist(), 2):
                    spec.add_exclude(bodyname1=f"{first}", bodyname2=f"{second}")

    return RigidScene(assembly, settings=used, among_themselves=len(components) > 1, extend=extend)


def _components(assembly: Assembly, pairs: Ints) -> list[Ints]:
    """Free bodies of each component, in order."""
    count, fixed = len(assembly.bodies), assembly.fixed_mask()
    label = components_of(count, *pairs.T)
    free = np.array([number for number in range(count) if not fixed >> number & 1], dtype=np.int64)
    return [free[label[free] == name] for name in np.unique(label[free])]


def _weld(spec: Any, assembly: Assembly, first: int, second: int, used: ContactSettings) -> None:
    """Two bodies as they stand to each other."""
    library = mujoco()
    made = spec.add_equality(type=library.mjtEq.mjEQ_WELD, objtype=library.mjtObj.mjOBJ_BODY)
    made.name1, made.name2 = f"{first}", f"{second}"
    relative = np.linalg.inv(assembly.poses[first]) @ assembly.poses[second]
    # anchor, place and turn of the second body seen from the first, weight of turning against shifting
    made.data[:11] = (*np.zeros(3), *relative[:3, 3], *to_quaternion(relative[:3, :3]), 1.0)
    made.solref, made.solimp = (2 * used.step_s, 1.0), (*used.hard, 1e-3, 0.5, 2.0)


def regular_pairs(members: Ints, degree: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Edges of a random regular graph of an even degree: every two degrees are one random round trip."""
    edges: set[tuple[int, int]] = set()
    for _ in range(degree // 2):
        order = rng.permutation(members)
        pairs = zip(order.tolist(), np.roll(order, -1).tolist(), strict=True)
        edges.update((min(a, b), max(a, b)) for a, b in pairs if a != b)
    return sorted(edges)
