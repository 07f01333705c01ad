"""`falsework bench certified`: are states of many assemblies all decided, and do solvers and processors agree?

Not a race: `ours` is the mean time of a verdict by the compiled solvers, `reference` that of the plain program. What
matters are the notes: how many states were undecided, and how often the two contradict each other.

Then other states, some of them near the limit, on every target (`targets.py`): `ours` is the mean processor time of a
verdict there, `reference` that on this processor; the last row has what differs between targets.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from falsework.bench.equilibrium import PUBLISHED
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row
from falsework.bench.samples import random_state, vault
from falsework.bench.target_states import Question, answers_on, differences, questions
from falsework.bench.targets import targets_here
from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.verdict import Answer
from falsework.statics.core.ambiguity import certain
from falsework.statics.core.equilibrium import Equilibrium

STATES = 5000  # in all
MOST_PARTLY = 0.001  # of the states


def run() -> Iterator[Row]:
    assemblies = dict(_assemblies())
    rng = np.random.default_rng(0)
    for name, assembly in assemblies.items():
        yield _row(name, assembly, STATES // len(assemblies), rng)
    yield from _target_rows()


def _assemblies() -> Iterator[tuple[str, Assembly]]:
    yield "vault-20", vault(20, 1)
    yield "vault-60 in two layers", vault(60, 2)
    for name, (folder, fixed) in {**PUBLISHED, "Tetris-17": ("tetris-2", "0")}.items():
        if (path := DATA.find(f"blocks/{folder}")) is not None:
            yield name, load(path, fixed=[fixed])


def _row(name: str, assembly: Assembly, count: int, rng: np.random.Generator) -> Row:
    joints = certain(interfaces(assembly))
    fast, plain = Equilibrium(assembly, joints, compiled=True), Equilibrium(assembly, joints)
    states = [random_state(assembly, rng) for _ in range(count)]
    fast.assess(states[0])  # compiles
    answers, times = [], []
    for oracle in (fast, plain):
        start = time.perf_counter()
        answers.append([oracle.assess(state).answer for state in states])
        times.append(1e3 * (time.perf_counter() - start) / count)
    ours, reference = (np.array(answer) for answer in answers)
    contradictions = (ours != reference) & (ours != "undecided") & (reference != "undecided")
    notes = {
        "states": count,
        "stable": float((ours == "stable").mean()),
        "undecided": int((ours == "undecided").sum()),
        "undecided_plain": int((reference == "undecided").sum()),
        "contradictions": int(contradictions.sum()),
    }
    return Row(name, times[0], times[1], "the plain program", notes)


def _target_rows() -> Iterator[Row]:
    """The same questions on every target that this machine can play."""
    asked = questions(STATES)
    near = [n for n, question in enumerate(asked) if question.off]
    by_target: dict[str, list[Answer]] = {}
    times: dict[str, float] = {}
    for target in targets_here():
        told, seconds = answers_on(target, asked)
        by_target[target.name], times[target.name] = told, 1e3 * seconds / len(asked)
        notes = {
            "states": len(asked),
            "stable": told.count("stable") / len(told),
            "undecided": told.count("undecided"),
            "near_the_limit": len(near),
            "undecided_near": sum(told[n] == "undecided" for n in near),
        }
        here = next(iter(times.values()))
        yield Row(f"on target {target.name}", times[target.name], here, "natively", notes)
    differing = differences(by_target)
    share = len(differing.partly_undecided) / len(asked)
    yield Row(
        "between targets",
        sum(times.values()),
        notes={
            "targets": ", ".join(by_target),
            "contradictory": _shown(differing.contradictory, asked, by_target),
            "partly_undecided": _shown(differing.partly_undecided, asked, by_target),
        },
        target=f"0 contradict, undecided on some targets only {MOST_PARTLY:.1%} at most",
        figure=f"{len(differing.contradictory)} contradict, {share:.2%}",
    )


def _shown(numbers: list[int], asked: list[Question], by_target: dict[str, list[Answer]]) -> list[str]:
    """Which states these are, and what each target said."""
    return [
        f"{n} {asked[n].assembly} {asked[n].off:+.1e}: {', '.join(told[n] for told in by_target.values())}"
        for n in numbers
    ]
