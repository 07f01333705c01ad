"""What supports and hands carry."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.arrays import Array
from falsework.model.state import State
from falsework.model.verdict import Forces
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.proofs.support_work import SupportWork
from falsework.verdicts.masonry.thrust import supports_of


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """What one support, or the hand at one part, puts on the structure; world axes."""

    part: str
    force_n: Array  # (3,)
    moment_nm: Array  # (3,) about the part's centre of mass


def reactions(equilibrium: Equilibrium, state: State, forces: Forces) -> tuple[Reaction, ...]:
    """Of forces that balance a state, support by support; together they carry all loads of the free parts."""
    assembly = equilibrium.assembly
    wrenches = SupportWork(assembly, equilibrium.joints, state).on_structure(forces, equilibrium.strengths())
    bodies = {body.name: number for number, body in enumerate(assembly.bodies)}
    return tuple(
        Reaction(name, wrenches[bodies[name], :3], wrenches[bodies[name], 3:])
        for name in supports_of(equilibrium, state)
    )
