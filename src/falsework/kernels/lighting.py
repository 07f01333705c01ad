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
    NY,
    PITCH,
    RADIUS,
    SLOPE,
    STUD,
    STUD_SIDE,
    STUD_TOP,
    body_hit,
    row_of,
    stud_hit,
)
from falsework.kernels.casting import WIDTH as SOLID_WIDTH
from falsework.kernels.exact import compiled, inner
from falsework.kernels.round_casting import HOLLOW, ROUND_SIDE, THING_HEIGHT, THING_RADIUS, round_hit

RED, GREEN, BLUE, GRAIN, GLOSS, SHADES = range(6)  # a look: colour, how mottled, how glossy, whether it throws shadows
_OFF_M = 2e-5  # a shadow's ray starts so far above its surface
_GRAIN_M = 0.012  # between the spots of a mottled surface
_SURE = 1e-6  # m: what is so far inside or outside is that, however rounded
_WELL_OUT_M = 2e-4  # a beam that begins so far outside a body enters it as far as rays must go to meet something
_LEAST_RISE = 0.05  # of beams that come down on a body, for each metre
_CLEAR, _DARK, _UNCLEAR = range(3)
_TILE = 16  # px: pixels of a square of these share the list of what may shade them


@inner
def _normal(face, solid, x, y):
    """The unit normal of a brick at (x, y) on a face, in its own frame."""
    if face < 6 and face != STUD_TOP:
        return _along(face // 2, 1.0 if face % 2 else -1.0)
    if face == STUD_SIDE:
        pitch = solid[PITCH]
        dx, dy = x - (np.floor(x / pitch) + 0.5) * pitch, y - (np.floor(y / pitch) + 0.5) * pitch
        length = np.sqrt(dx * dx + dy * dy) + 1e-12
        return dx / length, dy / length, 0.0
    if face == SLOPE:
        rise, run = solid[HEIGHT] - solid[LIP], solid[LENGTH] - solid[FLAT]
        length = np.sqrt(rise * rise + run * run)
        return rise / length, 0.0, run / length
    if face >= HOLLOW + 4:
        return 0.0, 0.0, -1.0
    if face >= HOLLOW:
        return _along((face - HOLLOW) // 2, -1.0 if (face - HOLLOW) % 2 else 1.0)
    return 0.0, 0.0, 1.0  # on top of a stud


@inner
def _along(axis, way):
    return way if axis == 0 else 0.0, way if axis == 1 else 0.0, way if axis == 2 else 0.0


@inner
def _round_normal(face, thing, x, y, z):
    if face != ROUND_SIDE:
        return 0.0, 0.0, 1.0 if face % 2 else -1.0
    return x / thing[0], y / thing[0], (z / thing[0] if thing[1] <= 0.0 else 0.0)


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
def _four(rows, n):
    """The nth of rows of four, as a tuple."""
    return rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3]


@inner
def _in_the_way(p, beam, ball, slack):
    """Whether a body in a ball may stand between a point and the sun, to within `slack` (m) of the beam."""
    x, y, z = ball[0] - p[0], ball[1] - p[1], ball[2] - p[2]
    along = x * beam[0] + y * beam[1] + z * beam[2]
    reach = ball[3] + slack
    return along > -reach and x * x + y * y + z * z - along * along < reach * reach


@inner
def _lit(p, beam, solids, things, T_cam_body, balls, slack, ways, leans, about, is_dark):
    """The share of the sun's beams that none of the bodies that `about` names keeps from a point."""
    dark = 0
    for one in range(len(is_dark)):
        is_dark[one] = False
    for n in about:
        if dark == len(is_dark) or not _in_the_way(p, beam, _four(balls, n), slack):
            continue
        o = _as_seen_by(T_cam_body, n, p)
        if n < len(solids):
            solid = row_of(solids[n])
            told = _told(solid, o, _four(leans, n))
            if told == _CLEAR:
                continue
            if told == _DARK:
                dark = len(is_dark)
                continue
            for one in range(len(is_dark)):
                if not is_dark[one] and _keeps_off(solid, o, (ways[n, one, 0], ways[n, one, 1], ways[n, one, 2])):
                    is_dark[one] = True
                    dark += 1
        else:
            thing = _thing_of(things, n - len(solids))
            for one in range(len(is_dark)):
                if not is_dark[one]:
                    t, _ = round_hit(thing, o, (ways[n, one, 0], ways[n, one, 1], ways[n, one, 2]))
                    is_dark[one] = t < np.inf
                    dark += is_dark[one]
    share = 1.0
    for _ in range(dark):
        share -= 1.0 / len(is_dark)
    return share


@inner
def _as_seen_by(T, n, p):
    """A point in the frame of the nth body; T_cam_body (n, 3, 4)."""
    x, y, z = p[0] - T[n, 0, 3], p[1] - T[n, 1, 3], p[2] - T[n, 2, 3]
    return (
        T[n, 0, 0] * x + T[n, 1, 0] * y + T[n, 2, 0] * z,
        T[n, 0, 1] * x + T[n, 1, 1] * y + T[n, 2, 1] * z,
        T[n, 0, 2] * x + T[n, 1, 2] * y + T[n, 2, 2] * z,
    )


@inner
def _turned_back(T, n, way):
    """A direction of the nth body's frame as the camera sees it."""
    return (
        T[n, 0, 0] * way[0] + T[n, 0, 1] * way[1] + T[n, 0, 2] * way[2],
        T[n, 1, 0] * way[0] + T[n, 1, 1] * way[1] + T[n, 1, 2] * way[2],
        T[n, 2, 0] * way[0] + T[n, 2, 1] * way[1] + T[n, 2, 2] * way[2],
    )


@inner
def _thing_of(things, n):
    """A round thing's row as a tuple."""
    return things[n, THING_RADIUS], things[n, THING_HEIGHT]


@inner
def _keeps_off(solid, o, way):
    """Whether a brick keeps a beam from a point in its own frame."""
    if not (way[2] > 0.0 and o[2] > solid[HEIGHT]):  # else up from above a brick: its studs alone may be met
        t, _ = body_hit(solid, o, way)
        if t < np.inf:
            return True
    if solid[NX] > 0.0:
        t, _ = stud_hit(solid, o, way, np.inf)
        return t < np.inf
    return False


@inner
def _told(solid, o, lean):
    """What a box about all beams, from a point up past a brick, tells of them: clear of it, dark or unclear.

    So each beam need be followed only near edges of shadows. What it tells is so by a µm: rounding cannot change it.
    """
    if np.isnan(lean[0]):
        return _UNCLEAR
    if o[2] <= solid[HEIGHT] + _SURE:
        x0, x1, y0, y1 = _box(o, lean, max(-o[2], 0.0), solid[HEIGHT] - o[2] + _SURE)
        if not (x1 < -_SURE or x0 > solid[LENGTH] + _SURE or y1 < -_SURE or y0 > solid[SOLID_WIDTH] + _SURE):
            return _DARK if _surely_dark(solid, o, lean) else _UNCLEAR
    return _CLEAR if _clear_of_studs(solid, o, lean) else _UNCLEAR


@inner
def _box(o, lean, start, end):
    """(least x, most x, least y, most y) of all beams from `start` to `end` above a point."""
    return (
        o[0] + min(start * lean[0], end * lean[0]),
        o[0] + max(start * lean[1], end * lean[1]),
        o[1] + min(start * lean[2], end * lean[2]),
        o[1] + max(start * lean[3], end * lean[3]),
    )


@inner
def _surely_dark(solid, o, lean):
    """Whether all beams go through a brick's body at one of some heights, and begin well outside it."""
    outside = max(max(-o[0], o[0] - solid[LENGTH]), max(-o[1], o[1] - solid[SOLID_WIDTH]))
    if max(outside, -o[2]) < _WELL_OUT_M:
        return False
    for quarter in range(1, 4):
        up = 0.25 * quarter * solid[HEIGHT] - o[2]
        x0, x1, y0, y1 = _box(o, lean, up, up)
        inside = x0 > _SURE and x1 < solid[FLAT] - _SURE and y0 > _SURE and y1 < solid[SOLID_WIDTH] - _SURE
        if up > 0.0 and inside:
            return True
    return False


@inner
def _clear_of_studs(solid, o, lean):
    """Whether a box about all beams, where they pass a brick's studs, touches none of those."""
    end = solid[HEIGHT] + solid[STUD] - o[2] + _SURE
    if solid[NX] <= 0.0 or end < 0.0:
        return True
    x0, x1, y0, y1 = _box(o, lean, max(solid[HEIGHT] - o[2] - _SURE, 0.0), end)
    pitch, radius = solid[PITCH], solid[RADIUS] + _SURE
    for i in range(max(int(np.floor(x0 / pitch)), 0), min(int(np.floor(x1 / pitch)) + 1, int(solid[NX]))):
        for j in range(max(int(np.floor(y0 / pitch)), 0), min(int(np.floor(y1 / pitch)) + 1, int(solid[NY]))):
            x, y = (i + 0.5) * pitch, (j + 0.5) * pitch
            off_x, off_y = max(max(x0 - x, x - x1), 0.0), max(max(y0 - y, y - y1), 0.0)
            if off_x * off_x + off_y * off_y < radius * radius:
                return False
    return True


@inner
def _ball_of_tile(depth, ids, across, down, window):
    """(middle, radius) of a ball about all points that a tile of a picture shows."""
    top, bottom, left, right = window
    x0 = y0 = z0 = np.inf
    x1 = y1 = z1 = -np.inf
    for v in range(top, bottom):
        for u in range(left, right):
            if ids[v, u] >= 0:
                z = depth[v, u]
                x, y = z * across[u], z * down[v]
                x0, y0, z0 = min(x0, x), min(y0, y), min(z0, z)
                x1, y1, z1 = max(x1, x), max(y1, y), max(z1, z)
    radius = 0.5 * np.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2 + (z1 - z0) ** 2) + 2.0 * _OFF_M
    return (0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)), radius


