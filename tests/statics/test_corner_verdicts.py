"""What stands on corners and edges, solved by hand; and what rests on contacts whose direction nobody knows."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework import check, load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.shapes import Polygon, Polyhedron, Shape, box
from falsework.model.verdict import Motion
from falsework.statics.core.ambiguity import certain, possible

CUBE = box((1.0, 1.0, 1.0))
Placed = tuple[str, Shape, Array]


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: Rotation | None = None) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    pose[:3, :3] = np.eye(3) if turn is None else turn.as_matrix()
    return pose


def about(axis: str, degrees: float) -> Rotation:
    return Rotation.from_euler(axis, degrees, degrees=True)


def assembly(*parts: Placed, fixed: tuple[str, ...] = ("floor",), friction: float = 0.55) -> Assembly:
    made = tuple(make_part(name, shape, pose) for name, shape, pose in parts)
    return Assembly(made, fixed=frozenset(fixed), friction=friction)


FLOOR: Placed = ("floor", box((8.0, 2.0, 0.5)), at(-4.0, -1.0, -0.5))


def ladder(friction: float) -> Assembly:
    """A plank of 2 m by 0.1 m at 60°, its lower corner on the floor, its upper on a wall."""
    plank = Polygon(np.array([(1 + 0.1 * sqrt(0.75), 0.05), (0.1 * sqrt(0.75), 0.05 + sqrt(3)), (0, sqrt(3)), (1, 0)]))
    wall = box((0.5, 2.0, 4.0))
    parts = FLOOR, ("wall", wall, at(-0.5, -1.0, 0.0)), ("plank", plank, at())
    return assembly(*parts, fixed=("floor", "wall"), friction=friction)


def ladder_friction() -> float:
    """The least friction of floor and wall alike: N₂ = μN₁ and N₁ + μN₂ = W, moments about the foot."""
    weight_arm = 1.0 - (2 * (1 + 0.1 * sqrt(0.75)) / 4)  # of the centre from the foot
    # W·arm = N₂(√3 + μ) with N₂ = μW / (1 + μ²):  (1 − arm) μ² + √3 μ − arm = 0
    a, b, c = 1 - weight_arm, sqrt(3), -weight_arm
    return float((-b + sqrt(b * b - 4 * a * c)) / (2 * a))


@pytest.mark.parametrize("cone", ["8", "exact"])
def test_a_ladder_stands_by_as_much_friction_as_by_hand(cone: str) -> None:
    least = ladder_friction()
    assert least == pytest.approx(0.2449, abs=1e-4)
    assert check(ladder(1.001 * least), cone=cone).answer == "stable"  # type: ignore[arg-type]
    assert check(ladder(0.999 * least), cone=cone).answer == "unstable"  # type: ignore[arg-type]


@pytest.mark.parametrize(("lean", "answer"), [(0.0, "stable"), (1.0, "unstable")])
def test_a_cube_stands_on_its_edge_in_a_groove_as_long_as_it_is_upright(lean: float, answer: str) -> None:
    groove = Polygon(np.array([(-2, -1), (2, -1), (2, 1), (0, 0), (-2, 1.0)]), 2.0)
    cube = at(0.0, -0.5, 0.0, about("y", -45 + lean))
    made = assembly(("floor", groove, at()), ("cube", CUBE, cube), friction=0.0)
    assert interfaces(made).counts()["edges"] == 2
    assert check(made).answer == answer


def test_a_tip_bears_what_is_right_above_it_and_nothing_else() -> None:
    corners = np.array([(0, 0, 0), (1, 0, 2), (-0.5, sqrt(0.75), 2), (-0.5, -sqrt(0.75), 2)])
    tip = Polyhedron(corners, ((1, 2, 3), (0, 2, 1), (0, 3, 2), (0, 1, 3)))
    made = assembly(FLOOR, ("tip", tip, at()))
    assert interfaces(made).counts()["corners"] == 1
    centre = np.array([0.0, 0.0, 1.5])
    assert check(made).answer == "stable"
    beside = Load("tip", np.array([0.0, 0.0, -1000.0]), centre + np.array([0.01, 0.0, 0.0]))
    assert check(made, loads=[beside]).answer == "unstable"
    assert check(made, loads=[beside], held=["tip"]).answer == "stable"


@pytest.mark.parametrize(("shift", "answer"), [(0.0, "stable"), (0.01, "unstable")])
def test_a_beam_balances_where_its_edge_crosses_another(shift: float, answer: str) -> None:
    beam, half = box((4.0, 1.0, 1.0)), sqrt(0.5)
    lower = at(-2.0, 0.0, -2 * half, about("x", 45))
    upper = at(0.0, -2.0 + shift, 0.0, about("z", 90) * about("x", 45))
    made = assembly(("floor", beam, lower), ("beam", beam, upper), friction=0.3)
    assert interfaces(made).counts()["corners"] == 1
    assert check(made, cone="exact").answer == answer


@pytest.mark.parametrize("friction", [0.0, 0.55])
def test_a_roof_stands_on_the_edges_of_two_walls(friction: float) -> None:
    roof = Polygon(np.array([(0.0, 0.0), (2.0, 1.0), (-2.0, 1.0)]), 1.0)
    wall = box((1.0, 1.0, 2.0))
    walls = ("left", wall, at(1.0, -0.5, -1.5)), ("right", wall, at(-2.0, -0.5, -1.5))
    made = assembly(*walls, ("roof", roof, at()), fixed=("left", "right"), friction=friction)
    assert check(made).answer == "stable"
    assert check(assembly(walls[1], ("roof", roof, at()), fixed=("right",), friction=friction)).answer == "unstable"


def test_a_ledge_as_narrow_as_a_sliver_bears() -> None:
    far = ("far", CUBE, at(60.0, 0.0, 0.0))  # the ledges are 4e-4 m: less than 1e-4 of the assembly
    sides = ("left", CUBE, at(-1.0, 0.0, 0.0)), ("right", CUBE, at(1.0 - 8e-4, 0.0, 0.0))
    made = assembly(*sides, ("over", CUBE, at(-4e-4, 0.0, 1.0)), far, fixed=("left", "right", "far"))
    assert check(made).answer == "stable"


def over_a_hole(width: float) -> Assembly:
    """A block above a hole between two others, as wide as the hole but for so much."""
    block = box((1.0 + width, 1.0, 1.0))
    sides = ("left", CUBE, at(-1.0, 0.0, 0.0)), ("right", CUBE, at(1.0, 0.0, 0.0))
    return assembly(*sides, ("over", block, at(-width / 2, 0.0, 1.0)), fixed=("left", "right"))


def test_a_block_that_is_as_wide_as_the_hole_under_it_is_undecided_and_says_why() -> None:
    verdict = check(over_a_hole(0.0))
    assert verdict.answer == "undecided" and verdict.certificate is None
    assert verdict.why.endswith("'left' - 'over', 'right' - 'over'")
    assert "corners and edges" in verdict.why
    assert check(over_a_hole(0.01)).answer == "stable"
    assert check(over_a_hole(-0.01)).answer == "unstable"


def test_a_cube_that_hangs_on_the_edge_of_another_falls_whichever_way_they_push() -> None:
    made = assembly(("floor", CUBE, at()), ("cube", CUBE, at(1.0, 0.0, 1.0)))
    assert interfaces(made).counts()["ambiguous"] == 1
    verdict = check(made)
    assert verdict.answer == "unstable" and isinstance(verdict.certificate, Motion)


def a_frame(friction: float) -> Assembly:
    """Two planks cut square that lean on each other at 60°: at the ridge an edge meets an edge, and any normal within
    30° of the level may be the one."""
    length, thick = 2.0, 0.1
    along, across = np.array([0.5, sqrt(0.75)]), np.array([sqrt(0.75), -0.5])
    foot = np.array([0.0, 0.0])
    outline = np.array([foot, foot + thick * across, foot + thick * across + length * along, foot + length * along])
    outline = outline - [outline[2, 0], outline[1, 1]]  # ridge at x = 0, on the floor with its lower corner
    left, right = Polygon(outline), Polygon((outline * [-1.0, 1.0])[::-1])
    return assembly(FLOOR, ("left", left, at()), ("right", right, at()), friction=friction)


def test_planks_stand_against_each_other_where_friction_holds_whatever_the_normal_is() -> None:
    """The force at the ridge is level, by hand: friction must hold it at 30° to the normal, and the feet."""
    assert interfaces(a_frame(0.65)).counts()["ambiguous"] == 1
    for friction, answer in ((0.65, "stable"), (0.5, "undecided"), (0.1, "unstable")):
        verdict = check(a_frame(friction))
        assert verdict.answer == answer, friction
    borne = check(a_frame(0.65))
    assert borne.about is not None and len(borne.about.patches) == 3
    assert borne.about.patches.friction[2] == pytest.approx(np.tan(np.arctan(0.65) - np.pi / 6))


def test_what_is_certain_is_possible_for_every_normal_between() -> None:
    """A force of the narrow cone is in each normal's friction cone, one of any normal in the sum of the outermost."""
    joints, friction = interfaces(a_frame(0.65)), 0.65
    sure, most = certain(joints), possible(joints)
    middle, narrow = sure.patches.normals[2], sure.patches.friction[2]
    outer = most.patches.normals[2:]
    assert len(outer) == 2
    rng = np.random.default_rng(0)
    for share in rng.uniform(size=50):
        normal = share * outer[0] + (1 - share) * outer[1]
        normal /= np.linalg.norm(normal)
        side = np.cross(rng.normal(size=3), middle)
        force = middle + narrow * side / np.linalg.norm(side)
        along = float(force @ normal)
        assert np.linalg.norm(force - along * normal) <= friction * along * (1 + 1e-9)
        # of any other force about that normal: no motion that parts from both outermost cones feels it
        side = np.cross(rng.normal(size=3), normal)
        push = normal + friction * side / np.linalg.norm(side)
        assert in_sum_of_cones(push, outer, friction)


