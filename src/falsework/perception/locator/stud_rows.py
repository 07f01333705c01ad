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

from falsework.kernels.casting import PITCH, STUD_SIDE, STUD_TOP, TOP, solid_hit
from falsework.kernels.exact import compiled

NORMALS = 4  # 1, and the shares of studs' sides that look along x, along y, and at all


@compiled
def normals_at(pixels, K, T_cam_plate, solid, reach, out):
    """Fills out (n, 4): of each pixel (column, row), averaged over a disc of `reach` px; NaN beyond the plate."""
    T = T_cam_plate
    o, d = np.empty(3), np.empty(3)
    disc = np.exp(-np.arange(6) / 4.0)  # by the square of how far off
    for axis in range(3):
        o[axis] = -(T[0, axis] * T[0, 3] + T[1, axis] * T[1, 3] + T[2, axis] * T[2, 3])
    for p in range(len(pixels)):
        for q in range(NORMALS):
            out[p, q] = 0.0
        total = 0.0
        for a in range(-2, 3):
            for b in range(-2, 3):
                if a * a + b * b > 5:
                    continue
                weight = disc[a * a + b * b]
                x = (pixels[p, 0] + 0.5 * a * reach - K[2]) / K[0]
                y = (pixels[p, 1] + 0.5 * b * reach - K[3]) / K[1]
                for axis in range(3):
                    d[axis] = T[0, axis] * x + T[1, axis] * y + T[2, axis]
                t, face = solid_hit(solid, o, d)
                if face != TOP and face != STUD_TOP and face != STUD_SIDE:
                    total = np.nan
                    continue
                total += weight
                if face == STUD_SIDE:
                    nx = (o[0] + t * d[0]) / solid[PITCH]
                    ny = (o[1] + t * d[1]) / solid[PITCH]
                    nx, ny = nx - np.floor(nx) - 0.5, ny - np.floor(ny) - 0.5
                    size = np.sqrt(nx * nx + ny * ny)
                    out[p, 1] += weight * nx / size
                    out[p, 2] += weight * ny / size
                    out[p, 3] += weight
        for q in range(1, NORMALS):
            out[p, q] /= total
        out[p, 0] = total / total  # 1, or NaN beyond the plate
