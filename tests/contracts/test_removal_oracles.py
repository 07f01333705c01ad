"""What every removal oracle promises, whoever implements it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable

import numpy as np
import pytest

import falsework.geometry
import falsework.planning
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.geometry.ways.turning_paths import TurningRemovals
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import RemovalOracle
from falsework.model.shapes import BrickShape
from falsework.planning.verification.paths import PathJudge

Maker = Callable[[Assembly], RemovalOracle]


def straight(assembly: Assembly) -> RemovalOracle:
    return StraightRemovals(assembly, interfaces(assembly))


def bent(assembly: Assembly) -> RemovalOracle:
    return BentRemovals(StraightRemovals(assembly, interfaces(assembly)))


def turning(assembly: Assembly) -> RemovalOracle:
    return TurningRemovals(BentRemovals(StraightRemovals(assembly, interfaces(assembly))))


def past_a_table(assembly: Assembly) -> RemovalOracle:
    """Straight lines where other ways are allowed too, but not looked for."""
    return StraightRemovals(assembly, interfaces(assembly), certain=False)


def by_surfaces(assembly: Assembly) -> RemovalOracle:
    if any(isinstance(part.shape, BrickShape) for part in assembly.parts):
        with pytest.raises(BadInput, match="bricks go by their grid"):
            SurfaceRemovals(assembly, interfaces(assembly))
        pytest.skip("bricks go by their grid")
    return SurfaceRemovals(assembly, interfaces(assembly))


MAKERS: dict[str, Maker] = {
    "straight": straight,
    "bent": bent,
    "turning": turning,
    "past-a-table": past_a_table,
    "by-surfaces": by_surfaces,
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS.keys())
def maker(request: pytest.FixtureRequest) -> Maker:
    made: Maker = request.param
    return made


KINDS = ("bird-house", "mortise-frame", "brick-arch", "duplo-bridge")
PROMISED = [name for name in vars(RemovalOracle) if not name.startswith("_")]


def test_every_removal_oracle_of_the_house_is_among_those_that_are_held_to_this() -> None:
    rooms = (falsework.geometry, falsework.planning)
    modules = [info.name for room in rooms for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")]
    classes = {
        thing
        for name in modules
        for thing in vars(importlib.import_module(name)).values()
        if inspect.isclass(thing) and thing is not RemovalOracle
    }
    methods = [name for name in PROMISED if name != "certain"]  # which is an attribute of some
    oracles = {thing for thing in classes if all(hasattr(thing, name) for name in methods)}
    frame = make("mortise-frame")
    assert oracles == {type(maker(frame)) for maker in MAKERS.values()}
    assert all(hasattr(maker(frame), name) for maker in MAKERS.values() for name in PROMISED)


def test_only_straight_lines_that_are_all_there_is_prove_that_there_is_no_way() -> None:
    frame = make("mortise-frame")
    certain = {name: maker(frame).certain for name, maker in MAKERS.items()}
    assert certain == {
        "straight": True,
        "bent": False,
        "turning": False,
        "past-a-table": False,
        "by-surfaces": False,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_swept_clear_by_code_that_knows_no_oracle(maker: Maker, kind: str) -> None:
    assembly = make(kind)
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    judge = PathJudge(assembly)
    for number in range(len(assembly.parts)):
        path = None if assembly.fixed_mask() >> number & 1 else oracle.path(1 << number, everything)
        if path is not None:
            others = [other for other in range(len(assembly.bodies)) if other != number]
            assert list(judge.complaints([number], others, path, None)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_way_leads_down_where_up_is_said(maker: Maker, kind: str) -> None:
    assembly = make(kind)
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    led = 0
    for number in range(len(assembly.parts)):
        for up in np.eye(3):
            path = None if assembly.fixed_mask() >> number & 1 else oracle.path(1 << number, everything, up)
            if path is not None:
                assert (np.diff(path[::-1, :3, 3], axis=0) @ up > -1e-6).all()
                led += 1
    assert led


@pytest.mark.parametrize("kind", KINDS)
def test_directions_are_unit_and_paths_end_where_the_part_belongs(maker: Maker, kind: str) -> None:
    assembly = make(kind)
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    leaving = 0
    for number in range(len(assembly.parts)):
        if assembly.fixed_mask() >> number & 1:
            continue
        ways = oracle.directions(1 << number, everything)
        assert ways.shape == (len(ways), 3) and np.allclose(np.linalg.norm(ways, axis=1), 1.0)
        path = oracle.path(1 << number, everything)
        if len(ways):
            assert path is not None
        if path is not None:
            assert path.shape[1:] == (4, 4) and len(path) >= 2
            assert np.array_equal(path[-1], assembly.poses[number])
            leaving += 1
    assert leaving


@pytest.mark.parametrize("kind", KINDS)
def test_ways_only_open_as_parts_leave(maker: Maker, kind: str) -> None:
    assembly = make(kind)
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    for number in range(len(assembly.parts)):
        if assembly.fixed_mask() >> number & 1:
            continue
        there, before = everything, {tuple(way) for way in oracle.directions(1 << number, everything).tolist()}
        for gone in range(len(assembly.parts)):
            there &= ~(1 << gone)
            after = {tuple(way) for way in oracle.directions(1 << number, there).tolist()}
            assert before <= after
            before = after


@pytest.mark.parametrize("kind", KINDS)
def test_what_leaves_has_a_way_and_leaves_once_its_blockers_are_gone(maker: Maker, kind: str) -> None:
    assembly = make(kind)
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    for number in range(len(assembly.parts)):
        if assembly.fixed_mask() >> number & 1:
            continue
        part = 1 << number
        assert oracle.leaves(part, everything) == (oracle.path(part, everything) is not None)
        for gone in oracle.blockers(part):
            if not gone & assembly.fixed_mask():
                assert oracle.leaves(part, everything & ~gone)


def test_the_moved_bodies_are_taken_out_of_what_is_installed(maker: Maker) -> None:
    assembly = make("mortise-frame")
    oracle, everything = maker(assembly), (1 << len(assembly.bodies)) - 1
    rail = assembly.mask(["rail-1"])
    assert np.array_equal(oracle.directions(rail, everything), oracle.directions(rail, everything & ~rail))


def test_fixed_parts_stay_where_they_are(maker: Maker) -> None:
    assembly = make("mortise-frame")
    with pytest.raises(BadInput, match="fixed parts never move: sill"):
        maker(assembly).directions(assembly.mask(["sill"]), 1)
