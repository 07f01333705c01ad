"""Do simulation (Algorithm 2 of seed 001) and equilibrium agree on which states of CAD assemblies stand?

States are what is left of an assembly of the set, lying as it was made, when any of its parts are gone: so some stand
and some do not. Every disagreement is told with the reason that a second
question gives: without the rule that a part which lost its neighbours has fallen; with the law for fits with play; are
the convex pieces that the engine takes for what falls, or for what it rests on, rougher than the parts?
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
from falsework.geometry.shapes.convex_hulls import convex_hull
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.geometry.shapes.solids import bulk, outer_surface
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.part import Part
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Verdict
from falsework.verdicts.registry import model_for

STATES, SOME = 500, 40
MOST_PARTS = 14  # a simulation of more takes many seconds
ROUGH = 1.005  # of a part's volume
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
        watched = simulated.assess(state)
        one, other = watched.answer, equilibrium.assess(state).answer
        if "undecided" in (one, other):
            outcomes["undecided"] += 1
        elif one == other:
            outcomes["both stand" if one == "stable" else "both fall"] += 1
        else:
            outcomes["differ"] += 1
            absent = tuple(part.name for n, part in enumerate(assembly.parts) if not state.installed >> n & 1)
            why = _reason(assembly, joints, state, watched)
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


def _reason(assembly: Assembly, joints: Interfaces, state: State, watched: Verdict) -> str:
    """What makes the two differ, by asking each a second time in another way."""
    simulated = watched.answer
    if simulated == "unstable" and _simulated(assembly, joints, connected=False).assess(state).answer == "stable":
        return "a part stands, but has lost its neighbours"
    coupled = model_for("cra", assembly, joints).oracle(assembly, joints).assess(state).answer
    if coupled == simulated:
        return "equilibrium wedges what slips: cra agrees with the simulation"
    if simulated == "stable":
        return "it leans, or falls more slowly than one watches"
    if any(_is_rough(assembly.bodies[body]) for body in _about(assembly, joints, watched.falling)):
        return "what falls rests on pieces of the engine that are rougher than the part"
    return "unexplained"


def _about(assembly: Assembly, joints: Interfaces, falling: tuple[str, ...]) -> set[int]:
    """Bodies that fall, and what they touch."""
    fallen = {assembly.index[name] for name in falling}
    pairs = joints.patches.bodies.tolist()
    return fallen | {body for pair in pairs if fallen & set(pair) for body in pair if body < len(assembly.parts)}


def _is_rough(part: Part) -> bool:
    """Whether the convex pieces that the engine has for a part fill more than it."""
    volume = sum(convex_hull(piece.vertices).volume for piece in pieces_of(part.shape).body)
    return volume > ROUGH * bulk(outer_surface(part.shape)).volume_m3