@inner
def _balls(solids, things, T_cam_body):
    """(n, 4) middle and radius of a ball about every solid and every round thing, in the camera's frame."""
    balls = np.empty((len(solids) + len(things), 4))
    middle = np.empty(3)
    for n in range(len(balls)):
        T = T_cam_body[n]
        if n < len(solids):
            solid = solids[n]
            middle[0], middle[1] = 0.5 * solid[LENGTH], 0.5 * solid[SOLID_WIDTH]
            middle[2] = 0.5 * (solid[HEIGHT] + (solid[STUD] if solid[NX] > 0.0 else 0.0))
            balls[n, 3] = np.sqrt((middle * middle).sum())
        else:
            thing = things[n - len(solids)]
            middle[0] = middle[1] = 0.0
            middle[2] = 0.5 * thing[1]
            balls[n, 3] = np.sqrt(thing[0] * thing[0] + middle[2] * middle[2])
        for axis in range(3):
            balls[n, axis] = T[axis, 0] * middle[0] + T[axis, 1] * middle[1] + T[axis, 2] * middle[2] + T[axis, 3]
    return balls


@compiled
def light(depth, ids, faces, K, solids, T_cam_solid, things, T_cam_thing, looks, beams, sun, sky, shine, behind):
    """(h, w, 3) colours, 0 to 255, of pictures that `draw` and `draw_round` have made.

    `looks` (n, 6) of every solid, then of every round thing; `beams` (k, 3) unit, toward the sun, the first its
    middle, in the camera's frame; `sun` and `sky` (3,) how bright, 1 for full white; `shine` the exponent of
    highlights; `behind` (3,) the colour where there is nothing.
    """
    rows, columns = depth.shape
    rgb = np.empty((rows, columns, 3), dtype=np.uint8)
    T_cam_body = np.concatenate((T_cam_solid, T_cam_thing))
    balls = _balls(solids, things, T_cam_body)
    spread = np.sqrt(((beams - beams[0]) ** 2).sum(axis=1).max())
    slack = 0.3 * spread + 1e-9  # what is farther than 0.3 m throws its shadow's edge unchecked
    shading = np.flatnonzero(looks[:, SHADES] > 0.0)
    ways = _ways(T_cam_body, beams)
    leans = _leans(ways)
    beam = (beams[0, 0], beams[0, 1], beams[0, 2])
    across, down = (np.arange(columns) - K[2]) / K[0], (np.arange(rows) - K[3]) / K[1]
    about = np.empty(len(balls), dtype=np.int64)
    is_dark = np.empty(len(beams), dtype=np.bool_)
    for top in range(0, rows, _TILE):
        bottom = min(rows, top + _TILE)
        for left in range(0, columns, _TILE):
            right = min(columns, left + _TILE)
            window = (top, bottom, left, right)
            middle, reach = _ball_of_tile(depth, ids, across, down, window)
            count = 0
            for n in shading:
                if _in_the_way(middle, beam, _four(balls, n), slack + reach):
                    about[count] = n
                    count += 1
            _light_tile(
                depth, ids, faces, K, solids, things, T_cam_body, looks, beam, sun, sky, shine, behind,
                window, balls, slack, ways, leans, about, count, is_dark, rgb,
            )  # fmt: skip
    return rgb


