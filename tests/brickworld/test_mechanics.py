"""Whether clutches carry a load: the quick proofs against the whole problem."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.brick_scenes import block, on_table
from falsework.brickworld.local import FULL, holds_inside, neighbourhood
from falsework.brickworld.mechanics import GroupMechanics
from falsework.brickworld.reduction import quick_overload
from falsework.brickworld.world import World
from falsework.model.arrays import Array


@pytest.fixture(scope="module")
def world() -> World:
    return World(on_table(block(60), 0.0))


def clutched(world: World) -> GroupMechanics:
    return max(world.breakage.mechanics, key=lambda one: len(one.joints.numbers))


def struck(world: World, rng: np.random.Generator, newtons: float) -> Array:
    """Loads (members, 6) of a free component that is hit from below at one of its lowest bricks."""
    mechanics, masses = clutched(world), world.grouping.masses
    members = mechanics.members
    total, centre, inertia = masses.of(members)
    arms = masses.com_m[members] - centre
    hit = int(rng.choice(np.flatnonzero(masses.com_m[members, 2] < 0.006)))
    force = newtons * np.array([*rng.normal(0.0, 0.3, 2), 1.0])
    alpha = np.linalg.solve(inertia, np.cross(arms[hit], force))
    loads = np.zeros((len(members), 6))
    loads[:, :3] = -masses.mass_kg[members, None] * (force / total + np.cross(alpha, arms))
    loads[:, 3:] = -(masses.inertia_kgm2[members] @ alpha)
    loads[hit, :3] += force
    return loads


def test_quick_proofs_never_contradict_the_whole_problem(world: World) -> None:
    rng = np.random.default_rng(0)
    mechanics = clutched(world)
    solver = mechanics.solver
    found = {"holds": 0, "overload": 0}
    for _ in range(16):
        loads = struck(world, rng, float(rng.uniform(2.0, 40.0)))
        if solver.screen(loads) is not None:
            continue
        forces, uses = solver.screened(loads)
        status = solver.feasible(loads).status
        quick = quick_overload(mechanics.problem, uses, loads)
        if quick is not None:
            assert status == "unstable"
            assert (loads * quick.twists).sum() == pytest.approx(quick.power, rel=1e-9)
            assert quick.power > quick.dissipation
            found["overload"] += 1
        around = neighbourhood(mechanics.problem, uses > FULL, 2)
        if holds_inside(mechanics.problem, forces, around, loads):
            assert status == "stable"
            found["holds"] += 1
    assert found["overload"] > 0
    assert found["holds"] > 0


def test_the_screens_forces_balance_the_loads_whether_they_fit_or_not(world: World) -> None:
    """Joint wrenches of the screen and the loads sum to nothing on every free brick."""
    from falsework.brickworld.local import _joint_wrenches

    mechanics = clutched(world)
    problem = mechanics.problem
    loads = struck(world, np.random.default_rng(1), 30.0)
    forces, uses = mechanics.solver.screened(loads)
    assert uses.max() > 1.0
    total = loads.copy()
    on_stud = _joint_wrenches(problem, forces)
    for side, sign in ((0, 1.0), (1, -1.0)):
        bodies = problem.pairs[:, side]
        arms = problem.frames[:, :3, 3] - problem.coms[bodies]
        moment = sign * (on_stud[:, 3:] + np.cross(arms, on_stud[:, :3]))
        np.add.at(total, bodies, np.concatenate([sign * on_stud[:, :3], moment], axis=1))
    size = np.abs(loads).sum()
    assert np.abs(total).max() < 1e-9 * size


def test_quiet_loads_and_the_same_loads_need_no_solve(world: World) -> None:
    mechanics = clutched(world)
    count = len(mechanics.members)
    assert mechanics.overload(np.zeros((count, 6))) is None
    loads = struck(world, np.random.default_rng(2), 0.5)
    assert mechanics.overload(loads) is None
    assert mechanics.overload(loads.copy()) is None


def test_an_overload_proves_itself_and_names_a_cut(world: World) -> None:
    mechanics = clutched(world)
    loads = struck(world, np.random.default_rng(3), 60.0)
    over = mechanics.overload(loads)
    assert over is not None
    assert float((loads * over.twists).sum()) > over.dissipation
    assert over.utilization == pytest.approx(float((loads * over.twists).sum()) / over.dissipation)
    assert len(over.cut) > 0
