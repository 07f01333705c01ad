"""Bricks in cells: every cell once, only bricks of the catalogue, and joints as the geometry finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falsework.gallery.bond import Bond, Brick
from falsework.gallery.joining import joined
from falsework.gallery.tiling import BONDED, PLAIN, Taste, laid, relaid, sizes
from falsework.geometry.contacts.interfaces import components, interfaces
from tests.laying.shapes import arm, block

SOME = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def random_cells(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    cells = rng.random(rng.integers(1, 9, size=3)) < rng.uniform(0.4, 1.0)
    cells[0, 0, 0] = True
    return cells


def assert_fills(bond: Bond, cells: np.ndarray) -> None:
    """Every cell has one brick, no other cell has any, and the bricks are of the catalogue."""
    count = np.zeros(cells.shape, dtype=int)
    for number, brick in enumerate(bond.bricks):
        assert (brick.length, brick.width) in sizes()
        count[brick.cells] += 1
        assert (bond.owner[brick.cells] == number).all()
    assert np.array_equal(count, cells.astype(int))


@SOME
@given(seed=st.integers(0, 2**32), taste=st.sampled_from([BONDED, PLAIN, Taste(0.1, 6.0, -1.0, 3.0, 5.0)]))
def test_every_cell_has_one_brick_of_the_catalogue(seed: int, taste: Taste) -> None:
    cells = random_cells(seed)
    assert_fills(laid(cells, np.random.default_rng(seed), taste), cells)


@SOME
@given(seed=st.integers(0, 2**32))
def test_laying_some_bricks_anew_fills_the_same_cells(seed: int) -> None:
    cells, rng = random_cells(seed), np.random.default_rng(seed)
    bond = laid(cells, rng)
    region = bond.around([int(rng.integers(len(bond.bricks)))], 1)
    assert_fills(relaid(bond, region, rng, groups=bond.components()), cells)


@SOME
@given(seed=st.integers(0, 2**32))
def test_joints_and_components_are_those_of_the_assembly(seed: int) -> None:
    bond = laid(random_cells(seed), np.random.default_rng(seed)).sorted()
    assembly = bond.assembly()
    joints = interfaces(assembly)
    assert sorted(bond.joints().tolist()) == sorted(joints.clutches.bodies.tolist())
    assert int(bond.components().max()) + 1 == components(assembly, joints)


@pytest.mark.parametrize("seed", range(5))
def test_seams_of_a_block_do_not_run_through_two_layers(seed: int) -> None:
    """In a solid block no column of bricks stands apart from the rest."""
    rng = np.random.default_rng(seed)
    bond = joined(laid(block(9, 7, 4), rng), rng, 100)
    without_ground = bond.joints()[bond.joints()[:, 0] < len(bond.bricks)]
    assert len(without_ground) > len(bond.bricks)
    assert bond.components().max() == 0


@pytest.mark.parametrize("seed", range(4))
def test_seams_above_seams_are_crossed(seed: int) -> None:
    """An arm cut through both layers every four studs: only its root hangs together."""
    bricks = [Brick(0, 0, layer, 4, 2) for layer in (0, 1, 2, 5)]
    bricks += [Brick(x, 0, layer, 4, 2) for layer in (3, 4) for x in range(0, 44, 4)]
    owner = np.full((44, 2, 6), -1)
    for number, brick in enumerate(bricks):
        owner[brick.cells] = number
    first = Bond(tuple(bricks), owner)
    assert_fills(first, arm(40))
    assert first.components().max() == 10
    whole = joined(first, np.random.default_rng(seed), 400)
    assert_fills(whole, arm(40))
    assert whole.components().max() == 0


@pytest.mark.parametrize("seed", range(4))
def test_a_ring_that_widens_hangs_on_bricks_across_it(seed: int) -> None:
    """Three layers of the lip of a vase: the outer cells of the second have nothing below them."""
    lip = (
        ("......", ".####.", ".#..#.", ".#..#.", ".####.", "......"),
        ("..##..", ".####.", "##..##", "##..##", ".####.", "..##.."),
        (".####.", "##..##", "#....#", "#....#", "##..##", ".####."),
    )
    cells = np.array([[[mark == "#" for mark in row] for row in layer] for layer in lip]).transpose(2, 1, 0)
    rng = np.random.default_rng(seed)
    assert joined(laid(cells, rng), rng, 1000).components().max() == 0


def test_neighbours_are_those_beside_above_and_below() -> None:
    bond = laid(block(2, 2, 3), np.random.default_rng(0))
    assert [brick.layer for brick in bond.bricks] == [0, 1, 2]
    assert bond.around([0], 0) == [0]
    assert bond.around([0], 1) == [0, 1]
    assert bond.around([0], 2) == [0, 1, 2]
    assert bond.around([0], 2, layers=False) == [0]
