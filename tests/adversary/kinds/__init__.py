"""Generators of cases, one file per kind of fault. Each takes a random generator and returns a scene.

A generator need not know the answer: the judge finds it. Where a closed form gives the limit, cases are drawn near it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.adversary.kinds import (
    bricks,
    brinks,
    cones,
    corners,
    cuts,
    far_loads,
    linkages,
    masonry,
    questions,
    scales,
    shims,
    studs,
    wedged,
)
from tests.adversary.kinds.expected import Expected
from tests.adversary.problem import Problem, problem_of
from tests.adversary.scene import Scene, Unclear

Generator = Callable[[np.random.Generator], Scene | Expected]

KINDS: dict[str, Generator] = {
    "planks": corners.planks,
    "grooves": corners.grooves,
    "roofs": corners.roofs,
    "spikes": corners.spikes,
    "rails": corners.rails,
    "slivers": brinks.slivers,
    "brinks": brinks.brinks,
    "shims": shims.shims,
    "hooks": shims.hooks,
    "feathers": scales.feathers,
    "gravity": scales.gravity,
    "sizes": scales.sizes,
    "pillows": scales.pillows,
    "away": scales.away,
    "pushes": cones.pushes,
    "slopes": cones.slopes,
    "linkages": linkages.linkages,
    "trusses": linkages.trusses,
    "stops": linkages.stops,
    "studs": studs.boxes_on_studs,
    "loose": studs.loose,
    "sunk": studs.sunk,
    "bricks": bricks.bricks,
    "mixed": bricks.mixed,
    "wedged": wedged.wedged,
    "jammed": wedged.jammed,
    "walls": masonry.walls,
    "stacks": masonry.stacks,
    "arches": masonry.arches,
    "cuts": cuts.cuts,
    "far": far_loads.far,
    "handled": questions.handled,
    "tables": questions.tables,
    "limits": questions.limits,
}
TRIES = 400


@dataclass(frozen=True, eq=False)
class Case:
    """One case of a kind, which follows from seed and number alone."""

    kind: str
    seed: int
    number: int
    scene: Scene
    problem: Problem
    refused: bool = False
    coulomb: str | None = None
    writing: int = 0

    def document(self) -> dict[str, object]:
        return self.scene.document(np.random.default_rng(self.writing))


def case_of(kind: str, number: int, seed: int = 0) -> Case:
    """The case with this number; draws whose answer hangs on tolerances are drawn again."""
    rng = np.random.default_rng([seed, number, zlib.crc32(kind.encode())])
    for _ in range(TRIES):
        try:
            drawn = KINDS[kind](rng)
            expected = drawn if isinstance(drawn, Expected) else Expected(drawn)
            scene, writing = expected.scene.within_limits(), int(rng.integers(2**31))
            return Case(kind, seed, number, scene, problem_of(scene), expected.refused, expected.coulomb, writing)
        except Unclear:
            continue
    raise RuntimeError(f"{kind} {number}: no clear case in {TRIES} draws")
