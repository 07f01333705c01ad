"""The arithmetic of `foresight` over bodies and contacts, in machine code: it runs whenever something moves far."""

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
def reaches(q, v, rows, radii, pushed, gravity, step_s, slow_m_s, share, centres, velocities, spins, allowed, reach):
    """Out, for the bodies `rows` of ours with free joints q (n, 7), v (n, 6): where they are and how far they come.

    pushed:  (n,) m/s², what forces alone accelerate them by
    allowed: (bodies,) out: by forces, and by that share of turning which is not foreseen otherwise
    reach:   (bodies,) out: in all; 0 for slow bodies. Those of others are there already. Returns whether any is not 0.
    """
    for k in range(len(rows)):
        body = rows[k]
        w, x, y, z = q[k, 3], q[k, 4], q[k, 5], q[k, 6]
        a, b, c = v[k, 3], v[k, 4], v[k, 5]
        d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
        spins[body, 0] = a + w * d + y * f - z * e
        spins[body, 1] = b + w * e + z * d - x * f
        spins[body, 2] = c + w * f + x * e - y * d
        for i in range(3):
            centres[body, i] = q[k, i]
            velocities[body, i] = v[k, i]
        line = (v[k, 0] * v[k, 0] + v[k, 1] * v[k, 1] + v[k, 2] * v[k, 2]) ** 0.5
        turning = step_s * radii[body] * (a * a + b * b + c * c) ** 0.5
        forced = step_s * step_s * (pushed[k] + gravity)
        allowed[body] = forced + share * turning
        reach[body] = step_s * line + turning + forced
    found = False
    for body in range(len(reach)):
        if reach[body] > slow_m_s * step_s:
            found = True
        else:
            reach[body] = 0.0
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def meetings(geoms, dist, included, points, frames, body_of, ours, moving, step_s, deep_m, barely_m, gaps, widen):
    """Gaps (k,) of contacts that were found with margins as wide as bodies reach, and how much wider margins must be.

    moving: centres, velocities, spins (bodies, 3), allowed and reach (bodies,); see `reaches`
    widen:  (shapes,) out: for contacts to be there between all that will meet. Returns whether there are any.
    """
    centres, velocities, spins, allowed, reach = moving
    found = False
    for k in range(len(dist)):
        one, two = geoms[k, 0], geoms[k, 1]
        first, second = body_of[one], body_of[two]
        gap = dist[k] - included[k] + reach[first] + reach[second]
        gaps[k] = gap
        mine = (1 if ours[one] else 0) + (1 if ours[two] else 0)
        if mine == 0:
            continue
        meets = gap < -deep_m
        if not meets and (reach[first] > 0.0 or reach[second] > 0.0):
            closing = 0.0
            for side in range(2):
                body = first if side == 0 else second
                sign = 1.0 if side == 0 else -1.0
                rx = points[k, 0] - centres[body, 0]
                ry = points[k, 1] - centres[body, 1]
                rz = points[k, 2] - centres[body, 2]
                sx, sy, sz = spins[body, 0], spins[body, 1], spins[body, 2]
                closing += sign * frames[k, 0] * (velocities[body, 0] + sy * rz - sz * ry)
                closing += sign * frames[k, 1] * (velocities[body, 1] + sz * rx - sx * rz)
                closing += sign * frames[k, 2] * (velocities[body, 2] + sx * ry - sy * rx)
            meets = gap < step_s * closing + allowed[first] + allowed[second]
        if meets:
            found = True
            needed = (max(gap, 0.0) + barely_m) / mine  # of others the margins are not ours to change
            if ours[one]:
                widen[one] = max(widen[one], needed)
            if ours[two]:
                widen[two] = max(widen[two], needed)
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def answers(geoms, dist, included, first_row, vel, kbip, widen, step_s, out_share, out_m_s, aref):
    """Out: what the engine is to aim at in the rows of contacts whose margins were widened; see `foresight`."""
    for k in range(len(dist)):
        row = first_row[k]
        wider = widen[geoms[k, 0]] + widen[geoms[k, 1]]
        if row < 0 or wider <= 0.0:
            continue
        gap = dist[k] - included[k] + wider
        if gap >= 0.0:
            aref[row] = -(vel[row] + gap / step_s) / step_s
        else:
            out = min(-out_share * gap / step_s, out_m_s)
            soft = -(kbip[row, 1] * vel[row] + kbip[row, 0] * kbip[row, 2] * gap)
            aref[row] = max((out - vel[row]) / step_s, soft)
