"""Questions about collisions in a cell: at positions, between arms, and all along motions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.bits import bits
from falsework.model.errors import BadInput
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Bodies, Words, all_pairs
from falsework.robots.collision.surroundings import WORLD, Surroundings, standing_chain
from falsework.robots.collision.sweeping import met
from falsework.robots.collision.touching import clashing, in_the_way, least_gaps
from falsework.robots.kinematics.chain import Chain

MARGIN_M = 0.002  # nearer than this counts as in the way


def blockers(
    arm: ArmBodies, positions: Array, around: Surroundings, margin_m: float = MARGIN_M, among: Ints | None = None
) -> Words:
    """(m, words) which bodies are nearer than the margin to the arm at positions (m, n): a bit for each of `around`.

    `among` (p,) restricts it to some pieces of the arm.

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> masks(blockers(arm, home, Surroundings.of(cell)))
    [0]
    """
    pairs = arm.pairs_with(around.bodies, around.mounts)
    if among is not None:
        pairs = pairs[np.isin(pairs[:, 0], among)]
    links = arm.links(np.atleast_2d(positions))
    return in_the_way(arm.bodies, links, around.bodies, WORLD, pairs, margin_m, around.words)


def masks(words: Words) -> list[int]:
    """Rows of words of 64 bits as numbers, whose bits are bodies.

    >>> masks(np.array([[5, 1]], np.uint64)) == [5 + (1 << 64)]
    True
    """
    if words.shape[1] == 1:
        return [int(word) for word in words[:, 0].tolist()]
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in words]


def names_of(mask: int, around: Surroundings) -> tuple[str, ...]:
    """The bodies of a mask by their names."""
    return tuple(around.names[number] for number in bits(mask))


def clearances(arm: ArmBodies, positions: Array, around: Surroundings, most_m: float = 1.0) -> Array:
    """(m,) the least distance, m, of the arm at positions (m, n) from all bodies; 0 or below where it touches one.

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> bool(clearances(arm, home, Surroundings.of(cell))[0] > 0.1)
    True
    """
    pairs = arm.pairs_with(around.bodies, around.mounts)
    return least_gaps(arm.bodies, arm.links(np.atleast_2d(positions)), around.bodies, WORLD, pairs, most_m)


def clashes(
    arm: ArmBodies, positions: Array, other: ArmBodies, other_positions: Array, margin_m: float = MARGIN_M
) -> Bools:
    """(m, k) whether two arms come nearer than the margin, one at each of (m, n), the other at each of (k, n).

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> clashes(arm, home, other, home).tolist()
    [[False]]
    """
    links, standing = arm.links(np.atleast_2d(positions)), other.links(np.atleast_2d(other_positions))
    return clashing(arm.bodies, links, other.bodies, standing, all_pairs(arm.bodies, other.bodies), margin_m)


def swept_blockers(arm: ArmBodies, begin: Array, end: Array, around: Surroundings, margin_m: float = MARGIN_M) -> int:
    """Bodies that the arm comes nearer to than the margin on the straight way between two positions (n,).

    The rest keeps half of the margin at every instant, proven by how fast the arm can move between looks.

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> swept_blockers(arm, home, home + 0.1, Surroundings.of(cell))
    0
    """
    return path_blockers(arm, (begin, end), around, margin_m)


def swept_self(arm: ArmBodies, begin: Array, end: Array, margin_m: float = MARGIN_M) -> bool:
    """Whether the arm comes nearer to itself than the margin on the straight way between two positions (n,).

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> swept_self(arm, home, home + 0.1)
    False
    """
    own = arm.bodies._replace(owner=np.zeros_like(arm.bodies.owner))
    return _pair_met(arm, begin, end, arm, begin, end, arm.own_pairs, own, margin_m)


def swept_clash(
    arm: ArmBodies,
    begin: Array,
    end: Array,
    other: ArmBodies,
    other_begin: Array,
    other_end: Array,
    margin_m: float = MARGIN_M,
) -> bool:
    """Whether two arms come nearer than the margin while both move, straight in their joints and in the same time.

    >>> from falsework import new_cell
    >>> cell = new_cell("two-panda")
    >>> arm, other = (ArmBodies(one) for one in cell.arms)
    >>> home = arm.placed.home
    >>> swept_clash(arm, home, home + 0.1, other, home, home)
    False
    """
    own = other.bodies._replace(owner=np.zeros_like(other.bodies.owner))
    return _pair_met(arm, begin, end, other, other_begin, other_end, all_pairs(arm.bodies, own), own, margin_m)


def path_blockers(
    arm: ArmBodies, path: Sequence[Array] | Array, around: Surroundings, margin_m: float = MARGIN_M
) -> int:
    """The same as `swept_blockers` for positions one after the other."""
    _refuse_no_margin(margin_m)
    none = np.zeros(0)
    pairs = arm.pairs_with(around.bodies, around.mounts)
    total = np.zeros(around.words, np.uint64)
    for begin, end in pairwise(path):
        found, _ = met(
            arm.chain, _one(begin), _one(end), arm.bodies,
            _standing(), none, none, around.bodies, pairs, margin_m, around.words,
        )  # fmt: skip
        total |= found
    return masks(total[None])[0]


def _pair_met(
    arm: ArmBodies,
    begin: Array,
    end: Array,
    other: ArmBodies,
    other_begin: Array,
    other_end: Array,
    pairs: Ints,
    own: Bodies,
    margin_m: float,
) -> bool:
    _refuse_no_margin(margin_m)
    found, _ = met(
        arm.chain, _one(begin), _one(end), arm.bodies,
        other.chain, _one(other_begin), _one(other_end), own, pairs, margin_m, 1,
    )  # fmt: skip
    return bool(found[0])


def _refuse_no_margin(margin_m: float) -> None:
    """Between touching and not touching there is no end of halving."""
    if not margin_m > 0:
        raise BadInput(f"found the margin {margin_m} m, expected one above 0: what is proven is half of it")


def _one(positions: Array) -> Array:
    return np.array(
        positions, dtype=np.float64, order="C"
    )  # one of its own: code is compiled for arrays that may change


@lru_cache(maxsize=1)
def _standing() -> Chain:
    return standing_chain()
