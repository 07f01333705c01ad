"""Contacts as a linear map, a patch at a time: J (motions to speeds), Jᵀ (forces to wrenches), Jᵀ D J.

Motions are twists about one common origin with lengths in units of the assembly's size: x_i = (velocity of the
origin, angular velocity), so a point r of body i moves with u + w × r = J_r x_i, J_r = [I, −[r]×], and a patch
between bodies 1 and 2 sees only x₂ − x₁. Forces at r act on body 2 and their opposites on body 1. Hence Jᵀ D J is one
6×6 matrix per patch, K = Σ_r J_rᵀ D_r J_r: +K on both diagonal blocks, −K between them.

Speeds, forces and D are in the axes of the patch: its normal, two tangents. So are the points, and only the sums over
a patch are turned into the world.
"""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.block_cholesky import factor_blocks
from falsework.kernels.compiled import inner
from falsework.model.arrays import Array
from falsework.statics.cones.room import Cones, Piece, Room


@inner
def relative_speeds(cones: Cones, piece: Piece, x: Array, out: Array) -> None:
    """out (p, 3) = J x: how the second body moves against the first at every point."""
    d, e = np.empty(6), np.empty(6)
    for k in range(piece.sizes[1]):
        first, second = piece.ends[k, 0], piece.ends[k, 1]
        for q in range(6):
            d[q] = (x[second, q] if second >= 0 else 0.0) - (x[first, q] if first >= 0 else 0.0)
        patch = piece.patches[k]
        for i in range(3):
            a, b, c = cones.frames[patch, i, 0], cones.frames[patch, i, 1], cones.frames[patch, i, 2]
            e[i] = a * d[0] + b * d[1] + c * d[2]
            e[3 + i] = a * d[3] + b * d[4] + c * d[5]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            px, py, pz = cones.points[r, 0], cones.points[r, 1], cones.points[r, 2]
            out[r, 0] = e[0] + e[4] * pz - e[5] * py
            out[r, 1] = e[1] + e[5] * px - e[3] * pz
            out[r, 2] = e[2] + e[3] * py - e[4] * px


@inner
def add_wrenches(cones: Cones, piece: Piece, forces: Array, out: Array) -> None:
    """out += Jᵀ forces: wrenches about the origin on the free bodies."""
    f, g = np.empty(6), np.empty(6)
    for k in range(piece.sizes[1]):
        for q in range(6):
            f[q] = 0.0
        patch = piece.patches[k]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            hx, hy, hz = forces[r, 0], forces[r, 1], forces[r, 2]
            px, py, pz = cones.points[r, 0], cones.points[r, 1], cones.points[r, 2]
            f[0] += hx
            f[1] += hy
            f[2] += hz
            f[3] += py * hz - pz * hy
            f[4] += pz * hx - px * hz
            f[5] += px * hy - py * hx
        for i in range(3):
            a, b, c = cones.frames[patch, 0, i], cones.frames[patch, 1, i], cones.frames[patch, 2, i]
            g[i] = a * f[0] + b * f[1] + c * f[2]
            g[3 + i] = a * f[3] + b * f[4] + c * f[5]
        for side in range(2):
            node = piece.ends[k, side]
            if node >= 0:
                sign = 1.0 if side == 1 else -1.0
                for q in range(6):
                    out[node, q] += sign * g[q]


@inner
def fill_matrix(cones: Cones, piece: Piece, mass_scale: float, tangents: Array, diagonal: Array, lower: Array) -> None:
    """H = Jᵀ D J + mass_scale M, in the arrays that factor_blocks takes."""
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        for q in range(6):
            for p in range(6):
                diagonal[j, q, p] = mass_scale * cones.masses[body, q, p]
    for e in range(piece.sizes[2]):
        for q in range(6):
            for p in range(6):
                lower[e, q, p] = 0.0
    block, turned = np.empty((6, 6)), np.empty((6, 6))
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        for q in range(6):
            for p in range(6):
                block[q, p] = 0.0
        some = False
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            D = tangents[r]
            if D[0] != 0.0 or D[3] != 0.0 or D[5] != 0.0:
                some = True
                _add_point(block, cones.points[r], D[0], D[1], D[2], D[3], D[4], D[5])
        if not some:
            continue
        for q in range(3):
            for p in range(3):
                block[3 + p, q] = block[q, 3 + p]
        _turn(cones.frames[patch], block, turned)
        first, second = piece.ends[k, 0], piece.ends[k, 1]
        if first >= 0:
            for q in range(6):
                for p in range(6):
                    diagonal[first, q, p] += turned[q, p]
        if second >= 0:
            for q in range(6):
                for p in range(6):
                    diagonal[second, q, p] += turned[q, p]
        if first >= 0 and second >= 0:
            slot = piece.slots[k]
            for q in range(6):
                for p in range(6):
                    lower[slot, q, p] -= turned[q, p]


