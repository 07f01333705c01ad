"""Along which straight lines parts leave."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from falsework.gallery import make
from falsework.gallery.stones import cubes, cuboid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.cells import cells
from falsework.geometry.shapes.convex_pieces import hull, pieces_of
from falsework.geometry.shapes.solids import bulk, make_part, surface
from falsework.geometry.ways.minkowski import difference
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.shapes import Mesh, box
from tests.conftest import brick, on_baseplate
from tests.geometry.assemblies import assembled, at, moved, tilted


def removals(assembly: Assembly) -> StraightRemovals:
    return StraightRemovals(assembly, interfaces(assembly))


def everything(assembly: Assembly) -> int:
    return (1 << len(assembly.bodies)) - 1


def leaving(assembly: Assembly) -> set[str]:
    """The parts that can leave the complete assembly alone."""
    oracle = removals(assembly)
    free = [n for n in range(len(assembly.parts)) if not assembly.fixed_mask() >> n & 1]
    return {assembly.parts[n].name for n in free if oracle.leaves(1 << n, everything(assembly))}


def slotted(pose: Array) -> Assembly:
    """A bar of unit section in a slot that is open above and along x; then all of it moved."""
    floor, wall, bar = box((4.0, 3.0, 1.0)), box((4.0, 1.0, 1.0)), box((4.0, 1.0, 1.0))
    slot = assembled((floor, at()), (wall, at(z=1)), (wall, at(y=2, z=1)), (bar, at(y=1, z=1)))
    return moved(slot, pose).changed(fixed=frozenset("012"))


@pytest.mark.parametrize("pose", [at(), tilted(3), tilted(11, (5.0, -2.0, 9.0))], ids=["straight", "turned", "moved"])
def test_a_bar_in_a_slot_leaves_along_it_and_out_of_it_and_no_other_way(pose: Array) -> None:
    ways = removals(slotted(pose)).directions(8, 15) @ pose[:3, :3]
    assert np.abs(ways[:, 1]).max() < 2e-4  # never into a wall
    assert ways[:, 2].min() > -2e-4
    for wanted in ([1, 0, 0], [-1, 0, 0], [0, 0, 1]):
        assert np.abs(ways - wanted).max(axis=1).min() < 1e-6


def test_with_a_lid_on_the_slot_only_two_ways_are_left() -> None:
    lid = make_part("lid", box((4.0, 3.0, 1.0)), tilted(5) @ at(z=2))
    slot = slotted(tilted(5))
    lidded = slot.changed(parts=(*slot.parts, lid))
    oracle = removals(lidded)
    ways = oracle.directions(8, 31) @ tilted(5)[:3, :3]
    assert len(ways) and np.abs(np.abs(ways) - [1, 0, 0]).max() < 3e-4
    assert len(oracle.directions(8, 15)) > len(ways)  # without the lid there are more


def test_the_difference_agrees_with_linear_programming() -> None:
    """A meets B along d iff some t ≥ 0 has (A + t d) ∩ B not empty, a program over the corners' weights."""
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(60):
        a, b = rng.normal(size=(8, 3)), rng.normal(size=(9, 3)) + 4 * rng.normal(size=3)
        ways = rng.normal(size=(5, 3)) - 0.0
        ways[:2] = b.mean(axis=0) - a.mean(axis=0) + rng.normal(size=(2, 3))
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        if difference(hull(a), hull(b)).depth_m > 0:
            continue
        met = difference(hull(a), hull(b)).met(ways, 0.0)
        for way, found in zip(ways, met, strict=True):
            balance = np.vstack([np.hstack([a.T, way[:, None], -b.T]), [*[1.0] * 8, 0.0, *[0.0] * 9]])
            balance = np.vstack([balance, [*[0.0] * 9, *[1.0] * 9]])
            solved = linprog(np.zeros(18), A_eq=balance, b_eq=[0, 0, 0, 1, 1], bounds=(0, None))
            assert (solved.status == 0) == found
            hits += int(found)
    assert 30 < hits < 200


