"""Which supposed bricks together explain the picture best: an exact choice, and how good the next best is."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from falsework.model.arrays import Array, Bools
from falsework.perception.locator.choosing import best_choice, still_possible

_FIRST_NODES = 300  # of branch and bound, before a bound rules out what it can,
_NODES, _TRIES, _ROUNDS = 1000, 4, 150  # so often, with so many steps and nodes each, before the solver is asked


class Packing:
    """Choose among supposed bricks: pixels that any chosen one explains count once, each brick has its cost.

    `shows` are the pixels that each explains, `costs` what each costs in pixels (what speaks against it, and that it
    is one brick more), `apart` pairs that cannot both be there.
    """

    def __init__(
        self,
        shows: Sequence[npt.NDArray[np.int64]],
        costs: Sequence[float],
        apart: Sequence[tuple[int, int]] | npt.NDArray[np.int64],
    ) -> None:
        self.count = len(shows)
        self.costs = np.array(costs, dtype=float)
        self._shown, self._weights = _groups(shows)
        self._apart = np.zeros((self.count, self.count), np.bool_)
        one, other = np.array(apart, dtype=np.int64).reshape(-1, 2).T
        self._apart[one, other] = self._apart[other, one] = True

    def priced(self, costs: Sequence[float]) -> Packing:
        """The same bricks at other costs."""
        other = copy(self)
        other.costs = np.array(costs, dtype=float)
        return other

    def best(self, without: Sequence[int] = (), above: float = 0.0) -> tuple[tuple[int, ...], float]:
        """(those chosen, pixels explained less costs), with some of them ruled out; none and `above` if none is better.

        Who only asks whether something is worth more than so much is answered sooner.
        """
        allowed = np.ones(self.count, np.bool_)
        allowed[list(without)] = False
        parts = self._shown, self._weights, self.costs, self._apart
        chosen, worth, proven = best_choice(*parts, allowed, above, _FIRST_NODES)
        for _ in range(_TRIES):
            if proven:
                break
            allowed = still_possible(*self._owners, *parts[1:], allowed, worth, _ROUNDS)
            better, more, proven = best_choice(*parts, allowed, worth, _NODES)
            if more > worth:
                chosen, worth = better, more
        told = tuple(int(one) for one in np.flatnonzero(chosen))
        if proven:
            return told, float(worth)
        better_still, most = self.best_by_solver(np.flatnonzero(~allowed).tolist())
        return (better_still, most) if most > worth else (told, float(worth))

    @cached_property
    def _owners(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Those who show group g are the second's, from the first's g on."""
        groups, owners = np.nonzero(self._shown.T)
        return np.searchsorted(groups, np.arange(len(self._weights) + 1)), owners

    def best_by_solver(self, without: Sequence[int] = ()) -> tuple[tuple[int, ...], float]:
        """The same as a mixed-integer problem: slower, but it does not lose its way among hundreds."""
        groups = len(self._weights)
        total = self.count + groups
        high = np.ones(total)
        high[list(without)] = 0.0
        whole = np.concatenate([np.ones(self.count), np.zeros(groups)])
        gain = np.concatenate([-self.costs, self._weights])
        # Explained ≤ Σ chosen of those that show it; of those that are all apart from each other, one at most.
        explained = sparse.hstack([sparse.csr_array(-self._shown.T.astype(float)), sparse.eye_array(groups)])
        members = [(row, one) for row, clique in enumerate(self._cliques) for one in clique]
        rows, columns = np.array(members, dtype=np.int64).reshape(-1, 2).T
        alone = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self._cliques), total))
        matrix = sparse.vstack([explained, alone])
        upper = np.concatenate([np.zeros(groups), np.ones(len(self._cliques))])
        constraint = LinearConstraint(matrix, ub=upper)
        answer = milp(-gain, integrality=whole, bounds=Bounds(np.zeros(total), high), constraints=constraint)
        if answer.x is None:
            return (), 0.0
        chosen = np.flatnonzero(answer.x[: self.count] > 0.5)
        return tuple(int(one) for one in chosen), float(-answer.fun)

    @cached_property
    def _cliques(self) -> list[list[int]]:
        """Sets of which all are apart from each other; every pair that is apart is in one. Fewer bind more tightly."""
        left, cliques = np.triu(self._apart), []
        for one in range(self.count):
            while left[one].any():
                clique, common = [one], np.flatnonzero(self._apart[one])
                common = np.concatenate([common[left[one, common]], common[~left[one, common]]])  # new pairs first
                while len(common):
                    clique.append(int(common[0]))
                    common = common[1:][self._apart[common[0], common[1:]]]
                left[np.ix_(clique, clique)] = False
                cliques.append(clique)
        return cliques

    def least_loss(self, chosen: Sequence[int], one: int, alike: Sequence[int]) -> float:
        """What any packing without `alike` explains less than the chosen one, at least: no solver is asked.

        Pixels that only they explain are lost; gained are the cost of `one` and, at most, all pixels left over.
        """
        others: Bools = np.ones(self.count, np.bool_)
        others[list(alike)] = False
        stays = self._shown[others].any(axis=0)
        lost = self._weights[~stays & self._shown[one]].sum()
        left = self._weights[stays & ~self._shown[list(chosen)].any(axis=0)].sum()
        return float(lost - left - self.costs[one])


def _groups(shows: Sequence[npt.NDArray[np.int64]]) -> tuple[Bools, Array]:
    """Pixels that the same bricks explain, as one: ((n, m) who shows which group, (m,) of how many pixels)."""
    if not sum(map(len, shows)):
        return np.zeros((len(shows), 0), np.bool_), np.zeros(0)
    pixels = np.concatenate(shows)
    owners = np.concatenate([np.full(len(one), at) for at, one in enumerate(shows)])
    order = np.argsort(pixels, kind="stable")  # so owners stay in order
    pixels, owners = pixels[order], owners[order]
    starts = np.flatnonzero(np.r_[True, pixels[1:] != pixels[:-1]])
    names = np.random.default_rng(0).integers(1, 2**62, len(shows), dtype=np.uint64)  # sums of these name sets
    keys = np.add.reduceat(names[owners], starts)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    group = np.full(len(starts), -1)
    group[first] = np.arange(len(first))
    group = np.repeat(group, np.diff(starts, append=len(pixels)))
    shown: Bools = np.zeros((len(shows), len(first)), np.bool_)
    shown[owners[group >= 0], group[group >= 0]] = True
    return shown, counts.astype(float)


def footprints_overlap(corners: Array, others: Array, slack: float) -> bool:
    """Whether two rectangles (4, 2) overlap by more than `slack` (m) in every direction of their sides."""
    return bool(pairs_overlap(corners[None], others[None], slack)[0])


def pairs_overlap(corners: Array, others: Array, slack: float) -> Bools:
    """(n,) the same of many pairs of rectangles (n, 4, 2)."""
    out: Bools = np.ones(len(corners), np.bool_)
    for one, other in ((corners, others), (others, corners)):
        for at in range(2):
            way = one[:, at + 1] - one[:, at]
            way = way / np.hypot(way[:, 0], way[:, 1])[:, None]
            a, b = np.einsum("nij,nj->ni", one, way), np.einsum("nij,nj->ni", other, way)
            shared = np.minimum(a.max(axis=1), b.max(axis=1)) - np.maximum(a.min(axis=1), b.min(axis=1))
            out &= shared >= slack
    return out
