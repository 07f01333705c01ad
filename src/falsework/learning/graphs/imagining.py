"""What a net that foresees is told: how much would move if a part that is held were taken away.

Imagined, not known: a few rounds of balancing forces (`balancing.py`), without a proof, of the parts that hands hold
only. By itself, cut at a twentieth of free fall, it is wrong about one removal in seventy; how it went on from half way
to the end tells a little more. An oracle is not asked.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsework.learning.graphs.balancing import Touching, unrest
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Clutches, Hinges, Interfaces

IMAGINED_FEATURES = ("moves without it, half way", "moves without it")
HALF = 20  # rounds; as many again follow
SLOWEST, FASTEST = 1e-3, 10.0  # of what falls freely
HOLDS = -1.0  # friction of what holds whatever pulls
LEAST_RADIUS = 0.03  # of gyration, in units of the assembly's own
MOST_KNOWN = 50_000  # states

Floats = npt.NDArray[np.float32]


class Imagined:
    """Of one assembly, asked about many states at once; what was asked before is remembered."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._touching = touching(assembly, joints)
        self._known: dict[bytes, Floats] = {}

    def __call__(self, installed: Bools, held: Bools) -> Floats:
        """(states, bodies, IMAGINED_FEATURES): logarithms of speeds, 0 at a tenth of what falls freely, and 0 for all
        that is not held."""
        found = np.zeros((*installed.shape, len(IMAGINED_FEATURES)), np.float32)
        asked = np.flatnonzero((installed & held).any(axis=1))
        packed = np.packbits(np.hstack([installed[asked], held[asked]]), axis=1)
        keys = [row.tobytes() for row in packed]
        new = {key: row for key, row in zip(keys, asked.tolist(), strict=True) if key not in self._known}
        if len(self._known) + len(new) > MOST_KNOWN:
            self._known.clear()
            new = dict(zip(keys, asked.tolist(), strict=True))
        if new:
            rows = list(new.values())
            told = self._imagined(installed[rows], held[rows])
            self._known.update(zip(new, told, strict=True))
        for key, row in zip(keys, asked.tolist(), strict=True):
            found[row] = self._known[key]
        return found

    def _imagined(self, installed: Bools, held: Bools) -> Floats:
        speeds = np.full((*installed.shape, len(IMAGINED_FEATURES)), 0.1)
        unrest(self._touching, np.ascontiguousarray(installed), np.ascontiguousarray(held), HALF, speeds)
        return np.log10(10.0 * np.clip(speeds, SLOWEST, FASTEST)).astype(np.float32)


def touching(assembly: Assembly, joints: Interfaces) -> Touching:
    """Where bodies touch, from the top down; contacts without a certain normal are left out."""
    count, parts = len(assembly.bodies), len(assembly.parts)
    patches = joints.patches
    coms, masses = np.zeros((count, 3)), np.ones(count)
    coms[:parts], masses[:parts] = (
        assembly.coms_m[:parts],
        assembly.masses_kg[:parts] / assembly.masses_kg.mean(),
    )
    several = [
        (patches.bodies[patches.owner], patches.normals[patches.owner], patches.friction[patches.owner], patches.points)
    ]
    several += [_pressed(joints.clutches), _hinged(joints.hinges, coms)]
    bodies, normals, friction, points = (np.concatenate(column) for column in zip(*several, strict=True))
    arms = points[:, None] - coms[bodies]
    scale = float(np.median(np.linalg.norm(arms, axis=2))) if len(arms) else 1.0
    arms /= scale or 1.0
    fixed = np.array([assembly.fixed_mask() >> n & 1 for n in range(count)], bool)
    x, y, z = np.round(points / (scale or 1.0), 6).T
    order = np.lexsort([y, x, -z])  # by place, so that the numbers of parts do not matter
    inertias = masses * _radii_squared(bodies, arms, count)
    return Touching(bodies[order], normals[order], friction[order], arms[order], masses, inertias, fixed)


def _radii_squared(bodies: Ints, arms: Array, count: int) -> Array:
    """(n,) of the circle on which contacts lie: any positive number tells the same in the end, this one soon."""
    total, met = np.zeros(count), np.zeros(count)
    np.add.at(total, bodies, (arms * arms).sum(axis=2))
    np.add.at(met, bodies, 1.0)
    return np.maximum(np.where(met > 0, total / np.maximum(met, 1.0), 1.0), LEAST_RADIUS**2)


def _pressed(clutches: Clutches) -> tuple[Ints, Array, Array, Array]:
    """Corners of what is pressed together, which hold whatever pulls: how much a clutch can bear is not looked at."""
    frames, corners = clutches.T_world_clutch, np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    halves = np.reshape([clutches.kinds[kind].half for kind in clutches.kind], (-1, 1, 2)) * corners
    points = frames[:, None, :3, 3] + np.einsum("kij,kcj->kci", frames[:, :3, :2], halves)
    normals = np.repeat(frames[:, :3, 2], 4, axis=0)
    return np.repeat(clutches.bodies, 4, axis=0), normals, np.full(len(normals), HOLDS), points.reshape(-1, 3)


def _hinged(hinges: Hinges, coms: Array) -> tuple[Ints, Array, Array, Array]:
    """Two points along the axis that hold whatever pulls, as far apart as the hinge is from its bodies."""
    away = np.linalg.norm(hinges.points - coms[hinges.bodies[:, 0]], axis=1)[:, None]
    ends = np.stack([hinges.points + away * hinges.axes, hinges.points - away * hinges.axes], axis=1)
    normals = np.repeat(hinges.axes, 2, axis=0)
    return np.repeat(hinges.bodies, 2, axis=0), normals, np.full(len(normals), HOLDS), ends.reshape(-1, 3)
