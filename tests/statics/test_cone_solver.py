"""The compiled solver of friction cones: answers known by hand, proofs checked anew, two methods, threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

pytest.importorskip("numba")

from falsework.formats.loading import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.cones.solver import ConeAnswer, ConeSolver

BLOCKS = Path(__file__).parents[3] / "shared" / "data" / "blocks"
GRAVITY = 9.81


@dataclass
class Blocks:
    """Boxes and the rectangles in which they touch; body 0 does not move."""

    bodies: Ints
    starts: Ints
    points: Array
    normals: Array
    friction: Array
    coms: Array
    masses: Array
    inertias: Array
    radii: Array

    def solver(self) -> ConeSolver:
        patches = (self.bodies, self.starts, self.points, self.normals, self.friction)
        return ConeSolver(*patches, self.coms, self.masses, self.inertias, self.radii)

    @property
    def weight(self) -> Array:
        loads = np.zeros((len(self.coms), 6))
        loads[:, 2] = -GRAVITY * self.masses
        return loads

    @property
    def owner(self) -> Ints:
        return np.repeat(np.arange(len(self.bodies)), np.diff(self.starts))


def edges(blocks: Blocks, count: int, *, outside: bool) -> Array:
    """(p, count, 3) edges of linear cones inside the true ones, or around them."""
    normals, friction = blocks.normals[blocks.owner], blocks.friction[blocks.owner]
    helper = np.where(np.abs(normals[:, :1]) < 0.7, [[1.0, 0, 0]], [[0, 1.0, 0]])
    along = np.cross(normals, helper)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(normals, along)
    angles = np.arange(count) * 2 * np.pi / count
    reach = friction / np.cos(np.pi / count) if outside else friction
    around = np.cos(angles)[:, None] * along[:, None] + np.sin(angles)[:, None] * across[:, None]
    made: Array = normals[:, None] + reach[:, None, None] * around
    return made


def boxes(lows: Array, sizes: Array, friction: float = 0.55) -> Blocks:
    """Axis-parallel boxes; those that share part of a face touch there, at its corners."""
    lows, sizes = np.asarray(lows, float), np.asarray(sizes, float)
    highs = lows + sizes
    pairs, points, normals = [], [], []
    for i in range(len(lows)):
        for j in range(len(lows)):
            for axis in range(3):
                a, b = [other for other in range(3) if other != axis]
                low, high = np.maximum(lows[i], lows[j]), np.minimum(highs[i], highs[j])
                if abs(highs[i, axis] - lows[j, axis]) > 1e-12 or high[a] - low[a] < 1e-9 or high[b] - low[b] < 1e-9:
                    continue
                corners = np.empty((4, 3))
                corners[:, axis] = highs[i, axis]
                corners[:, a] = [low[a], high[a], high[a], low[a]]
                corners[:, b] = [low[b], low[b], high[b], high[b]]
                pairs.append((i, j))
                points.append(corners)
                normals.append(np.eye(3)[axis])
    masses = sizes.prod(axis=1) * 1000
    squares = sizes**2
    moments = masses[:, None] / 12 * (squares.sum(axis=1)[:, None] - squares)
    return Blocks(
        np.array(pairs).reshape(-1, 2),
        4 * np.arange(len(pairs) + 1),
        np.concatenate(points) if points else np.zeros((0, 3)),
        np.array(normals).reshape(-1, 3),
        np.full(len(pairs), friction),
        lows + sizes / 2,
        masses,
        np.einsum("ni,ij->nij", moments, np.eye(3)),
        np.linalg.norm(sizes, axis=1) / 2,
    )


def wall(rng: np.random.Generator, rows: int, columns: int, friction: float) -> Blocks:
    """A wall of bricks of uneven lengths on a fixed slab."""
    lows, sizes = [(-5.0, 0.0, -1.0)], [(columns + 10.0, 1.0, 1.0)]
    for row in range(rows):
        x = float(rng.uniform(-0.4, 0.4))
        for _ in range(columns):
            length = float(rng.uniform(0.6, 1.2))
            lows.append((x, 0.2, 0.5 * row))
            sizes.append((length, float(rng.uniform(0.3, 0.6)), 0.5))
            x += length + float(rng.choice([0.0, 0.3]))
    return boxes(np.array(lows), np.array(sizes), friction)


def states(rng: np.random.Generator, blocks: Blocks, count: int) -> Iterator[tuple[Bools, Bools, Array]]:
    for _ in range(count):
        installed = rng.random(len(blocks.coms)) < rng.uniform(0.4, 1)
        free = installed & (rng.random(len(blocks.coms)) < rng.uniform(0.5, 1))
        installed[0], free[0] = True, False
        loads = blocks.weight
        if rng.random() < 0.3:
            loads += rng.normal(size=loads.shape) * 0.03 * np.abs(loads).max()
        yield installed, free, loads


def own_loads(blocks: Blocks, loads: Array) -> Array:
    """(n,) what loads each body."""
    own: Array = np.linalg.norm(loads[:, :3], axis=1) + np.linalg.norm(loads[:, 3:], axis=1) / blocks.radii
    return own


def unbalanced(blocks: Blocks, loads: Array, forces: Array) -> Array:
    """(n, 6) what contact forces leave of the loads."""
    left = loads.copy()
    for side, sign in ((0, -1), (1, 1)):
        body = blocks.bodies[blocks.owner, side]
        np.add.at(left[:, :3], body, sign * forces)
        np.add.at(left[:, 3:], body, sign * np.cross(blocks.points - blocks.coms[body], forces))
    return left


def assert_in_cones(blocks: Blocks, forces: Array) -> None:
    normals, friction = blocks.normals[blocks.owner], blocks.friction[blocks.owner]
    along = np.einsum("pi,pi->p", forces, normals)
    sideways = np.linalg.norm(forces - along[:, None] * normals, axis=1)
    assert (sideways <= friction * along + 1e-12 * np.abs(forces).max(initial=0.0)).all()


def assert_permitted(blocks: Blocks, installed: Bools, free: Bools, loads: Array, twists: Array) -> None:
    """On the motion of free bodies the loads gain, also when entering a contact costs a million times the load."""
    assert (twists[~free] == 0).all()
    first, second = blocks.bodies[blocks.owner].T
    normals, friction = blocks.normals[blocks.owner], blocks.friction[blocks.owner]
    moved = [_velocity(twists, body, blocks.points - blocks.coms[body]) for body in (first, second)]
    along = np.einsum("pi,pi->p", moved[1] - moved[0], normals)
    slips = np.linalg.norm(moved[1] - moved[0] - along[:, None] * normals, axis=1)
    between = installed[first] & installed[second] & (free[first] | free[second])
    entered = np.maximum(0.0, friction * slips - along)[between].sum()
    spins = blocks.radii * np.linalg.norm(twists[:, 3:], axis=1)
    speeds, own = np.maximum(np.linalg.norm(twists[:, :3], axis=1), spins), own_loads(blocks, loads)
    assert (loads * twists).sum() - 1e6 * own[speeds > 0].sum() * entered >= 1e-6 * (own * speeds).sum()


def assert_proved(blocks: Blocks, installed: Bools, free: Bools, loads: Array, found: ConeAnswer) -> None:
    """Recompute what the certificate claims, from the world's points and forces."""
    if found.answer == "stable":
        assert found.forces is not None and found.twists is None
        first, second = blocks.bodies[blocks.owner].T
        between = installed[first] & installed[second] & (free[first] | free[second])
        assert (found.forces[~between] == 0).all()
        assert_in_cones(blocks, found.forces)
        left = unbalanced(blocks, loads, found.forces)
        assert (np.abs(left[free]).max(axis=1, initial=0.0) <= 7e-7 * own_loads(blocks, loads)[free]).all()
    else:
        assert found.answer == "unstable"
        assert found.twists is not None and found.forces is None
        assert_permitted(blocks, installed, free, loads, found.twists)


