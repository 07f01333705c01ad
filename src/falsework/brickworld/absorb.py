"""One step of the engine turned into loads, in machine code: it runs eight times a frame, and allocates nothing.

Numba's own cache serves here: this kernel calls none of another file.
"""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from falsework.kernels.compiled import numba


@numba.njit(cache=True, nogil=True, error_model="numpy")
def absorb(contact, applied, began, bodies, groups, outer, motion, effort, pushed, codes, pressing):
    """Fill one row of the records; see `LoadRecorder`. Returns how many contacts there were between bricks.

    contact: geoms (k, 2), points (k, 3), frames (k, 9), first row (k,) and rows (k,) of the forces (r,)
    applied: parts (a,), forces, points and torques (a, 3), world
    began:   rotations (bodies, 9), places (bodies, 3), twists (bodies, 6) of the engine's bodies
    bodies:  part of each geom, group of each part, whether it is a brick, centres (n, 3) in their groups' frames
    groups:  engine's body and its origin, stands still, mass, centre, inertia and its inverse of each; gravity (3,)
    outer:   (n, 6) out: forces on the parts in their groups' frames, torques about their centres
    motion:  (groups, 15) out: g − a, α, ωωᵀ
    effort:  (groups,) out: sum of the contact forces' sizes
    pushed:  (groups, 3) out: forces applied, world
    codes, pressing: out: pairs of bricks that touch, as first × n + second, and the force on the second, world
    """
    geoms, points, frames, first_row, rows, force = contact
    part_of_geom, group_of, is_brick, coms = bodies
    ids, origins, still, mass, centre, inertia, inverse, gravity = groups
    turns, places, twists = began
    count = len(group_of)
    outer[:] = 0.0
    motion[:] = 0.0
    effort[:] = 0.0
    pushed[:] = 0.0
    found = 0
    for k in range(len(first_row)):
        row = first_row[k]
        if row < 0:
            continue
        fx = force[row] * frames[k, 0]
        fy = force[row] * frames[k, 1]
        fz = force[row] * frames[k, 2]
        for axis in range(1, min(rows[k], 3)):
            fx += force[row + axis] * frames[k, 3 * axis]
            fy += force[row + axis] * frames[k, 3 * axis + 1]
            fz += force[row + axis] * frames[k, 3 * axis + 2]
        one, two = part_of_geom[geoms[k, 0]], part_of_geom[geoms[k, 1]]
        size = (fx * fx + fy * fy + fz * fz) ** 0.5
        if one >= 0:
            group = group_of[one]
            effort[group] += size
            _add(one, group, ids[group], turns, places, origins, coms, points, k, -fx, -fy, -fz, outer)
        if two >= 0:
            group = group_of[two]
            effort[group] += size
            _add(two, group, ids[group], turns, places, origins, coms, points, k, fx, fy, fz, outer)
        if one >= 0 and two >= 0 and is_brick[one] and is_brick[two]:
            if found < len(codes):
                sign = -1.0 if one > two else 1.0
                codes[found] = two * count + one if one > two else one * count + two
                pressing[found, 0] = sign * fx
                pressing[found, 1] = sign * fy
                pressing[found, 2] = sign * fz
            found += 1
    parts, forces, spots, torques = applied
    for k in range(len(parts)):
        part = parts[k]
        group = group_of[part]
        body = ids[group]
        fx, fy, fz = forces[k, 0], forces[k, 1], forces[k, 2]
        _add(part, group, body, turns, places, origins, coms, spots, k, fx, fy, fz, outer)
        for i in range(3):
            pushed[group, i] += forces[k, i]
            for j in range(3):
                outer[part, 3 + i] += turns[body, 3 * j + i] * torques[k, j]
    _settle(group_of, coms, ids, still, mass, centre, inertia, inverse, gravity, turns, twists, outer, motion)
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(part, group, body, turns, places, origins, coms, points, k, fx, fy, fz, outer):
    """A force at point k of the world, on a part, in the frame of its group."""
    f0 = turns[body, 0] * fx + turns[body, 3] * fy + turns[body, 6] * fz
    f1 = turns[body, 1] * fx + turns[body, 4] * fy + turns[body, 7] * fz
    f2 = turns[body, 2] * fx + turns[body, 5] * fy + turns[body, 8] * fz
    dx = points[k, 0] - places[body, 0]
    dy = points[k, 1] - places[body, 1]
    dz = points[k, 2] - places[body, 2]
    r0 = turns[body, 0] * dx + turns[body, 3] * dy + turns[body, 6] * dz + (origins[group, 0] - coms[part, 0])
    r1 = turns[body, 1] * dx + turns[body, 4] * dy + turns[body, 7] * dz + (origins[group, 1] - coms[part, 1])
    r2 = turns[body, 2] * dx + turns[body, 5] * dy + turns[body, 8] * dz + (origins[group, 2] - coms[part, 2])
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
        r0 = coms[part, 0] - centre[group, 0]
        r1 = coms[part, 1] - centre[group, 1]
        r2 = coms[part, 2] - centre[group, 2]
        motion[group, 0] -= f0
        motion[group, 1] -= f1
        motion[group, 2] -= f2
        motion[group, 6] += outer[part, 3] + r1 * f2 - r2 * f1
        motion[group, 7] += outer[part, 4] + r2 * f0 - r0 * f2
        motion[group, 8] += outer[part, 5] + r0 * f1 - r1 * f0
    for group in range(len(ids)):
        turn = turns[ids[group]]
        if still[group]:
            for i in range(15):
                motion[group, i] = 0.0
            for i in range(3):
                motion[group, i] = turn[i] * gravity[0] + turn[3 + i] * gravity[1] + turn[6 + i] * gravity[2]
            continue
        spin = twists[ids[group]]
        w0 = turn[0] * spin[0] + turn[3] * spin[1] + turn[6] * spin[2]
        w1 = turn[1] * spin[0] + turn[4] * spin[1] + turn[7] * spin[2]
        w2 = turn[2] * spin[0] + turn[5] * spin[1] + turn[8] * spin[2]
        body = inertia[group]
        l0 = body[0, 0] * w0 + body[0, 1] * w1 + body[0, 2] * w2
        l1 = body[1, 0] * w0 + body[1, 1] * w1 + body[1, 2] * w2
        l2 = body[2, 0] * w0 + body[2, 1] * w1 + body[2, 2] * w2
        m0 = motion[group, 6] - (w1 * l2 - w2 * l1)
        m1 = motion[group, 7] - (w2 * l0 - w0 * l2)
        m2 = motion[group, 8] - (w0 * l1 - w1 * l0)
        for i in range(3):
            motion[group, i] /= mass[group]
            motion[group, 3 + i] = inverse[group, i, 0] * m0 + inverse[group, i, 1] * m1 + inverse[group, i, 2] * m2
        motion[group, 6], motion[group, 7], motion[group, 8] = w0 * w0, w0 * w1, w0 * w2
        motion[group, 9], motion[group, 10], motion[group, 11] = w1 * w0, w1 * w1, w1 * w2
        motion[group, 12], motion[group, 13], motion[group, 14] = w2 * w0, w2 * w1, w2 * w2
