"""Contacts as a linear map, a patch at a time: Aᵀ (motions to opening speeds), A (weights to wrenches), A D Aᵀ.

Motions are twists about one common origin with lengths in units of the assembly's size: x_i = (velocity of the
origin, angular velocity), so a point r of body i moves with u + w × r = J_r x_i, J_r = [I, −[r]×], and a patch
between bodies 1 and 2 sees only x₂ − x₁. Generator g at r gives the column J_rᵀ g on body 2 and its opposite on
body 1. Hence A D Aᵀ is one 6×6 matrix a patch, K = Σ_r J_rᵀ (Σ_g d_g g gᵀ) J_r: +K on both diagonal blocks, −K
between them.

Generators stand in lanes of four, zero where there are fewer: zero generators transmit nothing.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array
from falsework.statics.block_cholesky import factor_blocks
from falsework.statics.compiled import inner
from falsework.statics.cone_room import LANES, Cones, Piece, Room


@inner
def opening_speeds(cones: Cones, piece: Piece, x: Array, out: Array) -> None:
    """out = Aᵀ x: how fast each generator's constraint opens."""
    groups = cones.generators.shape[1]
    d = np.empty(6)
    for k in range(piece.sizes[1]):
        first, second = piece.ends[k, 0], piece.ends[k, 1]
        for q in range(6):
            d[q] = (x[second, q] if second >= 0 else 0.0) - (x[first, q] if first >= 0 else 0.0)
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            px, py, pz = cones.points[r, 0], cones.points[r, 1], cones.points[r, 2]
            vx = d[0] + d[4] * pz - d[5] * py
            vy = d[1] + d[5] * px - d[3] * pz
            vz = d[2] + d[3] * py - d[4] * px
            for c in range(groups):
                for e in range(LANES):
                    out[r, LANES * c + e] = (
                        cones.generators[r, c, 0, e] * vx
                        + cones.generators[r, c, 1, e] * vy
                        + cones.generators[r, c, 2, e] * vz
                    )


@inner
def add_wrenches(cones: Cones, piece: Piece, weights: Array, out: Array) -> None:
    """out += A weights: wrenches about the origin on the free bodies."""
    groups = cones.generators.shape[1]
    for k in range(piece.sizes[1]):
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            hx, hy, hz = 0.0, 0.0, 0.0
            for c in range(groups):
                for e in range(LANES):
                    weight = weights[r, LANES * c + e]
                    hx += weight * cones.generators[r, c, 0, e]
                    hy += weight * cones.generators[r, c, 1, e]
                    hz += weight * cones.generators[r, c, 2, e]
            px, py, pz = cones.points[r, 0], cones.points[r, 1], cones.points[r, 2]
            fx += hx
            fy += hy
            fz += hz
            tx += py * hz - pz * hy
            ty += pz * hx - px * hz
            tz += px * hy - py * hx
        for side in range(2):
            node = piece.ends[k, side]
            if node >= 0:
                sign = 1.0 if side == 1 else -1.0
                out[node, 0] += sign * fx
                out[node, 1] += sign * fy
                out[node, 2] += sign * fz
                out[node, 3] += sign * tx
                out[node, 4] += sign * ty
                out[node, 5] += sign * tz


@inner
def fill_matrix(cones: Cones, piece: Piece, mass_scale: float, scales: Array, diagonal: Array, lower: Array) -> None:
    """H = A diag(scales) Aᵀ + mass_scale M, in the arrays that factor_blocks takes."""
    groups = cones.generators.shape[1]
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        for q in range(6):
            for p in range(6):
                diagonal[j, q, p] = mass_scale * cones.masses[body, q, p]
    for e in range(piece.sizes[2]):
        for q in range(6):
            for p in range(6):
                lower[e, q, p] = 0.0
    block = np.empty((6, 6))
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for q in range(6):
            for p in range(6):
                block[q, p] = 0.0
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(groups):
                for e in range(LANES):
                    scale = scales[r, LANES * c + e]
                    gx = cones.generators[r, c, 0, e]
                    gy = cones.generators[r, c, 1, e]
                    gz = cones.generators[r, c, 2, e]
                    sx, sy, sz = scale * gx, scale * gy, scale * gz
                    xx += sx * gx
                    xy += sx * gy
                    xz += sx * gz
                    yy += sy * gy
                    yz += sy * gz
                    zz += sz * gz
            _add_point(block, cones.points[r, 0], cones.points[r, 1], cones.points[r, 2], xx, xy, xz, yy, yz, zz)
        for q in range(3):
            for p in range(3):
                block[3 + p, q] = block[q, 3 + p]
        first, second = piece.ends[k, 0], piece.ends[k, 1]
        if first >= 0:
            for q in range(6):
                for p in range(6):
                    diagonal[first, q, p] += block[q, p]
        if second >= 0:
            for q in range(6):
                for p in range(6):
                    diagonal[second, q, p] += block[q, p]
        if first >= 0 and second >= 0:
            slot = piece.slots[k]
            for q in range(6):
                for p in range(6):
                    lower[slot, q, p] -= block[q, p]


