"""Coulomb's law together with Newton's: the solver, its pieces, and the clear way it is tested against."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.collapse.block_lu import factor_lu, solve_lu
from falsework.collapse.blocks import frames_about, masses_of, pattern_of
from falsework.collapse.contacts import Contacts, add_wrenches, felt_masses, relative
from falsework.collapse.convex_passes import convex_passes
from falsework.collapse.coulomb_motion import Solved, coulomb_motion
from falsework.collapse.friction_cone import JOINT
from falsework.collapse.least_restraint import STIFF
from falsework.kernels.block_cholesky import BlockPattern
from falsework.model.arrays import Array

Problem = tuple[Contacts, Array, Array, Array]  # contacts, masses (n, 6, 6), motion without contacts, bias


def felt(contacts: Contacts, mass: Array) -> Array:
    return felt_masses(contacts, mass[:, 0, 0].copy(), np.linalg.inv(mass[:, 3:, 3:]))


def solved(problem: Problem, *, from_rest: bool = False, tolerance: float = 1e-10) -> tuple[Array, Array, Solved]:
    contacts, mass, w, bias = problem
    v, forces = w.copy(), np.zeros((len(bias), 3))
    pattern = pattern_of(len(v), contacts.bodies)
    told = coulomb_motion(
        contacts, pattern, mass, w, bias, felt(contacts, mass), v, forces, from_rest, tolerance, tolerance, 500, 20000
    )
    return v, forces, told


def pile(seed: int, friction: float, bodies: int = 6, corners: int = 4) -> Problem:
    """Bodies in a row, with contacts between neighbours and with the floor, thrown about and pressed down."""
    rng = np.random.default_rng(seed)
    pairs = [(-1, b) for b in range(bodies)] + [(b, b + 1) for b in range(bodies - 1)]
    normals = [np.array([0.0, 0.0, 1.0])] * bodies + [np.array([1.0, 0.0, 0.0])] * (bodies - 1)
    places = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])[:corners] * 0.4
    arms, owners, ways = [], [], []
    for pair, normal in zip(pairs, normals, strict=True):
        for y, other in places:
            first = np.array([0.5, y, other]) if normal[0] else np.zeros(3)
            second = np.array([-0.5, y, other]) if normal[0] else np.array([other, y, -0.5])
            arms.append([first, second])
            owners.append(pair)
            ways.append(normal)
    count = len(owners)
    contacts = Contacts(np.array(owners), np.array(arms), frames_about(np.array(ways)), np.full(count, friction))
    mass = masses_of(rng.uniform(0.5, 3.0, bodies), np.tile(np.eye(3) / 6, (bodies, 1, 1)))
    w = rng.normal(0.0, 1.0, (bodies, 6)) - [0, 0, 2, 0, 0, 0]
    return contacts, mass, w, np.zeros((count, 3))


def worst_breach(problem: Problem, v: Array, forces: Array) -> float:
    """How far Newton's and Coulomb's laws are missed, from their plain words: penetration, pull, excess, power."""
    contacts, mass, w, bias = problem
    u, wrenches = np.zeros((len(forces), 3)), np.zeros_like(v)
    relative(contacts, v, u)
    add_wrenches(contacts, forces, wrenches)
    u += bias
    press, rub = forces[:, 0], np.linalg.norm(forces[:, 1:], axis=1)
    slide = np.linalg.norm(u[:, 1:], axis=1)
    missed = [
        np.abs(np.einsum("nij,nj->ni", mass, v - w) - wrenches).max(),
        -u[:, 0].min(),
        -press.min(),
        (rub - contacts.friction * press).max(),
        np.abs(press * u[:, 0]).max(),
        np.abs(np.einsum("ki,ki->k", forces[:, 1:], u[:, 1:]) + contacts.friction * press * slide).max(),
    ]
    return float(max(missed))


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("seed", range(4))
def test_thrown_bodies_obey_both_laws(seed: int, friction: float) -> None:
    problem = pile(seed, friction)
    v, forces, told = solved(problem)
    assert max(told.motion, told.contact) <= 1e-10
    assert worst_breach(problem, v, forces) < 1e-8


def by_convex_passes(problem: Problem) -> tuple[Array, Array]:
    contacts, mass, w, bias = problem
    v, forces, shift = w.copy(), np.zeros((len(bias), 3)), np.zeros(len(bias))
    pattern, stiffness = pattern_of(len(v), contacts.bodies), STIFF * felt(contacts, mass)
    told = convex_passes(contacts, pattern, mass, w, bias, stiffness, v, forces, shift, 1e-12, 1e-11, 200, 60)
    assert told.dilation <= 1e-11
    return v, forces


@pytest.mark.parametrize("seed", range(4))
def test_one_body_on_three_feet_moves_as_convex_passes_have_it(seed: int) -> None:
    problem = pile(seed, 0.3, bodies=1, corners=3)
    v, _, _ = solved(problem)
    assert v == pytest.approx(by_convex_passes(problem)[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_convex_passes_find_is_a_solution_as_it_is(seed: int) -> None:
    """Several bodies may have several motions that obey both laws, so it is begun from theirs."""
    problem = pile(seed, 0.2)
    contacts, mass, w, bias = problem
    v, forces = by_convex_passes(problem)
    found, pattern = v.copy(), pattern_of(len(v), contacts.bodies)
    told = coulomb_motion(
        contacts, pattern, mass, w, bias, felt(contacts, mass), found, forces, False, 1e-9, 1e-9, 500, 20000
    )
    assert told.factors == told.swept == 0
    assert worst_breach(problem, v, forces) < 1e-8


def test_what_can_stand_stands_from_rest() -> None:
    contacts, mass, _, bias = pile(1, 0.5)
    w = np.zeros((len(mass), 6))
    w[:, 0], w[:, 2] = 0.4, -1.0  # pushed along the floor, by less than it bears
    v, forces, told = solved((contacts, mass, w, bias), from_rest=True)
    assert np.abs(v).max() < 1e-10
    assert max(told.motion, told.contact) <= 1e-10
    assert (forces[:, 0] >= 0).all()


def test_a_joint_holds_while_contacts_slide() -> None:
    contacts, mass, w, bias = pile(2, 0.3)
    friction = contacts.friction.copy()
    friction[-4:] = JOINT
    v, _, told = solved((contacts._replace(friction=friction), mass, w, bias))
    assert max(told.motion, told.contact) <= 1e-10
    u = np.zeros((len(bias), 3))
    relative(contacts, v, u)
    assert np.abs(u[-4:]).max() < 1e-9


def test_an_unsolved_problem_says_so() -> None:
    contacts, mass, w, bias = pile(3, 0.7)
    pattern, none = pattern_of(len(w), contacts.bodies), np.zeros((len(bias), 3))
    told = coulomb_motion(
        contacts, pattern, mass, w, bias, felt(contacts, mass), w.copy(), none, False, 1e-10, 1e-10, 1, 1
    )
    assert max(told.motion, told.contact) > 1e-6


def test_block_factors_solve_what_dense_ones_solve() -> None:
    rng, count = np.random.default_rng(5), 9
    edges = np.array([(i, j) for i in range(count) for j in range(i) if rng.random() < 0.4])
    pattern = BlockPattern.of(count, edges)
    diagonal = rng.normal(size=(count, 6, 6)) + 12 * np.eye(6)
    upper, lower = np.zeros((len(pattern.rows), 6, 6)), np.zeros((len(pattern.rows), 6, 6))
    dense = np.zeros((6 * count, 6 * count))
    for j in range(count):
        dense[6 * j : 6 * j + 6, 6 * j : 6 * j + 6] = diagonal[j]
    for slot in pattern.slots:
        j = int(np.searchsorted(pattern.starts, slot, side="right")) - 1
        i = int(pattern.rows[slot])
        upper[slot], lower[slot] = rng.normal(size=(2, 6, 6))
        dense[6 * j : 6 * j + 6, 6 * i : 6 * i + 6] = upper[slot]
        dense[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = lower[slot]
    x = rng.normal(size=(count, 6))
    expected = np.linalg.solve(dense, x.ravel()).reshape(count, 6)
    assert factor_lu(
        count, pattern.starts, pattern.rows, pattern.row_starts, pattern.row_columns, pattern.row_slots,
        diagonal, upper, lower, np.empty(count, np.int64),
    )  # fmt: skip
    solve_lu(count, pattern.starts, pattern.rows, diagonal, upper, lower, x)
    assert x == pytest.approx(expected, abs=1e-12)
