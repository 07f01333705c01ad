"""What every contact finder promises, whoever implements it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from falsework.formats.bricks.library.built_in import built_in
from falsework.geometry.contacts.corners import CornerContacts
from falsework.geometry.contacts.curved.doubtful import DoubtfulContacts
from falsework.geometry.contacts.curved.finder import CurvedContacts
from falsework.geometry.contacts.fitted import FittedContacts
from falsework.geometry.contacts.flat.planar import PlanarContacts
from falsework.geometry.contacts.grid_contacts import BrickContacts
from falsework.geometry.contacts.interfaces import FINDERS, interfaces
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.solids import make_part, surface
from falsework.geometry.shapes.tolerances import GAP
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import brick_type
from falsework.model.interfaces import Clutches, Hinges, Interfaces, Patches
from falsework.model.part import Part
from falsework.model.ports import ContactFinder
from falsework.model.shapes import BrickShape, Polygon, box

NOTHING = Interfaces.none()


def pose(x: float, y: float, z: float, axis: str = "z", degrees: float = 0.0) -> Array:
    made = np.eye(4)
    made[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    made[:3, 3] = x, y, z
    return made


def blocks() -> Assembly:
    """Convex blocks: faces on faces, an edge on a face, a leaning plank, cubes that meet in an edge."""
    plank = Polygon(np.array([(1.0, 0.0), (1.1, 0.05), (0.1, 1.8), (0.0, 1.75)]), 1.0)
    cube = box((1.0, 1.0, 1.0))
    placed = [
        (box((9.0, 4.0, 1.0)), pose(-4.5, -2.0, -1.0)),
        (plank, pose(0.0, 1.0, 0.0)),
        (cube, pose(-3.0, -1.5, 0.0, "y", -45)),
        (cube, pose(2.0, -1.0, 0.0)),
        (cube, pose(3.0, -1.0, 1.0)),
        (cube, pose(2.5, 0.0, 0.0)),
    ]
    return Assembly(tuple(make_part(f"block-{k}", shape, where) for k, (shape, where) in enumerate(placed)))


def bricks() -> Assembly:
    """Bricks side by side and on each other, a tile, and a block beside them."""
    made = [
        ("brick_2x4", (0.0, 0.0, 0.0)),
        ("brick_2x4", (0.016, 0.0, 0.0)),
        ("brick_2x4", (0.008, 0.0, 0.0096)),
        ("tile_1x2", (0.0, 0.0, 0.0096)),
    ]
    parts = [
        make_part(f"brick-{k}", BrickShape(brick_type(kind)), pose(*where)) for k, (kind, where) in enumerate(made)
    ]
    beside = make_part("block", box((0.01, 0.02, 0.005)), pose(0.032, 0.0, 0.0))
    return Assembly((*parts, beside))


def moulds() -> Assembly:
    """A brick with a stud on its side, on another brick; a plate on that stud, and one beside it."""
    known = built_in()["87087"]
    side = make_part("side", known.solid, pose(0.004, 0.004, 0.0192), mass_kg=known.mass_kg)
    parts = [
        make_part("foot", BrickShape(brick_type("brick_2x4")), pose(0.0, 0.0, 0.0)),
        replace(side, mould=known.mould),
        make_part("plate", BrickShape(brick_type("plate_1x1")), sideways_plate()),
    ]
    return Assembly(tuple(parts))


def sideways_plate() -> Array:
    """On the stud that looks along −y from the middle of the side brick, 4 mm below its top."""
    where = np.eye(4)
    where[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # its z, up its stud, is −y of the world
    where[:3, 3] = 0.0, 0.0, 0.0192 - 0.004 - 0.004
    return where


def logs() -> Assembly:
    """Three round logs on a floor, one on the other two, and a half one with its flat side down."""
    turns = 2 * np.pi * np.arange(256) / 256
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    placed = [
        (box((12.0, 4.0, 1.0)), pose(-4.0, -2.0, -1.0)),
        (Polygon(circle, 3.0), pose(-1.0, 0.0, 1.0)),
        (Polygon(circle, 3.0), pose(1.0, 0.0, 1.0, "y", 0.7)),
        (Polygon(circle, 2.0), pose(0.0, 0.0, 1.0 + np.sqrt(3.0), "y", 0.3)),
        (Polygon(circle[:129], 3.0), pose(4.0, 0.0, 0.0)),
    ]
    return Assembly(tuple(make_part(f"log-{k}", shape, where) for k, (shape, where) in enumerate(placed)))


CASES = {"blocks": blocks(), "bricks": bricks(), "logs": logs(), "moulds": moulds()}


@pytest.fixture(params=FINDERS, ids=lambda finder: type(finder).__name__)
def finder(request: pytest.FixtureRequest) -> ContactFinder:
    made: ContactFinder = request.param
    return made


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def assembly(request: pytest.FixtureRequest) -> Assembly:
    made: Assembly = request.param
    return made


def test_the_cases_have_contacts_of_every_kind() -> None:
    found = [finder.find(case, NOTHING) for finder in FINDERS for case in CASES.values()]
    has_patches = np.array([len(one.patches) > 0 for one in found]).reshape(len(FINDERS), len(CASES))
    bricks_, fitted, curved, planar, corners_, doubtful = has_patches.tolist()
    assert (bricks_, fitted) == ([False, True, False, False], [False] * 4)
    assert curved == [False, False, True, False]
    assert (planar, corners_, doubtful) == ([True] * 4, [True, True, True, False], [False] * 4)
    clutches = np.array([len(one.clutches) for one in found]).reshape(len(FINDERS), len(CASES))
    assert clutches[:2].tolist() == [[0, 3, 0, 0], [0, 0, 0, 2]]
    assert any(len(one.ambiguous) for one in found)


def test_normals_are_unit_and_point_from_the_lower_number_into_the_higher(
    finder: ContactFinder, assembly: Assembly
) -> None:
    found = finder.find(assembly, NOTHING)
    near = GAP * diameter(assembly)
    for bodies, points, normals in contacts(found):
        assert bodies[0] < bodies[1]
        assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0)
        for normal in normals:  # convex bodies: the first is behind the plane, the second before it
            low, high = (corners(assembly.bodies[body]) @ normal for body in bodies)
            assert low.max() <= (points @ normal).max() + near and high.min() >= (points @ normal).min() - near


def test_points_lie_on_both_surfaces(finder: ContactFinder, assembly: Assembly) -> None:
    for bodies, points, _ in contacts(finder.find(assembly, NOTHING)):
        for body in bodies:
            mesh = surface(assembly.bodies[body].shape)
            apart = distance(corners(assembly.bodies[body])[mesh.triangles], points)
            assert apart.max() <= GAP * diameter(assembly)


def test_the_same_question_has_the_same_answer_in_the_same_order(finder: ContactFinder, assembly: Assembly) -> None:
    one, other = finder.find(assembly, NOTHING), finder.find(Assembly(assembly.parts), NOTHING)
    for name in ("bodies", "normals", "friction", "starts", "points"):
        assert np.array_equal(getattr(one.patches, name), getattr(other.patches, name))
        assert np.array_equal(getattr(one.ambiguous, name), getattr(other.ambiguous, name))
    assert np.array_equal(one.clutches.bodies, other.clutches.bodies)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_neither_the_place_in_the_world_nor_the_order_of_parts_matters(
    finder: ContactFinder, assembly: Assembly, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=rng).as_matrix(), 3 * diameter(assembly) * rng.normal(size=3)
    order = rng.permutation(len(assembly.parts))
    parts = [assembly.parts[k] for k in order]
    turned = Assembly(tuple(replace(part, T_world_part=T @ part.T_world_part) for part in parts))
    before, after = finder.find(assembly, NOTHING), finder.find(turned, NOTHING)
    wanted = sorted_rows(before, np.arange(len(order)), np.eye(4))
    found = sorted_rows(after, order, np.linalg.inv(T))
    assert len(found) == len(wanted)
    near = 1e-6 * diameter(assembly)
    for (bodies, points, normals), (others, places, ways) in zip(found, wanted, strict=True):
        assert bodies == others and normals == pytest.approx(ways, abs=1e-6)
        assert points == pytest.approx(places, abs=near)


def test_finders_do_not_repeat_what_is_known(assembly: Assembly) -> None:
    known = interfaces(assembly)
    again = CornerContacts().find(assembly, known)
    assert len(again.patches) == 0
    kinds = [type(finder) for finder in FINDERS]
    assert kinds == [
        BrickContacts,
        FittedContacts,
        CurvedContacts,
        PlanarContacts,
        CornerContacts,
        DoubtfulContacts,
    ]


class Magnet:
    """A finder that somebody else brings along: one point between the first two bodies."""

    def __init__(self) -> None:
        self.told = Interfaces.none()

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        self.told = known
        point, normal = np.array([[0.0, 0.0, 5.0]]), np.array([[0.0, 0.0, 1.0]])
        patch = Patches(np.array([[0, 1]]), normal, np.array([0.1]), np.array([0, 1]), point)
        return Interfaces(patch, Clutches.none(), known.hinges)


def test_a_finder_of_ones_own_is_told_what_the_others_found_and_adds_to_it() -> None:
    magnet = Magnet()
    plain, more = interfaces(blocks()), interfaces(blocks(), (*FINDERS, magnet))
    assert len(magnet.told.patches) == len(plain.patches)
    assert len(more.patches) == len(plain.patches) + 1
    assert more.patches.bodies.tolist() == sorted(more.patches.bodies.tolist())
    assert isinstance(more.hinges, Hinges)


def contacts(joints: Interfaces) -> list[tuple[tuple[int, int], Array, Array]]:
    """Bodies, points and normals of all contacts, the ambiguous ones too."""
    rows = []
    for table, ends, ways in (
        (joints.patches, joints.patches.starts, np.arange(len(joints.patches) + 1)),
        (joints.ambiguous, joints.ambiguous.starts, joints.ambiguous.normal_starts),
    ):
        for k, (first, second) in enumerate(table.bodies.tolist()):
            points, normals = table.points[ends[k] : ends[k + 1]], table.normals[ways[k] : ways[k + 1]]
            rows.append(((first, second), points, normals))
    return rows


def sorted_rows(joints: Interfaces, names: Array, T: Array) -> list[tuple[tuple[int, ...], Array, Array]]:
    """Contacts in another frame and with other body numbers, in an order that depends on neither."""
    rows = []
    for bodies, points, normals in contacts(joints):
        numbers = names[list(bodies)]
        sign = 1.0 if numbers[0] < numbers[1] else -1.0
        places, ways = points @ T[:3, :3].T + T[:3, 3], sign * normals @ T[:3, :3].T
        rows.append((tuple(sorted(numbers.tolist())), in_order(places), in_order(ways)))
    return sorted(
        rows, key=lambda row: (row[0], len(row[1]), (row[2].round(4) + 0.0).tolist(), (row[1].round(5) + 0.0).tolist())
    )


def in_order(rows: Array) -> Array:
    keys = (rows / np.abs(rows).max(initial=1e-9)).round(4) + 0.0
    ordered: Array = rows[np.lexsort(keys.T[::-1])]
    return ordered


def corners(part: Part) -> Array:
    placed: Array = surface(part.shape).vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return placed


def distance(triangles: Array, points: Array) -> Array:
    """(p,) how far points (p, 3) are from the nearest of triangles (t, 3, 3)."""
    every = np.repeat(points, len(triangles), axis=0)
    nearest = trimesh.triangles.closest_point(np.tile(triangles, (len(points), 1, 1)), every)
    apart: Array = np.linalg.norm(nearest - every, axis=1).reshape(len(points), -1).min(axis=1)
    return apart