def in_sum_of_cones(force: Array, normals: Array, friction: float) -> bool:
    """Whether a force is a sum of forces in friction cones, each with 720 edges, by nonnegative least squares."""
    from scipy.optimize import nnls

    edges = []
    for normal in normals:
        first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        first /= np.linalg.norm(first)
        angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)[:, None]
        edges.append(normal + friction * (np.cos(angles) * first + np.sin(angles) * np.cross(normal, first)))
    return bool(nnls(np.concatenate(edges).T, force)[1] < 1e-4)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_neither_scale_nor_a_turned_world_changes_the_ladder(scale: float) -> None:
    least = ladder_friction()
    turn = about("z", 37) * about("x", 20)
    for factor, answer in ((1.001, "stable"), (0.999, "unstable")):
        made = ladder(factor * least)
        parts = []
        for part in made.parts:
            shape = part.shape
            if isinstance(shape, Polygon):
                shape = Polygon(shape.outline * scale, shape.depth_m * scale)
            else:
                shape = type(shape)(shape.vertices * scale, shape.faces)  # type: ignore[union-attr,call-arg]
            pose = at(turn=turn) @ part.T_world_part
            pose[:3, 3] *= scale
            parts.append(make_part(part.name, shape, pose))
        moved = made.changed(parts=tuple(parts), gravity=turn.as_matrix() @ made.gravity)
        assert check(moved, cone="exact").answer == answer


@pytest.mark.parametrize("name", ["ladder", "box_on_studs"])
def test_shared_cases_stand(name: str, shared: Path) -> None:
    assert check(load(shared / "soundness" / f"{name}.json")).answer == "stable"
