"""Brick models to plan: every kind of the gallery, the published ones where they are at hand, and random ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from falsework.bench.reference_data import DATA
from falsework.formats import load
from falsework.gallery import kinds, make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.aiming import aimed
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.planning.plan import plan
from falsework.planning.plans.jobs import Planned, Planner
from falsework.verdicts.oracle import Oracle

FOLDERS = ("stablelego", "brickgpt", "apexmr", "bricksim")
LIBRARIES = ("lego_library.json", "brick_library.json")
BRICKS = (8, 40)
# Of five random models three are connected at random, one overhangs, one is a filled figure; the latter two with
# clutches that work this hard.
EFFORTS = ((0.05, 0.3), (0.3, 0.6), (0.6, 0.98))


@dataclass(frozen=True, eq=False)
class Model:
    """A brick model and its interfaces."""

    name: str
    assembly: Assembly

    @cached_property
    def joints(self) -> Interfaces:
        return interfaces(self.assembly)

    @cached_property
    def stands(self) -> bool:
        return Oracle(self.assembly, self.joints).answer(State.complete(self.assembly)) == "stable"

    def planned(self, robots: int, timeout_s: float, planner: Planner = "auto") -> Planned:
        return plan(
            self.assembly, rules="bricks", robots=robots, planner=planner, timeout_s=timeout_s, joints=self.joints
        )


def gallery_models() -> Iterator[Model]:
    """One of every kind that is made of bricks."""
    for name in kinds():
        assembly = make(name, 0)
        if all(part.is_brick for part in assembly.parts):
            yield Model(name, assembly)


def published_models() -> Iterator[Model]:
    """Everything made of bricks in the reference data, each structure of a file."""
    for folder in FOLDERS:
        path = DATA.find(folder)
        for file in sorted(path.glob("*.*")) if path is not None else ():
            if file.name in LIBRARIES:
                continue
            for key in _keys(file):
                yield Model(f"{file.stem}{key}", load(f"{file}{key}"))


def _keys(file: Path) -> list[str]:
    """#KEY of every structure in a file, where it holds several."""
    held = json.loads(file.read_text(encoding="utf-8")) if file.suffix == ".json" and "examples" in file.name else ()
    return [f"#{key}" for key in (held if isinstance(held, dict) else range(len(held)))] or [""]


def random_models(count: int) -> Iterator[Model]:
    """The first so many, by seed, that stand."""
    seed, made = 0, 0
    while made < count:
        model = _random(seed)
        seed += 1
        if model is not None and model.stands:
            made += 1
            yield model


def _random(seed: int) -> Model | None:
    share = seed % 5
    if share < 3:
        size = int(np.random.default_rng(seed).integers(*BRICKS))
        return Model(f"random-bricks {seed}", make("random-bricks", seed, bricks=size))
    kind, effort = ("random-overhang", "voxel-figure")[share - 3], EFFORTS[seed // 5 % len(EFFORTS)]
    try:
        return Model(f"{kind} {seed}", aimed(kind, *effort, seed=seed).assembly)
    except Undecided:  # none with such an effort
        return None
