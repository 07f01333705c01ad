"""What colour a camera sees where rays have met solids: matt surfaces under a sun with shadows, and a sky.

Light comes from a sun, as several parallel beams (its disc), and evenly from all around. A surface gives back the
share of it that its colour says (Lambert), and, where it has gloss, a highlight (Blinn and Phong).
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import (
    FLAT,
    HEIGHT,
    LENGTH,
    LIP,
    NX,
    PITCH,
    SLOPE,
    STUD,
    STUD_SIDE,
    STUD_TOP,
    solid_hit,
    stud_hit,
)
from falsework.kernels.casting import WIDTH as SOLID_WIDTH
from falsework.kernels.exact import compiled, inner
from falsework.kernels.round_casting import HOLLOW, ROUND_SIDE, round_hit

RED, GREEN, BLUE, GRAIN, GLOSS, SHADES = range(6)  # a look: colour, how mottled, how glossy, whether it throws shadows
_OFF_M = 2e-5  # a shadow's ray starts so far above its surface
_GRAIN_M = 0.012  # between the spots of a mottled surface
_TILE = 16  # px: pixels of a square of these share the list of what may shade them


@inner
def _normal(face, solid, x, y, z, out):
    """The unit normal of a brick at (x, y, z) on a face, in its own frame."""
    out[0] = out[1] = out[2] = 0.0
    if face < 6 and face != STUD_TOP:
        out[face // 2] = 1.0 if face % 2 else -1.0
    elif face == STUD_SIDE:
        pitch = solid[PITCH]
        dx, dy = x - (np.floor(x / pitch) + 0.5) * pitch, y - (np.floor(y / pitch) + 0.5) * pitch
        length = np.sqrt(dx * dx + dy * dy) + 1e-12
        out[0], out[1] = dx / length, dy / length
    elif face == SLOPE:
        rise, run = solid[HEIGHT] - solid[LIP], solid[LENGTH] - solid[FLAT]
        length = np.sqrt(rise * rise + run * run)
        out[0], out[2] = rise / length, run / length
    elif face >= HOLLOW + 4:
        out[2] = -1.0
    elif face >= HOLLOW:
        out[(face - HOLLOW) // 2] = -1.0 if (face - HOLLOW) % 2 else 1.0
    else:
        out[2] = 1.0  # on top of a stud


@inner
def _round_normal(face, thing, x, y, z, out):
    out[0] = out[1] = out[2] = 0.0
    if face != ROUND_SIDE:
        out[2] = 1.0 if face % 2 else -1.0
        return
    out[0], out[1], out[2] = x / thing[0], y / thing[0], (z / thing[0] if thing[1] <= 0.0 else 0.0)


@inner
def _spot(i, j):
    """An even number from −1 to 1 for every place of a lattice."""
    h = (i * 374761393 + j * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFF) / 32767.5 - 1.0


@inner
def _grain(x, y):
    """A smooth mottle over a surface."""
    x, y = x / _GRAIN_M, y / _GRAIN_M
    i, j = int(np.floor(x)), int(np.floor(y))
    a, b = x - i, y - j
    lower = (1 - a) * _spot(i, j) + a * _spot(i + 1, j)
    return (1 - b) * lower + b * ((1 - a) * _spot(i, j + 1) + a * _spot(i + 1, j + 1))


@inner
def _in_the_way(p, beam, balls, slack, among, count, near):
    """How many bodies may stand between a point and the sun, to within `slack` (m) of the beam; `near` names them.

    Asked for are the first `count` that `among` names.
    """
    found = 0
    for k in range(count):
        n = among[k]
        x, y, z = balls[n, 0] - p[0], balls[n, 1] - p[1], balls[n, 2] - p[2]
        along = x * beam[0] + y * beam[1] + z * beam[2]
        reach = balls[n, 3] + slack
        if along > -reach and x * x + y * y + z * z - along * along < reach * reach:
            near[found] = n
            found += 1
    return found


@inner
def _lit(p, solids, T_cam_solid, things, T_cam_thing, near, count, ways, is_dark, o):
    """The share of the sun's beams that none of the bodies that are near keeps from a point.

    ways: (bodies, beams, 3) the beams as the bodies see them
    """
    for beam in range(len(is_dark)):
        is_dark[beam] = False
    for k in range(count):
        n = near[k]
        T = T_cam_solid[n] if n < len(solids) else T_cam_thing[n - len(solids)]
        for axis in range(3):
            o[axis] = T[0, axis] * (p[0] - T[0, 3]) + T[1, axis] * (p[1] - T[1, 3]) + T[2, axis] * (p[2] - T[2, 3])
        for beam in range(len(is_dark)):
            if is_dark[beam]:
                continue
            way = ways[n, beam]
            if n >= len(solids):
                t, _ = round_hit(things[n - len(solids)], o, way)
            elif way[2] > 0.0 and o[2] > solids[n, HEIGHT]:  # up from above a brick: its studs alone may be met
                t, _ = stud_hit(solids[n], o, way, np.inf)
            else:
                t, _ = solid_hit(solids[n], o, way)
            is_dark[beam] = t < np.inf
    share = 1.0
    for beam in range(len(is_dark)):
        if is_dark[beam]:
            share -= 1.0 / len(is_dark)
    return share


@inner
def _ball_of_tile(depth, ids, K, top, bottom, left, right, middle):
    """The radius of a ball about all points that a tile of a picture shows, and into `middle` (3,) where it is."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for v in range(top, bottom):
        for u in range(left, right):
            if ids[v, u] < 0:
                continue
            z = depth[v, u]
            x, y = z * (u - K[2]) / K[0], z * (v - K[3]) / K[1]
            low[0], low[1], low[2] = min(low[0], x), min(low[1], y), min(low[2], z)
            high[0], high[1], high[2] = max(high[0], x), max(high[1], y), max(high[2], z)
    square = 0.0
    for axis in range(3):
        middle[axis] = 0.5 * (low[axis] + high[axis])
        square += (high[axis] - low[axis]) ** 2
    return 0.5 * np.sqrt(square) + 2.0 * _OFF_M


