"""How far what is not ours moves in a step, and whether that is near to anything of ours, in machine code.

An arm moves far in most steps, and meets bricks in few of them.
"""

# The kernels are typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

import importlib
from typing import Any

from falsework.model.errors import MissingExtra

try:
    numba: Any = importlib.import_module("numba")
except ImportError as why:
    raise MissingExtra("numba", "engine") from why


@numba.njit(cache=True, nogil=True, error_model="numpy")
def others_reach(places, roots, root_of, twists, radii, step_s, share, centres, velocities, spins, allowed, reach):
    """Out, for all bodies: where they are (bodies, 3), how they move, and how far any of their points comes.

    places: (bodies, 3) centres of mass
    roots:  (bodies, 3) the points that the engine's twists (bodies, 6: ω, v) of each tree `root_of` are about
    share:  of the way that corners travel by turning, for `allowed`
    """
    for body in range(len(places)):
        root = root_of[body]
        x, y, z = (
            places[body, 0] - roots[root, 0],
            places[body, 1] - roots[root, 1],
            places[body, 2] - roots[root, 2],
        )
        a, b, c = twists[body, 0], twists[body, 1], twists[body, 2]
        u, v, w = twists[body, 3] + b * z - c * y, twists[body, 4] + c * x - a * z, twists[body, 5] + a * y - b * x
        for i in range(3):
            centres[body, i] = places[body, i]
            spins[body, i] = twists[body, i]
        velocities[body, 0], velocities[body, 1], velocities[body, 2] = u, v, w
        turning = step_s * radii[body] * (a * a + b * b + c * c) ** 0.5
        allowed[body] = share * turning
        reach[body] = step_s * (u * u + v * v + w * w) ** 0.5 + turning


@numba.njit(cache=True, nogil=True, error_model="numpy")
def comes_near(places, radii, body_of, ours, mine, reach):
    """Whether shapes at places (n, 3) within spheres of radii (n,) may meet in the next step, one of ours among them.

    ours:  (n,) whether a shape is of ours; mine: (bodies,) whether a body is one of ours that moves
    reach: (bodies,) how far each comes in a step; twice that is looked at, for places are as old as a step
    """
    for body in range(len(reach)):
        if mine[body] and reach[body] > 0.0:
            return True
    for i in range(len(places)):
        far = 2.0 * reach[body_of[i]]
        if ours[i] or far == 0.0:
            continue
        for j in range(len(places)):
            if ours[j]:
                x, y, z = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1], places[i, 2] - places[j, 2]
                room = radii[i] + radii[j] + far + 2.0 * reach[body_of[j]]
                if x * x + y * y + z * z <= room * room:
                    return True
    return False
