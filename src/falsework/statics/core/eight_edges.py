"""Equilibrium with linear cones of eight edges, as seed 002 has it.

The edges are inside Coulomb's cone, so forces that stand with them stand. That no forces exist within the edges proves
nothing: it is a criterion, unless the motion that comes with it proves the fall for the true cones too.
"""

from __future__ import annotations

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, Criterion
from falsework.statics.core.equilibrium import Equilibrium, Ruling
from falsework.statics.core.outcome import Outcome, Proposer, Wanted

NAME = "imbalance within cones of eight edges"
SOLVED = ("Solved", "AlmostSolved")


class EightEdges(Equilibrium):
    """The stability oracle of seed 002's cones."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        super().__init__(assembly, joints)

    def _with(self, joints: Interfaces) -> EightEdges:
        return EightEdges(self.assembly, joints)

    @property
    def proposers(self) -> tuple[Proposer, ...]:
        return (self,)

    gives_accelerations = True

    def propose(self, state: State, wanted: Wanted) -> Outcome:
        """The plain program with linear cones."""
        from falsework.statics.core.program import Program

        return Program(self.assembly, self.joints, state, self.clutch_rows, "8").solve(wanted.timeout_s)

    def judged(self, state: State, outcome: Outcome) -> Ruling:
        ruling = super().judged(state, outcome)
        if ruling.answer != "undecided" or outcome.forces is None or outcome.status not in SOLVED:
            return ruling
        residual = self.referee.forces_residual(state, outcome.forces, self.strengths())
        patches = self.joints.patches
        pairs, forces = patches.bodies[patches.owner], outcome.forces.patch_forces
        criterion = Criterion(NAME, float(residual), FORCES_RESIDUAL, np.array(patches.points), forces, pairs)
        return Ruling("unstable", criterion, float(residual))
