"""Where a component comes apart: the fewest slipping connections that disconnect it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from falsework.brickworld.cuts import slip_speeds, smallest_cut


def cut(pairs: list[tuple[int, int]], speeds: list[float]) -> list[int]:
    bodies = max(max(pair) for pair in pairs) + 1
    return smallest_cut(np.array(pairs), np.array(speeds), bodies).tolist()


def test_the_one_that_slips_breaks() -> None:
    assert cut([(0, 1), (1, 2), (2, 3)], [0.0, 1.0, 1e-9]) == [1]


def test_nothing_breaks_where_nothing_slips() -> None:
    assert cut([(0, 1), (1, 2)], [0.0, 0.0]) == []


def test_fewest_connections_break_not_all_that_slip() -> None:
    pairs = [(0, 1), (0, 1), (0, 1), (1, 2)]
    assert cut(pairs, [1.0, 1.0, 1.0, 0.5]) == [3]


def test_of_equal_cuts_the_faster_breaks() -> None:
    assert cut([(0, 1), (1, 2), (2, 3)], [0.3, 1.0, 0.4]) == [1]


def test_parallel_connections_break_together() -> None:
    assert cut([(0, 1), (0, 2), (1, 3), (2, 3)], [1.0, 1.0, 0.0, 0.0]) == [0, 1]


@pytest.mark.parametrize("seed", range(6))
def test_no_smaller_set_of_slipping_connections_disconnects(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = 6
    pairs = [(int(rng.integers(n)), n) for n in range(1, bodies)]
    pairs += [tuple(sorted(rng.choice(bodies, 2, replace=False).tolist())) for _ in range(5)]  # type: ignore[misc]
    speeds = rng.uniform(0.1, 1.0, len(pairs))
    found = smallest_cut(np.array(pairs), speeds, bodies)

    def disconnects(gone: set[int]) -> bool:
        label = list(range(bodies))
        for _ in range(bodies):
            for k, (a, b) in enumerate(pairs):
                if k not in gone:
                    label[a] = label[b] = min(label[a], label[b])
        return len(set(label)) > 1

    assert disconnects(set(found.tolist()))
    for size in range(1, len(found)):
        assert not any(disconnects(set(some)) for some in itertools.combinations(range(len(pairs)), size))


def test_large_graphs_are_cut_too() -> None:
    count = 200
    pairs = [(n, n + 1) for n in range(count)] * 2 + [(0, count)]
    speeds = [0.95] * (2 * count) + [1.0]
    speeds[7] = speeds[7 + count] = 1.0
    found = smallest_cut(np.array(pairs), np.array(speeds), count + 1)
    assert len(found) == 3


def test_slips_are_relative_motions_at_the_joint() -> None:
    coms = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    twists = np.zeros((2, 6))
    twists[:, 3:] = (0.0, 2.0, 0.0)  # both turn about the first one's centre: no slip
    twists[1, :3] = np.cross(twists[1, 3:], coms[1])
    joint = np.array([[0.0, 0.0, 0.5]])
    assert slip_speeds(np.array([[0, 1]]), joint, np.array([0.01]), coms, twists) == pytest.approx([0.0])
    twists[1, 3:] = 0.0
    assert slip_speeds(np.array([[0, 1]]), joint, np.array([0.01]), coms, twists)[0] == pytest.approx(1.0 + 0.02)
