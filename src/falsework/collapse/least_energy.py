"""The rest state of least potential energy, as seed 003's last section has it: a linear program.

Bricks are level, do not slide sideways, and are thin against their length, so each has a drop d at its middle and a
slope s, and stays above those under it wherever they overlap:

    minimise Σ m d   with   d_j + s_j (x − x_j) + gap ≥ d_i + s_i (x − x_i)   at both ends of every overlap of j over i

and above the floor. The multipliers are the forces between them: zero is optimal exactly where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.shapes import corners

LEVEL = 1e-9  # of a brick: how far its top may be from level


@dataclass(frozen=True, slots=True, eq=False)
class LowestState:
    """Where the bricks end up, and what presses."""

    drops_m: Array  # (parts,) of the middles, negative downwards
    slopes: Array  # (parts,) dz/dx
    energy_j: float  # against that of the start: never positive
    pairs: Ints  # (k, 2) lower and upper brick of every constraint; −1 is the floor
    forces_n: Array  # (k,)
    places_m: Array  # (k,) x

    def __post_init__(self) -> None:
        freeze(self, drops_m=(None,), slopes=(None,), forces_n=(None,), places_m=(None,))
        freeze_ints(self, pairs=(None, 2))


def lowest_state(assembly: Assembly, floor_m: float) -> LowestState:
    """Of level cuboids in the plane of x and z, over a floor at a height; fixed parts stay."""
    from scipy.optimize import linprog

    boxes = np.array(
        [_extent(assembly, number) for number in range(len(assembly.parts))]
    )  # low x, high x, low z, high z
    still = np.array([part.name in assembly.fixed for part in assembly.parts])
    rows, limits, pairs, places = _constraints(boxes, floor_m)
    weights = assembly.masses_kg[: len(boxes)] * float(-assembly.gravity[2])
    cost = np.concatenate([weights, np.zeros(len(boxes))])
    free = [(0.0, 0.0) if fixed else (None, None) for fixed in still] * 2
    found = linprog(cost, A_ub=-rows, b_ub=-limits, bounds=free, method="highs")
    if found.status != 0 or found.x is None or found.fun is None:
        raise Undecided(f"the linear program of least energy was not solved: {found.message}")
    count = len(boxes)
    forces = -np.asarray(found.ineqlin.marginals)
    return LowestState(found.x[:count], found.x[count:], float(found.fun), pairs, forces, places)


def _extent(assembly: Assembly, number: int) -> tuple[float, float, float, float]:
    part = assembly.parts[number]
    placed = corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    low, high = placed.min(axis=0), placed.max(axis=0)
    blur = LEVEL * float((high - low).max())
    if not (np.minimum(placed - low, high - placed) <= blur).all():
        raise BadInput(
            f"part {shown(part.name)} is not a level cuboid; least energy is a linear program only for those"
        )
    return float(low[0]), float(high[0]), float(low[2]), float(high[2])


def _constraints(boxes: Array, floor_m: float) -> tuple[Array, Array, Ints, Array]:
    """rows·(d, s) ≥ limits: bricks over bricks, and over the floor."""
    count = len(boxes)
    middles = boxes[:, :2].mean(axis=1)
    rows, limits, pairs, places = [], [], [], []
    for upper in range(count):
        for lower in range(-1, count):
            under = (-np.inf, np.inf, -np.inf, floor_m) if lower < 0 else boxes[lower]
            left, right = max(under[0], boxes[upper, 0]), min(under[1], boxes[upper, 1])
            gap = boxes[upper, 2] - under[3]
            if lower == upper or right - left <= LEVEL * (boxes[upper, 1] - boxes[upper, 0]) or gap < -LEVEL:
                continue
            for x in (left, right):
                row = np.zeros(2 * count)
                row[upper], row[count + upper] = 1.0, x - middles[upper]
                if lower >= 0:
                    row[lower], row[count + lower] = -1.0, middles[lower] - x
                rows.append(row)
                limits.append(-max(gap, 0.0))
                pairs.append((lower, upper))
                places.append(x)
    return np.array(rows), np.array(limits), np.array(pairs, dtype=np.int64), np.array(places)
