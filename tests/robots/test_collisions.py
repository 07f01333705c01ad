"""Distances between convex bodies, what is in an arm's way, and what it meets between two positions."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from scipy import sparse

from falsework.formats.robots.catalogue import arm_named, arm_names, tool_named
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.poses import fixed_axes_rotation
from falsework.model.robots.cell import Cell, CellArm, Feeder, Obstacle, Table
from falsework.model.shapes import box
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Bodies, Piece, all_pairs, bodies_of
from falsework.robots.collision.collisions import (
    blockers,
    clashes,
    clearances,
    masks,
    names_of,
    path_blockers,
    swept_blockers,
    swept_clash,
    swept_self,
)
from falsework.robots.collision.surroundings import WORLD, Surroundings
from falsework.robots.collision.touching import least_gaps


def at(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = (x, y, z)
    return T


def placed(name: str = "panda", tool: str = "panda-hand", base: Array | None = None, called: str = "one") -> CellArm:
    return CellArm(called, arm_named(name), tool_named(tool), np.eye(4) if base is None else base)


def cell(*obstacles: Obstacle, arm: CellArm | None = None, table: bool = True) -> Cell:
    top = Table((0.0, 0.0, 0.0), (3.0, 3.0)) if table else None
    feeder = Feeder("tray", at(0.5, 0.5, 0.0), (0.3, 0.3))
    return Cell("small", (placed() if arm is None else arm,), (feeder,), np.eye(4), table=top, obstacles=obstacles)


def scattered(count: int, rng: np.random.Generator, side: float = 0.1) -> list[Obstacle]:
    return [
        Obstacle(f"o{k}", box((side, side, side)), at(*rng.uniform([-0.8, -0.8, 0], [0.8, 0.8, 1.0])))
        for k in range(count)
    ]


def gap(first: Bodies, second: Bodies) -> float:
    return float(least_gaps(first, WORLD, second, WORLD, all_pairs(first, second), 10.0)[0])


def hull_distance(first: Array, second: Array) -> float:
    """By a quadratic program over convex weights: min |Aᵀλ − Bᵀμ|."""
    D = np.vstack([first, -second]).T
    n, m = len(first), len(second)
    ones = np.zeros((2, n + m))
    ones[0, :n] = ones[1, n:] = 1.0
    A = sparse.csc_matrix(np.vstack([ones, -np.eye(n + m)]))
    b = np.concatenate([[1.0, 1.0], np.zeros(n + m)])
    cones = [clarabel.ZeroConeT(2), clarabel.NonnegativeConeT(n + m)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    P = sparse.triu(sparse.csc_matrix(2 * D.T @ D), format="csc")
    x = np.array(clarabel.DefaultSolver(P, np.zeros(n + m), A, b, cones, settings).solve().x)
    return float(np.linalg.norm(D @ x))


def test_distances_are_those_of_a_quadratic_program() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        count, size = int(rng.integers(1, 9)), rng.uniform(0.05, 1.0)
        first = rng.normal(size=(count, 3)) * size
        second = rng.normal(size=(int(rng.integers(1, 9)), 3)) * size + rng.normal(size=3)
        expected = hull_distance(first, second)
        found = gap(bodies_of([Piece(first)]), bodies_of([Piece(second)]))
        assert found == pytest.approx(expected, abs=3e-5)
        assert found <= expected + 1e-6


def test_a_capsule_above_a_box_is_as_far_as_the_drawing_says() -> None:
    slab = bodies_of([Piece(box((1.0, 1.0, 0.1)).vertices)])
    level = bodies_of([Piece(np.array([[0.2, 0.5, 0.3], [0.8, 0.5, 0.3]]), 0.05)])
    assert gap(level, slab) == pytest.approx(0.3 - 0.1 - 0.05, abs=1e-12)
    beside = bodies_of([Piece(np.array([[1.3, 0.5, 0.5], [1.3, 0.5, 0.9]]), 0.05)])
    assert gap(beside, slab) == pytest.approx(0.5 - 0.05, abs=1e-12)
    sunk = bodies_of([Piece(np.array([[0.2, 0.5, 0.13], [0.8, 0.5, 0.3]]), 0.05)])
    assert gap(sunk, slab) == pytest.approx(-0.02, abs=1e-12)


def test_distances_do_not_depend_on_where_and_how_things_stand() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(8, 3)), rng.normal(size=(6, 3)) + 3.0
    expected = gap(bodies_of([Piece(first)]), bodies_of([Piece(second)]))
    for _ in range(10):
        turn, shift = fixed_axes_rotation(rng.uniform(-3, 3, 3).tolist()), rng.normal(size=3) * 5
        moved = [bodies_of([Piece(points @ turn.T + shift)]) for points in (first, second)]
        assert gap(*moved) == pytest.approx(expected, rel=1e-9)
        assert gap(*moved[::-1]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", arm_names())
def test_every_arm_waits_clear_of_itself_and_of_its_table(name: str) -> None:
    arm = placed(name, "suction")
    bodies = ArmBodies(arm)
    home = arm.home[None]
    assert not bodies.touches_itself(home, 0.005)[0]
    assert masks(blockers(bodies, home, Surroundings.of(cell(arm=arm)))) == [0]


def test_masks_say_of_every_body_what_asking_about_it_alone_says() -> None:
    rng = np.random.default_rng(2)
    obstacles = scattered(70, rng)  # more than one word of bits
    around = Surroundings.of(cell(*obstacles))
    arm = ArmBodies(placed())
    q = rng.uniform(arm.placed.arm.lower, arm.placed.arm.upper, (10, 7))
    found = masks(blockers(arm, q, around))
    assert around.words == 2
    assert around.cell_mask == (1 << 71) - 1
    for number, obstacle in enumerate(obstacles):
        alone = clearances(arm, q, Surroundings.of(cell(obstacle, table=False)))
        for k in range(len(q)):
            assert bool(found[k] >> (number + 1) & 1) == (alone[k] < 0.002)
    assert any(found)


def test_what_is_in_the_way_has_a_name() -> None:
    arm = ArmBodies(placed())
    hand = arm.links(arm.placed.home[None])[0, -1, :, 3]
    around = Surroundings.of(cell(Obstacle("post", box((0.02, 0.02, 0.5)), at(*hand))))
    (mask,) = masks(blockers(arm, arm.placed.home[None], around))
    assert names_of(mask, around) == ("post",)


def test_a_thin_sheet_between_two_positions_is_met_although_neither_touches_it() -> None:
    arm = ArmBodies(placed())
    begin, end = arm.placed.home.copy(), arm.placed.home.copy()
    begin[0], end[0] = -0.6, 0.6
    sheet = Obstacle("sheet", box((0.6, 0.0005, 0.5)), at(0.25, 0.0, 0.3))
    around = Surroundings.of(cell(sheet))
    assert masks(blockers(arm, np.array([begin, end]), around)) == [0, 0]
    assert names_of(swept_blockers(arm, begin, end, around), around) == ("sheet",)
    assert names_of(path_blockers(arm, [begin, 0.5 * (begin + end), end], around), around) == ("sheet",)


def test_what_a_sweep_calls_clear_is_clear_wherever_one_looks_and_what_it_reports_is_near_somewhere() -> None:
    rng = np.random.default_rng(3)
    margin = 0.01
    arm = ArmBodies(placed("ur5e", "robotiq-2f-85"))
    obstacles = scattered(12, rng, 0.15)
    around = Surroundings.of(cell(*obstacles, arm=arm.placed))
    told = 0
    for _ in range(25):
        begin, end = rng.uniform(-2.0, 2.0, (2, 6))
        found = swept_blockers(arm, begin, end, around, margin)
        fine = begin + np.linspace(0, 1, 400)[:, None] * (end - begin)
        for number in range(len(around.names)):
            single = _only(around, number)
            least = clearances(arm, fine, single).min()
            if found >> number & 1:
                told += 1
                assert least < margin + 0.02
            else:
                assert least >= 0.5 * margin
    assert told > 20


def _only(around: Surroundings, number: int) -> Surroundings:
    keep = np.flatnonzero(around.bodies.owner == number)
    starts = around.bodies.starts
    pieces = [Piece(around.bodies.points[starts[k] : starts[k + 1]], 0.0, 0, 0) for k in keep]
    return Surroundings((around.names[number],), bodies_of(pieces), around.mounts[keep], 0)


def test_an_arm_that_folds_onto_its_base_is_told() -> None:
    arm = ArmBodies(placed("ur5e", "robotiq-2f-85"))
    begin = arm.placed.home
    folded = np.array([0.0, -1.57, 3.0, 1.0, 1.57, 0.0])
    assert arm.touches_itself(folded[None])[0]
    assert swept_self(arm, begin, folded)
    assert not swept_self(arm, begin, begin + 0.1)


def test_two_arms_clash_where_their_hands_meet_and_not_when_one_steps_back() -> None:
    one = ArmBodies(placed(called="one"))
    turned = at(0.7, 0.0, 0.0)
    turned[:2, :2] = -np.eye(2)
    other = ArmBodies(placed(base=turned, called="other"))
    home = one.placed.home
    back = home.copy()
    back[1] = -1.5
    found = clashes(one, np.array([home, back]), other, np.array([home, back]), 0.05)
    assert found.tolist() == [[True, False], [False, False]]
    aside = home.copy()
    aside[0] = 1.2
    assert swept_clash(one, aside, home, other, home, home, 0.05)
    assert not swept_clash(one, aside, aside + 0.05, other, back, back, 0.05)


def test_a_carried_beam_is_part_of_the_arm() -> None:
    bare = ArmBodies(placed())
    hand = bare.links(bare.placed.home[None])[0, -1]
    around = Surroundings.of(cell(Obstacle("post", box((0.05, 0.05, 0.3)), at(hand[0, 3] + 0.35, -0.025, 0.3))))
    T = bare.placed.tool.T_flange_tool @ at(-0.5, -0.01, -0.01)
    loaded = bare.carrying(box((1.0, 0.02, 0.02)), T, 0.03)
    assert masks(blockers(bare, bare.placed.home[None], around)) == [0]
    assert names_of(masks(blockers(loaded, bare.placed.home[None], around))[0], around) == ("post",)


def test_bases_stand_on_tables_but_hands_do_not_go_through_them() -> None:
    arm = ArmBodies(placed())
    around = Surroundings.of(cell())
    down = arm.placed.home.copy()
    down[1], down[3] = 1.2, -1.0
    assert masks(blockers(arm, np.array([arm.placed.home, down]), around)) == [0, 1]


def test_a_tool_does_not_open_wider_than_it_can() -> None:
    with pytest.raises(BadInput, match=r"found the opening 0\.2 m, expected 0\.0 to 0\.08"):
        ArmBodies(placed(), 0.2)