def _velocity(twists: Array, body: Ints, arm: Array) -> Array:
    velocities: Array = twists[body, :3] + np.cross(twists[body, 3:], arm)
    return velocities


def balance(blocks: Blocks, cones: Array, installed: Bools, free: Bools, loads: Array) -> tuple[Array, Array]:
    """A and b of A λ = −b about the centres of mass, dense, by another route."""
    first, second = blocks.bodies[blocks.owner].T
    columns = []
    for p in np.flatnonzero(installed[first] & installed[second] & (free[first] | free[second])):
        for generator in cones[p]:
            column = np.zeros((len(free), 6))
            for body, sign in ((first[p], -1.0), (second[p], 1.0)):
                column[body, :3] += sign * generator
                column[body, 3:] += sign * np.cross(blocks.points[p] - blocks.coms[body], generator)
            columns.append(column[free].ravel())
    rows = 6 * int(free.sum())
    return np.array(columns).reshape(-1, rows).T, loads[free].ravel()


def forces_exist(blocks: Blocks, installed: Bools, free: Bools, loads: Array) -> bool | None:
    """By linear programs with 24 edges inside the cones and around them; None where these differ."""
    answers = []
    for outside in (False, True):
        matrix, b = balance(blocks, edges(blocks, 24, outside=outside), installed, free, loads)
        if not matrix.shape[1]:
            return not b.any()
        scale = np.abs(b).sum()
        answers.append(linprog(np.zeros(matrix.shape[1]), A_eq=matrix, b_eq=-b / scale, method="highs").status == 0)
    return answers[0] if answers[0] == answers[1] else None


