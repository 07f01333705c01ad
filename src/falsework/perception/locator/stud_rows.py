"""Where the studs of a plate are, by the light on their sides.

The picture of a plate of one colour under any light is, to first order, linear in the normals that pixels show. The
share of each normal in a pixel is drawn for a supposed pose; the light is fitted; what is left, and what moving the
plate would change, are the rows of a least-squares problem. Stud tops have the normal of the plate and say nothing;
the crescents of their sides say where they are, also where no outline of the plate is in the picture.
"""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.casting import PITCH, STUD_SIDE, STUD_TOP, TOP, direction, origin, row_of, solid_hit, turn_of
from falsework.kernels.exact import compiled, inner

NORMALS = 4  # 1, and the shares of studs' sides that look along x, along y, and at all


@compiled
def normals_at(pixels, K, T_cam_plate, solid, reach, out):
    """Fills out (n, 4): of each pixel (column, row), averaged over a disc of `reach` px; NaN beyond the plate."""
    plate, o, R = row_of(solid), origin(T_cam_plate), turn_of(T_cam_plate)
    disc = np.exp(-np.arange(6) / 4.0)  # by the square of how far off
    for p in range(len(pixels)):
        out[p, 0], out[p, 1], out[p, 2], out[p, 3] = _around(pixels[p, 0], pixels[p, 1], K, plate, o, R, reach, disc)


@inner
def _around(column, row, K, plate, o, R, reach, disc):
    """What a disc about one pixel shows."""
    total = along_x = along_y = sides = 0.0
    for a in range(-2, 3):
        x = (column + 0.5 * a * reach - K[2]) / K[0]
        for b in range(-2, 3):
            if a * a + b * b > 5:
                continue
            weight = disc[a * a + b * b]
            d = direction(R, x, (row + 0.5 * b * reach - K[3]) / K[1])
            t, face = solid_hit(plate, o, d)
            if face != TOP and face != STUD_TOP and face != STUD_SIDE:
                return np.nan, np.nan, np.nan, np.nan
            total += weight
            if face == STUD_SIDE:
                nx = (o[0] + t * d[0]) / plate[PITCH]
                ny = (o[1] + t * d[1]) / plate[PITCH]
                nx, ny = nx - np.floor(nx) - 0.5, ny - np.floor(ny) - 0.5
                size = np.sqrt(nx * nx + ny * ny)
                along_x += weight * nx / size
                along_y += weight * ny / size
                sides += weight
    return 1.0, along_x / total, along_y / total, sides / total