def test_depth_of_two_cubes_is_the_least_overlap() -> None:
    cube = box((1.0, 1.0, 1.0)).vertices
    assert difference(hull(cube), hull(cube + np.array([0.9, 0.2, 0.3]))).depth_m == pytest.approx(0.1)
    assert difference(hull(cube), hull(cube + np.array([1.5, 0.0, 0.0]))).depth_m == pytest.approx(-0.5)


@pytest.mark.parametrize("kind", ["burr-puzzle", "locked-bookshelf", "mortise-frame", "polycube-packing"])
def test_convex_pieces_fill_a_part_and_no_more(kind: str) -> None:
    for part in make(kind).parts:
        whole = bulk(surface(part.shape)).volume_m3
        pieces = [_volume(piece.vertices) for piece in pieces_of(part.shape).body]
        assert sum(pieces) == pytest.approx(whole, rel=1e-9)


def test_a_turned_ring_is_cut_into_pieces_that_fill_it() -> None:
    ring = _ring()
    turned = ring.vertices @ tilted(2)[:3, :3].T
    found = cells(Mesh(turned, ring.triangles), 1e-4)
    assert sum(map(_volume, found)) == pytest.approx(8.0)
    assert len(found) == 4


def _volume(vertices: Array) -> float:
    return float(ConvexHull(vertices).volume)


def _ring() -> Mesh:
    """A square ring, 3 × 3 with a hole of 1 × 1, one high."""
    return surface(cubes("ring", cuboid((0, 0, 0), (3, 3, 1)) - {(1, 1, 0)}, 1.0).shape)


def test_only_the_key_leaves_a_burr_puzzle_however_it_is_turned() -> None:
    burr = make("burr-puzzle").changed(ground_part=None)
    assert leaving(burr) == {"key"}
    assert leaving(moved(burr, tilted(4), 37.0)) == {"key"}


def test_bars_of_the_locked_bookshelf_leave_two_at_a_time() -> None:
    shelf = make("locked-bookshelf")
    oracle, full = removals(shelf), everything(shelf)
    bars = ("front", "right", "back", "left")
    assert not {*bars} & leaving(shelf)
    pairs = [(a, b) for k, a in enumerate(bars) for b in bars[k + 1 :]]
    assert any(oracle.leaves(shelf.mask(pair), full) for pair in pairs)
    path = oracle.path(shelf.mask(next(p for p in pairs if oracle.leaves(shelf.mask(p), full))), full)
    assert path is not None and path.shape == (2, 4, 4)


def test_closed_mortises_lock_posts_and_rails() -> None:
    assert leaving(make("mortise-frame", closed=1, bays=1)) == set()
    assert leaving(make("mortise-frame", bays=2)) == {"rail-1", "rail-2"}


def test_a_clutched_brick_leaves_along_its_studs_only() -> None:
    pair = on_baseplate(brick("low", "brick_2x4", 0, 0, 0), brick("high", "brick_2x4", 0, 0, 3))
    oracle = removals(pair)
    assert np.allclose(oracle.directions(2, 7), [[0, 0, 1]])
    assert len(oracle.directions(1, 7)) == 0


