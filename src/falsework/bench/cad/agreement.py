"""Do simulation (Algorithm 2 of seed 001) and equilibrium agree on which states of CAD assemblies stand?

States are what is left of an assembly of the set, lying as it was made, when any of its parts are gone: so some stand
and some do not. Every disagreement is told with the reason that a second
question gives: without the rule that a part which lost its neighbours has fallen; with the law for fits with play.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from falsework.bench.rows import Row, Skipped
from falsework.gallery.cad.cad_set import CadSpecimen, cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.verdicts.registry import model_for

STATES, SOME = 500, 40
MOST_PARTS = 14  # a simulation of more takes many seconds
PATIENCE_S = 20.0  # for one simulation


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One state on which the two differ."""

    name: str
    absent: tuple[str, ...]
    simulated: str
    equilibrium: str
    why: str


def rows(full: bool = False) -> Iterator[Row | Skipped]:
    try:
        import mujoco  # noqa: F401
    except ModuleNotFoundError:
        yield Skipped("simulated and equilibrium", "MuJoCo is not installed; it comes with the extra `engine`")
        return
    yield compared(STATES if full else SOME)


def compared(count: int, seed: int = 0) -> Row:
    """So many states, as many of each assembly."""
    small = [one for one in cad_set() if one.parts <= MOST_PARTS]
    outcomes: Counter[str] = Counter()
    differ: list[Disagreement] = []
    start, each = time.process_time(), -(-count // len(small))
    chosen = small if each > 1 else small[:: max(1, len(small) // count)]
    for specimen in chosen:
        left = min(max(1, each), count - outcomes.total())
        if left > 0:
            _compare(specimen, np.random.default_rng((seed, specimen.seed)), left, outcomes, differ)
    total, agreed = outcomes.total(), outcomes["both stand"] + outcomes["both fall"]
    reasons = Counter(one.why for one in differ)
    return Row(
        f"simulated and equilibrium, {total} states",
        1e3 * (time.process_time() - start) / max(1, total),
        notes={**outcomes, "reasons": dict(reasons), "told": [_told(one) for one in differ]},
        figure=f"agree on {100 * agreed / max(1, total):.1f} %",
        target="≥ 98 %, every disagreement explained",
    )


def _told(one: Disagreement) -> str:
    return f"{one.name} without {'+'.join(one.absent) or 'nothing'}: {one.simulated}/{one.equilibrium}, {one.why}"


def _compare(
    specimen: CadSpecimen, rng: np.random.Generator, count: int, outcomes: Counter[str], differ: list[Disagreement]
) -> None:
    assembly = specimen.made().assembly
    joints = interfaces(assembly)
    equilibrium = model_for("auto", assembly, joints).oracle(assembly, joints)
    simulated = _simulated(assembly, joints, connected=True)
    for state in states(assembly, rng, count):
        one, other = simulated.assess(state).answer, equilibrium.assess(state).answer
        if "undecided" in (one, other):
            outcomes["undecided"] += 1
        elif one == other:
            outcomes["both stand" if one == "stable" else "both fall"] += 1
        else:
            outcomes["differ"] += 1
            absent = tuple(part.name for n, part in enumerate(assembly.parts) if not state.installed >> n & 1)
            why = _reason(assembly, joints, state, one)
            differ.append(Disagreement(specimen.name, absent, one, other, why))


def states(assembly: Assembly, rng: np.random.Generator, count: int) -> Iterator[State]:
    """What is left when some parts, any of them, have left; never fewer than two."""
    everything = State.complete(assembly).installed
    for _ in range(count):
        gone = rng.permutation(len(assembly.parts))[: int(rng.integers(len(assembly.parts) - 1))]
        yield State(everything & ~sum(1 << int(part) for part in gone))


def _simulated(assembly: Assembly, joints: Interfaces, *, connected: bool) -> StabilityOracle:
    from falsework.engine.simulated_check import SimulatedCheck, SimulatedCheckSettings

    return SimulatedCheck(assembly, joints, SimulatedCheckSettings(require_connected=connected), PATIENCE_S)


def _reason(assembly: Assembly, joints: Interfaces, state: State, simulated: str) -> str:
    """What makes the two differ, by asking each a second time in another way."""
    if simulated == "unstable" and _simulated(assembly, joints, connected=False).assess(state).answer == "stable":
        return "a part stands, but has lost its neighbours"
    coupled = model_for("cra", assembly, joints).oracle(assembly, joints).assess(state).answer
    if coupled == simulated:
        return "equilibrium wedges what slips: cra agrees with the simulation"
    if simulated == "stable":
        return "it leans, or falls more slowly than one watches"
    return "unexplained"