def whole(blocks: Blocks) -> tuple[Bools, Bools]:
    installed = np.ones(len(blocks.coms), bool)
    free = installed.copy()
    free[0] = False
    return installed, free


def solved(blocks: Blocks, loads: Array | None = None, **settings: bool) -> ConeAnswer:
    installed, free = whole(blocks)
    return blocks.solver().solve(installed, free, blocks.weight if loads is None else loads, **settings)


def on_a_slope(tangent: float) -> tuple[Blocks, Array]:
    """A flat block on a slab; gravity turned so that the slab slopes down towards +x."""
    blocks = boxes(np.array([[0, 0, 0], [2, 2, 1]]), np.array([[5, 5, 1], [1, 1, 0.1]]), friction=0.5)
    loads = blocks.weight
    weight = GRAVITY * blocks.masses / np.hypot(1, tangent)
    loads[:, 0], loads[:, 2] = weight * tangent, -weight
    return blocks, loads


def test_block_on_incline_slides_just_above_the_friction_angle() -> None:
    for tangent, answer in ((0.5 * (1 - 1e-6), "stable"), (0.5 * (1 + 1e-5), "unstable")):
        blocks, loads = on_a_slope(tangent)
        found = solved(blocks, loads)
        assert found.answer == answer
        assert_proved(blocks, *whole(blocks), loads, found)


def test_refined_motion_of_a_sliding_block_is_the_associated_one() -> None:
    blocks, loads = on_a_slope(1.0)
    found = solved(blocks, loads, refine_motion=True)
    assert found.twists is not None
    along = GRAVITY * (np.sqrt(0.5) - 0.5 * np.sqrt(0.5)) / (1 + 0.5**2)  # g (sin θ − μ cos θ) / (1 + μ²)
    np.testing.assert_allclose(found.twists[1], [along, 0, 0.5 * along, 0, 0, 0], atol=1e-6)


def test_overhanging_stack_falls_just_outside() -> None:
    for share, answer in ((1 - 1e-6, "stable"), (1 + 1e-5, "unstable")):
        lows = [[0, 0, 0], [0.25 * share, 0, 1], [0.75 * share, 0, 2]]
        blocks = boxes(np.array(lows), np.ones((3, 3)))
        found = solved(blocks)
        assert found.answer == answer
        assert_proved(blocks, *whole(blocks), blocks.weight, found)


def test_block_balanced_exactly_on_an_edge_stands() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0.5, 0, 1]]), np.ones((2, 3)))
    assert solved(blocks).answer == "stable"


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8])
def test_agrees_with_a_linear_program_on_random_walls_and_proves_it(friction: float) -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(4):
        blocks = wall(rng, 4, 4, friction)
        solver = blocks.solver()
        for installed, free, loads in states(rng, blocks, 25):
            found = solver.solve(installed, free, loads)
            assert_proved(blocks, installed, free, loads, found)
            assert forces_exist(blocks, installed, free, loads) in (found.answer == "stable", None)
            seen.add(found.answer)
    assert seen == {"stable", "unstable"}


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_refined_motion_satisfies_the_conditions_of_the_least_squares_motion(friction: float) -> None:
    """v is permitted, and M v − b is a force of the cones that does no work on v: a projection, hence unique.

    To ask the solver whether b − M v stands would be a question on the very edge, whose answer is anybody's.
    """
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(6):
        blocks = wall(rng, 3, 3, friction)
        solver = blocks.solver()
        for installed, free, loads in states(rng, blocks, 8):
            found = solver.solve(installed, free, loads, refine_motion=True)
            if found.twists is None:
                continue
            checked += 1
            assert found.forces is not None
            assert_permitted(blocks, installed, free, loads, found.twists)
            turning = np.einsum("nij,nj->ni", blocks.inertias, found.twists[:, 3:])
            momenta = np.concatenate([blocks.masses[:, None] * found.twists[:, :3], turning], axis=1)
            left = unbalanced(blocks, loads - momenta, found.forces)
            assert (np.abs(left[free]).max(axis=1) <= 1e-6 * own_loads(blocks, loads)[free]).all()
            assert_in_cones(blocks, found.forces)
            power = float((loads * found.twists).sum())
            assert abs(power - float((momenta * found.twists).sum())) <= 1e-6 * power
    assert checked > 10


