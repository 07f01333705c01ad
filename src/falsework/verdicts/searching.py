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
from falsework.statics.core.ambiguity import certain
from falsework.statics.core.batches import Finding
from falsework.statics.core.speeds import part_radii, part_speeds
from falsework.verdicts.oracle import Oracle
from falsework.verdicts.registry import StabilityModel

STILL = 1e-6  # of the fastest part: slower ones rest
Journal = dict[State, Finding]


class SearchOracle(StabilityOracle, Protocol):
    """A stability oracle of one assembly that is asked about many states."""

    assembly: Assembly
    joints: Interfaces

    def findings(self, states: Sequence[State]) -> list[Finding]:
        """Whether states stand; for those that fall, the bodies whose motion proves it: to hold any other is vain."""
        ...

    def answers(self, states: Sequence[State]) -> list[Answer]:
        """Whether states stand."""
        ...


def search_oracle(
    model: StabilityModel,
    assembly: Assembly,
    joints: Interfaces,
    *,
    threads: int = 1,
    journal: Journal | None = None,
) -> SearchOracle:
    """The oracle of a model for a search. Every solve is written into `journal`, and none is made that is there.

    By the models of the convex core a state stands only if it does whichever way ambiguous contacts push, and falls if
    it is proved that this is not so: a search may rest on nothing less.
    """
    oracle = model.oracle(assembly, joints)
    if model.is_core:
        return Oracle(assembly, certain(joints), threads=threads, journal=journal)
    return OneByOne(oracle, assembly, joints, journal)


class OneByOne:
    """Any stability oracle as a search asks it; nothing is concluded from one state about another.

    A motion that obeys a law goes on obeying it when a part is held that rests in it. So where a verdict has a motion,
    to hold what rests is vain; where it has none, any free part may be worth holding.
    """

    def __init__(
        self, oracle: StabilityOracle, assembly: Assembly, joints: Interfaces, journal: Journal | None = None
    ) -> None:
        self.assembly, self.joints = assembly, joints
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
