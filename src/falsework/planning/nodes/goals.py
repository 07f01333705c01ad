"""What to build on what, and how a plan says so."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.assembly import Assembly
from falsework.model.plan import Start
from falsework.planning.nodes.moves import Node


@dataclass(frozen=True, slots=True)
class Goal:
    """`bare` is in place and held at the beginning, `whole` at the end, `last` comes last."""

    bare: Node
    whole: Node
    last: int = 0

    @staticmethod
    def everything(assembly: Assembly) -> Goal:
        """All parts onto what is fixed."""
        return Goal(Node(assembly.fixed_mask()), Node((1 << len(assembly.bodies)) - 1))

    def start(self, assembly: Assembly) -> Start:
        """What is there at the beginning."""
        placed = self.bare.installed & ~assembly.fixed_mask()
        return Start(assembly.named(placed), assembly.named(self.bare.held))

    def target(self, assembly: Assembly) -> tuple[str, ...] | None:
        """What is there at the end; None if that is everything."""
        if self.whole.installed == (1 << len(assembly.bodies)) - 1:
            return None
        return tuple(name for name in assembly.named(self.whole.installed) if name in assembly.names)
