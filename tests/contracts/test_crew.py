"""The contract of `Crew`: every crew that planning may be given behaves so."""

from __future__ import annotations

from itertools import islice

import numpy as np

from falsework import Assembly, new_cell
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.ports import Crew
from falsework.robots.keyframes.cell_planning import Arms

SIDE = 0.04


def tower() -> Assembly:
    centres = [(0.0, 0.0, (k + 0.5) * SIDE) for k in range(2)]
    return Assembly.from_boxes([(SIDE,) * 3], centres, density_kg_m3=300.0, ground="table")


def arms_of_a_cell(assembly: Assembly) -> Crew:
    return Arms(new_cell("two-panda"), assembly)(StraightRemovals(assembly, interfaces(assembly)))


def test_a_crew_offers_ways_of_free_arms_and_lets_go_of_what_it_is_told_to() -> None:
    assembly = tower()
    crew = arms_of_a_cell(assembly)
    bare = assembly.fixed_mask()
    assert crew.reaches(0, bare)
    assert len(crew.lies) >= 1
    assert np.array_equal(crew.lies[0], np.eye(4))
    offered = list(crew.ways(0, bare, ()))
    assert offered
    assert len(set(offered)) == len(offered)
    assert list(crew.ways(0, bare, ())) == offered
    placed = bare | 1
    hands = ((0, offered[0]),)
    assert crew.let_go(placed, hands, 0) == hands
    assert crew.let_go(placed, hands, 1) == ()
    assert crew.hands_on(bare, 0) == ()
    taken = crew.hands_on(placed, 1)
    assert taken is not None
    assert [part for part, _ in taken] == [0]
    for way in islice(crew.ways(1, placed, hands), 4):
        both = crew.let_go(placed | 2, (*hands, (1, way)), 0)
        assert both is None or both == (*hands, (1, way))
    assert crew.objection(1, placed, hands).why


def test_a_crew_takes_hold_of_what_is_in_place_and_one_arm_takes_over_from_another() -> None:
    boxes = {"beam": ((0.04, 0.24, 0.08), (0.0, 0.0, 0.04))}
    assembly = Assembly.from_boxes(boxes, density_kg_m3=300.0, ground="table")
    crew = arms_of_a_cell(assembly)
    placed = assembly.fixed_mask() | 1
    offered = list(crew.holds(0, placed, ()))
    assert offered
    assert len(set(offered)) == len(offered)
    assert list(crew.holds(0, placed, ())) == offered
    hands = ((0, offered[0]),)
    assert crew.let_go(placed, hands, 1) == ()
    changed = list(crew.taken_over(0, placed, hands))
    assert changed
    for later in changed:
        assert [part for part, _ in later] == [0]
        assert later[0][1] not in offered[:1]
        assert crew.let_go(placed, later, 1) == ()
