"""A cheap proof that it stands: the elastic solution, made admissible joint by joint in closed form.

All joints are first taken as springs that pull and push alike; that system is factored once per topology. Each
joint's wrench (F_u, F_v, N, M_u, M_v, M_n) is then split into what the studs carry and what the faces press:

- uniform tension s at the m points, the least for which the rest is a compression C = m·s − N inside the pressed
  rectangle: with Σp·v = s·m_u − M_u and Σp·u = M_v − s·m_v, |Σp·v| ≤ a_v·C and |Σp·u| ≤ a_u·C; or
- the elastic tension field lifted until no point is negative, the lift pressed uniformly.

The better of the two counts. If no capacity row is exceeded, these forces are a full certificate.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled


@compiled
def _worst(rows, limits, wrench):
    """Largest use of a capacity row; rows without a limit (tension ≥ 0) hold by construction."""
    worst = 0.0
    for r in range(len(limits)):
        if limits[r] > 0.0:
            value = 0.0
            for q in range(6):
                value += rows[r, q] * wrench[q]
            worst = max(worst, value / limits[r])
    return worst


@compiled
def _press(total, along_u, along_v, half_u, half_v, pressure):
    """Corner pressures with the given sum Σp and first moments Σp·u, Σp·v."""
    if total <= 0.0:
        pressure[:] = 0.0
        return
    eu = min(1.0, max(-1.0, along_u / (half_u * total)))
    ev = min(1.0, max(-1.0, along_v / (half_v * total)))
    pressure[0] = 0.25 * total * (1.0 + eu) * (1.0 + ev)
    pressure[1] = 0.25 * total * (1.0 - eu) * (1.0 + ev)
    pressure[2] = 0.25 * total * (1.0 - eu) * (1.0 - ev)
    pressure[3] = 0.25 * total * (1.0 + eu) * (1.0 - ev)


@compiled
def joint_wrenches(kind, pairs, gain, root, y, wrenches):
    """Fills the total wrench of every clutch, as springs that never yield; in `pairs` −1 does not move."""
    x = np.empty(6)
    for k in range(len(kind)):
        x[:] = 0.0
        for side in range(2):
            body = pairs[k, side]
            if body >= 0:
                for q in range(6):
                    for p in range(6):
                        x[q] += gain[k, side, q, p] * y[body, p]
        for q in range(6):
            value = 0.0
            for p in range(6):
                value += root[kind[k], q, p] * x[p]
            wrenches[k, q] = value


@compiled
def largest_use(kind, starts, rows, limits, wrenches):
    """The largest share of a sliding limit that stud wrenches take up."""
    worst = 0.0
    for k in range(len(kind)):
        i = kind[k]
        worst = max(worst, _worst(rows[starts[i] : starts[i + 1]], limits[starts[i] : starts[i + 1]], wrenches[k]))
    return worst


@compiled
def split_joints(kind, starts, rows, limits, pull, corners, wrenches, pressure, uses):
    """In place: total joint wrenches -> what the studs carry, and the corner pressures; and the use of every joint."""
    even = np.empty(6)
    lifted = np.empty(6)
    for k in range(len(kind)):
        i = kind[k]
        whole = wrenches[k]
        n, mu, mv = pull[i, 2], pull[i, 3], pull[i, 4]
        au, av = corners[i, 0, 0], corners[i, 0, 1]
        mean_v, mean_u = mu / n, -mv / n
        s = max(0.0, whole[2] / n)
        s = max(s, (av * whole[2] - whole[3]) / (n * (av - mean_v)), (av * whole[2] + whole[3]) / (n * (av + mean_v)))
        s = max(s, (au * whole[2] + whole[4]) / (n * (au - mean_u)), (au * whole[2] - whole[4]) / (n * (au + mean_u)))
        lift = 0.0
        for r in range(starts[i], starts[i + 1]):
            if limits[r] <= 0.0:
                value = 0.0
                for q in range(6):
                    value += rows[r, q] * whole[q]
                unit = 0.0
                for q in range(6):
                    unit += rows[r, q] * pull[i, q]
                lift = max(lift, -value / unit)
        for q in range(6):
            lifted[q] = whole[q] + lift * pull[i, q]
            even[q] = s * pull[i, q] if 2 <= q < 5 else whole[q]
        use_even = _worst(rows[starts[i] : starts[i + 1]], limits[starts[i] : starts[i + 1]], even)
        use_lifted = _worst(rows[starts[i] : starts[i + 1]], limits[starts[i] : starts[i + 1]], lifted)
        if use_even <= use_lifted:
            _press(s * n - whole[2], whole[4] - s * mv, s * mu - whole[3], au, av, pressure[k])
            whole[:] = even
        else:
            _press(lift * n, lift * n * mean_u, lift * n * mean_v, au, av, pressure[k])
            whole[:] = lifted
        uses[k] = min(use_even, use_lifted)