@inner
def _add_point(block: Array, point: Array, xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> None:
    """block += J_rᵀ D J_r but for its lower left: rows of D [r]×ᵀ are r × (rows of D), and once more for the rest."""
    px, py, pz = point[0], point[1], point[2]
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
def _turn(frame: Array, block: Array, turned: Array) -> None:
    """turned = blockdiag(F, F)ᵀ · block · blockdiag(F, F)."""
    half = np.empty((3, 3))
    for a in range(0, 6, 3):
        for b in range(0, 6, 3):
            for i in range(3):
                for j in range(3):
                    half[i, j] = (
                        block[a + i, b] * frame[0, j]
                        + block[a + i, b + 1] * frame[1, j]
                        + block[a + i, b + 2] * frame[2, j]
                    )
            for i in range(3):
                for j in range(3):
                    turned[a + i, b + j] = (
                        frame[0, i] * half[0, j] + frame[1, i] * half[1, j] + frame[2, i] * half[2, j]
                    )


@inner
def factorise(cones: Cones, piece: Piece, mass_scale: float, room: Room) -> int:
    """Jᵀ D J + mass_scale M = L Lᵀ with D in room.tangents, in room.diagonal and room.lower."""
    fill_matrix(cones, piece, mass_scale, room.tangents, room.diagonal, room.lower)
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
def worst_share(cones: Cones, piece: Piece, x: Array) -> float:
    """The largest force, or torque about its centre of mass over its radius, on a body, of what loads that body.

    Wrenches (m, 6) are about the origin. NaN where there is one.
    """
    largest = 0.0
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        fx, fy, fz = x[j, 0], x[j, 1], x[j, 2]
        cx, cy, cz = cones.coms[body, 0], cones.coms[body, 1], cones.coms[body, 2]
        tx, ty, tz = x[j, 3] - cy * fz + cz * fy, x[j, 4] - cz * fx + cx * fz, x[j, 5] - cx * fy + cy * fx
        radius = cones.radii[body]
        size = max(fx * fx + fy * fy + fz * fz, (tx * tx + ty * ty + tz * tz) / (radius * radius))
        share = math.sqrt(size) / piece.shares[j]
        if share > largest or math.isnan(share):
            largest = share
    return largest


@inner
def dot(count: int, a: Array, b: Array) -> float:
    total = 0.0
    for j in range(count):
        for q in range(6):
            total += a[j, q] * b[j, q]
    return total


@inner
def entering(cones: Cones, piece: Piece, speeds: Array) -> float:
    """Summed speed at which a motion works against forces that the contacts can give; 0 when permitted."""
    total = 0.0
    for k in range(piece.sizes[1]):
        patch = piece.patches[k]
        friction = cones.friction[patch]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            slip = math.sqrt(speeds[r, 1] * speeds[r, 1] + speeds[r, 2] * speeds[r, 2])
            total += max(0.0, friction * slip - speeds[r, 0])
    return total


@inner
def part_speeds(cones: Cones, piece: Piece, x: Array) -> tuple[float, float]:
    """Of |velocity of the centre of mass| and radius × |angular velocity|: the largest, and their mean by load."""
    largest, mean = 0.0, 0.0
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        cx, cy, cz = cones.coms[body, 0], cones.coms[body, 1], cones.coms[body, 2]
        vx = x[j, 0] + x[j, 4] * cz - x[j, 5] * cy
        vy = x[j, 1] + x[j, 5] * cx - x[j, 3] * cz
        vz = x[j, 2] + x[j, 3] * cy - x[j, 4] * cx
        spin = x[j, 3] * x[j, 3] + x[j, 4] * x[j, 4] + x[j, 5] * x[j, 5]
        speed = math.sqrt(max(vx * vx + vy * vy + vz * vz, cones.radii[body] * cones.radii[body] * spin))
        largest = max(largest, speed)
        mean += piece.shares[j] * speed
    return largest, mean
