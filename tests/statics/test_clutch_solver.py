"""The solver of snap-fit structures, against hand calculation, a linear program and the built structures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.statics.clutches.capacities import ClutchRows, clutch_rows
from falsework.statics.clutches.kinds import ClutchKinds
from falsework.statics.clutches.program import solve_program
from falsework.statics.clutches.proposals import ClutchForces, ClutchMotion, LeastStrength
from falsework.statics.clutches.solver import ClutchSolver

PITCH = 0.008
CORNERS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
# with 0.70 N per point everywhere (computed by another program, with g = 9.80)
AT_070 = {
    "stair_19": 0.760,
    "stair_20": 0.849,
    "stick_light": 0.956,
    "stick_heavy": 1.061,
    "stick_heavy_good": 0.970,
    "external_weight_good": 0.465,
}
FALL = ("stair_20", "stick_heavy")


@dataclass(frozen=True)
class Case:
    """The solver's input, kept so that tests can check its answers on their own."""

    bodies: Array
    frames: Array
    kinds: list[ClutchRows]
    halves: Array
    kind: Array
    patch_bodies: Array
    patch_starts: Array
    patch_points: Array
    patch_generators: Array
    coms: Array
    free: Bools

    def solver(self) -> ClutchSolver:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return ClutchSolver(**given | {"kinds": ClutchKinds.of(given.pop("kinds"), given.pop("halves"))})


def case_of(assembly: Assembly, fixed: tuple[str, ...] = (), point_n: float | None = None) -> Case:
    joints = interfaces(assembly)
    clutches, patches = joints.clutches, joints.patches
    kinds = [clutch_rows(kind) for kind in clutches.kinds]
    if point_n is not None:
        kinds = [replace(kind, limits=np.where(kind.limits > 0, point_n, 0.0)) for kind in kinds]
    held = assembly.fixed_mask() | assembly.mask(fixed)
    return Case(
        clutches.bodies,
        clutches.T_world_clutch,
        kinds,
        np.array([kind.half for kind in clutches.kinds]).reshape(-1, 2),
        clutches.kind,
        patches.bodies,
        patches.starts,
        patches.points,
        patches.normals[patches.owner][:, None, :],
        assembly.coms_m,
        np.array([not held >> number & 1 for number in range(len(assembly.bodies))]),
    )


def weights(assembly: Assembly) -> Array:
    loads = np.zeros((len(assembly.bodies), 6))
    loads[:, :3] = assembly.masses_kg[:, None] * assembly.gravity
    return loads


@pytest.fixture
def bricks(tmp_path: Path):  # type: ignore[no-untyped-def]
    def make(*lines: str) -> Assembly:
        path = tmp_path / "bricks.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return load(str(path))

    return make


def velocity(case: Case, twists: Array, body: int, point: Array) -> Array:
    return twists[body, :3] + np.cross(twists[body, 3:], point - case.coms[body])


def assert_forces_hold(case: Case, loads: Array, forces: ClutchForces, strength: float) -> None:
    """Equilibrium and capacities, recomputed from the input alone."""
    net, size = loads.copy(), np.abs(loads).sum() + 1e-12
    for k, (stud, hole) in enumerate(case.bodies):
        turn, origin = case.frames[k, :3, :3], case.frames[k, :3, 3]
        kind, half = case.kinds[case.kind[k]], case.halves[case.kind[k]]
        wrench, pressure = forces.clutch_wrenches[k], forces.clutch_pressure[k]
        assert (kind.rows @ wrench - strength * kind.limits).max() <= 1e-9 * size
        assert pressure.min() >= 0
        pushes = [
            (origin + turn @ [*(np.array(c) * half), 0.0], -p * turn[:, 2])
            for c, p in zip(CORNERS, pressure, strict=True)
        ]
        pushes.append((origin, turn @ wrench[:3]))
        for body, sign in ((stud, 1.0), (hole, -1.0)):
            net[body, 3:] += sign * turn @ wrench[3:]
            for point, force in pushes:
                net[body] += sign * np.concatenate([force, np.cross(point - case.coms[body], force)])
    owner = np.repeat(np.arange(len(case.patch_bodies)), np.diff(case.patch_starts))
    for point, patch, weight, generators in zip(
        case.patch_points, owner, forces.patch_weights, case.patch_generators, strict=True
    ):
        assert weight.min() >= 0
        for body, sign in zip(case.patch_bodies[patch], (-1.0, 1.0), strict=True):
            force = sign * weight @ generators
            net[body] += np.concatenate([force, np.cross(point - case.coms[body], force)])
    assert np.abs(net[case.free][:, :3]).max(initial=0) <= 1e-7 * size
    assert np.abs(net[case.free][:, 3:]).max(initial=0) <= 1e-7 * size * PITCH


