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
def comes_near(
    places, turns, halves, bounds, body_of, ours, radii, step_s, slow_m, centres, velocities, spins, allowed, reach
):
    """Whether two shapes, one of ours among them, may meet in the next step as one sees the other move.

    places: (shapes, 3) middles of spheres of radii `bounds` around shapes of the bodies `body_of`
    halves: (shapes, 3) half sides of those that are boxes, turned by `turns` (shapes, 9); 0 for others
    radii:  (bodies,) about their centres; the rest is as `others_reach` left it. What a hand carries moves with it:
            as the hand sees it, it is at rest. Twice the way is looked at, for places are as old as a step.
    """
    for i in range(len(places)):
        a = body_of[i]
        if reach[a] == 0.0:
            continue
        for j in range(len(places)):
            b = body_of[j]
            if a == b or not (ours[i] or ours[j]):
                continue
            far = 2.0 * _seen_from(a, b, radii, step_s, centres, velocities, spins) + allowed[a] + allowed[b]
            if far <= 2.0 * slow_m:
                continue
            x, y, z = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1], places[i, 2] - places[j, 2]
            room = bounds[i] + bounds[j] + far
            if (
                x * x + y * y + z * z <= room * room
                and _off_box(places[i], places[j], turns[j], halves[j]) <= bounds[i] + far
                and _off_box(places[j], places[i], turns[i], halves[i]) <= bounds[j] + far
            ):
                return True
    return False


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _off_box(point, middle, turn, half):
    """How far a point (3,) is from a box; 0 where it is no box."""
    if half[0] == 0.0:
        return 0.0
    total = 0.0
    for k in range(3):
        along = 0.0
        for i in range(3):
            along += turn[3 * i + k] * (point[i] - middle[i])
        out = max(0.0, abs(along) - half[k])
        total += out * out
    return total**0.5


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _seen_from(a, b, radii, step_s, centres, velocities, spins):
    """The farthest that any point of one body goes in a step, as another sees it."""
    x, y, z = centres[a, 0] - centres[b, 0], centres[a, 1] - centres[b, 1], centres[a, 2] - centres[b, 2]
    p, q, r = spins[b, 0], spins[b, 1], spins[b, 2]
    u = velocities[a, 0] - velocities[b, 0] - (q * z - r * y)
    v = velocities[a, 1] - velocities[b, 1] - (r * x - p * z)
    w = velocities[a, 2] - velocities[b, 2] - (p * y - q * x)
    p, q, r = spins[a, 0] - p, spins[a, 1] - q, spins[a, 2] - r
    return step_s * ((u * u + v * v + w * w) ** 0.5 + radii[a] * (p * p + q * q + r * r) ** 0.5)
