"""Orders of a product's bricks: what planning is asked for, the better first, which plans are followed, why none is.

One hand that lays brick by brick comes first, with presses that are proved with their blow. Then less is proved, then a
second hand holds, and at last bricks are put together apart and placed as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from falsework.execution.control.finger_room import FingerRoom
from falsework.execution.control.pieces import OnTray, put_together
from falsework.execution.control.polygon import PolygonPress
from falsework.execution.control.settings import BLOW, ControlSettings
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Step
from falsework.model.ports import PlacementCheck
from falsework.model.robots.tool import Tool
from falsework.model.state import State
from falsework.planning.plan import plan as planned
from falsework.planning.plans.jobs import Planned
from falsework.planning.replan import replan as replanned
from falsework.verdicts.oracle import Oracle

BUDGET = 400  # evaluations, to find out whether a second hand would help, or a piece


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan may do, and the press that it is proved for; None: what plans have for the least."""

    hands: int = 1
    press_n: float | None = None
    between: bool = True  # bricks may come down between two others
    pieces: bool = False  # several may be put together apart and placed as one

    @property
    def words(self) -> dict[str, object]:
        """For the log."""
        hands = {} if self.hands == 1 else {"hands": self.hands}
        return {**hands, **({"pieces": True} if self.pieces else {})}


class Orders:
    """Of one product, for a hand of one kind and so many arms."""

    def __init__(self, assembly: Assembly, tool: Tool, arms: int, settings: ControlSettings) -> None:
        self._assembly, self._arms, self._settings = assembly, arms, settings
        self._polygon = (PolygonPress(assembly),) if settings.polygon else ()
        self._room = cache(lambda between, pieces: FingerRoom(assembly, tool, between, pieces))

    def to_ask(self) -> Iterator[Asked]:
        """The better first."""
        press_n = self._settings.press_n
        presses: tuple[float | None, ...] = (0.0,) if self._polygon else (BLOW * press_n, press_n, None)
        hands = (1, 2) if self._arms > 1 and not self._polygon else (1,)
        for pieces, press, count, between in product(self._with_pieces, presses, hands, (False, True)):
            yield Asked(count, press, between, pieces)

    @property
    def _with_pieces(self) -> tuple[bool, ...]:
        return (False, True) if self._settings.pieces and not self._polygon else (False,)

    def plan(self, asked: Asked) -> Planned:
        return planned(
            self._assembly,
            rules="bricks",
            robots=asked.hands,
            grasps="side",
            groups=asked.pieces,
            checks=self._checks(asked),
            press_n=asked.press_n,
            budget=None if asked.hands == 1 and not asked.pieces else BUDGET,
        )

    def rest(self, plan: Plan, placed: Collection[str], late: Collection[str], asked: Asked) -> Planned:
        """A plan for what is missing on what is there, under the same rules."""
        return replanned(
            plan,
            self._assembly,
            at=len(plan.steps),
            target=sorted(placed),
            delayed=sorted(late),
            groups=asked.pieces,
            checks=self._checks(asked),
        )

    def rests_to_ask(self, late: set[str], piece: frozenset[str]) -> Iterator[tuple[set[str], Asked]]:
        """What was given up comes last, unless others rest on it; bricks that are a piece by now stay one."""
        orders = (late, set()) if late else (set(),)
        pieces = (True,) if piece else self._with_pieces
        for apart, delayed, between in product(pieces, orders, (False, True)):
            yield delayed, Asked(between=between, pieces=apart)

    def is_followed(self, found: Planned, hands: int, piece: frozenset[str] = frozenset()) -> bool:
        """Whether the cell's arms can do what a plan asks for; with bricks that are one piece by now placed as one."""
        steps = placements(found.plan)
        together = [step for step in steps if len(step.parts) > 1]
        kept = not piece or any(frozenset(step.parts) == piece for step in together)
        possible = all(put_together(found.plan, step) and not _others_held(step) for step in together)
        if found.status != "complete" or not (steps and kept and possible):
            return False
        held = _held_at_once(found.plan)
        return held == 0 or (held < hands and self._stands_unheld(found.plan))

    def _stands_unheld(self, plan: Plan) -> bool:
        """Whether hands may let go after every step, as ours do, so that cameras see what stands."""
        there = set(plan.start.installed)
        states = []
        for step in placements(plan):
            there.update(step.parts)
            states.append(State(self._assembly.mask(there), 0))
        return all(answer == "stable" for answer in self._oracle.answers(states))

    @cached_property
    def _oracle(self) -> Oracle:
        return Oracle(self._assembly, interfaces(self._assembly))

    def why_not(self, singly: Planned, from_pieces: Planned | None) -> tuple[str, bool]:
        """Why no plan is followed, by the last ones that were looked for, and whether that is left open.

        That nothing goes together from pieces is never proved; what cannot be built brick by brick is refused then too.
        """
        if singly.status == "complete":
            return f"{_held_at_once(singly.plan) + 1} hands would be needed at once, the cell has {self._arms}", False
        if singly.status != "infeasible":
            return f"no plan was found: {singly.status}", True
        who = "one hand" if self._arms == 1 else "two hands"
        why = self._needs_a_hand() or singly.why or "no order of its bricks leads to it"
        nor = "" if from_pieces is None else "; nor were pieces found that a hand could put together on a tray"
        return f"{who} cannot build it brick by brick: {why}{nor}", False

    def _needs_a_hand(self) -> str:
        """What a second hand would have to hold while the first presses, if that is all that is missing."""
        if self._polygon or self._arms > 1:
            return ""
        found = self.plan(Asked(hands=2))
        for number, step in enumerate(found.plan.steps):
            if step.action == "hold" and found.status == "complete":
                pressed = next(one for one in found.plan.steps[number:] if one.action == "place")
                held, laid = ", ".join(step.parts), ", ".join(pressed.parts)
                return f"{held} must be held while {laid} is pressed in, and the cell has no other arm for that"
        return ""

    def _checks(self, asked: Asked) -> list[PlacementCheck]:
        return [self._room(asked.between, asked.pieces), OnTray(self._assembly), *self._polygon]


def placements(plan: Plan) -> list[Step]:
    """The steps that place something."""
    return [step for step in plan.steps if step.action == "place"]


def _others_held(step: Step) -> int:
    return len(set(step.held) - set(step.parts))


def _held_at_once(plan: Plan) -> int:
    """The most bricks that must be held while another is placed."""
    return max(map(_others_held, placements(plan)), default=0)