@inner
def _balls(solids, T_cam_solid, things, T_cam_thing):
    """(n, 4) middle and radius of a ball about every solid and every round thing, in the camera's frame."""
    balls = np.empty((len(solids) + len(things), 4))
    middle = np.empty(3)
    for n in range(len(balls)):
        if n < len(solids):
            solid, T = solids[n], T_cam_solid[n]
            middle[0], middle[1] = 0.5 * solid[LENGTH], 0.5 * solid[SOLID_WIDTH]
            middle[2] = 0.5 * (solid[HEIGHT] + (solid[STUD] if solid[NX] > 0.0 else 0.0))
            balls[n, 3] = np.sqrt((middle * middle).sum())
        else:
            thing, T = things[n - len(solids)], T_cam_thing[n - len(solids)]
            middle[0] = middle[1] = 0.0
            middle[2] = 0.5 * thing[1]
            balls[n, 3] = np.sqrt(thing[0] * thing[0] + middle[2] * middle[2])
        for axis in range(3):
            balls[n, axis] = T[axis, 0] * middle[0] + T[axis, 1] * middle[1] + T[axis, 2] * middle[2] + T[axis, 3]
    return balls


@compiled
def light(depth, ids, faces, K, solids, T_cam_solid, things, T_cam_thing, looks, beams, sun, sky, shine, behind):
    """(h, w, 3) colours, 1 for full white, of pictures that `draw` and `draw_round` have made.

    `looks` (n, 6) of every solid, then of every round thing; `beams` (k, 3) unit, toward the sun, the first its
    middle, in the camera's frame; `sun` and `sky` (3,) how bright; `shine` the exponent of highlights; `behind` (3,)
    the colour where there is nothing.
    """
    rows, columns = depth.shape
    rgb = np.empty((rows, columns, 3))
    balls = _balls(solids, T_cam_solid, things, T_cam_thing)
    spread = np.sqrt(((beams - beams[0]) ** 2).sum(axis=1).max())
    slack = 0.3 * spread + 1e-9  # what is farther than 0.3 m throws its shadow's edge unchecked
    shading = np.flatnonzero(looks[:, SHADES] > 0.0)
    ways = _ways(T_cam_solid, T_cam_thing, beams)
    middle, about = np.empty(3), np.empty(len(balls), dtype=np.int64)
    for top in range(0, rows, _TILE):
        bottom = min(rows, top + _TILE)
        for left in range(0, columns, _TILE):
            right = min(columns, left + _TILE)
            reach = _ball_of_tile(depth, ids, K, top, bottom, left, right, middle)
            count = _in_the_way(middle, beams[0], balls, slack + reach, shading, len(shading), about)
            _light_tile(
                depth, ids, faces, K, solids, T_cam_solid, things, T_cam_thing, looks, beams, sun, sky, shine, behind,
                (top, bottom, left, right), balls, slack, ways, about, count, rgb,
            )  # fmt: skip
    return rgb


