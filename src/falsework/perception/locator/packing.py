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
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from falsework.model.arrays import Array, Bools
from falsework.perception.locator.choosing import best_choice, still_possible

_FIRST_NODES, _ROUNDS = 300, 150  # of branch and bound, before a bound rules out what it can in so many steps,
_NODES, _FEW = 1000, 60  # then, if so few are left, before a tighter one is asked,
_MANY_NODES = 5000  # and before the solver is
_SLIGHT = 1e-6  # pixels, or a share


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
        vars(other).pop("_freely", None)
        return other

    def best(self, without: Sequence[int] = (), above: float = 0.0) -> tuple[tuple[int, ...], float]:
        """(those chosen, pixels explained less costs), with some of them ruled out; none and `above` if none is better.

        Who only asks whether something is worth more than so much is answered sooner.
        """
        return self._freely if not len(without) and above == 0.0 else self._sought(without, above)

    @cached_property
    def _freely(self) -> tuple[tuple[int, ...], float]:
        return self._sought((), 0.0)

    def _sought(self, without: Sequence[int], above: float) -> tuple[tuple[int, ...], float]:
        """Branch and bound, among ever fewer: of those that two bounds leave, one quick, one tight."""
        allowed = np.ones(self.count, np.bool_)
        allowed[list(without)] = False
        search = _Search(self._shown, self._weights, self.costs, self._apart, above)
        if search.among(allowed, _FIRST_NODES):
            return search.found
        told = self._weights, self.costs, self._apart, allowed, search.worth, _ROUNDS
        allowed = still_possible(*self._owners, *told)
        if allowed.sum() <= _FEW and search.among(allowed, _NODES):
            return search.found
        shares, most = self._relaxed(allowed)
        search.among(allowed & (shares > _SLIGHT), _NODES)
        allowed &= most > search.worth + _SLIGHT
        if search.among(allowed, _MANY_NODES):
            return search.found
        found = self.best_by_solver(np.flatnonzero(~allowed).tolist())
        return found if found[1] > search.worth else search.found

    @cached_property
    def _owners(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Those who show group g are the second's, from the first's g on."""
        groups, owners = np.nonzero(self._shown.T)
        return np.searchsorted(groups, np.arange(len(self._weights) + 1)), owners

    def best_by_solver(self, without: Sequence[int] = ()) -> tuple[tuple[int, ...], float]:
        """The same as a mixed-integer problem: slower, but it does not lose its way among hundreds."""
        allowed = np.ones(self.count, np.bool_)
        allowed[list(without)] = False
        if not allowed.any():
            return (), 0.0
        those, gain, matrix, upper = self._program(allowed)
        whole = (np.arange(len(gain)) < len(those)).astype(float)
        within = LinearConstraint(matrix, ub=upper)
        answer = milp(
            -gain, integrality=whole, bounds=Bounds(0.0, 1.0), constraints=within, options={"mip_rel_gap": 0.0}
        )
        if answer.x is None:
            return (), 0.0
        return tuple(those[answer.x[: len(those)] > 0.5].tolist()), float(-answer.fun)

    def _relaxed(self, allowed: Bools) -> tuple[Array, Array]:
        """((n,) which share of each is taken if shares may be, (n,) the most that any choice with it can be worth)."""
        those, gain, matrix, upper = self._program(allowed)
        told = {"A_ub": matrix, "b_ub": upper, "bounds": (0.0, 1.0), "method": "highs-ds"}
        answer = linprog(-gain, **told)  # type: ignore[call-overload]  # takes sparse rows too
        shares, most = np.zeros(self.count), np.full(self.count, -np.inf)
        if answer.x is None:  # it says nothing
            most[those] = np.inf
            return shares, most
        shares[those] = answer.x[: len(those)]
        most[those] = -answer.fun - answer.lower.marginals[: len(those)]
        return shares, most

    def _program(self, allowed: Bools) -> tuple[npt.NDArray[np.int64], Array, sparse.csr_array, Array]:
        """(who is allowed, what they and then groups are worth, rows ≤ (k,)), of those and the groups that they show.

        Explained ≤ Σ chosen of those that show it; of those that are all apart from each other, one at most.
        """
        those = np.flatnonzero(allowed)
        shown = self._shown[those]
        groups = shown.any(axis=0)
        count, number = int(groups.sum()), np.cumsum(allowed) - 1
        explained = sparse.hstack([sparse.csr_array(-shown[:, groups].T.astype(float)), sparse.eye_array(count)])
        cliques, members = self._cliques
        usable = allowed[members]
        rows, columns = cliques[usable], number[members[usable]]
        shape = (int(cliques.max(initial=-1)) + 1, len(those) + count)
        alone = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        gain = np.concatenate([-self.costs[those], self._weights[groups]])
        upper = np.concatenate([np.zeros(count), np.ones(shape[0])])
        return those, gain, sparse.csr_array(sparse.vstack([explained, alone])), upper

    @cached_property
    def _cliques(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sets of which all are apart from each other, every pair that is apart in one: (number, member) of each entry.

        Fewer bind more tightly.
        """
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
        sizes = [len(clique) for clique in cliques]
        members = np.array([one for clique in cliques for one in clique], dtype=np.int64)
        return np.repeat(np.arange(len(cliques)), sizes), members

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


class _Search:
    """The best choice that is known, and a search for better ones."""

    def __init__(self, shown: Bools, weights: Array, costs: Array, apart: Bools, above: float) -> None:
        self._parts = shown, weights, costs, apart
        self._chosen: Bools = np.zeros(len(costs), np.bool_)
        self.worth = above

    def among(self, allowed: Bools, nodes: int) -> bool:
        """Whether it is certain, after so many nodes, that none of those allowed make a better choice than is known."""
        chosen, worth, proven = best_choice(*self._parts, allowed, self.worth, nodes)
        if worth > self.worth:
            self._chosen, self.worth = chosen, float(worth)
        return bool(proven)

    @property
    def found(self) -> tuple[tuple[int, ...], float]:
        return tuple(np.flatnonzero(self._chosen).tolist()), self.worth


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
