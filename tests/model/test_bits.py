"""Sets of bodies as bit masks, against sets of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.model.bits import bits, flags, lowest, mask_of, masks_of, near, reached


@pytest.mark.parametrize("seed", range(5))
def test_masks_are_sets_of_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    row = rng.random(130) < 0.3
    mask = mask_of(row)
    assert list(bits(mask)) == np.flatnonzero(row).tolist()
    assert lowest(mask) == int(np.argmax(row))
    assert (flags(mask, 130) == row).all()
    assert masks_of(row[None]) == [mask]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_reached_is_what_a_walk_from_neighbour_to_neighbour_reaches(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((40, 40)) < 0.04, 1)
    joined |= joined.T
    neighbours = masks_of(joined)
    within = mask_of(rng.random(40) < 0.8)
    allowed = set(bits(within))
    walked, frontier = {0}, [0]
    while frontier:
        fresh = {int(k) for body in frontier for k in np.flatnonzero(joined[body])} & allowed - walked
        walked |= fresh
        frontier = sorted(fresh)
    assert set(bits(reached(1, within, neighbours))) == walked
    assert set(bits(near(1 | 1 << 7, neighbours))) == set(np.flatnonzero(joined[0] | joined[7]).tolist())
