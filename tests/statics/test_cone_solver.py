"""The compiled solver of friction cones: answers known by hand, proofs checked anew, two methods, threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

pytest.importorskip("numba")

from falsework.formats.loading import load
from falsework.geometry.interfaces import interfaces
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.cone_solver import ConeAnswer, ConeSolver
from falsework.statics.cones import cone_generators

BLOCKS = Path(__file__).parents[3] / "shared" / "data" / "blocks"
GRAVITY = 9.81


@dataclass
class Blocks:
    """Boxes and the rectangles in which they touch; body 0 does not move."""

    bodies: Ints
    starts: Ints
    points: Array
    generators: Array
    coms: Array
    masses: Array
    inertias: Array

    def solver(self) -> ConeSolver:
        fields = (self.bodies, self.starts, self.points, self.generators, self.coms, self.masses, self.inertias)
        return ConeSolver(*fields)

    @property
    def weight(self) -> Array:
        loads = np.zeros((len(self.coms), 6))
        loads[:, 2] = -GRAVITY * self.masses
        return loads

    @property
    def owner(self) -> Ints:
        return np.repeat(np.arange(len(self.bodies)), np.diff(self.starts))


def cone(normal: Array, friction: float, edges: int = 8) -> Array:
    """Edges n + μ t for an axis n; the first tangent is along x where it can be, down the slope in these tests."""
    along = np.array([0.0, 0, 1]) if normal[0] else np.array([1.0, 0, 0])
    across = np.cross(normal, along)
    angles = np.arange(edges) * 2 * np.pi / edges
    made: Array = normal + friction * (np.cos(angles)[:, None] * along + np.sin(angles)[:, None] * across)
    return made


def boxes(lows: Array, sizes: Array, friction: float = 0.55) -> Blocks:
    """Axis-parallel boxes; those that share part of a face touch there, at its corners."""
    lows, sizes = np.asarray(lows, float), np.asarray(sizes, float)
    highs = lows + sizes
    pairs, points, generators = [], [], []
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
                normal = np.eye(3)[axis]
                pairs.append((i, j))
                points.append(corners)
                generators.append(np.repeat(cone(normal, friction)[None], 4, axis=0))
    masses = sizes.prod(axis=1) * 1000
    squares = sizes**2
    moments = masses[:, None] / 12 * (squares.sum(axis=1)[:, None] - squares)
    return Blocks(
        np.array(pairs).reshape(-1, 2),
        4 * np.arange(len(pairs) + 1),
        np.concatenate(points) if points else np.zeros((0, 3)),
        np.concatenate(generators) if points else np.zeros((0, 8, 3)),
        lows + sizes / 2,
        masses,
        np.einsum("ni,ij->nij", moments, np.eye(3)),
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


def assert_proved(blocks: Blocks, installed: Bools, free: Bools, loads: Array, found: ConeAnswer) -> None:
    """Recompute what the certificate claims, from the world's points and forces."""
    first, second = blocks.bodies[blocks.owner].T
    between = installed[first] & installed[second] & (free[first] | free[second])
    total = np.linalg.norm(loads[free, :3], axis=1).sum()
    arms = [blocks.points - blocks.coms[body] for body in (first, second)]
    if found.answer == "stable":
        assert found.weights is not None and found.twists is None
        assert (found.weights >= 0).all() and (found.weights[~between] == 0).all()
        forces = np.einsum("pe,pei->pi", found.weights, blocks.generators)
        left = loads.copy()
        for body, arm, sign in ((first, arms[0], -1), (second, arms[1], 1)):
            np.add.at(left[:, :3], body, sign * forces)
            np.add.at(left[:, 3:], body, sign * np.cross(arm, forces))
        assert np.abs(left[free]).max(initial=0.0) <= 5e-7 * total
    else:
        assert found.answer == "unstable"
        assert found.twists is not None and found.weights is None
        twists = found.twists
        assert (twists[~free] == 0).all()
        opening = _velocity(twists, second, arms[1]) - _velocity(twists, first, arms[0])
        speeds = np.einsum("pei,pi->pe", blocks.generators, opening)[between]
        radii = np.zeros(len(twists))
        for body, arm in zip((first, second), arms, strict=True):
            np.maximum.at(radii, body, np.linalg.norm(arm, axis=1))
        spins = radii * np.linalg.norm(twists[:, 3:], axis=1)
        speed = max(np.linalg.norm(twists[:, :3], axis=1).max(), spins.max())
        assert speeds.min(initial=0.0) >= -1e-10 * speed
        assert (loads * twists).sum() >= 1e-6 * total * speed


def _velocity(twists: Array, body: Ints, arm: Array) -> Array:
    velocities: Array = twists[body, :3] + np.cross(twists[body, 3:], arm)
    return velocities


def balance(blocks: Blocks, installed: Bools, free: Bools, loads: Array) -> tuple[Array, Array]:
    """A and b of A λ = −b about the centres of mass, dense, by another route."""
    first, second = blocks.bodies[blocks.owner].T
    columns = []
    for p in np.flatnonzero(installed[first] & installed[second] & (free[first] | free[second])):
        for generator in blocks.generators[p]:
            column = np.zeros((len(free), 6))
            for body, sign in ((first[p], -1.0), (second[p], 1.0)):
                column[body, :3] += sign * generator
                column[body, 3:] += sign * np.cross(blocks.points[p] - blocks.coms[body], generator)
            columns.append(column[free].ravel())
    rows = 6 * int(free.sum())
    return np.array(columns).reshape(-1, rows).T, loads[free].ravel()


