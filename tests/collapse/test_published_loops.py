"""Seed 003 as published: its constraints, its two theorems, its frameworks."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.collapse.framework import Framework, polygon, rectangle
from falsework.collapse.initial import initial_collapse
from falsework.collapse.published_loops import Moment, accelerate, active_triples, impact, reposition
from falsework.collapse.rigid_figures import Figures, rigid_accelerations
from falsework.collapse.separating_edges import separating_triples
from falsework.gallery.towers import SIZE_M, diamond_tower
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.errors import Undecided
from falsework.model.state import State
from tests.collapse.scenes import G

DOWN = np.array([0.0, -G])
BRICK = (0.2, 0.06)


def tower(rows: list[int], **options: object) -> Framework:
    """Rows of bricks, each shifted by half a brick, on a fixed slab."""
    w, h = BRICK
    bricks = [rectangle((-20 * w, -h), (40 * w, h), 1.0, fixed=True)]
    for row, count in enumerate(rows):
        bricks += [rectangle(((k - count / 2) * w, row * h), BRICK, 1.0, **options) for k in range(count)]  # type: ignore[arg-type]
    return Framework.joined(bricks)


def rigid_spin(framework: Framework, spins: dict[int, tuple[float, float, float]]) -> Array:
    """Velocities of all points when figures move by vx, vz and turn."""
    velocities = np.zeros_like(framework.points)
    per = 9
    for figure, (vx, vz, turn) in spins.items():
        rows = slice(per * figure, per * figure + per)
        arms = framework.points[rows] - framework.points[rows].mean(axis=0)
        velocities[rows] = np.array([vx, vz]) + turn * np.column_stack([-arms[:, 1], arms[:, 0]])
    return velocities


@pytest.mark.parametrize("power", [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
def test_nine_points_have_the_moments_of_the_rectangle(power: tuple[int, int]) -> None:
    brick = rectangle((-0.3, 0.1), (0.8, 0.5), 7.0)
    a, b = power
    x, z = brick.points.T
    exact = (
        7.0 * (0.5 ** (a + 1) - (-0.3) ** (a + 1)) / (a + 1) / 0.8 * (0.6 ** (b + 1) - 0.1 ** (b + 1)) / (b + 1) / 0.5
    )
    assert (brick.masses_kg * x**a * z**b).sum() == pytest.approx(exact, rel=1e-14)


def test_four_corners_have_three_times_the_inertia() -> None:
    light, heavy = rectangle((0, 0), BRICK, 1.0), rectangle((0, 0), BRICK, 1.0, masses="four corners")
    inertia = [(one.masses_kg[:, None] * (one.points - one.points.mean(axis=0)) ** 2).sum() for one in (light, heavy)]
    assert inertia[1] == pytest.approx(3 * inertia[0], rel=1e-12)


def test_a_polygon_of_points_weighs_like_the_figure() -> None:
    triangle = polygon(np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]), 6.0)
    x, z = triangle.points.T
    assert (triangle.masses_kg * x * z).sum() == pytest.approx(6.0 * 2 / 24, rel=1e-7)
    assert (triangle.masses_kg * x * x).sum() == pytest.approx(6.0 * 2 / 12, rel=1e-7)


@pytest.mark.parametrize("masses", ["nine points", "four corners"])
def test_theorem_5_1_both_loops_give_the_same_positions(masses: str) -> None:
    blocks = tower([1, 2], masses=masses)
    step = 1e-3
    if masses == "nine points":  # sliding with contact, and one brick turning freely above
        blocks = Framework.joined([tower([1, 2]), rectangle((0.4, 0.5), BRICK, 1.0)])
        velocities = rigid_spin(
            blocks, {1: (0.3, 0.0, 0.0), 2: (0.3, 0.0, 0.0), 3: (0.3, 0.0, 0.0), 4: (1.0, 2.0, 7.0)}
        )
    else:
        velocities = np.zeros_like(blocks.points)
    now = blocks.points
    active = active_triples(blocks, now, velocities)
    assert len(active) >= 8
    _, _, after = accelerate(blocks, now, velocities, step, DOWN, active)
    moved = reposition(blocks, Moment(now - velocities * step, now), step, DOWN, active, "L′")
    assert np.abs(moved.now - after).max() < 1e-13


def test_theorem_5_1_misses_when_the_misprinted_division_stays() -> None:
    """Two bodies turning against each other in contact: the correction of (S′) matters, and by Δt² only."""
    base = rectangle((-1.0, -0.1), (2.0, 0.1), 1.0)
    plank = rectangle((-0.5, 0.0), (1.0, 0.1), 1.0)
    blocks = Framework.joined([base, plank])
    velocities = rigid_spin(blocks, {0: (0.0, 0.0, 2.0), 1: (0.0, 0.0, 2.0)})
    velocities += np.where(np.arange(18)[:, None] < 9, 0.0, rigid_spin_at(blocks, 2.0))
    active = active_triples(blocks, blocks.points, velocities)
    assert active
    for step in (1e-2, 1e-3):
        _, _, after = accelerate(blocks, blocks.points, velocities, step, DOWN, active)
        moved = reposition(blocks, Moment(blocks.points - velocities * step, blocks.points), step, DOWN, active, "L′")
        assert np.abs(moved.now - after).max() < 1e-13


def rigid_spin_at(framework: Framework, turn: float) -> Array:
    """What carries the second figure along with the first, turning about the first's centre."""
    shift = framework.points[9:18].mean(axis=0) - framework.points[:9].mean(axis=0)
    return turn * np.array([-shift[1], shift[0]])


