"""Pairs that are one pair, moved, are looked at once, and have the contacts that each would have by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from falsework.bench.round_shapes import rod, turned
from falsework.formats import load
from falsework.geometry.contacts import repeats
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.overlap import sharings
from falsework.geometry.shapes import equal_shapes
from falsework.geometry.shapes.facets import facets_of
from falsework.geometry.shapes.placed_solids import scene
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, box

PLACES = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.2))


def _sleeve() -> Mesh:
    """A ring around a hole of 10 mm radius, 40 mm high, in other facets than its peg has."""
    return turned([(0.01, -0.02), (0.02, -0.02), (0.02, 0.02), (0.01, 0.02)], 200, ring=True)


def _at(mesh: Mesh, turn: Array, place: tuple[float, ...]) -> Mesh:
    return Mesh(mesh.vertices @ turn.T + np.array(place), mesh.triangles)


def _pegs(off_m: float = 0.0) -> Assembly:
    """Pegs, 20 µm too thick, in sleeves of their own, all elsewhere; the last peg pulled out by `off_m`."""
    under = np.eye(4)
    under[2, 3] = -1.0
    parts = [make_part("plate", box((0.5, 0.5, 0.02)), under)]
    for number, place in enumerate(PLACES):
        turn = _turn(number)
        pose = np.eye(4)
        pose[:3, 3] = [0.0, 0.0, 0.1 * number]
        pulled = off_m if number == len(PLACES) - 1 else 0.0
        peg = _at(rod(0.01002, 0.05, 160), np.eye(3), (0.0, 0.0, pulled))
        parts.append(make_part(f"peg-{number}", _at(peg, turn, place), pose))
        parts.append(make_part(f"sleeve-{number}", _at(_sleeve(), turn, place), pose))
    return Assembly(tuple(parts), fixed=frozenset({"plate"}))


def _rows(assembly: Assembly, number: int) -> Array:
    """Points of all patches of a pair, as the peg sees them: radius, height, and how normals lean; sorted.

    Where about the axis the lines of a ring begin is left open: there rounding may decide.
    """
    patches = interfaces(assembly).patches
    mine = np.flatnonzero((patches.bodies[patches.owner] == (1 + 2 * number, 2 + 2 * number)).all(axis=1))
    part = assembly.parts[1 + 2 * number]
    local = (patches.points[mine] - part.com_world_m) @ _turn(number)
    normals = patches.normals[patches.owner[mine]] @ _turn(number)
    outward = (normals[:, :2] * local[:, :2]).sum(axis=1)
    rows = np.column_stack([np.hypot(*local[:, :2].T), local[:, 2], outward, 0.01 * normals[:, 2]])
    return rows[np.lexsort(np.round(rows, 6).T)]


def _turn(number: int) -> Array:
    turn: Array = Rotation.from_euler("xyz", (0.3 * number, 0.2 * number, 0.1)).as_matrix()
    return turn


def test_equal_pairs_are_found_however_they_lie() -> None:
    found = repeats.repeats_of(_pegs())
    assert [(one.bodies, one.first) for one in found] == [((3, 4), (1, 2)), ((5, 6), (1, 2))]


def test_a_pair_that_lies_otherwise_is_looked_at_itself() -> None:
    found = repeats.repeats_of(_pegs(off_m=1e-4))
    assert [one.bodies for one in found] == [(3, 4)]


def test_moved_contacts_are_those_that_each_pair_has_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    once = _pegs()
    shared = [(one.first, one.second, one.depth_m) for one in sharings(once, grid_groups(once))]
    found = [_rows(once, number) for number in range(3)]
    counts, curved = interfaces(once).counts(), [one.bodies for one in interfaces(once).curved]
    for module in (equal_shapes, repeats):
        monkeypatch.setattr(module, "WORTH", 10**9)
    each = _pegs()
    assert repeats.repeats_of(each) == ()
    assert counts == interfaces(each).counts() and curved == [one.bodies for one in interfaces(each).curved]
    alone = [(one.first, one.second, one.depth_m) for one in sharings(each, grid_groups(each))]
    assert [pair[:2] for pair in shared] == [pair[:2] for pair in alone] == [(1, 2), (3, 4), (5, 6)]
    assert [pair[2] for pair in shared] == pytest.approx([pair[2] for pair in alone], rel=1e-3)
    for number, rows in enumerate(found):
        assert len(rows) > 100 and np.allclose(rows, _rows(each, number), atol=1e-8)


def test_facets_of_equal_solids_are_those_of_the_first_moved() -> None:
    assembly = _pegs()
    placed = scene(assembly, grid_groups(assembly))
    alone = facets_of(placed.vertices, placed.triangles, np.full(len(placed.triangles), 1e-5))
    assert len(placed.facets) == len(alone)
    assert sorted(np.bincount(placed.facets.facet_of)) == sorted(np.bincount(alone.facet_of))
    rows = [np.hstack([table.centres, 0.01 * table.normals]) for table in (placed.facets, alone)]
    off, which = cKDTree(rows[1]).query(rows[0])
    assert off.max() < 1e-9 and len(set(which.tolist())) == len(alone)
    assert placed.facets.areas == pytest.approx(alone.areas[which], rel=1e-6)
    assert (np.diff(placed.facets.loop_facets) >= 0).all()
    corners = placed.vertices[placed.facets.loop_vertices]
    owner = np.repeat(placed.facets.loop_facets, np.diff(placed.facets.loop_starts))
    heights = ((corners - placed.facets.centres[owner]) * placed.facets.normals[owner]).sum(axis=1)
    assert np.abs(heights).max() < 1e-8


def _stl(mesh: Mesh) -> bytes:
    corners = mesh.vertices[mesh.triangles]
    faces = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    faces["corners"] = corners
    return bytes(80) + np.uint32(len(corners)).tobytes() + faces.tobytes()


def test_shifted_files_are_mended_once_and_stay_where_they_are(tmp_path: Path) -> None:
    pegs = {"a": (0.0, 0.0, 0.0), "b": (0.3, 0.1, 0.7), "c": (0.3, 0.1, 0.7)}
    for name, place in pegs.items():
        peg = rod(0.01, 0.05 if name != "c" else 0.0501, 160)
        (tmp_path / f"{name}.stl").write_bytes(_stl(_at(peg, np.eye(3), place)))
    a, b, c = load(str(tmp_path)).parts
    assert isinstance(a.shape, Mesh) and isinstance(b.shape, Mesh) and isinstance(c.shape, Mesh)
    assert b.com_part_m - a.com_part_m == pytest.approx([0.3, 0.1, 0.7], abs=1e-7)
    assert np.ptp(b.shape.vertices, axis=0) == pytest.approx(np.ptp(a.shape.vertices, axis=0), abs=1e-12)
    assert np.ptp(c.shape.vertices[:, 2]) == pytest.approx(0.0501, abs=1e-7)
