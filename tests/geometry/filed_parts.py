"""Nuts, bolts, gears and pegs as robots' assembly sets file them: OBJ text with the faults that such files have.

One vertex for each corner of each face, long edges against several short ones (T-junctions), six digits, centimetres
or millimetres, and parts that are drawn a little into each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from falsework.gallery.cad.fasteners import hexagon_nut, hexagon_screw
from falsework.gallery.cad.gears import gear, meshing_phase
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.workpieces import (
    Solid,
    cuboid,
    cut,
    cylinder,
    finished,
    prism,
    rectangle,
    shifted,
    united,
)
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Mesh


@dataclass(frozen=True, slots=True)
class Faults:
    """What is wrong with a file."""

    unit_m: float = 1e-2  # of its numbers
    junctions: float = 0.1  # share of the edges that one of their two faces has a corner in the middle of
    apart: bool = True  # every face has vertices of its own
    digits: int = 6  # of its numbers
    flipped: bool = False  # all faces inside out


def filed(mesh: Mesh, faults: Faults, seed: int = 0) -> str:
    """An OBJ file of a mesh."""
    rng = np.random.default_rng(seed)
    vertices, triangles = with_junctions(mesh.vertices, mesh.triangles, faults.junctions, rng)
    triangles = triangles[:, ::-1] if faults.flipped else triangles
    if faults.apart:
        vertices, triangles = vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    lines = ["# exported", "o part"]
    lines += [" ".join(["v", *(f"{x:.{faults.digits}g}" for x in row)]) for row in vertices / faults.unit_m]
    lines += [" ".join(["f", *(str(corner + 1) for corner in row)]) for row in triangles]
    return "\n".join(lines) + "\n"


def with_junctions(vertices: Array, triangles: Ints, share: float, rng: np.random.Generator) -> tuple[Array, Ints]:
    """Some triangles cut in two from the middle of their longest edge; what is beyond that edge stays whole."""
    lengths = np.linalg.norm(vertices[triangles[:, [1, 2, 0]]] - vertices[triangles], axis=2)
    chosen = np.flatnonzero(rng.random(len(triangles)) < share)
    first = lengths[chosen].argmax(axis=1)
    tails, heads, tops = (triangles[chosen, (first + k) % 3] for k in range(3))
    middles = len(vertices) + np.arange(len(chosen))
    whole = np.delete(triangles, chosen, axis=0)
    halves = [np.stack([tails, middles, tops], axis=1), np.stack([middles, heads, tops], axis=1)]
    points = 0.5 * (vertices[tails] + vertices[heads])
    return np.concatenate([vertices, points]), np.concatenate([whole, *halves])


def nut_on_bolt(
    size: int = 8, play_m: float = 1e-4, facets: int = 48, sunk_m: float = 0.0, bare: float = 1.0
) -> dict[str, Mesh]:
    """A nut on its bolt, which stands on its head; `sunk_m` further down than the thread has room for.

    `bare`: how much of the bolt is free above it, in heights of the nut.
    """
    metric = SIZES[size]
    length = (2 + bare) * 1e-3 * metric.nut
    nut = shifted(hexagon_nut(metric, 1e-3 * metric.nut, facets, play_m), z=-sunk_m)
    return {"bolt": finished(hexagon_screw(metric, length, facets)), "nut": finished(nut)}


def round_peg(clearance_m: float = 2e-4, facets: tuple[int, int] = (40, 56)) -> dict[str, Mesh]:
    """A round peg in a blind hole of a block, of another facet count."""
    hole = cylinder(8e-3 + 0.5 * clearance_m, 5e-3, 30e-3, facets[1])
    return {
        "peg": finished(cylinder(8e-3, 5e-3, 55e-3, facets[0])),
        "socket": finished(cut(cuboid((-0.02, -0.02, 0.0), (0.02, 0.02, 0.025)), hole)),
    }


def square_peg(clearance_m: float = 2e-4, sunk_m: float = 0.0) -> dict[str, Mesh]:
    """A rectangular peg in a blind hole; `sunk_m` into its bottom."""
    half, other = 8e-3, 5e-3
    wide = 0.5 * clearance_m
    hole = cuboid((-half - wide, -other - wide, 5e-3), (half + wide, other + wide, 0.03))
    return {
        "peg": finished(cuboid((-half, -other, 5e-3 - sunk_m), (half, other, 0.05))),
        "socket": finished(cut(cuboid((-0.02, -0.02, 0.0), (0.02, 0.02, 0.025)), hole)),
    }


def gears_on_pegs(clearance_m: float = 2e-4, facets: int = 32) -> dict[str, Mesh]:
    """Two gears in mesh on the pegs of a base plate."""
    module, teeth = 2e-3, (20, 12)
    apart = 0.5 * module * sum(teeth)
    peg = 4e-3
    base = prism(rectangle(-0.03, -0.03, apart + 0.03, 0.03), 0.0, 6e-3)
    pegs = [shifted(cylinder(peg, 5e-3, 0.026, facets), x) for x in (0.0, apart)]
    phase = meshing_phase(teeth[0], teeth[1], 0.0, 0.0)
    made: dict[str, Solid] = {"base": united([base, *pegs])}
    for name, count, x, turned in (("large", teeth[0], 0.0, 0.0), ("small", teeth[1], apart, phase)):
        body = gear(module, count, 6e-3, 16e-3, peg + 0.5 * clearance_m, facets, 0.04 * module, turned)
        made[name] = shifted(body, x)
    return {name: finished(solid) for name, solid in made.items()}


CASES: dict[str, Callable[[], dict[str, Mesh]]] = {
    "nut-on-bolt": nut_on_bolt,
    "round-peg": round_peg,
    "square-peg": square_peg,
    "gears-on-pegs": gears_on_pegs,
}


def write(folder: Path, meshes: dict[str, Mesh], faults: Faults) -> Path:
    """A folder with a file a part."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, mesh) in enumerate(sorted(meshes.items())):
        (folder / f"{name}.obj").write_text(filed(mesh, faults, number))
    return folder