def test_theorem_7_1_in_the_limit_of_short_steps() -> None:
    """A plank arrives on one corner: new velocities tend to those of (Q*), the error with the step."""
    floor = rectangle((-1.0, -0.1), (2.0, 0.1), 1.0, fixed=True)
    plank = rectangle((-0.5, 0.0), (1.0, 0.1), 1.0)
    turned = np.array(plank.points)
    tilt = 0.2
    turned = turned @ np.array([[np.cos(tilt), np.sin(tilt)], [-np.sin(tilt), np.cos(tilt)]])
    turned[:, 1] -= turned[:, 1].min()
    tipped = Framework(turned, plank.masses_kg, plank.bars, plank.outlines, plank.fixed)
    blocks = Framework.joined([floor, tipped])
    old = rigid_spin(blocks, {1: (0.0, -1.0, 0.5)})
    triples = separating_triples(blocks, blocks.points)
    touching = [t for t in triples if abs(blocks.points[t[2], 1]) < 1e-12]
    exact = impact(blocks, blocks.points, old, touching)
    errors = []
    for step in (1e-3, 1e-4, 1e-5):
        moment = Moment(blocks.points - old * step, blocks.points)
        moved = reposition(blocks, moment, step, 0 * DOWN, lengths="L′")
        errors.append(np.abs((moved.now - moved.before) / step - exact).max())
    assert 1e-6 < errors[0] < 1e-2
    assert errors[1] < 0.15 * errors[0] and errors[2] < 0.15 * errors[1]


def test_a_symmetric_impact_keeps_what_the_paper_says() -> None:
    """Two equal blocks meet head on and stay together; momentum is kept."""
    left, right = rectangle((-0.2, 0.0), BRICK, 1.0), rectangle((0.0, 0.0), BRICK, 1.0)
    blocks = Framework.joined([left, right])
    old = rigid_spin(blocks, {0: (2.0, 0.0, 0.0), 1: (-1.0, 0.0, 0.0)})
    after = impact(blocks, blocks.points, old, separating_triples(blocks, blocks.points))
    assert after[:, 0] == pytest.approx(np.full(18, 0.5), abs=1e-12)


def test_points_and_bars_move_like_three_degrees_of_freedom_and_like_the_solids() -> None:
    """8.2 on the paper's own tower: eighteen variables a brick, three, and six, one motion."""
    diamond = diamond_tower(5)
    w, _, h = SIZE_M
    bricks = [rectangle((-20 * w, -h), (40 * w, h), 1.0, fixed=True)]
    bricks += [
        rectangle((part.T_world_part[0, 3], part.T_world_part[2, 3]), (w, h), part.mass_kg) for part in diamond.parts
    ]
    blocks = Framework.joined(bricks)
    figures = Figures.of(blocks)
    still = np.zeros_like(blocks.points)
    active = active_triples(blocks, blocks.points, still)
    solid = initial_collapse(diamond, interfaces(diamond), State.complete(diamond)).accelerations[:-1]
    three = rigid_accelerations(blocks, figures, blocks.points, still, DOWN, active)[1:]
    assert three[:, :2] == pytest.approx(solid[:, [0, 2]], abs=1e-8)
    assert three[:, 2] == pytest.approx(-solid[:, 4], abs=1e-7)
    small = tower([1, 2, 1])
    active = active_triples(small, small.points, 0 * small.points)
    points, _, _ = accelerate(small, small.points, 0 * small.points, 1e-3, DOWN, active)
    rigid = rigid_accelerations(small, Figures.of(small), small.points, 0 * small.points, DOWN, active)
    assert points.reshape(-1, 9, 2)[:, 4] == pytest.approx(rigid[:, :2], abs=1e-9)