@inner
def _ways(T_cam_body, beams):
    """(bodies, beams, 3) the beams as solids and round things see them."""
    ways = np.empty((len(T_cam_body), len(beams), 3))
    for n in range(len(ways)):
        T = T_cam_body[n]
        for k in range(len(beams)):
            for axis in range(3):
                ways[n, k, axis] = T[0, axis] * beams[k, 0] + T[1, axis] * beams[k, 1] + T[2, axis] * beams[k, 2]
    return ways


@inner
def _leans(ways):
    """(bodies, 4) how far beams go along a body's x, at least and at most, and its y, on a metre up its z.

    NaN of bodies that lie so that beams do not come down on them.
    """
    leans = np.full((len(ways), 4), np.nan)
    for n in range(len(ways)):
        if ways[n, :, 2].min() > _LEAST_RISE:
            for axis in range(2):
                lean = ways[n, :, axis] / ways[n, :, 2]
                leans[n, 2 * axis], leans[n, 2 * axis + 1] = lean.min(), lean.max()
    return leans


@inner
def _light_tile(
    depth, ids, faces, K, solids, things, T_cam_body, looks, beam, sun, sky, shine, behind,
    window, balls, slack, ways, leans, about, count, is_dark, rgb,
):  # fmt: skip
    """The pixels of one tile; `about` names the `count` bodies that may stand between any of them and the sun."""
    top, bottom, left, right = window
    for v in range(top, bottom):
        for u in range(left, right):
            one = ids[v, u]
            if one < 0:
                for c in range(3):
                    rgb[v, u, c] = _bits(behind[c])
                continue
            x, y, z = depth[v, u] * (u - K[2]) / K[0], depth[v, u] * (v - K[3]) / K[1], depth[v, u]
            o = _as_seen_by(T_cam_body, one, (x, y, z))
            if one < len(solids):
                own = _normal(faces[v, u], row_of(solids[one]), o[0], o[1])
            else:
                own = _round_normal(faces[v, u], _thing_of(things, one - len(solids)), o[0], o[1], o[2])
            n = _turned_back(T_cam_body, one, own)
            mottle = 1.0 + looks[one, GRAIN] * _grain(o[0], o[1]) if looks[one, GRAIN] > 0.0 else 1.0
            facing = n[0] * beam[0] + n[1] * beam[1] + n[2] * beam[2]
            share = 0.0
            if facing > 0.0:
                p = (x + _OFF_M * n[0], y + _OFF_M * n[1], z + _OFF_M * n[2])
                told, k = _CLEAR, 0
                while told == _CLEAR and k < count:  # here, not in a function: arrays that it got would be counted
                    body = about[k]
                    if _in_the_way(p, beam, _four(balls, body), slack):
                        told = _UNCLEAR
                        if body < len(solids):
                            at = _as_seen_by(T_cam_body, body, p)
                            told = _told(row_of(solids[body]), at, _four(leans, body))
                    k += 1
                share = 1.0
                if told != _CLEAR:
                    share = _lit(
                        p, beam, solids, things, T_cam_body, balls, slack, ways, leans, about[k - 1 : count], is_dark
                    )
            glint = 0.0
            if looks[one, GLOSS] > 0.0 and share > 0.0:
                away = np.sqrt(x * x + y * y + z * z)
                hx, hy, hz = beam[0] - x / away, beam[1] - y / away, beam[2] - z / away
                across = (n[0] * hx + n[1] * hy + n[2] * hz) / np.sqrt(hx * hx + hy * hy + hz * hz)
                glint = looks[one, GLOSS] * share * max(across, 0.0) ** shine
            for c in range(3):
                lit = sky[c] + sun[c] * share * max(facing, 0.0)
                rgb[v, u, c] = _bits(mottle * looks[one, c] * lit + glint * sun[c])


@inner
def _bits(bright):
    """0 to 255 of a brightness, 1 for full white."""
    return np.uint8(min(max(np.rint(255.0 * bright), 0.0), 255.0))