def assert_motion_proves(case: Case, loads: Array, motion: ClutchMotion, strength: float) -> None:
    """No gap closes, slips explain every relative twist, and the loads gain more than the slips dissipate."""
    twists = motion.twists
    assert not twists[~case.free].any()
    speed = np.abs(twists[:, :3]).max() + PITCH * np.abs(twists[:, 3:]).max()
    dissipated, place = 0.0, 0
    for k, (stud, hole) in enumerate(case.bodies):
        turn, origin = case.frames[k, :3, :3], case.frames[k, :3, 3]
        kind, half = case.kinds[case.kind[k]], case.halves[case.kind[k]]
        slips = motion.slips[place : place + len(kind.limits)]
        place += len(slips)
        assert slips.min() >= 0
        moved = velocity(case, twists, hole, origin) - velocity(case, twists, stud, origin)
        turned = twists[hole, 3:] - twists[stud, 3:]
        misfit = kind.rows.T @ slips - np.concatenate([turn.T @ moved, turn.T @ turned])
        assert np.abs(misfit[:3]).max() <= 1e-10 * speed
        assert np.abs(misfit[3:]).max() * PITCH <= 1e-10 * speed
        dissipated += kind.limits @ slips
        for corner in CORNERS:
            point = origin + turn @ [*(np.array(corner) * half), 0.0]
            opening = turn[:, 2] @ (velocity(case, twists, hole, point) - velocity(case, twists, stud, point))
            assert opening >= -1e-10 * speed
    owner = np.repeat(np.arange(len(case.patch_bodies)), np.diff(case.patch_starts))
    for point, patch, generators in zip(case.patch_points, owner, case.patch_generators, strict=True):
        first, second = case.patch_bodies[patch]
        apart = velocity(case, twists, second, point) - velocity(case, twists, first, point)
        assert (generators @ apart).min() >= -1e-10 * speed
    assert place == len(motion.slips)
    assert (loads * twists).sum() > strength * dissipated
    assert motion.dissipation == pytest.approx(dissipated, rel=1e-9, abs=1e-12)


