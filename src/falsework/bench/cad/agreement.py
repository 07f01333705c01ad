"""Do simulation (Algorithm 2 of seed 001) and equilibrium agree on which states of CAD assemblies stand?

States are what is left of an assembly of the set, lying as it was made, when any of its parts are gone: so some stand
and some do not. Equilibrium is what `check` says, with its law for fits with play. Every disagreement is told with the
reason that a second question gives: does it rest where the rule does not count that a part lost its neighbours; does
it fall where gravity leans a little; does the law that wedges nothing agree with the simulation; how far does it move?
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from falsework.bench.kept import Kept
from falsework.bench.rows import Row, Skipped
from falsework.gallery.cad.cad_set import CadSpecimen, cad_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.planes import plane_axes
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Answer, Criterion, Verdict
from falsework.verdicts.check import check
from falsework.verdicts.registry import model_for

STATES, SOME = 500, 40
MOST_PARTS = 14  # a simulation of more takes many seconds
PATIENCE_S = 60.0  # of CPU, for one simulation
LEAN, WAYS = 2e-3, 8  # rad by which gravity leans, and how many ways: what does not stand then stands by a hair
MOVES = 1e-3  # of the size: what moves less is at rest


@dataclass(frozen=True, slots=True)
class Judged:
    """What both say of one state, and why they differ where they do."""

    absent: tuple[str, ...]
    simulated: Answer
    equilibrium: Answer
    why: str = ""

    @property
    def outcome(self) -> str:
        if "undecided" in (self.simulated, self.equilibrium):
            return "undecided"
        if self.simulated != self.equilibrium:
            return "differ"
        return "both stand" if self.simulated == "stable" else "both fall"


def rows(full: bool = False, journal: Kept | None = None) -> Iterator[Row | Skipped]:
    try:
        import mujoco  # noqa: F401
    except ModuleNotFoundError:
        yield Skipped("simulated and equilibrium", "MuJoCo is not installed; it comes with the extra `engine`")
        return
    yield compared(STATES if full else SOME, journal=journal)


def compared(count: int, seed: int = 0, journal: Kept | None = None) -> Row:
    """So many states, as many of each assembly."""
    kept = journal or Kept()
    small = [one for one in cad_set() if one.parts <= MOST_PARTS]
    start, each = time.process_time(), -(-count // len(small))
    chosen = small if each > 1 else small[:: max(1, len(small) // count)]
    judged: list[tuple[str, Judged]] = []
    for specimen in chosen:
        left = min(each, count - len(judged))
        if left > 0:
            judged += [(specimen.name, one) for one in _known_or_compared(kept, specimen, seed, left)]
    outcomes = Counter(one.outcome for _, one in judged)
    agreed = outcomes["both stand"] + outcomes["both fall"]
    differ = [(name, one) for name, one in judged if one.why]
    return Row(
        f"simulated and equilibrium, {len(judged)} states",
        1e3 * (time.process_time() - start) / max(1, len(judged)),
        notes={
            **outcomes,
            "distinct": len({(name, one.absent) for name, one in judged}),
            "reasons": dict(Counter(one.why for _, one in differ)),
            "told": [_told(name, one) for name, one in differ],
        },
        figure=f"agree on {100 * agreed / max(1, len(judged)):.1f} %",
        target="≥ 98 %, every disagreement explained",
    )


def _told(name: str, one: Judged) -> str:
    return f"{name} without {'+'.join(one.absent) or 'nothing'}: {one.simulated}/{one.equilibrium}, {one.why}"


def _known_or_compared(journal: Kept, specimen: CadSpecimen, seed: int, count: int) -> list[Judged]:
    """The states of one assembly, from the journal where they are there."""
    asked = {"specimen": asdict(specimen), "seed": seed, "count": count}
    for entry in journal.before:
        if "states" in entry and {name: entry[name] for name in asked} == asked:
            return [Judged(**{**one, "absent": tuple(one["absent"])}) for one in entry["states"]]
    found = list(_compared(specimen, np.random.default_rng((seed, specimen.seed)), count))
    journal.add({**asked, "states": [asdict(one) for one in found]})
    return found


def _compared(specimen: CadSpecimen, rng: np.random.Generator, count: int) -> Iterator[Judged]:
    assembly = specimen.made().assembly
    joints = interfaces(assembly)
    simulated = _simulated(assembly, joints)
    known: dict[int, Judged] = {}  # few parts have few states: some are drawn again
    for state in states(assembly, rng, count):
        if state.installed not in known:
            absent = tuple(part.name for n, part in enumerate(assembly.parts) if not state.installed >> n & 1)
            watched = simulated.assess(state)
            proved = check(assembly, joints=joints, absent=absent, also=False)
            why = "" if watched.answer == proved.answer else _reason(assembly, joints, state, watched, proved)
            known[state.installed] = Judged(absent, watched.answer, proved.answer, why)
        yield known[state.installed]


def states(assembly: Assembly, rng: np.random.Generator, count: int) -> Iterator[State]:
    """What is left when some parts, any of them, have left; never fewer than two."""
    everything = State.complete(assembly).installed
    for _ in range(count):
        gone = rng.permutation(len(assembly.parts))[: int(rng.integers(len(assembly.parts) - 1))]
        yield State(everything & ~sum(1 << int(part) for part in gone))


def _simulated(assembly: Assembly, joints: Interfaces, *, connected: bool = True) -> StabilityOracle:
    from falsework.engine.simulated_check import SimulatedCheck, SimulatedCheckSettings

    settings = SimulatedCheckSettings(require_connected=connected)
    return SimulatedCheck(assembly, joints, settings, PATIENCE_S, clock=time.process_time)


def _reason(assembly: Assembly, joints: Interfaces, state: State, watched: Verdict, proved: Verdict) -> str:
    """What makes the two differ, by asking each a second time in another way."""
    for verdict in (watched, proved):
        if verdict.answer == "undecided":
            return f"undecided: {verdict.why}"
    if not watched.stands and _simulated(assembly, joints, connected=False).assess(state).stands:
        return "a part stands, but has lost its neighbours"
    if proved.stands and stands_by_a_hair(assembly, joints, state):
        return f"it stands by a hair: no longer for certain where gravity leans by {LEAN:g} rad"
    coupled = model_for("cra", assembly, joints).oracle(assembly, joints).assess(state).answer
    if coupled == watched.answer != proved.answer:
        return "equilibrium wedges what slips: cra agrees with the simulation"
    farthest = watched.certificate.value if isinstance(watched.certificate, Criterion) else 0.0
    if watched.stands and farthest > MOVES:
        return f"it falls by {100 * farthest:.1f} % of the size and rests there, which counts as no fall"
    return "unexplained"


def stands_by_a_hair(assembly: Assembly, joints: Interfaces, state: State) -> bool:
    """Whether nothing proves that it stands where gravity leans a little: balls that may roll, what is on its limit."""
    down = assembly.gravity
    asides = [float(np.linalg.norm(down)) * way[0] for way in plane_axes(down[None])]
    turns = 2 * np.pi * np.arange(WAYS) / WAYS
    leaning = [down + LEAN * (np.cos(turn) * asides[0] + np.sin(turn) * asides[1]) for turn in turns]
    absent = assembly.named(State.complete(assembly).installed & ~state.installed)
    asked = (check(assembly, joints=joints, absent=absent, gravity=gravity, also=False) for gravity in leaning)
    return any(not verdict.stands for verdict in asked)
