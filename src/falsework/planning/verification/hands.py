"""Where the hands of a plan are.

A plan calls every part held that has just arrived. Of parts that come as one, a hand is on one, or a hand on each; in
the first case the others ride along: they take no hand, and nobody supports them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Hands:
    """As bit masks over the assembly's bodies."""

    held: int = 0  # as the plan says it
    along: int = 0  # of it, what rides along in a hand on another part

    @property
    def on(self) -> int:
        """The parts that hands are on."""
        return self.held & ~self.along

    def bring(self, parts: int, grasped: int) -> None:
        """Parts arrive as one, in hands on some of them."""
        self.held |= parts
        self.along = self.along & ~parts | parts & ~grasped

    def take(self, parts: int) -> None:
        self.held |= parts
        self.along &= ~parts

    def let_go(self, parts: int) -> None:
        self.held &= ~parts
        self.along &= ~parts

    def only(self, held: int) -> None:
        """Whatever was before, these are held, and of what rode along what is still among them."""
        self.held = held
        self.along &= held