def test_a_brick_under_an_overhang_leaves_downwards_once_nothing_is_below() -> None:
    arm = on_baseplate(
        brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_6x2", 0, 0, 3), brick("drop", "brick_2x2", 4, 0, 0)
    )
    oracle = removals(arm)
    assert len(oracle.directions(arm.mask(["drop"]), 15)) == 0  # the plate below, the arm above
    hanging = Assembly(
        (brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_6x2", 0, 0, 3), brick("drop", "brick_2x2", 4, 0, 0)),
        fixed=frozenset(["foot"]),
    )
    assert np.allclose(removals(hanging).directions(hanging.mask(["drop"]), 7), [[0, 0, -1]])


def test_a_brick_high_under_an_arm_leaves_down_and_aside_where_a_plate_bars_the_straight_way() -> None:
    column = [brick(f"column-{k}", "brick_2x2", 0, 0, 3 * k) for k in range(3)]
    lamp = on_baseplate(*column, brick("arm", "brick_4x2", 0, 0, 9), brick("lamp", "brick_2x2", 2, 0, 6))
    oracle = removals(lamp)
    moving = lamp.mask(["lamp"])
    assert len(oracle.directions(moving, 63)) == 0 and oracle.leaves(moving, 63)
    path = oracle.path(moving, 63)
    assert path is not None and len(path) == 3
    assert path[0, 2, 3] == path[1, 2, 3] < path[2, 2, 3]
    low = on_baseplate(*column[:1], brick("arm", "brick_4x2", 0, 0, 3), brick("lamp", "brick_2x2", 2, 0, 0))
    assert not removals(low).leaves(low.mask(["lamp"]), 15)


def test_bricks_leave_the_same_ways_on_a_turned_grid_and_beside_a_block() -> None:
    """On one grid whole numbers decide; with a block far off, convex pieces do."""
    tower = on_baseplate(
        brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 1, 1, 3, 90), brick("c", "plate_1x2", 3, 3, 0),
        brick("d", "brick_1x1", 4, 3, 0),
    )  # fmt: skip
    far = assembled((box((0.01, 0.01, 0.01)), at(1.0, 1.0, 1.0))).parts[0]
    mixed = tower.changed(parts=(*tower.parts, far), ground_part=tower.ground_part)
    pure, general = removals(tower), removals(mixed)
    for number in range(4):
        for installed in range(16):
            there = installed | 1 << number
            whole = pure.directions(1 << number, there | 16)
            pieces = general.directions(1 << number, there | 32)
            axes = pieces[np.abs(pieces).max(axis=1) > 1 - 1e-9]
            assert {tuple(np.round(way) + 0.0) for way in whole} == {tuple(np.round(way) + 0.0) for way in axes}


@pytest.mark.parametrize("kind", ["burr-puzzle", "semicircular-arch", "polycube-packing", "random-bricks"])
def test_the_path_starts_clear_of_the_box_of_what_is_there(kind: str) -> None:
    assembly = make(kind)
    oracle, full = removals(assembly), everything(assembly)
    lows, highs = oracle._boxes
    seen = 0
    for number in range(len(assembly.parts)):
        if assembly.fixed_mask() >> number & 1 or (path := oracle.path(1 << number, full)) is None:
            continue
        others = [k for k in range(len(assembly.parts)) if k != number]
        shift = path[0, :3, 3] - path[-1, :3, 3]
        ahead = lows[number] + shift > highs[others].max(axis=0)
        behind = highs[number] + shift < lows[others].min(axis=0)
        assert (ahead | behind).any()
        assert np.array_equal(path[-1], assembly.poses[number])
        seen += 1
    assert seen


def test_what_blocks_a_part_is_the_least_that_must_go() -> None:
    assembly = make("burr-puzzle")
    oracle, full = removals(assembly), everything(assembly)
    for number in range(len(assembly.parts)):
        assert len(oracle.blockers(1 << number)) > 0
        for blockers in oracle.blockers(1 << number):
            assert oracle.leaves(1 << number, full & ~blockers) is not bool(blockers & assembly.fixed_mask())
        assert oracle.leaves(1 << number, full) == bool(len(oracle.directions(1 << number, full)))


def test_a_first_part_starts_beside_where_it_will_stand() -> None:
    assembly = assembled((box((1.0, 1.0, 1.0)), at()), (box((1.0, 1.0, 1.0)), at(3.0)))
    path = removals(assembly).path(1, 1)
    assert path is not None and path[0, 2, 3] > 1.0


def test_fixed_parts_and_unknown_bits_are_refused() -> None:
    oracle = removals(slotted(at()))
    with pytest.raises(BadInput, match="fixed parts never move: 0"):
        oracle.directions(1, 15)
    with pytest.raises(BadInput, match="expected a mask of bodies 0 to 3"):
        oracle.leaves(16, 15)
    with pytest.raises(BadInput, match="expected a mask of bodies"):
        oracle.path(0, 15)
