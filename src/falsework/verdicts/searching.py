"""The oracle that a search asks, whatever the model: the fast one of the convex core, or any other state by state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Answer, Motion, Verdict
from falsework.statics.core.ambiguity import certain, possible
from falsework.statics.core.batches import Finding
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.speeds import part_radii, part_speeds
from falsework.verdicts.oracle import Oracle
from falsework.verdicts.registry import StabilityModel

STILL = 1e-6  # of the fastest part: slower ones rest
Journal = dict[State, Finding]


class SearchOracle(StabilityOracle, Protocol):
    """A stability oracle of one assembly that is asked about many states."""

    assembly: Assembly
    found: Interfaces

    def findings(self, states: Sequence[State]) -> list[Finding]:
        """Whether states stand; for those that fall, the bodies whose motion proves it: to hold any other is vain."""
        ...

    def answers(self, states: Sequence[State]) -> list[Answer]:
        """Whether states stand."""
        ...


def search_oracle(
    model: StabilityModel,
    assembly: Assembly,
    found: Interfaces,
    *,
    threads: int = 1,
    journal: Journal | None = None,
) -> SearchOracle:
    """The oracle of a model for a search. Every solve is written into `journal`, and none is made that is there."""
    oracle = model.oracle(assembly, found)
    if not model.is_core:
        return OneByOne(oracle, assembly, found, journal)
    if not len(found.ambiguous):
        return Oracle(assembly, found, threads=threads, journal=journal)
    return Doubting(assembly, found, threads, journal)


class Doubting:
    """The fast oracle where contacts are ambiguous: what stands whichever way they push, and what falls.

    Proofs of standing are about the least that these contacts bear, proofs of falling about the most; each has an
    oracle with a memory of its own. The second is asked only where a motion might be stopped by such a contact.
    """

    monotone_in_held = True
    convex = True

    def __init__(self, assembly: Assembly, found: Interfaces, threads: int = 1, journal: Journal | None = None) -> None:
        self.assembly, self.found = assembly, found
        self._least = Oracle(assembly, certain(found), threads=threads, journal=journal)
        self._most = Oracle(assembly, possible(found), threads=threads)
        self._equilibrium = Equilibrium(assembly, found)
        self._pairs = [(1 << a, 1 << b) for a, b in sorted({(a, b) for a, b in found.ambiguous.bodies.tolist()})]

    def assess(self, state: State) -> Verdict:
        """With its certificate, solved now."""
        return self._equilibrium.assess(state)

    def answers(self, states: Sequence[State]) -> list[Answer]:
        return [finding.answer for finding in self.findings(states)]

    def findings(self, states: Sequence[State]) -> list[Finding]:
        found = self._least.findings(states)
        doubtful = [n for n, finding in enumerate(found) if self._may_be_stopped(states[n], finding)]
        for n, most in zip(doubtful, self._most.findings([states[n] for n in doubtful]), strict=True):
            found[n] = most if most.answer == "unstable" else Finding("undecided", 0)
        return found

    def _may_be_stopped(self, state: State, finding: Finding) -> bool:
        """Whether an ambiguous contact is there on one of the bodies whose motion proves the fall."""
        if finding.answer != "unstable":
            return False
        return any((a | b) & finding.moving and not (a | b) & ~state.installed for a, b in self._pairs)


class OneByOne:
    """Any stability oracle as a search asks it; nothing is concluded from one state about another.

    A motion that obeys a law goes on obeying it when a part is held that rests in it. So where a verdict has a motion,
    to hold what rests is vain; where it has none, any free part may be worth holding.
    """

    def __init__(
        self, oracle: StabilityOracle, assembly: Assembly, found: Interfaces, journal: Journal | None = None
    ) -> None:
        self.assembly, self.found = assembly, found
        self.monotone_in_held, self.convex = oracle.monotone_in_held, oracle.convex
        self._oracle, self._journal = oracle, {} if journal is None else journal

    def assess(self, state: State) -> Verdict:
        """With its certificate, solved now."""
        return self._oracle.assess(state)

    def answers(self, states: Sequence[State]) -> list[Answer]:
        return [finding.answer for finding in self.findings(states)]

    def findings(self, states: Sequence[State]) -> list[Finding]:
        return [self._finding(state) for state in states]

    def _finding(self, state: State) -> Finding:
        known = self._journal.get(state)
        if known is not None:
            return known
        checkpoint()
        verdict = self._oracle.assess(state)
        found = Finding(verdict.answer, self._moving(state, verdict) if verdict.answer == "unstable" else 0)
        if state.gravity is None and state.loads is None:  # as the journals of the other oracle, which files hold
            self._journal[state] = found
        return found

    def _moving(self, state: State, verdict: Verdict) -> int:
        free = state.free(self.assembly)
        if not isinstance(verdict.certificate, Motion):
            return free
        speeds = part_speeds(verdict.certificate.twists, part_radii(self.assembly))
        fastest = float(speeds.max(initial=0.0))
        return free & sum(1 << n for n, speed in enumerate(speeds.tolist()) if speed > STILL * fastest) or free
