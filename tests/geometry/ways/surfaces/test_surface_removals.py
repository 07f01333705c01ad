"""Ways out of parts of any shape: found, proved, and judged by a library that shares nothing with us."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from falsework.gallery.cad import cad_shape
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.geometry.ways.surfaces.choice import goes_by_surfaces
from falsework.geometry.ways.surfaces.removals import SurfaceRemovals
from falsework.geometry.ways.surfaces.scenes import scene_of
from falsework.geometry.ways.surfaces.shadows import runs_into
from falsework.geometry.ways.surfaces.slippage import free_twists
from falsework.geometry.ways.surfaces.touching import limits
from falsework.geometry.ways.sweeping import between
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import box
from falsework.planning.verification.paths import PathJudge

STRAIGHT = ["shaft-in-plate", "dovetail", "mortise-and-tenon", "ball-in-socket", "loose-burr", "stacked-gears"]


def oracle_of(assembly: Assembly) -> SurfaceRemovals:
    return SurfaceRemovals(assembly, interfaces(assembly))


def deepest_by_others(assembly: Assembly, moved: int, others: list[int], path: Array, steps: int) -> float:
    """How deep, m, python-fcl and libigl find a part in the others at poses all along its path.

    fcl says whether surfaces cross. By how much it does not say: of triangles that cross by a millionth of a metre at a
    slant it told 13 mm, as deep as a corner lies below the other's plane. So there libigl measures points of both.
    """
    fcl = pytest.importorskip("fcl")
    surfaces = {body: surface_of(assembly.bodies[body].shape) for body in (moved, *others)}

    def model(body: int) -> object:
        made = fcl.BVHModel()
        made.beginModel(len(surfaces[body].vertices), len(surfaces[body].faces))
        made.addSubModel(surfaces[body].vertices, surfaces[body].faces)
        made.endModel()
        return made

    def placed(T: Array) -> object:
        return fcl.Transform(T[:3, :3], T[:3, 3])

    one = model(moved)
    still = [(other, fcl.CollisionObject(model(other), placed(assembly.poses[other]))) for other in others]
    worst = 0.0
    for start, end in pairwise(path):
        for share in np.linspace(0, 1, steps):
            T = between(start, end, float(share))
            carried = fcl.CollisionObject(one, placed(T))
            for other, body in still:
                if fcl.collide(carried, body, fcl.CollisionRequest(), fcl.CollisionResult()):
                    T_other_moved = np.linalg.solve(assembly.poses[other], T)
                    worst = max(
                        worst,
                        depth_inside(surfaces[moved], surfaces[other], T_other_moved),
                        depth_inside(surfaces[other], surfaces[moved], np.linalg.inv(T_other_moved)),
                    )
    return worst


def depth_inside(one: Surface, other: Surface, T_other_one: Array, apart_m: float = 2e-4) -> float:
    """How deep, m, libigl finds points of a surface in another: corners, and points along edges this far apart."""
    igl = pytest.importorskip("igl")
    points = [one.vertices]
    for a, b in ((0, 1), (1, 2), (2, 0)):
        start, way = one.vertices[one.faces[:, a]], one.vertices[one.faces[:, b]] - one.vertices[one.faces[:, a]]
        for count in {max(2, int(length / apart_m)) for length in np.linalg.norm(way, axis=1)}:
            mine = np.maximum(2, (np.linalg.norm(way, axis=1) / apart_m).astype(int)) == count
            shares = np.linspace(0, 1, count)[:, None, None]
            points.append((start[mine] + shares * way[mine]).reshape(-1, 3))
    there = np.vstack(points) @ T_other_one[:3, :3].T + T_other_one[:3, 3]
    winding = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
    return -float(igl.signed_distance(there, other.vertices, other.faces, sign_type=winding)[0].min())


def test_what_judges_depth_tells_that_of_a_cube_in_another() -> None:
    cube = surface_of(box((0.02, 0.02, 0.02)))
    aside = np.eye(4)
    aside[:3, 3] = 0.0185, 0.001, 0.002
    assert depth_inside(cube, cube, aside) == pytest.approx(0.0015, abs=1e-9)
    aside[0, 3] = 0.0201
    assert depth_inside(cube, cube, aside) == pytest.approx(-1e-4, abs=1e-9)


@pytest.mark.parametrize("kind", STRAIGHT)
def test_parts_that_leave_straight_do_so_in_the_declared_order_and_are_proved(kind: str) -> None:
    made = cad_shape(kind)
    assembly = made.assembly
    oracle, judge = oracle_of(assembly), PathJudge(assembly)
    there = (1 << len(assembly.bodies)) - 1
    for leaving in made.declared.order:
        part = assembly.mask([leaving.part])
        path = oracle.path(part, there)
        assert path is not None and len(path) == 2, leaving.part
        there &= ~part
        others = [body for body in range(len(assembly.bodies)) if there >> body & 1]
        assert list(judge.complaints([part.bit_length() - 1], others, path, None)) == []


@pytest.mark.parametrize(("kind", "part"), [("bayonet", "plug"), ("l-slide", "slider"), ("key-in-lock", "key")])
def test_what_must_turn_or_bend_finds_its_way_and_an_independent_library_agrees(kind: str, part: str) -> None:
    assembly = cad_shape(kind).assembly
    moved, everything = assembly.mask([part]), (1 << len(assembly.bodies)) - 1
    oracle = oracle_of(assembly)
    assert not len(oracle.directions(moved, everything))
    path = oracle.path(moved, everything)
    assert path is not None and np.array_equal(path[-1], assembly.poses[moved.bit_length() - 1])
    again = oracle_of(assembly).path(moved, everything)
    assert again is not None and np.array_equal(again, path)
    number = moved.bit_length() - 1
    others = [body for body in range(len(assembly.bodies)) if body != number]
    assert list(PathJudge(assembly).complaints([number], others, path, None)) == []
    size = surface_of(assembly.bodies[number].shape).size_m
    assert deepest_by_others(assembly, number, others, path, 10) <= 1e-4 * size


def test_slippage_tells_the_pitch_of_a_thread_and_both_motions_of_nothing_else() -> None:
    assembly = cad_shape("nut-and-bolt", facets=24).assembly
    nut = assembly.mask(["nut"])
    scene = scene_of(assembly, nut, (1 << len(assembly.bodies)) - 1 & ~nut)
    assert scene is not None
    near = limits(scene, scene.final, 0.01 * scene.reach_m)
    twists = free_twists(near, (0.01 * scene.reach_m,))
    assert len(twists) == 2 and np.array_equal(twists[0], -twists[1])
    turn = twists[0, 3:] / scene.reach_m
    pitch = 2 * np.pi * float(twists[0, :3] @ turn) / float(turn @ turn)
    assert pitch == pytest.approx(2e-3, rel=0.03)  # M16, right-handed
    assert abs(turn[2]) == pytest.approx(float(np.linalg.norm(turn)), rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "settings"), [("ball-in-socket", {"captive": 1}), ("loose-burr", {"locked": 1})], ids=["ball", "burr"]
)
def test_what_is_locked_is_proved_to_be(kind: str, settings: dict[str, float]) -> None:
    made = cad_shape(kind, **settings)
    oracle, everything = oracle_of(made.assembly), (1 << len(made.assembly.bodies)) - 1
    for name in sorted(made.declared.locked)[:3]:
        part = made.assembly.mask([name])
        assert oracle.locked(part, everything) and not oracle.leaves(part, everything)


@pytest.mark.parametrize(
    ("kind", "part"), [("ball-in-socket", "ball"), ("loose-burr", "key"), ("l-slide", "slider"), ("bayonet", "plug")]
)
def test_what_can_leave_is_never_called_locked(kind: str, part: str) -> None:
    assembly = cad_shape(kind).assembly
    assert not oracle_of(assembly).locked(assembly.mask([part]), (1 << len(assembly.bodies)) - 1)


def test_shadows_of_two_cubes_by_hand() -> None:
    cube = surface_of(box((1, 1, 1)))
    ways = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1], [0.28, 0.96, 0]])
    aside = np.array([2.0, 0.5, 0.0])  # along the last way it is past the other before it is beside it
    met = runs_into(cube.tree, cube.tree, np.eye(3), aside, ways)
    assert met.tolist() == [True, False, False, False, False]
    assert runs_into(cube.tree, cube.tree, np.eye(3), np.array([2.0, 1.0, 0.0]), ways[:1]).tolist() == [False]


def test_ways_do_not_depend_on_where_the_world_is() -> None:
    cube = surface_of(box((1, 1, 1)))
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    turned = Surface(cube.vertices @ turn.T, cube.faces)
    rng = np.random.default_rng(3)
    ways = rng.normal(size=(40, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    plain = runs_into(cube.tree, cube.tree, np.eye(3), np.array([1.3, 0.4, 0.2]), ways)
    moved = runs_into(turned.tree, turned.tree, np.eye(3), turn @ np.array([1.3, 0.4, 0.2]), ways @ turn.T)
    assert plain.any() and not plain.all() and np.array_equal(plain, moved)


def test_only_parts_with_many_faces_go_by_surfaces() -> None:
    assert goes_by_surfaces(cad_shape("stacked-gears").assembly)
    assert not goes_by_surfaces(cad_shape("nested-boxes").assembly)