@pytest.mark.skipif(not BLOCKS.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize("name", ["tetris-1", "tetris-2", "arch"])
def test_states_of_the_shared_assemblies_are_proved_and_agree_with_a_linear_program(name: str) -> None:
    assembly = load(BLOCKS / name)
    patches = interfaces(assembly).patches
    turns = assembly.poses[:, :3, :3]
    local = np.array([body.inertia_part_kgm2 for body in assembly.bodies])
    blocks = Blocks(
        patches.bodies,
        patches.starts,
        patches.points,
        patches.normals,
        patches.friction,
        assembly.coms_m,
        assembly.masses_kg,
        turns @ local @ turns.transpose(0, 2, 1),
        np.array([body.radius_m for body in assembly.bodies]),
    )
    solver, rng = blocks.solver(), np.random.default_rng(5)
    answers = set()
    for installed, free, _ in states(rng, blocks, 30):
        found = solver.solve(installed, free, blocks.weight)
        assert_proved(blocks, installed, free, blocks.weight, found)
        assert forces_exist(blocks, installed, free, blocks.weight) in (found.answer == "stable", None)
        answers.add(found.answer)
    assert answers == {"stable", "unstable"}


def test_same_answer_twice_and_from_threads() -> None:
    rng = np.random.default_rng(11)
    blocks = wall(rng, 5, 5, 0.5)
    solver = blocks.solver()
    asked = list(states(rng, blocks, 60))
    once = [solver.solve(*state) for state in asked]
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(lambda state: solver.solve(*state), asked))
    for first, again in zip(once, threaded, strict=True):
        assert (first.answer, first.iterations) == (again.answer, again.iterations)
        for one, other in ((first.forces, again.forces), (first.twists, again.twists)):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                np.testing.assert_array_equal(one, other)


def test_part_that_touches_nothing_falls() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 2]]), np.ones((2, 3)))
    assert not len(blocks.points)
    found = solved(blocks, refine_motion=True)
    assert found.twists is not None
    np.testing.assert_allclose(found.twists[1], [0, 0, -GRAVITY, 0, 0, 0], rtol=1e-9, atol=1e-12)


def test_pair_that_only_touches_each_other_falls_as_one() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 2], [0.2, 0, 3]]), np.ones((3, 3)))
    found = solved(blocks)
    assert_proved(blocks, *whole(blocks), blocks.weight, found)
    assert found.answer == "unstable" and found.iterations == 0


def test_nothing_free_or_nothing_loaded_stands() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1]]), np.ones((2, 3)))
    installed, free = whole(blocks)
    for flags, loads in ((np.zeros(2, bool), blocks.weight), (free, np.zeros((2, 6)))):
        found = blocks.solver().solve(installed, flags, loads)
        assert found.answer == "stable"
        assert found.forces is not None and not found.forces.any()


def test_held_neighbour_carries_and_absent_one_does_not() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2]]), np.ones((3, 3)))
    solver = blocks.solver()
    on_held = solver.solve(np.array([True, True, True]), np.array([False, False, True]), blocks.weight)
    on_air = solver.solve(np.array([True, False, True]), np.array([False, False, True]), blocks.weight)
    assert (on_held.answer, on_air.answer) == ("stable", "unstable")


def test_repeated_points_change_nothing() -> None:
    rng = np.random.default_rng(2)
    blocks = wall(rng, 3, 3, 0.4)
    twice = np.repeat(np.arange(len(blocks.points)), 2)
    other = replace(blocks, starts=2 * blocks.starts, points=blocks.points[twice])
    plain, repeated = blocks.solver(), other.solver()
    for installed, free, loads in states(rng, blocks, 30):
        found = repeated.solve(installed, free, loads)
        assert_proved(other, installed, free, loads, found)
        assert found.answer == plain.solve(installed, free, loads).answer


def test_answers_do_not_depend_on_units() -> None:
    rng = np.random.default_rng(4)
    blocks = wall(rng, 3, 4, 0.5)
    small = replace(
        blocks,
        points=blocks.points * 1e-3,
        coms=blocks.coms * 1e-3,
        masses=blocks.masses * 1e-9,
        inertias=blocks.inertias * 1e-15,
        radii=blocks.radii * 1e-3,
    )
    for installed, free, _ in states(rng, blocks, 30):
        large_answer = blocks.solver().solve(installed, free, blocks.weight)
        assert large_answer.answer == small.solver().solve(installed, free, small.weight).answer


def test_read_only_input_is_welcome() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1]]), np.ones((2, 3)))
    installed, free = whole(blocks)
    loads = blocks.weight
    for array in (installed, free, loads, blocks.bodies, blocks.starts, blocks.points, blocks.normals):
        array.setflags(write=False)
    assert blocks.solver().solve(installed, free, loads).answer == "stable"


def test_no_time_gives_undecided_or_the_truth() -> None:
    blocks = wall(np.random.default_rng(0), 5, 5, 0.5)
    installed, free = whole(blocks)
    truth = blocks.solver().solve(installed, free, blocks.weight).answer
    assert blocks.solver().solve(installed, free, blocks.weight, timeout_s=0.0).answer in ("undecided", truth)


def test_loads_that_are_not_numbers_are_undecided() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1]]), np.ones((2, 3)))
    assert solved(blocks, np.full((2, 6), np.nan)).answer == "undecided"