@inner
def _add_point(
    block: Array, px: float, py: float, pz: float, xx: float, xy: float, xz: float, yy: float, yz: float, zz: float
) -> None:
    """block += J_rᵀ D J_r but for its lower left: rows of D [r]×ᵀ are r × (rows of D), and once more for the rest."""
    block[0, 0] += xx
    block[0, 1] += xy
    block[0, 2] += xz
    block[1, 0] += xy
    block[1, 1] += yy
    block[1, 2] += yz
    block[2, 0] += xz
    block[2, 1] += yz
    block[2, 2] += zz
    ax, ay, az = py * xz - pz * xy, pz * xx - px * xz, px * xy - py * xx
    bx, by, bz = py * yz - pz * yy, pz * xy - px * yz, px * yy - py * xy
    cx, cy, cz = py * zz - pz * yz, pz * xz - px * zz, px * yz - py * xz
    block[0, 3] += ax
    block[0, 4] += ay
    block[0, 5] += az
    block[1, 3] += bx
    block[1, 4] += by
    block[1, 5] += bz
    block[2, 3] += cx
    block[2, 4] += cy
    block[2, 5] += cz
    block[3, 3] += py * cx - pz * bx
    block[3, 4] += py * cy - pz * by
    block[3, 5] += py * cz - pz * bz
    block[4, 3] += pz * ax - px * cx
    block[4, 4] += pz * ay - px * cy
    block[4, 5] += pz * az - px * cz
    block[5, 3] += px * bx - py * ax
    block[5, 4] += px * by - py * ay
    block[5, 5] += px * bz - py * az


@inner
def factorise(cones: Cones, piece: Piece, mass_scale: float, room: Room) -> int:
    """A diag(room.scales) Aᵀ + mass_scale M = L Lᵀ, in room.diagonal and room.lower."""
    fill_matrix(cones, piece, mass_scale, room.scales, room.diagonal, room.lower)
    return factor_blocks(
        *(piece.sizes[0], piece.starts, piece.rows, piece.row_starts, piece.row_columns, piece.row_slots),
        *(room.diagonal, room.lower, room.where),
    )


@inner
def add_momenta(cones: Cones, piece: Piece, scale: float, x: Array, out: Array) -> None:
    """out += scale M x."""
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        for q in range(6):
            value = 0.0
            for p in range(6):
                value += cones.masses[body, q, p] * x[j, p]
            out[j, q] += scale * value


@inner
def largest_entry(count: int, x: Array) -> float:
    """The largest |entry|; NaN where there is one."""
    largest = 0.0
    for j in range(count):
        for q in range(6):
            size = abs(x[j, q])
            if size > largest or np.isnan(size):
                largest = size
    return largest


@inner
def dot(count: int, a: Array, b: Array) -> float:
    total = 0.0
    for j in range(count):
        for q in range(6):
            total += a[j, q] * b[j, q]
    return total


@inner
def least_speed(cones: Cones, piece: Piece, speeds: Array) -> float:
    """The smallest of Aᵀ x over the real generators (padding gives 0)."""
    least = 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            for e in range(speeds.shape[1]):
                least = min(least, speeds[r, e])
    return least


@inner
def largest_part_speed(cones: Cones, piece: Piece, x: Array) -> float:
    """max over bodies of |velocity of the centre of mass| and radius × |angular velocity|."""
    largest = 0.0
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        cx, cy, cz = cones.coms[body, 0], cones.coms[body, 1], cones.coms[body, 2]
        vx = x[j, 0] + x[j, 4] * cz - x[j, 5] * cy
        vy = x[j, 1] + x[j, 5] * cx - x[j, 3] * cz
        vz = x[j, 2] + x[j, 3] * cy - x[j, 4] * cx
        spin = x[j, 3] * x[j, 3] + x[j, 4] * x[j, 4] + x[j, 5] * x[j, 5]
        largest = max(largest, vx * vx + vy * vy + vz * vz, cones.radii[body] * cones.radii[body] * spin)
    return float(np.sqrt(largest))