def paper_diamond() -> Framework:
    """The 5 x 5 bricks of Fig. 11 as its animation had them: four equal masses at the corners."""
    w, _, h = SIZE_M
    places = [part.T_world_part[[0, 2], 3] for part in diamond_tower(5).parts]
    bricks = [rectangle((-20 * w, -h), (40 * w, h), 1.0, fixed=True, masses="four corners")]
    bricks += [rectangle((float(x), float(z)), (w, h), 1.0, masses="four corners") for x, z in places]
    return Framework.joined(bricks)


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_fig_7_runs_the_papers_own_diamond(step: float) -> None:
    """Its first step is Fig. 6's; later ones leave bricks as they are, and the mirror image of the whole as it is."""
    blocks = paper_diamond()
    still = np.zeros_like(blocks.points)
    first, _, _ = accelerate(blocks, blocks.points, still, step, DOWN, active_triples(blocks, blocks.points, still))
    moment = reposition(blocks, Moment.at_rest(blocks), step, DOWN)
    assert (moment.now - blocks.points) / step**2 == pytest.approx(first, abs=1e-8)
    for _ in range(3):
        moment = reposition(blocks, moment, step, DOWN)
    assert np.abs(moment.now - blocks.points).max() > 9 * np.abs(first).max() * step**2
    free = moment.now[~blocks.fixed]
    mirrored = (2 * free[:, 0].mean(), 0.0) + free * (-1.0, 1.0)
    nearest_twin = np.linalg.norm(mirrored[:, None] - free[None], axis=2).min(axis=1)
    assert nearest_twin.max() < 1e-10
    was, now = (
        np.linalg.norm(p[blocks.bars[:, 0]] - p[blocks.bars[:, 1]], axis=1) for p in (blocks.points, moment.now)
    )
    assert now == pytest.approx(was, rel=1e-3)


def test_a_brick_on_another_tips_over_its_edge() -> None:
    """The less satisfied of two edges, as the paper has it, would forbid that."""
    base = rectangle((-1.0, -0.1), (1.0, 0.1), 1.0, fixed=True)
    plank = rectangle((-0.4, 0.0), (1.0, 0.1), 1.0)
    blocks = Framework.joined([base, plank])
    moment = Moment.at_rest(blocks)
    for _ in range(20):
        moment = reposition(blocks, moment, 1e-2, DOWN)
    middle = 9 + 4
    fallen = blocks.points[middle, 1] - moment.now[middle, 1]
    expected = 0.5 * G * 0.1**2 / ((1.0 + 0.01) / 12 + 0.1**2 + 0.05**2) * 0.2**2
    assert fallen == pytest.approx(expected, rel=0.25)


def test_the_length_rule_of_8_3_keeps_lengths_where_l_prime_drifts() -> None:
    blocks = Framework.joined([rectangle((0.0, 0.0), BRICK, 1.0)])
    old = rigid_spin(blocks, {0: (0.0, 0.0, 20.0)})
    drift = {}
    for rule in ("L′", "L″"):
        moment = Moment(blocks.points - old * 1e-3, blocks.points)
        for _ in range(200):
            moment = reposition(blocks, moment, 1e-3, DOWN, lengths=rule)  # type: ignore[arg-type]
        drift[rule] = abs(np.hypot(*(moment.now[8] - moment.now[0])) - np.hypot(*BRICK))
    assert drift["L″"] < 1e-3 * np.hypot(*BRICK)
    assert drift["L′"] > drift["L″"]


def test_redundant_bars_are_eliminated_or_penalised() -> None:
    pairs = [tower([1, 2], minimal=minimal, masses="four corners") for minimal in (True, False)]
    results = [reposition(blocks, Moment.at_rest(blocks), 1e-3, DOWN).now for blocks in pairs]
    assert results[0] == pytest.approx(results[1], abs=1e-12)
    soft = reposition(pairs[1], Moment.at_rest(pairs[1]), 1e-3, DOWN, lengths="penalty").now
    assert soft == pytest.approx(results[1], abs=1e-4)


def test_contradicting_bars_are_refused() -> None:
    blocks = rectangle((0.0, 0.0), BRICK, 1.0, masses="four corners", minimal=False)
    bent = np.array(blocks.points)
    bent[2] += 0.05
    with pytest.raises(Undecided, match="minimally rigid"):
        reposition(blocks, Moment(bent, bent), 1e-3, DOWN)


def test_hinged_bricks_share_a_point_and_swing_together() -> None:
    wall = rectangle((-0.2, 0.0), BRICK, 1.0, fixed=True)
    arm = rectangle((0.0, 0.0), BRICK, 1.0)
    blocks = Framework.joined([wall, arm], same=[((0, 8), (1, 6))])  # upper right on upper left
    moment = Moment.at_rest(blocks)
    for _ in range(50):
        moment = reposition(blocks, moment, 1e-3, DOWN)
    pivot = blocks.outlines[1][3]
    assert np.abs(moment.now[pivot] - blocks.points[pivot]).max() == 0.0
    assert moment.now[:, 1].min() < -0.01


def test_ties_do_not_depend_on_the_order_of_bricks() -> None:
    bricks = [
        rectangle((-4.0, -0.06), (8.0, 0.06), 1.0, fixed=True),
        rectangle((-0.1, 0.0), BRICK, 1.0),
        rectangle((-0.2, 0.06), BRICK, 1.0),
        rectangle((0.0, 0.06), BRICK, 1.0),
    ]
    forwards, backwards = Framework.joined(bricks), Framework.joined(bricks[::-1])
    one = reposition(forwards, Moment.at_rest(forwards), 1e-2, DOWN).now.reshape(-1, 9, 2)
    other = reposition(backwards, Moment.at_rest(backwards), 1e-2, DOWN).now.reshape(-1, 9, 2)
    assert one == pytest.approx(other[::-1], abs=1e-13)
