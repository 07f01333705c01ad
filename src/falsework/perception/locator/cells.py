"""A layer from above, cell by cell: seen in a colour, forbidden because something else is seen there, or hidden."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled
from falsework.perception.locator.labels import AS_THE_FLOOR

HIDDEN, SEEN, FORBIDDEN = 0, 1, 2


@compiled
def mark_cells(depth, nearest, labels, K, T_cam_base, x0, y0, yaw, step, z, stud, noise, slack, label, also, state):
    """What a view says of the top of a layer at height z, into state (columns, rows) int8; forbidden wins over seen.

    Cell (i, j) has its middle at (x0 + i·step, y0 + j·step) in axes turned by `yaw`. `stud`: how much nearer than the
    top something of the layer may be; `also`: a label that may be this colour in the shade. What may be floor or
    brick, by its colour, is neither. What stands before a cell hides it, and so do its sides, near the top of the
    layer as they may be; `nearest`: the least depth about each pixel, for there its own is mixed.
    """
    height, width = depth.shape
    c, s = np.cos(yaw), np.sin(yaw)
    T = T_cam_base
    for i in range(state.shape[0]):
        for j in range(state.shape[1]):
            a, b = x0 + i * step, y0 + j * step
            x, y = c * a - s * b, s * a + c * b
            far = T[2, 0] * x + T[2, 1] * y + T[2, 2] * z + T[2, 3]
            if far < 0.02:
                continue
            u = int(np.floor(K[0] * (T[0, 0] * x + T[0, 1] * y + T[0, 2] * z + T[0, 3]) / far + K[2] + 0.5))
            v = int(np.floor(K[1] * (T[1, 0] * x + T[1, 1] * y + T[1, 2] * z + T[1, 3]) / far + K[3] + 0.5))
            if u < 0 or v < 0 or u >= width or v >= height:
                continue
            seen = depth[v, u]
            near = 3.0 * noise * far * far + slack
            if seen > 0.0 and seen < far - stud - near:
                continue
            if seen > far + near:
                state[i, j] = FORBIDDEN
            elif labels[v, u] == label:
                if state[i, j] == HIDDEN:
                    state[i, j] = SEEN
            elif (
                seen >= far - near
                and nearest[v, u] >= far - stud - near
                and labels[v, u] != also
                and labels[v, u] != AS_THE_FLOOR - label
            ):
                state[i, j] = FORBIDDEN


@compiled
def spans(points, yaws, share):
    """(n, 4) least x, y and most x, y of points (m, 2) in axes turned by each yaw, but for a small share of them."""
    count = len(points)
    place = share * (count - 1)
    whole = int(place)
    kept = np.empty(min(whole + 2, count))
    out = np.empty((len(yaws), 4))
    for n in range(len(yaws)):
        c, s = np.cos(yaws[n]), np.sin(yaws[n])
        for side in range(4):
            a, b = (c, s) if side % 2 == 0 else (-s, c)
            if side > 1:
                a, b = -a, -b
            kept[:] = np.inf  # the least of them, in order
            for p in range(count):
                value = a * points[p, 0] + b * points[p, 1]
                at = len(kept) - 1
                if value >= kept[at]:
                    continue
                while at > 0 and kept[at - 1] > value:
                    kept[at] = kept[at - 1]
                    at -= 1
                kept[at] = value
            least = kept[whole] + (place - whole) * (kept[min(whole + 1, len(kept) - 1)] - kept[whole])
            out[n, side] = least if side < 2 else -least
    return out


@compiled
def rectangles(state, along, across, least, most):
    """(n, 4) best places (i, j of the first cell, score, cells seen) of along × across cells, at most `most`.

    The score is what is seen, less twice what is forbidden, and a little for each forbidden cell just outside: a place
    that fits tightly. Only scores of `least` times the area or more are kept, half a side apart or more.
    """
    columns, rows = state.shape
    seen = np.zeros((columns + 1, rows + 1))
    bad = np.zeros((columns + 1, rows + 1))
    for i in range(columns):
        for j in range(rows):
            seen[i + 1, j + 1] = seen[i, j + 1] + seen[i + 1, j] - seen[i, j] + (1.0 if state[i, j] == SEEN else 0.0)
            bad[i + 1, j + 1] = bad[i, j + 1] + bad[i + 1, j] - bad[i, j] + (1.0 if state[i, j] == FORBIDDEN else 0.0)
    wide, high = columns - along + 1, rows - across + 1
    out = np.zeros((most, 4))
    if wide < 1 or high < 1:
        return out[:0]
    score = np.empty((wide, high))
    for i in range(wide):
        for j in range(high):
            a, b = i + along, j + across
            good = seen[a, b] - seen[i, b] - seen[a, j] + seen[i, j]
            wrong = bad[a, b] - bad[i, b] - bad[a, j] + bad[i, j]
            score[i, j] = -1.0
            if good - 2.0 * wrong >= least * along * across:
                p, q, r, t = max(i - 1, 0), max(j - 1, 0), min(a + 1, columns), min(b + 1, rows)
                ring = bad[r, t] - bad[p, t] - bad[r, q] + bad[p, q] - wrong
                score[i, j] = good - 2.0 * wrong + 0.5 * ring
    apart = max(1, min(along, across) // 2)
    for n in range(most):
        best, bi, bj = 0.0, -1, -1
        for i in range(wide):
            for j in range(high):
                if score[i, j] > best:
                    best, bi, bj = score[i, j], i, j
        if bi < 0:
            return out[:n]
        a, b = bi + along, bj + across
        out[n, 0], out[n, 1], out[n, 2] = bi, bj, best
        out[n, 3] = seen[a, b] - seen[bi, b] - seen[a, bj] + seen[bi, bj]
        for i in range(max(0, bi - apart), min(wide, bi + apart + 1)):
            for j in range(max(0, bj - apart), min(high, bj + apart + 1)):
                score[i, j] = -1.0
    return out