@inner
def _ways(T_cam_solid, T_cam_thing, beams):
    """(bodies, beams, 3) the beams as solids and round things see them."""
    solids = len(T_cam_solid)
    ways = np.empty((solids + len(T_cam_thing), len(beams), 3))
    for n in range(len(ways)):
        T = T_cam_solid[n] if n < solids else T_cam_thing[n - solids]
        for k in range(len(beams)):
            for axis in range(3):
                ways[n, k, axis] = T[0, axis] * beams[k, 0] + T[1, axis] * beams[k, 1] + T[2, axis] * beams[k, 2]
    return ways


@inner
def _light_tile(
    depth, ids, faces, K, solids, T_cam_solid, things, T_cam_thing, looks, beams, sun, sky, shine, behind,
    window, balls, slack, ways, about, count, rgb,
):  # fmt: skip
    """The pixels of one tile; `about` names the `count` bodies that may stand between any of them and the sun."""
    top, bottom, left, right = window
    near, is_dark = np.empty(len(balls), dtype=np.int64), np.empty(len(beams), dtype=np.bool_)
    p, n, own, o = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for v in range(top, bottom):
        for u in range(left, right):
            one = ids[v, u]
            if one < 0:
                rgb[v, u] = behind
                continue
            x, y, z = depth[v, u] * (u - K[2]) / K[0], depth[v, u] * (v - K[3]) / K[1], depth[v, u]
            is_brick = one < len(solids)
            T = T_cam_solid[one] if is_brick else T_cam_thing[one - len(solids)]
            for axis in range(3):
                o[axis] = T[0, axis] * (x - T[0, 3]) + T[1, axis] * (y - T[1, 3]) + T[2, axis] * (z - T[2, 3])
            if is_brick:
                _normal(faces[v, u], solids[one], o[0], o[1], o[2], own)
            else:
                _round_normal(faces[v, u], things[one - len(solids)], o[0], o[1], o[2], own)
            for axis in range(3):
                n[axis] = T[axis, 0] * own[0] + T[axis, 1] * own[1] + T[axis, 2] * own[2]
            mottle = 1.0 + looks[one, GRAIN] * _grain(o[0], o[1]) if looks[one, GRAIN] > 0.0 else 1.0
            p[0], p[1], p[2] = x + _OFF_M * n[0], y + _OFF_M * n[1], z + _OFF_M * n[2]
            facing = n[0] * beams[0, 0] + n[1] * beams[0, 1] + n[2] * beams[0, 2]
            share = 0.0
            if facing > 0.0:
                found = _in_the_way(p, beams[0], balls, slack, about, count, near)
                share = _lit(p, solids, T_cam_solid, things, T_cam_thing, near, found, ways, is_dark, o)
            glint = 0.0
            if looks[one, GLOSS] > 0.0 and share > 0.0:
                away = np.sqrt(x * x + y * y + z * z)
                hx, hy, hz = beams[0, 0] - x / away, beams[0, 1] - y / away, beams[0, 2] - z / away
                across = (n[0] * hx + n[1] * hy + n[2] * hz) / np.sqrt(hx * hx + hy * hy + hz * hz)
                glint = looks[one, GLOSS] * share * max(across, 0.0) ** shine
            for c in range(3):
                lit = sky[c] + sun[c] * share * max(facing, 0.0)
                rgb[v, u, c] = mottle * looks[one, c] * lit + glint * sun[c]
