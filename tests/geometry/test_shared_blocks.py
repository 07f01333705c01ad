"""Published structures give the counts that are known of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework.bench.pairwise import pairwise_patches
from falsework.geometry.contacts.flat.planar import PlanarContacts
from falsework.geometry.contacts.overlap import penetrations
from falsework.geometry.mending.repair import closed
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from tests.geometry.assemblies import ungrouped

BLOCKS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "blocks"
pytestmark = pytest.mark.skipif(not BLOCKS.is_dir(), reason="the shared reference data is not on this machine")

COUNTS = {
    "arch": (8, 32),
    "tetris-1": (24, 96),
    "tetris-2": (38, 152),
    "tetris-3": (30, 120),
    "rulin": (88, None),
    "dome": (204, 816),
}


def blocks(name: str) -> Assembly:
    parts = []
    for path in sorted((BLOCKS / name).glob("*.obj"), key=lambda path: int(path.stem)):
        raw = trimesh.load(path, process=False, force="mesh")
        mesh, _ = closed(raw.vertices, raw.faces)
        parts.append(make_part(path.stem, mesh, np.eye(4)))
    return Assembly(tuple(parts))


@pytest.mark.parametrize("name", COUNTS)
def test_published_blocks_have_their_contacts_and_do_not_overlap(name: str) -> None:
    assembly = blocks(name)
    patches = PlanarContacts().find(assembly, Interfaces.none()).patches
    contacts, points = COUNTS[name]
    assert len(patches) == contacts
    assert points is None or len(patches.points) == points
    assert penetrations(assembly, ungrouped(assembly)) == []


@pytest.mark.parametrize("name", ["tetris-1", "dome"])
def test_pairwise_method_counts_the_same(name: str) -> None:
    assembly = blocks(name)
    found, plain = PlanarContacts().find(assembly, Interfaces.none()).patches, pairwise_patches(assembly)
    assert np.array_equal(found.bodies, plain.bodies[np.lexsort((plain.bodies[:, 1], plain.bodies[:, 0]))])


def test_arch_stones_are_closed_with_a_warning() -> None:
    raw = trimesh.load(BLOCKS / "arch" / "4.obj", process=False, force="mesh")
    mesh, warnings = closed(raw.vertices, raw.faces)
    assert warnings == ["dropped 2 degenerate triangles"]
    assert len(mesh.triangles) == 12
