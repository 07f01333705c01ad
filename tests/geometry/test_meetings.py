"""Tables of what blocks what: shortcuts by hulls and cores change no answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.geometry.ways.meetings import Meeting
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, Polyhedron, box
from tests.geometry.assemblies import cut_box, vaulted_shell

MADE: dict[str, Callable[[], Assembly]] = {
    "vaulted shell": lambda: vaulted_shell(1, 1),
    "burr": lambda: make("burr-puzzle"),
    "frame": lambda: make("mortise-frame", bays=2),
    "bird house": lambda: make("bird-house"),
    "cut box": lambda: cut_box(5, np.random.default_rng(3)),
    "dome": lambda: make("dome", rings=2, segments=6),
}


def _plainly(oracle: StraightRemovals, one: int, other: int, directions: Array) -> Bools:
    """Every piece of one body against every piece of the other."""
    met = np.zeros(len(directions), dtype=bool)
    for a in oracle._pieces[one].body:
        for b in oracle._pieces[other].body:
            met |= Meeting(a, b, oracle._depth_m).met(directions)
    return met


@pytest.mark.parametrize("name", MADE)
def test_what_blocks_what_is_the_same_as_by_every_pair_of_pieces(name: str) -> None:
    assembly = MADE[name]()
    oracle = StraightRemovals(assembly, interfaces(assembly))
    directions = oracle.common[:: 1 if len(assembly.parts) < 4 else 7]
    for one in range(min(len(assembly.parts), 4)):
        for other in range(len(assembly.parts)):
            if one < other:
                assert np.array_equal(
                    oracle._pair_met(one, other, directions), _plainly(oracle, one, other, directions)
                )


def test_a_core_is_inside_its_solid_and_most_of_it() -> None:
    block = vaulted_shell(1, 2).parts[0].shape
    pieces, surface = pieces_of(block), surface_of(block)
    assert pieces.core is not None
    shares = np.random.default_rng(1).dirichlet(np.ones(len(pieces.core.vertices)), 2000)
    assert surface.signed(shares @ pieces.core.vertices).distances.max() < 1e-9
    spans = np.ptp(pieces.core.vertices, axis=0), np.ptp(surface.vertices, axis=0)
    assert spans[0][:2] == pytest.approx(spans[1][:2])
    assert spans[0][2] == pytest.approx(0.2)  # from the top of the hollow to the top of the block


def test_cores_of_parts_with_holes_are_inside_them() -> None:
    frame = make("mortise-frame", bays=1)
    for part in frame.parts:
        pieces = pieces_of(part.shape)
        if pieces.core is not None:
            shares = np.random.default_rng(1).dirichlet(np.ones(len(pieces.core.vertices)), 500)
            assert surface_of(part.shape).signed(shares @ pieces.core.vertices).distances.max() < 1e-9


def test_a_notched_block_has_the_part_below_its_notch_for_a_core() -> None:
    """A unit cube with a pit of 0.3 in the middle of its top."""
    import manifold3d

    cube, pit = (
        manifold3d.Manifold.cube([1, 1, 1]),
        manifold3d.Manifold.cube([0.4, 0.4, 0.5]).translate([0.3, 0.3, 0.7]),
    )
    made = (cube - pit).to_mesh64()
    core = pieces_of(Mesh(np.asarray(made.vert_properties)[:, :3], np.asarray(made.tri_verts).astype(np.int64))).core
    assert core is not None
    assert np.array(core.box) == pytest.approx(np.array([[0, 0, 0], [1, 1, 0.7]]))


def test_what_is_convex_needs_no_core() -> None:
    corner = box((1, 1, 1))
    assert pieces_of(Polyhedron(corner.vertices, corner.faces)).core is None
