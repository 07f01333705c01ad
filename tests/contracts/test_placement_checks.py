"""What every check of placements promises, whoever made it; and what those promise who say what arms reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from falsework import gallery, plan
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.placement import Objection, Placement
from falsework.model.ports import PlacementCheck, Reach
from falsework.model.state import State
from falsework.planning.nodes.own_checks import Condition, Elsewhere, ReachCheck
from falsework.planning.verification.verify import verify


def wall() -> Assembly:
    return gallery.make("running-bond-wall", columns=3, courses=3)


@dataclass(frozen=True, slots=True, eq=False)
class TwoArms:
    """Arms at both ends of a wall, each of which reaches over two thirds of it and does one thing at a time."""

    assembly: Assembly
    certain: bool = True
    asked: list[State] = field(default_factory=list)

    def reachable(self, before: State, T_world_assembly: Array | None) -> int:
        del T_world_assembly
        self.asked.append(before)
        near = [self._near(side) for side in (0, 1)]
        held = before.held
        free = [side for side in (0, 1) if not held & ~near[1 - side]]  # the other one can hold all that is held
        return sum(
            1 << body for body in range(len(self.assembly.parts)) if any(near[side] >> body & 1 for side in free)
        )

    def _near(self, side: int) -> int:
        x = self.assembly.coms_m[:, 0]
        along = (x - x.min()) / np.ptp(x)
        inside = along <= 0.7 if side == 0 else along >= 0.3
        return sum(1 << int(body) for body in np.flatnonzero(inside))


def low_first(assembly: Assembly) -> Condition:
    """Nothing is placed above a course that is not complete."""
    heights = np.round(assembly.coms_m[:, 2], 6)

    def objects(placement: Placement) -> Objection | None:
        bodies = range(len(assembly.bodies))
        placed = min(heights[body] for body in bodies if placement.parts >> body & 1)
        missing = [b for b in bodies if not placement.after.installed >> b & 1 and heights[b] < placed]
        return Objection("a lower course is not complete", sum(1 << b for b in missing)) if missing else None

    return Condition("courses", objects)


def in_another_numbering(assembly: Assembly) -> Elsewhere:
    """As a group that is built apart is put to a check, with the same parts."""
    return Elsewhere(low_first(assembly), tuple(range(len(assembly.bodies))))


Make = Callable[[Assembly], PlacementCheck]
CHECKS: dict[str, Make] = {
    "condition": low_first,
    "reach": lambda assembly: ReachCheck(TwoArms(assembly)),
    "elsewhere": in_another_numbering,
}
every_check = pytest.mark.parametrize("make", CHECKS.values(), ids=CHECKS.keys())


def placements(assembly: Assembly, count: int = 200) -> list[Placement]:
    rng = np.random.default_rng(2)
    fixed, movable = (
        assembly.fixed_mask(),
        [n for n in range(len(assembly.parts)) if not assembly.fixed_mask() >> n & 1],
    )
    drawn = []
    for _ in range(count):
        part = int(rng.choice(movable))
        there = fixed | sum(1 << n for n in movable if n != part and rng.random() < 0.6)
        held = sum(1 << n for n in movable if there >> n & 1 and rng.random() < 0.1)
        drawn.append(Placement(1 << part, State(there, held)))
    return drawn


@every_check
def test_it_objects_to_some_placements_in_words_about_bodies_that_there_are(make: Make) -> None:
    assembly = wall()
    check = make(assembly)
    assert check.name and check.name.isprintable()
    found = [check.objection(placement) for placement in placements(assembly)]
    objections = [one for one in found if one is not None]
    assert objections and len(objections) < len(found)
    for placement, one in zip(placements(assembly), found, strict=True):
        if one is not None:
            assert one.why and not (one.blockers | one.hold) >> len(assembly.bodies)
            assert not one.hold & ~placement.before.installed


@every_check
def test_the_same_placement_gets_the_same_answer_in_whatever_order_it_is_asked(make: Make) -> None:
    assembly = wall()
    asked = placements(assembly)
    one, other = make(assembly), make(assembly)
    forward = [one.objection(placement) for placement in asked]
    backward = [other.objection(placement) for placement in reversed(asked)][::-1]
    assert forward == backward == [one.objection(placement) for placement in asked]


@every_check
def test_a_check_that_does_not_mind_hands_answers_the_same_whatever_is_held(make: Make) -> None:
    assembly = wall()
    check = make(assembly)
    differs = 0
    for placement in placements(assembly):
        free = Placement(placement.parts, State(placement.before.installed))
        differs += (check.objection(placement) is None) != (check.objection(free) is None)
    assert bool(differs) == check.minds_hands


@every_check
def test_plans_made_under_it_are_valid_under_it_and_the_same_every_time(make: Make) -> None:
    assembly = wall()
    planned = [plan(assembly, robots=2, checks=[make(assembly)]) for _ in range(2)]
    assert planned[0].status == "complete"
    assert verify(planned[0].plan, assembly, checks=[make(assembly)]).valid is True
    assert verify(planned[0].plan, assembly).valid is None
    parts = [[(step.action, step.parts, step.held) for step in one.plan.steps] for one in planned]
    assert parts[0] == parts[1]


# Reach

REACHES: dict[str, Callable[[Assembly], Reach]] = {"two-arms": TwoArms}
every_reach = pytest.mark.parametrize("make", REACHES.values(), ids=REACHES.keys())


@every_reach
def test_what_is_reached_is_a_mask_of_bodies_and_the_same_every_time(make: Callable[[Assembly], Reach]) -> None:
    assembly = wall()
    masks = [make(assembly).reachable(placement.before, None) for placement in placements(assembly)]
    assert all(0 <= mask < 1 << len(assembly.bodies) for mask in masks) and len(set(masks)) > 1
    assert masks == [make(assembly).reachable(placement.before, None) for placement in placements(assembly)]


def test_reach_is_asked_once_a_state_however_many_parts_are_tried() -> None:
    assembly = wall()
    arms = TwoArms(assembly)
    assert plan(assembly, robots=2, checks=[ReachCheck(arms)]).status == "complete"
    assert arms.asked and len(arms.asked) == len(set(arms.asked))


def test_an_arm_that_holds_is_not_free_to_bring() -> None:
    assembly = wall()
    check = ReachCheck(TwoArms(assembly))
    movable = [n for n in range(len(assembly.parts)) if not assembly.fixed_mask() >> n & 1]
    along = sorted(movable, key=lambda n: assembly.coms_m[n, 0])
    left, right = 1 << along[0], 1 << along[-1]
    there = State((1 << len(assembly.bodies)) - 1 & ~right)
    assert check.objection(Placement(right, there)) is None
    assert check.objection(Placement(right, State(there.installed, left))) is None
    nearly_right = 1 << along[-2]
    refused = check.objection(Placement(right, State(there.installed, nearly_right)))
    assert refused == Objection("no arm that is free can bring it there")
