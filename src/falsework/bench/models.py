"""`falsework bench models`: structures whose fate is known, under every model of bricks (seed 000, Table II).

`built`: six structures of StableLego's authors, four that stood and two that collapsed. The capacities of `snapfit`
were calibrated on them, so that model being right about them shows no more than that two figures suffice; the other
two models have their published constants. `by robots`: four that APEX-MR's robots built, so they stood. `labelled`:
five of BrickGPT's examples, called stable by its authors' own solver, not built.

Accuracy and time, building of the program included, count the solvable ones: those a model decides. `public` are all of
these together. Before them, the table as it was published: 150 structures built in reality, which are not public; those
rows are quoted, not measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row
from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.verdicts.registry import StabilityModel, Terms, models
from falsework.verdicts.warm import warm

BUILT = {
    "stablelego/stair_19.json": True,
    "stablelego/stair_20.json": False,
    "stablelego/stick_light.json": True,
    "stablelego/stick_heavy.json": False,
    "stablelego/stick_heavy_good.json": True,
    "stablelego/external_weight_good.json": True,
}
BY_ROBOTS = {f"apexmr/{name}.json": True for name in ("bridge", "cliff", "faucet", "tower")}
LABELLED = {f"brickgpt/few_shot_examples.json#{n}": True for n in range(5)}
SETS = {"built": BUILT, "by robots": BY_ROBOTS, "labelled": LABELLED}
REFERENCE = "stablelego"
REPEATS = 3
# Seed 000, Table II: solvable, false-stable and false-unstable counts of 150, accuracy, seconds
PUBLISHED = {
    "BrickFEM": (98, 22, 0, 0.776, 193.9),
    "StableLego": (150, 0, 3, 0.98, 0.027),
    "BrickSim": (150, 0, 0, 1.0, 0.005),
}
OF = 150


@dataclass(frozen=True, slots=True)
class Tried:
    """What a model says of one structure."""

    name: str
    stood: bool
    answer: Answer
    ms: float

    @property
    def wrong(self) -> bool:
        return self.answer != "undecided" and (self.answer == "stable") != self.stood


def run() -> Iterator[Row]:
    for name, (solved, false_stable, false_unstable, accuracy, seconds) in PUBLISHED.items():
        counts = {"false_stable": false_stable, "false_unstable": false_unstable, "accuracy": accuracy}
        notes = {"structures": OF, "solvable": solved / OF, **counts, "quoted": "seed 000, Table II"}
        yield Row(f"Table II, {name}, quoted", 1e3 * seconds, notes=notes)
    warm()
    public: dict[str, list[Tried]] = {}
    for title, structures in SETS.items():
        loaded = {path: load(f"{DATA.folder}/{path}") for path in structures if DATA.find(path.partition("#")[0])}
        if not loaded:
            continue
        reference = None
        for model in _fitting(loaded.values()):
            tried = [_tried(model, path, assembly, structures[path]) for path, assembly in loaded.items()]
            public.setdefault(model.name, []).extend(tried)
            row = _row(f"{title}, {model.name}", tried, reference)
            reference = reference or row.ours
            yield row
    reference = None
    for name, all_tried in public.items():
        if all_tried:
            row = _row(f"public, {name}", all_tried, reference)
            reference = reference or row.ours
            yield row


def _fitting(assemblies: Iterable[Assembly]) -> list[StabilityModel]:
    """The models that know all these structures, the reference first."""
    found = [(assembly, interfaces(assembly)) for assembly in assemblies]
    fitting = [model for model in models() if not any(model.misfit(*one) for one in found)]
    return sorted(fitting, key=lambda model: model.name != REFERENCE)


def _tried(model: StabilityModel, path: str, assembly: Assembly, stood: bool) -> Tried:
    """The answer, and the quickest of several times to reach it."""
    joints, state = interfaces(assembly), State.complete(assembly)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        answer = model.oracle(assembly, joints, Terms(compiled=True)).assess(state).answer
        times.append(time.perf_counter() - start)
    return Tried(Path(path).stem if "#" not in path else path.partition("#")[2], stood, answer, 1e3 * min(times))


def _row(case: str, tried: list[Tried], reference_ms: float | None) -> Row:
    solved = [one for one in tried if one.answer != "undecided"]
    wrong = [one for one in solved if one.wrong]
    notes = {
        "structures": len(tried),
        "solvable": len(solved) / len(tried),
        "false_stable": sum(one.answer == "stable" for one in wrong),
        "false_unstable": sum(one.answer == "unstable" for one in wrong),
        "accuracy": 1 - len(wrong) / len(solved) if solved else None,
        "wrong": [one.name for one in wrong],
    }
    spent = sum(one.ms for one in solved) / max(1, len(solved))
    return Row(case, spent, reference_ms, "" if reference_ms is None else REFERENCE, notes)