def forces_exist(blocks: Blocks, installed: Bools, free: Bools, loads: Array) -> bool:
    matrix, b = balance(blocks, installed, free, loads)
    if not matrix.shape[1]:
        return not b.any()
    scale = np.abs(b).sum()
    return bool(linprog(np.zeros(matrix.shape[1]), A_eq=matrix, b_eq=-b / scale, method="highs").status == 0)


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
            assert (found.answer == "stable") == forces_exist(blocks, installed, free, loads)
            seen.add(found.answer)
    assert seen == {"stable", "unstable"}


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_refined_motion_satisfies_the_conditions_of_the_least_squares_motion(friction: float) -> None:
    """v is permitted, and M v − b is a force of the cones that does no work on v: a projection, hence unique."""
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
            assert_proved(blocks, installed, free, loads, found)
            momenta = np.concatenate(
                [
                    blocks.masses[:, None] * found.twists[:, :3],
                    np.einsum("nij,nj->ni", blocks.inertias, found.twists[:, 3:]),
                ],
                axis=1,
            )
            total = np.abs(loads[free]).sum()
            power = float((loads * found.twists).sum())
            assert abs(power - float((momenta * found.twists).sum())) <= 1e-6 * power
            left = np.where(free[:, None], loads - momenta, 0.0)
            reach = solver.solve(installed, free, left)  # b − M v is balanced by contact forces
            assert reach.answer == "stable" or np.abs(left).max() < 1e-6 * total
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
        cone_generators(patches, assembly.gravity),
        assembly.coms_m,
        assembly.masses_kg,
        turns @ local @ turns.transpose(0, 2, 1),
    )
    solver, rng = blocks.solver(), np.random.default_rng(5)
    answers = set()
    for installed, free, _ in states(rng, blocks, 30):
        found = solver.solve(installed, free, blocks.weight)
        assert_proved(blocks, installed, free, blocks.weight, found)
        assert (found.answer == "stable") == forces_exist(blocks, installed, free, blocks.weight)
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
        for one, other in ((first.weights, again.weights), (first.twists, again.twists)):
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
        assert found.weights is not None and not found.weights.any()


def test_held_neighbour_carries_and_absent_one_does_not() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2]]), np.ones((3, 3)))
    solver = blocks.solver()
    on_held = solver.solve(np.array([True, True, True]), np.array([False, False, True]), blocks.weight)
    on_air = solver.solve(np.array([True, False, True]), np.array([False, False, True]), blocks.weight)
    assert (on_held.answer, on_air.answer) == ("stable", "unstable")


def test_repeated_points_and_zero_generators_change_nothing() -> None:
    rng = np.random.default_rng(2)
    blocks = wall(rng, 3, 3, 0.4)
    twice = np.repeat(np.arange(len(blocks.points)), 2)
    padded = np.concatenate([blocks.generators, np.zeros((len(blocks.points), 3, 3))], axis=1)
    other = Blocks(
        blocks.bodies,
        2 * blocks.starts,
        blocks.points[twice],
        padded[twice],
        blocks.coms,
        blocks.masses,
        blocks.inertias,
    )
    plain, repeated = blocks.solver(), other.solver()
    for installed, free, loads in states(rng, blocks, 30):
        found = repeated.solve(installed, free, loads)
        assert_proved(other, installed, free, loads, found)
        assert found.answer == plain.solve(installed, free, loads).answer
        if found.weights is not None:
            assert not found.weights[:, 8:].any()


def test_answers_do_not_depend_on_units() -> None:
    rng = np.random.default_rng(4)
    blocks = wall(rng, 3, 4, 0.5)
    small = Blocks(
        blocks.bodies,
        blocks.starts,
        blocks.points * 1e-3,
        blocks.generators,
        blocks.coms * 1e-3,
        blocks.masses * 1e-9,
        blocks.inertias * 1e-15,
    )
    for installed, free, _ in states(rng, blocks, 30):
        large_answer = blocks.solver().solve(installed, free, blocks.weight)
        assert large_answer.answer == small.solver().solve(installed, free, small.weight).answer


def test_read_only_input_is_welcome() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1]]), np.ones((2, 3)))
    installed, free = whole(blocks)
    loads = blocks.weight
    for array in (installed, free, loads, blocks.bodies, blocks.starts, blocks.points, blocks.generators):
        array.setflags(write=False)
    assert blocks.solver().solve(installed, free, loads).answer == "stable"


def test_no_time_gives_undecided_or_the_truth() -> None:
    blocks = wall(np.random.default_rng(0), 5, 5, 0.5)
    installed, free = whole(blocks)
    truth = blocks.solver().solve(installed, free, blocks.weight).answer
    assert blocks.solver().solve(installed, free, blocks.weight, seconds=0.0).answer in ("undecided", truth)


def test_loads_that_are_not_numbers_are_undecided() -> None:
    blocks = boxes(np.array([[0, 0, 0], [0, 0, 1]]), np.ones((2, 3)))
    assert solved(blocks, np.full((2, 6), np.nan)).answer == "undecided"
