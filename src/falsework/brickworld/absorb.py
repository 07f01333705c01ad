"""One step of the engine turned into loads, in machine code: it runs eight times a frame.

Numba's own cache serves here: this kernel calls no other.
"""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.statics.compiled import numba


@numba.njit(cache=True, nogil=True, error_model="numpy")
def absorb(contact, applied, began, bodies, groups, outer, motion, effort, pushed, codes, pressing):
    """Fill one row of the records; see `LoadRecorder`. Returns how many contacts there were between parts.

    contact: geoms (k, 2), points (k, 3), frames (k, 9), first row (k,) and rows (k,) of the forces (r,)
    applied: parts (a,), forces, points and torques (a, 3), world
    began:   rotations (bodies, 9), places (bodies, 3), twists (bodies, 6) of the engine's bodies
    bodies:  part of each geom, group of each part, centres of the parts (n, 3) in their groups' frames
    groups:  engine's body and its origin, stands still, mass, centre, inertia and its inverse of each; gravity (3,)
    outer:   (n, 6) out: forces on the parts in their groups' frames, torques about their centres
    motion:  (groups, 15) out: g − a, α, ωωᵀ
    effort:  (groups,) out: sum of the contact forces' sizes
    pushed:  (groups, 3) out: forces applied, world
    codes, pressing: out: pairs of parts that touch, as first × n + second, and the force on the second, world
    """
    geoms, points, frames, first_row, rows, force = contact
    part_of_geom, group_of, coms = bodies
    ids, origins, still, mass, centre, inertia, inverse, gravity = groups
    turns, places, twists = began
    count = len(group_of)
    outer[:] = 0.0
    motion[:] = 0.0
    effort[:] = 0.0
    pushed[:] = 0.0
    found = 0
    world = np.zeros(3)
    for k in range(len(first_row)):
        row = first_row[k]
        if row < 0:
            continue
        for i in range(3):
            world[i] = 0.0
        for axis in range(min(rows[k], 3)):
            for i in range(3):
                world[i] += force[row + axis] * frames[k, 3 * axis + i]
        one, two = part_of_geom[geoms[k, 0]], part_of_geom[geoms[k, 1]]
        size = (world[0] ** 2 + world[1] ** 2 + world[2] ** 2) ** 0.5
        for side in range(2):
            part = two if side else one
            if part >= 0:
                sign = 1.0 if side else -1.0
                group = group_of[part]
                effort[group] += size
                _add(part, ids[group], turns, places, origins[group] - coms[part], points[k], sign, world, outer)
        if one >= 0 and two >= 0:
            if found < len(codes):
                swap = one > two
                codes[found] = two * count + one if swap else one * count + two
                for i in range(3):
                    pressing[found, i] = -world[i] if swap else world[i]
            found += 1
    parts, forces, spots, torques = applied
    for k in range(len(parts)):
        part = parts[k]
        group = group_of[part]
        _add(part, ids[group], turns, places, origins[group] - coms[part], spots[k], 1.0, forces[k], outer)
        for i in range(3):
            pushed[group, i] += forces[k, i]
            for j in range(3):
                outer[part, 3 + i] += turns[ids[group], 3 * j + i] * torques[k, j]
    _settle(group_of, coms, ids, still, mass, centre, inertia, inverse, gravity, turns, twists, outer, motion)
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(part, body, turns, places, arm, point, sign, force, outer):
    """A force at a point of the world, on a part, in the frame of its group; `arm` from its centre to the body's."""
    fx, fy, fz = sign * force[0], sign * force[1], sign * force[2]
    f0 = turns[body, 0] * fx + turns[body, 3] * fy + turns[body, 6] * fz
    f1 = turns[body, 1] * fx + turns[body, 4] * fy + turns[body, 7] * fz
    f2 = turns[body, 2] * fx + turns[body, 5] * fy + turns[body, 8] * fz
    dx, dy, dz = point[0] - places[body, 0], point[1] - places[body, 1], point[2] - places[body, 2]
    r0 = turns[body, 0] * dx + turns[body, 3] * dy + turns[body, 6] * dz + arm[0]
    r1 = turns[body, 1] * dx + turns[body, 4] * dy + turns[body, 7] * dz + arm[1]
    r2 = turns[body, 2] * dx + turns[body, 5] * dy + turns[body, 8] * dz + arm[2]
    outer[part, 0] += f0
    outer[part, 1] += f1
    outer[part, 2] += f2
    outer[part, 3] += r1 * f2 - r2 * f1
    outer[part, 4] += r2 * f0 - r0 * f2
    outer[part, 5] += r0 * f1 - r1 * f0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _settle(group_of, coms, ids, still, mass, centre, inertia, inverse, gravity, turns, twists, outer, motion):
    """The groups' motion: m(a − g) = Σ F, and Euler's equation for α."""
    for part in range(len(group_of)):
        group = group_of[part]
        f0, f1, f2 = outer[part, 0], outer[part, 1], outer[part, 2]
        r0, r1, r2 = (
            coms[part, 0] - centre[group, 0],
            coms[part, 1] - centre[group, 1],
            coms[part, 2] - centre[group, 2],
        )
        motion[group, 0] -= f0
        motion[group, 1] -= f1
        motion[group, 2] -= f2
        motion[group, 6] += outer[part, 3] + r1 * f2 - r2 * f1
        motion[group, 7] += outer[part, 4] + r2 * f0 - r0 * f2
        motion[group, 8] += outer[part, 5] + r0 * f1 - r1 * f0
    for group in range(len(ids)):
        body = ids[group]
        if still[group]:
            for i in range(15):
                motion[group, i] = 0.0
            for i in range(3):
                for j in range(3):
                    motion[group, i] += turns[body, 3 * j + i] * gravity[j]
            continue
        moment = [motion[group, 6], motion[group, 7], motion[group, 8]]
        omega = [0.0, 0.0, 0.0]
        for i in range(3):
            motion[group, i] /= mass[group]
            for j in range(3):
                omega[i] += turns[body, 3 * j + i] * twists[body, j]
        spin = [0.0, 0.0, 0.0]
        for i in range(3):
            for j in range(3):
                spin[i] += inertia[group, i, j] * omega[j]
        moment[0] -= omega[1] * spin[2] - omega[2] * spin[1]
        moment[1] -= omega[2] * spin[0] - omega[0] * spin[2]
        moment[2] -= omega[0] * spin[1] - omega[1] * spin[0]
        for i in range(3):
            for j in range(3):
                motion[group, 3 + i] += inverse[group, i, j] * moment[j]
                motion[group, 6 + 3 * i + j] = omega[i] * omega[j]
