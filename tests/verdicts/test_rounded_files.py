"""Round things whose numbers were cut off after a few digits: what rests is not said to fall, nor the other way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.bench.cad_forms import ACROSS, FLOOR, FRICTION, Form, ball_in_groove, ball_on_balls, plug, rougher
from falsework.bench.round_shapes import about, ball, placed, rod, turned
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.digits import exact_m
from falsework.geometry.shapes.solids import make_part, outer_surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh
from falsework.model.verdict import Verdict
from falsework.verdicts.check import check

SLOPE = np.radians(1.0)


def on_floor(shape: Mesh, at: Array) -> Assembly:
    parts = make_part("floor", *FLOOR), make_part("round", shape, at)  # type: ignore[arg-type]
    return Assembly(parts, fixed=frozenset({"floor"}), friction=FRICTION)


def lying_cone(facets: int) -> Assembly:
    lying = about("y", 0.5 * np.pi - np.arctan(0.1 / 0.3))
    return on_floor(turned([(0, 0), (0.1, 0.3), (0, 0.3)], facets), placed(turn=lying))


RESTING: dict[str, Callable[[int], Assembly]] = {
    "ball": lambda facets: on_floor(ball(0.1, facets), placed(0.03, -0.04, 0.1, about("x", 0.4))),
    "log": lambda facets: on_floor(rod(0.1, 0.6, facets, 0.13), placed(0.03, -0.04, 0.1, ACROSS)),
    "cone": lying_cone,
    "ball in a groove": lambda facets: ball_in_groove(facets, facets).assembly,
    "ball on three": lambda facets: ball_on_balls(facets, facets).assembly,
}


def askew(seed: int) -> tuple[Array, Array]:
    """A turn, and a shift."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return axes * np.sign(np.linalg.det(axes)), rng.uniform(-1.0, 1.0, 3)


def filed(assembly: Assembly, digits: int, seed: int, scale: float = 1.0) -> Assembly:
    """The same lying askew, in another size, every number cut off after so many digits; gravity turned with it."""
    turn, shift = askew(seed)
    parts = []
    for part in assembly.parts:
        mesh = outer_surface(part.shape)
        world = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
        text = [[f"{value:.{digits}g}" for value in row] for row in scale * (world @ turn.T + shift)]
        parts.append(make_part(part.name, Mesh(np.array(text, dtype=float), mesh.triangles), np.eye(4)))
    loose = Assembly(tuple(parts), fixed=assembly.fixed, friction=assembly.friction)
    return loose.changed(gravity=turn @ assembly.gravity)


@pytest.mark.parametrize("digits", [5, 6, 7])
@pytest.mark.parametrize("kind", list(RESTING))
def test_what_rests_is_not_said_to_fall(kind: str, digits: int) -> None:
    for seed, facets in ((1, 16), (2, 24), (3, 48)):
        assert check(filed(RESTING[kind](facets), digits, seed), also=False).answer != "unstable"


@pytest.mark.parametrize("kind", ["ball", "log", "cone"])
def test_what_rolls_down_a_slope_of_a_degree_falls(kind: str) -> None:
    made = RESTING[kind](24)
    down = 9.81 * np.array([np.sin(SLOPE), np.sin(SLOPE), -np.cos(SLOPE)])
    assert check(filed(made.changed(gravity=down), 6, 1), also=False).answer == "unstable"


def test_the_answer_tells_that_it_depends_on_rounding() -> None:
    told = [check(filed(RESTING["ball"](24), 5, seed), also=False) for seed in range(6)]
    undecided = [verdict for verdict in told if verdict.answer == "undecided"]
    assert undecided and all(
        "within what their numbers are exact to: 'floor' - 'round'" in one.why for one in undecided
    )


@pytest.mark.parametrize("scale", [1.77, 3.1, 0.9, 0.02])
def test_a_cap_that_rounding_has_bent_does_not_hold_a_plug(scale: float) -> None:
    form = plug(64, 96)
    for seed in range(3):
        assert plugged(form, seed, scale, 0.95).answer == "unstable"
        assert plugged(form, seed, scale, 1.05).answer == "stable"


@pytest.mark.parametrize("digits", [5, 6, 7])
def test_digits_tell_how_far_numbers_are_off(digits: int) -> None:
    circle = np.array([[1500 + 40 * np.cos(k), 1500 + 40 * np.sin(k), 4.0] for k in range(50)])
    text = [[f"{value:.{digits}g}" for value in row] for row in circle]
    assert exact_m(np.array(text, dtype=float)) == pytest.approx(0.5 * 10.0 ** (4 - digits))
    assert exact_m(circle) == pytest.approx(1e-7 * circle.max())


def plugged(form: Form, seed: int, scale: float, share: float) -> Verdict:
    rounded = filed(form.assembly, 5, seed, scale)
    return check(rounded, joints=rougher(interfaces(rounded), share * form.limit / FRICTION), also=False)
