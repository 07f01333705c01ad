"""Means of loads over sliding windows for all groups at once, in machine code."""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from falsework.kernels.compiled import numba


@numba.njit(cache=True, nogil=True, error_model="numpy")
def worst_ends(effort, row, window, frame, filled, ends):
    """Out: for each group, steps back from now to the end of the window with the most contact force in it.

    −1 where no whole window has passed. Windows end within the last frame; of equals the latest counts.
    """
    depth = len(effort)
    for group in range(len(ends)):
        ends[group] = -1
        best = -1.0
        for end in range(min(frame, filled[group] - window + 1)):
            total = 0.0
            for k in range(window):
                total += effort[(row - 1 - end - k) % depth, group]
            if total > best:
                best = total
                ends[group] = end


@numba.njit(cache=True, nogil=True, error_model="numpy")
def window_loads(outer, motion, row, window, ends, group_of, still, mass, com, inertia, centre, loads):
    """Out: loads (n, 6) of all parts, in their groups' frames, over each group's window; see `LoadRecorder.loads`."""
    depth = len(outer)
    groups = len(ends)
    for part in range(len(group_of)):
        group = group_of[part]
        end = ends[group]
        for i in range(6):
            loads[part, i] = 0.0
        if end < 0 or group >= groups:
            continue
        for k in range(window):
            at = (row - 1 - end - k) % depth
            for i in range(6):
                loads[part, i] += outer[at, part, i]
            fall = motion[at, group]
            if still[group]:
                for i in range(3):
                    loads[part, i] += mass[part] * fall[i]
                continue
            r0 = com[part, 0] - centre[group, 0]
            r1 = com[part, 1] - centre[group, 1]
            r2 = com[part, 2] - centre[group, 2]
            a0, a1, a2 = fall[3], fall[4], fall[5]
            trace = fall[6] + fall[10] + fall[14]
            m = mass[part]
            p0 = fall[6] * r0 + fall[7] * r1 + fall[8] * r2 - trace * r0  # ω × (ω × r)
            p1 = fall[9] * r0 + fall[10] * r1 + fall[11] * r2 - trace * r1
            p2 = fall[12] * r0 + fall[13] * r1 + fall[14] * r2 - trace * r2
            loads[part, 0] += m * (fall[0] - (a1 * r2 - a2 * r1) - p0)
            loads[part, 1] += m * (fall[1] - (a2 * r0 - a0 * r2) - p1)
            loads[part, 2] += m * (fall[2] - (a0 * r1 - a1 * r0) - p2)
            for i in range(3):
                loads[part, 3 + i] -= inertia[part, i, 0] * a0 + inertia[part, i, 1] * a1 + inertia[part, i, 2] * a2
            # (ω × Iω)_a = ε_abc S_bc with S = (ωωᵀ)Iᵀ
            s12 = s21 = s20 = s02 = s01 = s10 = 0.0
            for d in range(3):
                s12 += fall[9 + d] * inertia[part, 2, d]
                s21 += fall[12 + d] * inertia[part, 1, d]
                s20 += fall[12 + d] * inertia[part, 0, d]
                s02 += fall[6 + d] * inertia[part, 2, d]
                s01 += fall[6 + d] * inertia[part, 1, d]
                s10 += fall[9 + d] * inertia[part, 0, d]
            loads[part, 3] -= s12 - s21
            loads[part, 4] -= s20 - s02
            loads[part, 5] -= s01 - s10
        for i in range(6):
            loads[part, i] /= window