def _meet(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Seen from above, (length, width, x, y, z) each."""
    along = one[2] < other[2] + other[0] and other[2] < one[2] + one[0]
    return along and one[3] < other[3] + other[1] and other[3] < one[3] + one[1]


def random_bricks(rng: np.random.Generator, count: int) -> list[str]:
    """Bricks on and under each other, at least one of them on the ground, none inside another."""
    sizes = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (4, 2), (2, 4), (2, 6)]
    placed = [(2, 2, 10, 10, 0)]
    while len(placed) < count:
        _, _, x, y, z = placed[rng.integers(len(placed))]
        length, width = sizes[rng.integers(len(sizes))]
        x, y, z = x + rng.integers(-3, 4), y + rng.integers(-3, 4), z + rng.choice([1, 1, -1])
        new = (length, width, x, y, z)
        same = any(other[4] == z and _meet(new, other) for other in placed)
        joined = any(abs(other[4] - z) == 1 and _meet(new, other) for other in placed)
        if z >= 0 and joined and not same:
            placed.append((length, width, int(x), int(y), int(z)))
    return [f"{length}x{width} ({x},{y},{z})" for length, width, x, y, z in placed]


@pytest.mark.parametrize(("brick", "limit_n"), [("1x1", 2.80), ("2x2", 6.72), ("2x4", 13.44), ("4x4", 29.12)])
def test_a_straight_pull_fails_at_points_times_capacity(bricks, brick: str, limit_n: float) -> None:
    case = case_of(bricks(f"{brick} (0,0,0)"))
    loads = np.zeros((2, 6))
    loads[0, 2] = 1.0
    found = case.solver().least_strength(loads)
    assert found.status == "exact"
    assert 1.0 / found.factor == pytest.approx(limit_n, rel=1e-6)


def test_a_brick_hung_from_one_stud_falls_at_2_8_newtons(bricks) -> None:
    case = case_of(bricks("1x1 (0,0,2)", "1x1 (0,0,3)", "1x1 (5,5,0)"), fixed=("2",))
    for force, status in ((2.79, "stable"), (2.81, "unstable")):
        loads = np.zeros((4, 6))
        loads[0, 2] = -force
        assert case.solver().feasible(loads).status == status


@pytest.mark.parametrize(("axis", "reach"), [(0, 2.0), (1, 1.0), (0, 1.5)])
def test_an_edge_pull_agrees_with_a_plain_linear_program(bricks, axis: int, reach: float) -> None:
    case = case_of(bricks("4x2 (0,0,0)"), point_n=0.70)
    force, arm = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    arm[axis] = reach * PITCH
    loads = np.zeros((2, 6))
    loads[0] = np.concatenate([force, np.cross(arm, force)])
    factor = case.solver().least_strength(loads).factor
    kind, half, turn = case.kinds[0], case.halves[0], case.frames[0, :3, :3]
    origin = case.frames[0, :3, 3] - case.coms[0]  # the brick is the hole brick: it feels −w and +pressure
    columns = [np.concatenate([turn @ -e[:3], turn @ -e[3:] + np.cross(origin, turn @ -e[:3])]) for e in np.eye(6)]
    for corner in CORNERS:
        push = turn[:, 2]
        columns.append(np.concatenate([push, np.cross(origin + turn @ [*(np.array(corner) * half), 0.0], push)]))
    balance = np.column_stack([*columns, np.zeros(6)])
    rows = np.hstack([kind.rows, np.zeros((len(kind.rows), 4)), -kind.limits[:, None]])
    bounds = [(None, None)] * 6 + [(0, None)] * 5
    unit = np.array([1, 1, 1, PITCH, PITCH, PITCH])
    reference = linprog(np.eye(11)[10], rows, np.zeros(len(rows)), balance / unit[:, None], -loads[0] / unit, bounds)
    assert factor == pytest.approx(reference.fun, rel=1e-6)
    if reach == 2.0:
        assert 1.0 / factor == pytest.approx(8.4, rel=1e-6)


@pytest.mark.parametrize("name", AT_070)
def test_the_built_structures_stand_or_fall_as_they_did(name: str, shared: Path) -> None:
    assembly = load(shared / "stablelego" / f"{name}.json")
    loads = weights(assembly)
    known = case_of(assembly, point_n=0.70).solver().least_strength(loads)
    assert known.factor * 9.80 / 9.81 == pytest.approx(AT_070[name], abs=6e-4)
    case = case_of(assembly)
    solver = case.solver()
    limit = solver.least_strength(loads)
    assert (limit.factor > 1.0) == (name in FALL)
    verdict = solver.feasible(loads)
    assert verdict.status == ("unstable" if name in FALL else "stable")
    assert limit.forces is not None and limit.motion is not None
    assert_forces_hold(case, loads, limit.forces, limit.factor)
    assert_motion_proves(case, loads, limit.motion, limit.factor * (1 - 1e-6))


def test_two_methods_give_one_answer_on_random_structures(bricks) -> None:
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(100):
        assembly = bricks(*random_bricks(rng, int(rng.integers(2, 14))))
        case = case_of(assembly)
        solver = case.solver()
        loads = weights(assembly) * rng.uniform(1, 30)
        loads[:, :3] += rng.normal(0, 0.02, (len(loads), 3))
        loads[:, 3:] += rng.normal(0, 0.0002, (len(loads), 3))
        program = solve_program(solver.network, solver.balance, solver.network.scaled_loads(loads))
        limit = solver.least_strength(loads)
        assert limit.status == "exact" and program is not None
        assert limit.factor == pytest.approx(program.factor, rel=1e-5, abs=1e-7)
        assert limit.forces is not None
        assert_forces_hold(case, loads, limit.forces, limit.factor)
        for share in (1.5, 1.01, 1.001, 0.999, 0.99, 0.7):
            strength = limit.factor * share
            if limit.factor < 1e-4:
                continue
            checked += 1
            verdict = solver.feasible(loads, strength)
            assert verdict.status == ("stable" if share > 1 else "unstable")
            if verdict.forces is not None:
                assert_forces_hold(case, loads, verdict.forces, strength)
            else:
                assert verdict.motion is not None
                assert_motion_proves(case, loads, verdict.motion, strength)
            screened = solver.screen(loads, strength)
            if screened is not None:
                assert share > 1
                assert_forces_hold(case, loads, screened, strength)
    assert checked > 300


def test_a_motion_found_on_the_way_proves_as_much_as_that_of_the_limit(bricks, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    on_the_way, asked = 0, 0
    for _ in range(40):
        assembly = bricks(*random_bricks(rng, int(rng.integers(6, 16))))
        case = case_of(assembly)
        solver = case.solver()
        loads = weights(assembly) * rng.uniform(1, 30)
        loads[int(rng.integers(len(loads) - 1)), 2] -= rng.uniform(0, 5)
        factor = solver.least_strength(loads).factor
        for share in (1.01, 0.97, 0.8, 0.5) if factor > 1e-4 else ():
            with monkeypatch.context() as watched:
                limits: list[Array] = []
                watched.setattr(ClutchSolver, "least_strength", spying(limits))
                found = solver.feasible(loads, factor * share, any_motion=True)
            assert found.status == ("stable" if share > 1 else "unstable")
            if found.motion is not None:
                assert_motion_proves(case, loads, found.motion, factor * share)
                on_the_way, asked = on_the_way + (not limits), asked + 1
    assert on_the_way > asked / 2


def spying(calls: list[Array]) -> Callable[[ClutchSolver, Array], LeastStrength]:
    """`least_strength`, and every question to it is written down."""
    true = ClutchSolver.least_strength

    def least_strength(solver: ClutchSolver, loads: Array) -> LeastStrength:
        calls.append(loads)
        return true(solver, loads)

    return least_strength


def test_elastic_forces_hold_and_have_no_more_energy_than_others(bricks) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        assembly = bricks(*random_bricks(rng, int(rng.integers(2, 12))))
        case = case_of(assembly)
        solver = case.solver()
        loads = weights(assembly) * 20
        strength = 1.05 * solver.least_strength(loads).factor + 0.01
        forces, other = solver.elastic(loads, strength), solver.feasible(loads, strength).forces
        assert forces is not None and other is not None
        assert_forces_hold(case, loads, forces, strength)
        energies = [
            sum(w @ case.kinds[i].energy @ w for w, i in zip(one.clutch_wrenches, case.kind, strict=True))
            for one in (forces, other)
        ]
        assert energies[0] <= energies[1] * (1 + 1e-5) + 1e-7 * np.abs(loads).max() ** 2


def test_warm_and_cold_agree_and_repeat(bricks) -> None:
    rng = np.random.default_rng(11)
    assembly = bricks(*random_bricks(rng, 16))
    case = case_of(assembly)
    solver, loads = case.solver(), weights(assembly) * 10
    strength = solver.least_strength(loads).factor * 1.1
    last = None
    for _ in range(8):
        changed = loads * rng.uniform(0.97, 1.03, (len(loads), 1))
        warm = solver.feasible(changed, strength, last)
        cold = case.solver().feasible(changed, strength)
        assert warm.status == cold.status == "stable"
        assert warm.forces is not None and cold.forces is not None
        assert np.abs(warm.forces.clutch_wrenches - cold.forces.clutch_wrenches).max() < 1e-5 * np.abs(loads).sum()
        last = warm.forces
    again = [case.solver().feasible(loads, strength).forces for _ in range(2)]
    assert again[0] is not None and again[1] is not None
    assert np.array_equal(again[0].clutch_wrenches, again[1].clutch_wrenches)


def test_a_floating_brick_cannot_be_held_by_any_strength(bricks) -> None:
    assembly = bricks("2x2 (0,0,0)", "2x2 (9,9,4)", "2x2 (10,9,5)")
    case, loads = case_of(assembly), weights(assembly)
    found = case.solver().least_strength(loads)
    assert found.status == "unbounded" and found.motion is not None
    assert_motion_proves(case, loads, found.motion, 1e3)
    assert case.solver().feasible(loads).status == "unstable"


def test_a_side_face_alone_holds_a_brick_that_leans_on_it(bricks) -> None:
    assembly = bricks("2x2 (0,0,0)", "2x2 (2,0,1)")  # the second touches nothing below; only its load is sideways
    case = case_of(bricks("2x2 (0,0,0)", "2x2 (2,0,0)"))
    case = replace(case, bodies=case.bodies[:1], frames=case.frames[:1], kind=case.kind[:1])
    loads = np.zeros((len(assembly.bodies), 6))
    loads[1, 0] = -0.5  # pressed against the first brick, which is clutched to the ground
    found = case.solver().least_strength(loads)
    assert found.status == "exact" and found.forces is not None
    assert_forces_hold(case, loads, found.forces, found.factor)
    assert case.solver().feasible(-loads).status == "unstable"


def test_no_load_and_nothing_free_need_no_forces(bricks) -> None:
    assembly = bricks("2x2 (0,0,0)", "2x2 (1,0,1)")
    case = case_of(assembly)
    none = case.solver().least_strength(np.zeros((3, 6)))
    assert none.status == "exact" and none.factor == 0.0
    verdict = case.solver().feasible(np.zeros((3, 6)))
    assert verdict.status == "stable" and verdict.forces is not None and not verdict.forces.clutch_wrenches.any()
    held = case_of(assembly, fixed=("1", "2"))
    assert held.solver().feasible(weights(assembly)).status == "stable"
    assert held.solver().least_strength(weights(assembly)).factor == 0.0
    assert held.solver().screen(weights(assembly)) is not None
    assert held.solver().elastic(weights(assembly), 1.0) is not None
