"""Questions that are worked at frame by frame: the same answers, later, and never without a proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.bench.brick_scenes import block, on_table
from falsework.brickworld.inquiry import Budget, Inquiry
from falsework.brickworld.loads import Windows
from falsework.brickworld.mechanics import Asked, GroupMechanics
from falsework.brickworld.reduction import opens_true_cones
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import started
from falsework.brickworld.world import World
from falsework.model.errors import BadInput
from falsework.model.interfaces import Patches
from tests.brickworld.scenes import watched
from tests.brickworld.test_mechanics import clutched, struck
from tests.brickworld.test_snapshot_files import same, through_a_file


@pytest.fixture(scope="module")
def world() -> World:
    return World(on_table(block(170), 0.0))


def asked(mechanics: GroupMechanics, loads: np.ndarray) -> Inquiry:
    return Inquiry(mechanics.problem, mechanics.solver, loads)


def test_pieces_never_contradict_the_whole_problem(world: World) -> None:
    rng = np.random.default_rng(5)
    mechanics, found = clutched(world), {"holds": 0, "overloaded": 0}
    for _ in range(12):
        loads = struck(world, rng, float(rng.uniform(5.0, 60.0)))
        outcome = asked(mechanics, loads).work(Budget(np.inf))
        factor = mechanics.solver.least_strength(loads).factor
        assert outcome == ("overloaded" if factor > 1.0 else "holds")
        found[outcome] += 1
    assert min(found.values()) >= 3


def test_a_small_budget_leads_to_the_same_proof_bit_by_bit(world: World) -> None:
    mechanics, loads = clutched(world), struck(world, np.random.default_rng(3), 60.0)
    at_once, slowly = asked(mechanics, loads), asked(mechanics, loads)
    assert at_once.work(Budget(np.inf)) == "overloaded"
    frames = 1
    while slowly.work(Budget(0.0, at_least_one=True)) is None:
        frames += 1
    assert frames == slowly.pieces == at_once.pieces > 1
    assert slowly.motion is not None and at_once.motion is not None
    assert np.array_equal(slowly.motion.twists, at_once.motion.twists)
    assert (loads * slowly.motion.twists).sum() > slowly.motion.dissipation


def test_one_piece_of_work_is_always_allowed_and_no_more_than_fits() -> None:
    budget = Budget(2.0, at_least_one=True)
    assert budget.allows(5.0)
    assert not Budget(2.0).allows(5.0)
    budget.spend(1.5)
    assert budget.allows(0.5)
    assert not budget.allows(0.6)


def test_what_is_proved_later_is_about_the_moment_it_was_asked_for(world: World) -> None:
    mechanics, loads = clutched(world), struck(world, np.random.default_rng(3), 60.0)
    asked_then = Asked(Windows(loads[None], np.zeros((1, 3)), 1), 0, 0.25)
    assert mechanics.ask(loads, Budget(0.0), lambda: asked_then, first=False) is None
    over, frames = None, 0
    while over is None and frames < 100:
        over, frames = mechanics.go_on(Budget(0.0, at_least_one=True)), frames + 1
    assert frames > 1
    assert over is not None and over.asked is asked_then
    assert mechanics.open == []


def test_late_breaks_carry_their_proof_and_open_questions_go_on_from_a_file(tmp_path: Path) -> None:
    """A drop with next to no time for proofs, cut in two while one is under way: the same bit for bit."""
    world = World(started(block(100), 2.0, 20.0), Settings(proof_ms=1e-9))
    for _ in range(60):
        world.step()
        if world.breakage.open and world.breakage.open[0].pieces >= 2:
            break
    other = through_a_file(world, tmp_path / "snapshot.npz")
    assert [one.pieces for one in other.breakage.open] == [one.pieces for one in world.breakage.open]
    breaks, breaks_there = watched(world)[0], watched(other)[0]
    for one in (world, other):
        one.run(1.0)
    assert breaks and [one.as_dict() for one in breaks] == [one.as_dict() for one in breaks_there]
    assert same(world, other)
    for event in breaks:
        assert event.late_s > 0.0
        assert event.cause is not None
        assert float((event.cause.loads * event.cause.twists).sum()) > event.cause.dissipation_w


def test_a_dense_drop_is_the_same_every_time_and_leaves_nothing_undecided() -> None:
    ends = []
    for _ in range(2):
        world = World(started(block(100), 0.5, 10.0))
        world.run(0.6)
        assert world.breakage.undecided == 0
        ends.append((world.poses(), world.connections))
    assert np.array_equal(ends[0][0], ends[1][0])
    assert ends[0][1] == ends[1][1]


@pytest.mark.parametrize(("opening", "opens"), [(0.5, True), (0.499, False), (0.47, False)])
def test_a_motion_must_clear_the_true_cone_in_every_direction(world: World, opening: float, opens: bool) -> None:
    """Friction 0.5, sliding between two edges of the cone of eight: 0.462 would do for those."""
    slid = np.deg2rad(22.5)
    patch = Patches(
        np.array([[0, 1]]), np.array([[0.0, 0.0, 1.0]]), np.array([0.5]), np.array([0, 1]), np.zeros((1, 3))
    )
    problem = replace(clutched(world).problem, patches=patch, coms=np.zeros((2, 3)))
    twists = np.zeros((2, 6))
    twists[1, :3] = np.cos(slid), np.sin(slid), opening
    assert opens_true_cones(problem, twists) is opens


def test_a_budget_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="proof_ms: found 0"):
        Settings(proof_ms=0.0)
