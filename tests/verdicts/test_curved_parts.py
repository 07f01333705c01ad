"""Round parts on rims, cones, threads and free forms: at few facets as at many the verdict is true, or none given."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.bench.cad_forms import bearing, rougher
from falsework.bench.round_shapes import about, ball, placed, rod, turned
from falsework.gallery.cad import cad_shape
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, Shape, box
from falsework.verdicts.check import check

FLOOR: tuple[Shape, Array] = (box((4.0, 4.0, 0.1)), placed(-2.0, -2.0, -0.1))
FACETS = [(16, 16), (20, 48)]


def made(fixed: set[str], friction: float, **parts: tuple[Shape, Array]) -> Assembly:
    bodies = tuple(make_part(name, shape, pose) for name, (shape, pose) in parts.items())
    return Assembly(bodies, fixed=frozenset(fixed), friction=friction)


@pytest.mark.parametrize(("facets", "play"), [(16, 2e-4), (24, 2e-5)])
def test_a_nut_with_play_stays_on_its_bolt_whatever_its_facets(facets: int, play: float) -> None:
    assert check(cad_shape("nut-and-bolt", facets=facets, play=play).assembly, also=False).answer == "stable"


@pytest.mark.parametrize("facets", FACETS)
def test_a_ball_rests_on_the_rim_of_a_hole(facets: tuple[int, int]) -> None:
    hole = turned([(0.06, -0.1), (0.3, -0.1), (0.3, 0), (0.06, 0)], facets[1], ring=True, phase=0.1)
    on_it = placed(0, 0, 0.08, about("x", 0.4) @ about("y", 0.2))
    assert check(made({"hole"}, 0.2, hole=(hole, placed()), ball=(ball(0.1, facets[0]), on_it))).answer == "stable"


@pytest.mark.parametrize("facets", FACETS)
def test_a_ball_rests_on_three_pins_between_the_corners_of_their_rims(facets: tuple[int, int]) -> None:
    pins = {
        f"pin-{k}": (rod(0.01, 0.2, facets[1], 0.1), placed(0.06 * np.cos(turn), 0.06 * np.sin(turn), -0.1))
        for k, turn in enumerate((0.1, 2.2, 4.3))
    }
    at = placed(0, 0, np.sqrt(0.1**2 - 0.05**2), about("x", 0.3) @ about("y", 0.2))
    standing = made(set(pins), 0.5, **pins, ball=(ball(0.1, facets[0]), at))
    assert [contact.kinds for contact in interfaces(standing).curved] == [("rim", "sphere")] * 3
    assert check(standing).answer == "stable"


def leaning(angle: float, facets: int, friction: float) -> tuple[Assembly, float]:
    """A rod on a floor against a wall, on its rims, and the least friction by hand.

    With the same friction μ at both, W = N + μ·H and H = μ·N; moments about the foot, a before the middle, b before the
    wall and h below the top: W·a = H·h + μ·H·b.
    """
    radius, length = 0.02, 1.0
    along = np.array([-np.cos(angle), 0.0, np.sin(angle)])
    frame = np.column_stack([np.cross([0.0, 1.0, 0.0], along), [0.0, 1.0, 0.0], along])
    down, aside = (-way + (way @ along) * along for way in (np.array([0, 0, 1.0]), np.array([1.0, 0, 0])))
    down, aside = down / np.linalg.norm(down), aside / np.linalg.norm(aside)
    foot, top = -0.5 * length * along + radius * down, 0.5 * length * along + radius * aside
    middle = np.array([-top[0], 0.0, -foot[2]])
    foot, top = foot + middle, top + middle
    a, b, h = foot[0] - middle[0], foot[0] - top[0], top[2]
    # a (1 + μ²) = μ h + μ² b
    roots = np.roots([a - b, -h, a])
    least = float(min(root.real for root in roots if abs(root.imag) < 1e-12 and root.real > 0))
    wall = (box((0.1, 4, 4)), placed(-0.1, -2, 0))
    rod_there = (rod(radius, length, facets, 0.11), placed(*middle, frame))
    return made({"floor", "wall"}, friction, floor=FLOOR, wall=wall, rod=rod_there), least


@pytest.mark.parametrize(("facets", "degrees"), [(16, 55), (23, 75), (64, 65)])
def test_a_round_rod_leans_on_a_wall_down_to_the_friction_found_by_hand(facets: int, degrees: float) -> None:
    _, least = leaning(np.radians(degrees), facets, 0.5)
    answers = [check(leaning(np.radians(degrees), facets, share * least)[0]).answer for share in (0.95, 1.05)]
    assert answers == ["unstable", "stable"]


@pytest.mark.parametrize("facets", FACETS)
def test_a_tapered_rod_lies_across_two_logs(facets: tuple[int, int]) -> None:
    wide, narrow, long = 0.15, 0.05, 1.0
    lean = np.arctan((wide - narrow) / long)
    taper = turned([(0, 0), (wide, 0), (narrow, long), (0, long)], facets[1], phase=0.1)
    frame = about("y", 0.5 * np.pi + lean)
    ends = frame @ np.array([[wide, narrow], [0, 0], [0, long]])  # the line that is level and below
    assert ends[2, 0] == pytest.approx(ends[2, 1]) and ends[2, 0] < 0
    across = about("x", 0.5 * np.pi)
    logs = {f"log-{x:g}": (rod(0.1, 1, facets[0], 0.2), placed(x, 0, 0, across)) for x in (-0.3, 0.3)}
    lying = made(set(logs), 0.5, **logs, taper=(taper, placed(-ends[0].mean(), 0, 0.1 - ends[2, 0], frame)))
    assert {contact.kinds for contact in interfaces(lying).curved} == {("cylinder", "cone")}
    assert check(lying).answer == "stable"


@pytest.mark.parametrize("play", [2e-6, 1e-5, 1e-4])
def test_a_shaft_rolls_in_its_hole_however_little_play_it_has(play: float) -> None:
    form = bearing(64, 48, play=play)
    joints = rougher(form.joints(), 0.9 * form.limit / 0.5)
    assert check(form.assembly, joints=joints, loads=form.loads, also=False).answer == "unstable"


def torus(ring: float, tube: float, around: int, along: int, phase: float) -> Mesh:
    turns = 2 * np.pi * np.arange(along) / along + phase
    return turned([(ring + tube * np.cos(turn), tube * np.sin(turn)) for turn in turns], around, ring=True)


def test_nobody_says_that_a_torus_on_a_floor_falls() -> None:
    lying = made({"floor"}, 0.5, floor=FLOOR, torus=(torus(0.2, 0.05, 24, 16, 0.1), placed(0, 0, 0.05)))
    answer = check(lying)
    assert answer.answer == "undecided" and "'floor' - 'torus'" in answer.why


def test_a_torus_well_above_a_floor_falls() -> None:
    above = made({"floor"}, 0.5, floor=FLOOR, torus=(torus(0.2, 0.05, 24, 16, 0.1), placed(0, 0, 0.06)))
    assert check(above).answer == "unstable"


@pytest.mark.parametrize("facets", [(24, 16), (64, 32)])
def test_a_wheel_with_a_round_tread_does_not_stand_on_a_slope_by_a_facet(facets: tuple[int, int]) -> None:
    around, along = facets
    tyre = torus(0.2, 0.05, around, along, np.pi / along)
    upright = about("x", 0.5 * np.pi) @ about("z", np.pi / around)
    low = -float((tyre.vertices @ upright.T)[:, 2].min())
    answers = []
    for degrees in (0.0, 2.0):
        slope = about("y", np.radians(degrees))
        floor = (FLOOR[0], placed(*(slope @ [-2.0, -2.0, -0.1]), slope))
        wheel = (tyre, placed(*(slope @ [0.0, 0.0, low]), slope @ upright))
        answers.append(check(made({"floor"}, 0.5, floor=floor, wheel=wheel)).answer)
    assert answers == ["stable", "undecided"]


def test_a_torus_whose_corners_touch_the_floor_stands_on_them() -> None:
    lying = made({"floor"}, 0.5, floor=FLOOR, torus=(torus(0.2, 0.05, 24, 16, 0.0), placed(0, 0, 0.05)))
    assert check(lying).answer == "stable"
