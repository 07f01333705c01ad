"""Paths proved free, or where they meet something: by hand, against the plain proof, samples, fcl and swept pieces."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance import free_motion as proofs
from falsework.geometry.distance.free_motion import free_motion
from falsework.geometry.distance.shrinking import shrunk
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.geometry.distance.two_surfaces import least_distance
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.turning_paths import TurningRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.poses import exponential, logarithm
from falsework.model.shapes import Polyhedron, box
from tests.geometry.assemblies import at
from tests.geometry.distance.meshes import ball, bolt, nut
from tests.geometry.test_turning_paths import fixed, hook, key_in_a_keyhole

SOME = 1e-3  # m, of things about 1 m large


def _block(x: float, y: float, z: float) -> Surface:
    """A cuboid about the origin."""
    corner = box((x, y, z))
    return surface_of(Polyhedron(corner.vertices - 0.5 * np.array([x, y, z]), corner.faces))


def _screwed(angles: Array, pitch: float, start: Array) -> Array:
    """Poses that are turned about z and rise by the pitch a turn; less than half a turn from one to the next."""
    twists = [np.array([0, 0, pitch * angle / (2 * np.pi), 0, 0, angle]) for angle in angles]
    return np.stack([exponential(twist) @ start for twist in twists])


def test_a_block_slides_over_another_that_it_touches() -> None:
    cube = _block(1, 1, 1)
    assert free_motion(cube, cube, [at(3, 0, 1), at(0, 0, 1), at(0, 3, 1)], SOME).answer == "free"


@pytest.mark.parametrize(("depth", "answer"), [(0.4, "free"), (1.1, "meets"), (5.0, "meets")])
def test_how_deep_it_reaches_in_decides(depth: float, answer: str) -> None:
    """Faces are moved inward by half the allowance: what is deeper than the whole is never free."""
    cube = _block(1, 1, 1)
    found = free_motion(cube, cube, [at(3, 0, 1 - depth * SOME), at(0, 0, 1 - depth * SOME)], SOME)
    assert found.answer == answer


def test_what_it_runs_into_is_named() -> None:
    cube = _block(1, 1, 1)
    found = free_motion(cube, cube, [at(5, 0, 0), at(3, 0, 0), at(0, 0, 0)], SOME)
    assert (found.answer, found.segment) == ("meets", 1)
    assert found.shares[0] > 2 / 3 - SOME
    assert cube.face_normals[found.faces[0]] @ cube.face_normals[found.faces[1]] < 0.5


def test_nothing_slips_through_a_thin_plate() -> None:
    plate, needle = _block(4, 4, 1e-3), _block(0.01, 0.01, 0.01)
    found = free_motion(needle, plate, [at(0.3, 0.2, 100.0), at(0.3, 0.2, -100.0)], 1e-5)
    assert found.answer == "meets"
    assert 0.49 < found.shares[0] < 0.51


@pytest.mark.parametrize(("length", "answer"), [(1.98, "free"), (2.04, "meets")])
def test_a_bar_that_turns_in_a_round_hole_must_be_short_enough(length: float, answer: str) -> None:
    ring, bar = nut(1.0, 0.2, 1.0, 0.0, around=90), _block(length, 0.05, 0.2)
    inner = ring.vertices[:, :2]
    free = np.linalg.norm(inner, axis=1).min()
    turned = [exponential(np.array([0, 0, 0, 0, 0, angle])) for angle in (0.0, 2.0, 4.0)]
    path = np.stack([at(0, 0, 0.2) @ turn for turn in turned])
    scaled = Surface(bar.vertices * np.array([free, 1, 1]), bar.faces)
    assert free_motion(scaled, ring, path, 1e-4).answer == answer


def test_a_part_inside_another_is_not_free() -> None:
    cube, small = _block(1, 1, 1), _block(0.1, 0.1, 0.1)
    assert free_motion(small, cube, [at(0, 0, 0), at(0, 0, 0.1)], 1e-4).answer == "meets"
    assert free_motion(cube, small, [at(0, 0, 0), at(0, 0, 0.1)], 1e-4).answer == "meets"


def test_a_nut_is_screwed_off_and_neither_pulled_nor_turned_at_another_pitch() -> None:
    rod, ring = bolt(8.0, 2.0, 12.0, around=32), nut(8.0, 2.0, 5.0, 0.05, around=32)
    allowance, start = 1e-4 * ring.size_m, at(0, 0, 4.0)
    off = _screwed(np.linspace(0, 2 * np.pi * 4.5, 12), 2.0, start)
    found = free_motion(ring, rod, off, allowance)
    assert found.answer == "free"
    assert free_motion(ring, rod, [start, at(0, 0, 13.0)], allowance).answer == "meets"
    other = free_motion(ring, rod, _screwed(np.linspace(0, 2 * np.pi * 4, 10), 1.9, start), allowance)
    assert other.answer == "meets"
    assert other.shares[0] > 0.1


def test_fcl_finds_no_collision_where_a_path_was_proved_free() -> None:
    fcl = pytest.importorskip("fcl")
    rod, ring = bolt(8.0, 2.0, 6.0, around=16), nut(8.0, 2.0, 3.0, 0.2, around=16)
    path = _screwed(np.linspace(0, 2 * np.pi * 2.2, 6), 2.0, at(0, 0, 2.0))
    assert free_motion(ring, rod, path, 1e-4 * ring.size_m).answer == "free"
    still = fcl.CollisionObject(_model(rod, fcl), fcl.Transform())
    model = _model(ring, fcl)
    for start, end in pairwise(path):
        for share in np.linspace(0, 1, 10):
            pose = start @ exponential(share * logarithm(np.linalg.inv(start) @ end))
            moved = fcl.CollisionObject(model, fcl.Transform(pose[:3, :3], pose[:3, 3]))
            assert not fcl.collide(moved, still, fcl.CollisionRequest(), fcl.CollisionResult())


def _model(made: Surface, fcl: object) -> object:
    model = fcl.BVHModel()  # type: ignore[attr-defined]
    model.beginModel(len(made.vertices), len(made.faces))
    model.addSubModel(made.vertices, made.faces)
    model.endModel()
    return model


@pytest.mark.parametrize("seed", range(6))
def test_compiled_and_plain_proofs_agree_and_samples_do_not_object(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(seed)
    one, other = ball(4, 5, axes=(1.0, 0.5, 0.3)), ball(5, 6, axes=(0.4, 1.0, 0.6))
    answers = set()
    for _ in range(8):
        start = exponential(np.concatenate([rng.normal(size=3) * 1.2, rng.normal(size=3)]))
        end = start @ exponential(np.concatenate([rng.normal(size=3), rng.normal(size=3)]) * 0.7)
        quick = free_motion(one, other, [start, end], SOME)
        with monkeypatch.context() as patched:
            patched.setattr(proofs, "compiles", lambda: False)
            slow = free_motion(one, other, [start, end], SOME)
        assert quick.answer == slow.answer != "not settled"
        answers.add(quick.answer)
        small, twist = shrunk(one, SOME), logarithm(np.linalg.inv(start) @ end)
        if quick.answer == "free":
            gaps = [
                least_distance(other, small, start @ exponential(s * twist)).distance_m for s in np.linspace(0, 1, 30)
            ]
            assert min(gaps) > 0
        elif quick.shares[0] > 0:
            pose = start @ exponential(quick.shares[0] * twist)
            assert least_distance(other, small, pose).distance_m < 1e-12
    assert answers == {"free", "meets"} or seed


@pytest.mark.parametrize("thing", [hook, key_in_a_keyhole])
def test_paths_that_searches_find_among_blocks_are_free(thing: Callable[[], Assembly]) -> None:
    assembly = fixed(thing(), at())
    path = TurningRemovals(BentRemovals(StraightRemovals(assembly, interfaces(assembly)))).path(2, 3)
    assert path is not None
    shell, part = (surface_of(body.shape) for body in assembly.bodies[:2])
    placed = np.linalg.inv(assembly.poses[0]) @ path
    allowance = 2e-4 * diameter(assembly)
    assert free_motion(part, shell, placed, allowance).answer == "free"
    shorter = np.stack([placed[0], placed[-1]])
    assert free_motion(part, shell, shorter, allowance).answer == "meets"


def test_a_small_budget_settles_nothing_and_says_so() -> None:
    rod, ring = bolt(8.0, 2.0, 12.0, around=32), nut(8.0, 2.0, 5.0, 0.05, around=32)
    pytest.importorskip("numba")
    found = free_motion(ring, rod, _screwed(np.array([0.0, 3.0]), 2.0, at(0, 0, 4.0)), 1e-3, budget=1000)
    assert found.answer == "not settled"
    assert found.faces == (-1, -1)


def test_a_proof_in_pieces_is_the_same_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    rod, ring = bolt(8.0, 2.0, 12.0, around=32), nut(8.0, 2.0, 5.0, 0.05, around=32)
    path = _screwed(np.array([0.0, 3.0]), 2.0, at(0, 0, 4.0))
    whole = free_motion(ring, rod, path, 1e-3)
    monkeypatch.setattr(proofs, "AT_ONCE", 3000)
    assert free_motion(ring, rod, path, 1e-3).answer == whole.answer == "free"


def test_a_shrunk_cube_is_smaller_by_half_the_allowance_at_each_face() -> None:
    small = shrunk(_block(1, 1, 1), 0.02)
    assert np.ptp(small.vertices, axis=0) == pytest.approx([0.98, 0.98, 0.98])
    nut_like = nut(1.0, 0.4, 1.2, 0.01, around=24)
    less = shrunk(nut_like, 0.004)
    moved = nut_like.signed(less.vertices).distances
    assert (moved < 0).all()
    assert moved.min() >= -0.004


@pytest.mark.parametrize(
    ("path", "allowance", "told"),
    [([np.eye(3)], 1e-3, "a path of poses"), ([np.eye(4)], 0.0, "an allowance above 0 m, found 0")],
)
def test_questions_that_make_no_sense_are_refused(path: list[Array], allowance: float, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        free_motion(_block(1, 1, 1), _block(1, 1, 1), path, allowance)
