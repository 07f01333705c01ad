"""Parts of convex pieces look as if they were of one piece: their faces, edges and corners are those of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.convex_hulls import convex_hull
from falsework.geometry.shapes.facets import Facets, facets
from falsework.geometry.shapes.seams import SEAM
from falsework.geometry.shapes.solids import bulk, is_closed, outer_surface, surface
from falsework.model.arrays import Array, Bools
from falsework.model.shapes import ConvexPieces, Mesh, Polygon, Polyhedron, box
from tests.geometry.assemblies import assembled, at, tilted

Box = tuple[tuple[int, int, int], tuple[int, int, int]]  # lowest and highest corner
L: list[Box] = [((0, 0, 0), (3, 1, 1)), ((0, 0, 1), (1, 1, 3))]
T: list[Box] = [((0, 0, 2), (3, 1, 3)), ((1, 0, 0), (2, 1, 2))]
U: list[Box] = [((0, 0, 0), (3, 1, 1)), ((0, 0, 1), (1, 1, 3)), ((2, 0, 1), (3, 1, 2))]
STEPS: list[Box] = [((0, 0, 0), (1, 2, 3)), ((1, 0, 0), (2, 2, 2)), ((2, 0, 0), (3, 2, 1))]
HALF_SIDE: list[Box] = [((0, 0, 0), (1, 3, 3)), ((1, 1, 1), (2, 2, 2))]  # a knob in the middle of a side
SHIFTED: list[Box] = [((0, 0, 0), (2, 2, 1)), ((1, 1, 1), (3, 3, 2))]  # walls that cover each other in part
BLOCK: list[Box] = [((0, 0, 0), (1, 2, 2)), ((1, 0, 0), (3, 2, 1)), ((1, 0, 1), (2, 2, 2)), ((2, 0, 1), (3, 2, 2))]


def pieces(boxes: list[Box], pose: Array, rng: np.random.Generator | None = None, noise: float = 0.0) -> ConvexPieces:
    made = []
    for low, high in boxes:
        local = box(tuple(np.subtract(high, low).astype(float))).vertices + np.array(low)
        vertices = local @ pose[:3, :3].T + pose[:3, 3]
        if rng is not None:
            vertices = vertices + noise * rng.normal(size=vertices.shape)
        made.append(Polyhedron(vertices, box((1.0, 1.0, 1.0)).faces))
    return ConvexPieces(tuple(made))


def prism(outline: list[tuple[int, int]], pose: Array) -> Polyhedron:
    """The same in one piece, from y = 0 to 1."""
    whole = surface(Polygon(np.array(outline, dtype=float), 1.0))
    vertices = (whole.vertices + np.array([0.0, 0.5, 0.0])) @ pose[:3, :3].T + pose[:3, 3]
    return Polyhedron(vertices, tuple(map(tuple, whole.triangles.tolist())))


def corners_of(found: Facets) -> int:
    return len(np.unique(found.loop_vertices))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("boxes", "faces", "corners", "area"),
    [
        (L, 8, 12, 22),
        (T, 10, 16, 22),
        (U, 10, 16, 26),
        (STEPS, 10, 16, 2 * 6 + 2 * 3 * 2 + 2 * 3 * 2),
        (HALF_SIDE, 11, 16, 2 * 9 + 4 * 3 + 4),
        (SHIFTED, 12, 18, 2 * (8 + 4 + 4) - 2),
        (BLOCK, 6, 8, 2 * (6 + 6 + 4)),
    ],
)
def test_faces_and_corners_are_those_of_the_whole(
    boxes: list[Box], faces: int, corners: int, area: float, seed: int
) -> None:
    pose = np.eye(4) if seed == 0 else tilted(seed, (3.0, 7.0, 11.0))
    whole = outer_surface(pieces(boxes, pose, np.random.default_rng(seed), 10.0 ** (-18 + 2 * seed)))
    found = facets(whole)
    assert is_closed(whole.triangles)
    assert (len(found), corners_of(found)) == (faces, corners)
    assert found.areas.sum() == pytest.approx(area, rel=1e-6)
    assert (found.facet_of >= 0).all()  # no triangle without a normal


@pytest.mark.parametrize("seed", range(25))
def test_random_boxes_have_the_corners_that_their_cells_have(seed: int) -> None:
    rng = np.random.default_rng(seed)
    filled, boxes = _random_boxes(rng)
    whole = outer_surface(pieces(boxes, tilted(seed), rng, float(rng.choice([0.0, 1e-16, 1e-9]))))
    found = facets(whole)
    area, corners = _cells_outside(filled)
    assert is_closed(whole.triangles)
    assert bulk(whole).volume_m3 == pytest.approx(filled.sum(), rel=1e-6)
    assert found.areas.sum() == pytest.approx(area, rel=1e-6)
    assert corners_of(found) == corners


def _random_boxes(rng: np.random.Generator) -> tuple[Bools, list[Box]]:
    """Boxes that do not overlap, of cells."""
    filled, boxes = np.zeros((5, 5, 5), dtype=bool), []
    while len(boxes) < 5:
        low = rng.integers(0, 5, 3)
        high = np.minimum(low + rng.integers(1, 4, 3), 5)
        cells = tuple(slice(*ends) for ends in zip(low, high, strict=True))
        if not filled[cells].any():
            filled[cells] = True
            boxes.append((tuple(low.tolist()), tuple(high.tolist())))
    return filled, boxes


def _cells_outside(filled: Bools) -> tuple[int, int]:
    """Area of the outside, and in how many places the eight cells around are not alike along any axis."""
    cells = np.pad(filled, 1)
    area = sum(int((np.diff(cells.astype(int), axis=axis) != 0).sum()) for axis in range(3))
    around = np.lib.stride_tricks.sliding_window_view(cells, (2, 2, 2)).reshape(-1, 2, 2, 2)
    straight = [
        (around.take(0, axis) == around.take(1, axis)).reshape(len(around), -1).all(axis=1) for axis in (1, 2, 3)
    ]
    return area, int((~np.any(straight, axis=0)).sum())


@pytest.mark.parametrize("seed", range(10))
def test_a_body_cut_by_planes_and_put_together_is_whole_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(12, 3))
    whole = facets(_hull(cloud))
    parts = [cloud]
    for _ in range(5):
        normal, offset = rng.normal(size=3), 0.3 * rng.normal()
        parts = [half for points in parts for half in _halves(points, normal, offset)]
    shape = ConvexPieces(tuple(_polyhedron(_hull(points)) for points in parts))
    found = facets(outer_surface(shape))
    assert len(parts) > 4
    assert (len(found), corners_of(found)) == (len(whole), corners_of(whole))
    assert np.sort(found.areas) == pytest.approx(np.sort(whole.areas), rel=1e-4)


def _hull(points: Array) -> Mesh:
    made = convex_hull(points)
    triangles = made.simplices.copy()
    corners = made.points[triangles]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = (doubled * made.equations[:, :3]).sum(axis=1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    used, triangles = np.unique(triangles, return_inverse=True)
    return Mesh(made.points[used], triangles.reshape(-1, 3))


def _polyhedron(mesh: Mesh) -> Polyhedron:
    return Polyhedron(mesh.vertices, tuple(map(tuple, mesh.triangles.tolist())))


def _halves(points: Array, normal: Array, offset: float) -> list[Array]:
    """A hull on either side of a plane, as points; as it is where the plane passes it by, or nearly."""
    mesh = _hull(points)
    points = mesh.vertices
    height = points @ normal - offset
    if height.min() > -0.05 or height.max() < 0.05:
        return [points]
    ends = np.unique(np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    ends = ends[height[ends[:, 0]] * height[ends[:, 1]] < 0]
    share = height[ends[:, 0]] / (height[ends[:, 0]] - height[ends[:, 1]])
    met = points[ends[:, 0]] + share[:, None] * (points[ends[:, 1]] - points[ends[:, 0]])
    return [np.concatenate([points[side], met]) for side in (height > 0, height < 0)]


def test_pieces_further_apart_than_a_seam_do_not_touch() -> None:
    for gap, faces in ((0.1 * SEAM, 6), (10 * SEAM, 12)):
        apart = Polyhedron(box((1, 1, 1)).vertices + np.array([1 + gap, 0.0, 0.0]), box((1, 1, 1)).faces)
        assert len(facets(outer_surface(ConvexPieces((box((1.0, 1.0, 1.0)), apart))))) == faces


def test_pieces_that_overlap_are_united() -> None:
    second = Polyhedron(box((1, 1, 1)).vertices + np.array([0.5, 0.25, 0.5]), box((1, 1, 1)).faces)
    whole = outer_surface(ConvexPieces((box((1.0, 1.0, 1.0)), second)))
    assert bulk(whole).volume_m3 == pytest.approx(2 - 0.5 * 0.75 * 0.5)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("boxes", "outline"),
    [
        (L, [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]),
        (T, [(0, 2), (1, 2), (1, 0), (2, 0), (2, 2), (3, 2), (3, 3), (0, 3)]),
        (U, [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 3), (0, 3)]),
    ],
)
def test_beams_touch_pieces_as_they_touch_the_whole(
    boxes: list[Box], outline: list[tuple[int, int]], seed: int
) -> None:
    """The lower edge of a beam is held against a flat side just where two pieces meet, and elsewhere."""
    pose = np.eye(4) if seed == 0 else tilted(seed)
    beam = box((1.0, 0.6, 1.0))
    places = ((3.0, 1.0), (3.0, 0.5), (-1.0, 1.0), (-1.0, 2.0), (1.0, 1.0), (1.0, 3.0), (2.0, 2.0), (-1.0, 3.0))
    for x, z in places:
        for y in (0.2, 0.4):
            if _overlaps(boxes, x, z):
                continue
            found = [
                interfaces(assembled((beam, pose @ at(x, y, z)), (shape, np.eye(4)))).counts()
                for shape in (pieces(boxes, pose), prism(outline, pose))
            ]
            assert found[0] == found[1], (x, y, z)


def _overlaps(boxes: list[Box], x: float, z: float) -> bool:
    return any(low[0] < x + 1 and x < high[0] and low[2] < z + 1 and z < high[2] for low, high in boxes)


@pytest.mark.parametrize("seed", range(12))
def test_how_a_part_is_cut_into_pieces_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    filled, boxes = _random_boxes(rng)
    pose = np.eye(4) if seed % 3 == 0 else tilted(seed)
    places = [low for low in (0.5 * rng.integers(-4, 12, 3) for _ in range(60)) if _is_free(filled, low)]
    cells = [((x, y, z), (x + 1, y + 1, z + 1)) for x, y, z in np.argwhere(filled).tolist()]
    shapes = pieces(boxes, pose), pieces(cells, pose), pieces(boxes, pose, rng, 1e-9)
    for low in places[:8]:
        beam = box((1.5, 1.5, 1.5)), pose @ at(*low)
        one, *others = (interfaces(assembled(beam, (shape, np.eye(4)))).counts() for shape in shapes)
        assert all(one == other for other in others), low


def _is_free(filled: Bools, low: Array) -> bool:
    """Whether a cube of one and a half cells fits there."""
    first, last = np.floor(low).astype(int), np.ceil(low + 1.5).astype(int)
    around = np.pad(filled, 8)[tuple(slice(a + 8, b + 8) for a, b in zip(first, last, strict=True))]
    return not around.any()


@pytest.mark.parametrize("seed", range(10))
def test_the_edge_of_a_beam_at_a_seam_of_a_flat_side_has_no_corner_there(seed: int) -> None:
    """A hook whose side, of two pieces, leans against a beam: all that they share is one face."""
    pose = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    turn = np.eye(4)
    turn[:3, :3] = pose
    hook = pieces([((0, 0, 0), (1, 1, 1)), ((0, 0, 1), (1, 1, 4)), ((1, 0, 3), (2, 1, 4))], turn)
    joints = interfaces(assembled((box((3.0, 1.0, 2.0)), turn @ at(1.0, 0.0, 1.0)), (hook, np.eye(4))))
    counts = joints.counts()
    assert (counts["contacts"], counts["edges"], counts["corners"], counts["ambiguous"]) == (2, 0, 0, 0)


def test_one_piece_is_itself() -> None:
    alone = ConvexPieces((box((1.0, 1.0, 1.0)),))
    assert outer_surface(alone) is surface(alone)


# A plate on two sharp skids, as an adversary turned it: manifold3d 3.5.4 loses one end of a skid in the union.
WEDGE = ((0, 1, 2), (5, 4, 3), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0))
PLATE = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
SLEDGE = (
    [
        (0.0, 0.0, 0.0),
        (-0.399610425562784, 0.11167279036770228, -0.38346316089288734),
        (-0.5524425864570142, 0.06276275632320452, -0.10035599222936852),
        (-0.2889659277598844, -3.8589263376087617, -0.8226690507749569),
        (-0.6885763533226684, -3.7472535472410593, -1.2061322116678443),
        (-0.8414085142168987, -3.796163581285557, -0.9230250430043253),
    ],
    [
        (0.5499926140655427, 0.17601110473589826, -1.0188094628963762),
        (0.15038218850275864, 0.28768389510360054, -1.4022726237892638),
        (-0.0024499723914714875, 0.23877386105910275, -1.119165455125745),
        (0.26102668630565823, -3.682915232872863, -1.841478513671333),
        (-0.13858373925712575, -3.5712424425051608, -2.2249416745642208),
        (-0.29141590015135593, -3.6201524765496584, -1.9418345059007018),
    ],
    [
        (-0.5524425864570142, 0.06276275632320452, -0.10035599222936852),
        (0.15038218850275875, 0.28768389510360054, -1.402272623789264),
        (-0.13858373925712564, -3.5712424425051608, -2.2249416745642208),
        (-0.8414085142168987, -3.796163581285557, -0.9230250430043253),
        (-0.727090716454923, 0.09476185894680535, -0.1891095692709553),
        (-0.024265941495150017, 0.3196829977272013, -1.4910262008308506),
        (-0.31323186925503443, -3.53924333988156, -2.3136952516058074),
        (-1.0160566442148073, -3.764164478661956, -1.0117786200459122),
    ],
)


def test_a_union_that_loses_a_corner_is_made_again() -> None:
    faces = (WEDGE, WEDGE, PLATE)
    sledge = ConvexPieces(tuple(Polyhedron(np.array(c), f) for c, f in zip(SLEDGE, faces, strict=True)))
    whole = outer_surface(sledge)
    assert bulk(whole).volume_m3 == pytest.approx(bulk(surface(sledge)).volume_m3, rel=1e-9)
    for corners in SLEDGE[:2]:  # the skids: each of their sharp ends is there
        assert np.linalg.norm(whole.vertices - corners[0], axis=1).min() < 1e-9
        assert np.linalg.norm(whole.vertices - corners[3], axis=1).min() < 1e-9


def test_pieces_that_share_space_are_united_whichever_way_they_lie() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        pose = tilted(int(rng.integers(1000)))
        crossed = pieces([((-2, -1, -1), (2, 1, 1)), ((-1, -2, -1), (1, 2, 1))], pose)
        assert bulk(outer_surface(crossed)).volume_m3 == pytest.approx(24.0, rel=1e-9)
