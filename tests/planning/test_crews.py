"""Arms inside the search, seen from planning: a crew of two that is solved by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from falsework.gallery.registry import make
from falsework.model.assembly import Assembly
from falsework.model.placement import Objection
from falsework.model.plan import Rules
from falsework.model.ports import Hands, RemovalOracle
from falsework.planning.plans.jobs import Job, Planned, Settings
from falsework.planning.plans.solving import solve
from falsework.planning.plans.workshop import Workshop
from falsework.planning.verification.verify import verify


@dataclass
class Pair:
    """Two arms: the first brings even parts, the second odd ones. Ways are 2 · part + arm."""

    assembly: Assembly
    never: frozenset[int] = frozenset()  # parts that nobody brings
    sticks: frozenset[int] = frozenset()  # parts that a hand cannot leave again
    asked: list[int] = field(default_factory=list)

    lies = (np.eye(4),)

    def ways(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterator[int]:
        del installed, pose
        self.asked.append(part)
        arm = part % 2
        if part not in self.never and all(way % 2 != arm for _, way in hands):
            yield 2 * part + arm

    def reaches(self, part: int, installed: int, pose: int = 0) -> bool:
        del installed, pose
        return part not in self.never

    def let_go(self, installed: int, hands: Hands, parts: int) -> Hands | None:
        del installed
        if any(parts >> part & 1 for part in self.sticks):
            return None
        return tuple(pair for pair in hands if not parts >> pair[0] & 1)

    def objection(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Objection:
        del installed, hands, pose
        return Objection(f"nobody brings {self.assembly.names[part]}")

    def pair_ways(self, upper: int, lower: int, installed: int, hands: Hands) -> Iterator[int]:
        del upper, lower, installed, hands
        yield from ()

    def holds(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterator[int]:
        """Any free arm; such ways are told from those that bring by their sign."""
        del pose
        for arm in range(2):
            if installed >> part & 1 and all(abs(way) % 2 != arm for _, way in hands):
                yield -(2 * part + arm + 2)

    def taken_over(self, part: int, installed: int, hands: Hands) -> Iterator[Hands]:
        rest = tuple(pair for pair in hands if pair[0] != part)
        for way in self.holds(part, installed, hands):
            yield (*rest, (part, way))

    def gripped(self, way: int) -> int:
        raise AssertionError(f"nobody brings two parts as one, by way {way}")

    def hands_on(self, installed: int, held: int) -> Hands | None:
        del installed
        return () if not held else None


def tower(height: int) -> Assembly:
    centres = [(0.0, 0.0, 0.1 * k + 0.05) for k in range(height)]
    return Assembly.from_boxes([(0.1, 0.1, 0.1)], centres, ground="table")


def planned_by(crew: Pair, robots: int = 2, regrasp: bool = False) -> Planned:
    def made(removals: RemovalOracle | None) -> Pair:
        del removals
        return crew

    workshop = Workshop(crew.assembly, Rules(robots=robots, regrasp=regrasp), crew=made)
    return solve(Job(workshop, workshop.everything, Settings(budget=2000)))


def test_each_part_is_brought_by_the_arm_that_can() -> None:
    crew = Pair(tower(4))
    planned = planned_by(crew)
    assert planned.status == "complete"
    ways = [move.way for move in planned.moves if move.parts]
    assert all(way is not None and way // 2 % 2 == way % 2 for way in ways)


def test_what_stands_by_itself_is_let_go_at_once() -> None:
    planned = planned_by(Pair(tower(3)))
    assert all(not move.later.hands and not move.later.held for move in planned.moves)


def test_a_part_that_nobody_brings_ends_the_search_at_once_and_proves_nothing() -> None:
    four = tower(4)
    planned = planned_by(Pair(four, never=frozenset({3})))
    assert planned.status == "budget"
    assert planned.plan.proof is None
    assert f"nobody brings {four.names[3]}" in planned.why
    assert planned.evaluations < 10


def test_a_hand_that_cannot_leave_stays_on_and_its_arm_brings_no_more() -> None:
    four = tower(4)
    planned = planned_by(Pair(four, sticks=frozenset({0})))
    assert planned.status == "budget"


def test_too_few_hands_are_still_proved_by_statics_alone() -> None:
    """A semicircular arch needs a hand for the last stone and more for the rest: one hand does not do."""
    arch = make("semicircular-arch")
    planned = planned_by(Pair(arch), robots=1)
    assert planned.status in ("infeasible", "budget")
    if planned.status == "infeasible":
        assert planned.plan.proof is not None
        assert planned.plan.proof.by == "hands"


def seesaw() -> Assembly:
    """A beam on a foot, and weights on its ends, one of which alone tips it: all odd parts. Even ones lie beside it."""
    side = 0.04
    boxes: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    wanted = {"foot": (side, 0.0, 0.5), "beam": (0.28, 0.0, 1.5), "west": (side, -0.12, 2.5), "east": (side, 0.12, 2.5)}
    for number, (name, (long, x, height)) in enumerate(wanted.items()):
        boxes[f"beside-{number}"] = ((side, side, side), (0.1 * number, 0.5, 0.5 * side))
        boxes[name] = ((long, side, side), (x, 0.0, height * side))
    masses = dict.fromkeys(boxes, 0.1) | {"west": 0.3, "east": 0.3}
    return Assembly.from_boxes(boxes, ground="table", masses_kg=masses)


def test_the_arm_that_holds_is_relieved_where_it_is_the_one_that_brings_the_next() -> None:
    """All of it is the second arm's: without regrasping it holds one weight and cannot bring the other."""
    assert planned_by(Pair(seesaw())).status == "budget"
    planned = planned_by(Pair(seesaw()), regrasp=True)
    assert planned.status == "complete"
    assert all(move.way is None or move.way % 2 == move.way // 2 % 2 for move in planned.moves)
    anew = [move for move in planned.moves if set(move.later.hands) - set(move.earlier.hands) and not move.parts]
    assert len(anew) == 1  # by the first arm, and no oftener than it must
    assert verify(planned.plan, seesaw()).valid


def test_hands_never_take_hold_in_place_unless_regrasping_is_allowed() -> None:
    crew = Pair(seesaw())
    planned = planned_by(crew)
    assert all(step.action != "hold" for step in planned.plan.steps)
