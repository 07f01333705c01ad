"""The truth about a small assembly: every state that can be reached, which of them can be finished, and at what cost.

States are those of seed 002 (4.1): what is installed and what is held. From the complete state, nothing held, a part
may be taken hold of while a hand is free, and a held part may be removed; it stays held until then. A state that falls
ends it, so only standing states are listed. One is *solvable* if everything can be removed from it. Leaving the
solvable states is a *mistake*; a choice *matters* where a mistake is possible.

Hands at rest, one fewer than there are, are what a plan of rules `holds` has between two steps: the states with fewer
held parts than hands are its nodes, and a table answers for both.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falsework.formats.opening import Source, opened_with
from falsework.kernels.keeping import kept
from falsework.model.arrays import Bools, Ints, frozen
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import PathKind
from falsework.model.travel import MadeAnew
from falsework.planning.nodes.moves import Node, bits
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for

Masks = npt.NDArray[np.uint64]
MOST_BODIES = 32  # two masks in one number
MOST_STATES = 2_000_000
LOST = -1  # cost to go from where nothing leads on
SHIFT = np.uint64(32)
LOW = np.uint64(2**32 - 1)
NEVER = 2**31
SOURCES = ("statics", "verdicts", "planning/nodes", "planning/plans/truth.py")  # on which answers depend, too


@dataclass(frozen=True, slots=True, eq=False)
class Truth(MadeAnew):
    """All standing states that can be reached from the complete one, in the order of their keys.

    Masks are over `Assembly.bodies`, fixed parts and the ground included in `installed`.

    >>> truth = truth_of("examples/arch.yaml", robots=2)
    >>> len(truth), int(truth.solvable.sum()), int(truth.holds_to_go[truth.row(truth.whole)])
    (497, 270, 6)
    """

    robots: int
    movable: int  # mask of the parts that are to be removed
    whole: int  # installed in the complete state
    keys: Masks  # (n,) ascending: installed << 32 | held
    holds_to_go: Ints  # (n,) least sum, over the removals to come, of parts held meanwhile; LOST: cannot be finished
    undecided: int = 0  # states that nobody could decide: they are taken to fall
    blocked: Masks | None = None  # (k,) keys installed << 32 | part: removals for which there is no way

    def __post_init__(self) -> None:
        for name, kind in (("keys", np.uint64), ("holds_to_go", np.int64), ("blocked", np.uint64)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), (None,), kind))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def installed(self) -> Masks:
        return self.keys >> SHIFT

    @property
    def held(self) -> Masks:
        return self.keys & LOW

    @property
    def solvable(self) -> Bools:
        """(n,) whether everything can be removed from a state."""
        return self.holds_to_go >= 0

    @property
    def parts(self) -> list[int]:
        """The parts that are to be removed: columns of `actions`."""
        return list(bits(self.movable))

    def rows(self, keys: npt.ArrayLike) -> Ints:
        """The rows of states by key; −1: it falls, or cannot be reached."""
        asked = np.asarray(keys, dtype=np.uint64)
        if not len(self.keys):
            return np.full(asked.shape, -1)
        found = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        return np.where(self.keys[found] == asked, found, -1)

    def row(self, installed: int, held: int = 0) -> int:
        """The row of one state; −1: it falls, or cannot be reached."""
        return int(self.rows(np.array([key_of(installed, held)], np.uint64))[0])

    def actions(self, rows: npt.ArrayLike | None = None) -> Ints:
        """(n, parts, 2) where taking hold of, and removing, each part leads: rows, −1: it falls, −2: not allowed."""
        keys = self.keys if rows is None else self.keys[np.asarray(rows)]
        led = np.full((len(keys), len(self.parts), 2), -2, np.int64)
        free_hand = _counts(keys & LOW) < self.robots
        for column, part in enumerate(self.parts):
            bit = np.uint64(1 << part)
            there, held = (keys >> SHIFT) & bit != 0, keys & bit != 0
            takes, goes = there & ~held & free_hand, there & held
            led[takes, column, 0] = self.rows(keys[takes] | bit)
            goes[goes] = ~self._barred(keys[goes], part)
            led[goes, column, 1] = self.rows(keys[goes] & ~(bit | bit << SHIFT))
        return led

    def _barred(self, keys: Masks, part: int) -> Bools:
        none = np.zeros(0, np.uint64)
        asked = (keys >> SHIFT << SHIFT) | np.uint64(part)
        barred: Bools = np.isin(asked, none if self.blocked is None else self.blocked)
        return barred

    def verdicts(self, rows: npt.ArrayLike | None = None) -> Ints:
        """(n, parts, 2) of actions: 1 leads to a solvable state, 0 does not, −1 is not allowed."""
        led = self.actions(rows)
        solvable = np.append(self.solvable, False)
        return np.where(led == -2, -1, solvable[np.maximum(led, -1)].astype(np.int64))

    def regret(self, rows: npt.ArrayLike | None = None) -> Ints:
        """(n, parts, 2) parts held for longer than the best action would; LOST where it is a mistake or not allowed."""
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows)
        led = self.actions(chosen)
        to_go = np.append(self.holds_to_go, LOST)[np.maximum(led, -1)]
        spent = to_go.copy()
        spent[:, :, 1] += (_counts(self.keys[chosen] & LOW) - 1)[:, None]  # whoever is removed is not held meanwhile
        return np.where((to_go == LOST) | (led < 0), LOST, spent - self.holds_to_go[chosen][:, None, None])

    def matters(self) -> Bools:
        """(n,) solvable states in which some allowed action is a mistake."""
        some: Bools = (self.verdicts() == 0).any(axis=(1, 2))
        return some & self.solvable


def key_of(installed: int, held: int) -> int:
    """A state as one number."""
    return installed << 32 | held


def truth_of(
    source: Source,
    *,
    robots: int = 2,
    paths: PathKind = "none",
    joints: Interfaces | None = None,
    most: int = MOST_STATES,
) -> Truth:
    """The table of an assembly, or one in a file, under rules `holds`; made now, or found on disk where it was made.

    At most 32 bodies, and `most` states: BadInput says so where there are more.
    """
    assembly, joints = opened_with(source, {}, joints)
    shop = Workshop(assembly, rules_for(assembly, "holds", robots, paths), joints=joints)
    return truth_in(shop, most)


def truth_in(shop: Workshop, most: int = MOST_STATES) -> Truth:
    """The same in a workshop, which knows the rules."""
    if len(shop.assembly.bodies) > MOST_BODIES:
        raise BadInput(f"the truth is listed for up to {MOST_BODIES} bodies, and here are {len(shop.assembly.bodies)}")
    if shop.rules.name != "holds" or shop.rules.regrasp or not shop.stability.monotone or shop.own_checks:
        raise BadInput("the truth is listed for rules holds without regrasping or checks of your own")
    told = f"{shop.rules} {most} {_sources()}".encode()
    if shop.own_oracle is not None:
        return _Listing(shop, most).listed()
    content = (told, pickle.dumps(shop.assembly, 5), pickle.dumps(shop.joints, 5))
    return kept("truth", content, lambda: _Listing(shop, most).listed())


@cache
def _sources() -> str:
    house, total = Path(__file__).parents[2], sha256()
    for place in SOURCES:
        files = [house / place] if place.endswith(".py") else sorted((house / place).rglob("*.py"))
        for file in files:
            total.update(file.read_bytes())
    return total.hexdigest()


class _Listing:
    """Layers of states with the same parts, from the whole down, and their costs from the last one up."""

    def __init__(self, shop: Workshop, most: int) -> None:
        self._shop, self._most, self._robots = shop, most, shop.rules.robots
        goal = shop.everything
        self._whole, self._movable = goal.whole.installed, goal.whole.installed & ~goal.bare.installed
        self._undecided, self._blocked = 0, list[int]()

    def listed(self) -> Truth:
        layer = np.array([key_of(self._whole, 0)], np.uint64)
        layer, layers, total = self._standing(layer), [], 0
        while len(layer):
            layers.append(self._with_holds(layer))
            total += len(layers[-1])
            if total > self._most:
                raise BadInput(f"more than {self._most} states can be reached; the truth is for smaller assemblies")
            layer = self._standing(np.unique(np.concatenate([*self._removals(layers[-1])] or [layer[:0]])))
        keys = np.sort(np.concatenate(layers)) if layers else layer
        blocked = np.unique(np.array(self._blocked, np.uint64)) if self._blocked else None
        lost = np.full(len(keys), LOST)
        truth = Truth(self._robots, self._movable, self._whole, keys, lost, self._undecided, blocked)
        return replace(truth, holds_to_go=self._costs(truth, layers))

    def _standing(self, keys: Masks) -> Masks:
        nodes = [Node(int(key >> SHIFT), int(key & LOW)) for key in keys]
        self._shop.stability.look_up(nodes)
        answers = [self._shop.stability.finding(node).answer for node in nodes]
        self._undecided += answers.count("undecided")
        stands: Bools = np.array([answer == "stable" for answer in answers], bool)
        return np.array(keys[stands], np.uint64)

    def _with_holds(self, keys: Masks) -> Masks:
        """These and the same with more of their parts held, as many as there are hands."""
        found = newest = keys
        while len(newest):
            free = newest[_counts(newest & LOW) < self._robots]
            taken = [free[_takes(free, part)] | np.uint64(1 << part) for part in bits(self._movable)]
            newest = np.setdiff1d(np.concatenate(taken), found)
            found = np.union1d(found, newest)
        return found

    def _removals(self, keys: Masks) -> Iterator[Masks]:
        for part in bits(self._movable):
            bit = np.uint64(1 << part)
            held = keys[keys & bit != 0]
            if self._shop.removals is not None and len(held):
                held = held[self._leaving(held, part)]
            yield held & ~(bit | bit << SHIFT)

    def _leaving(self, keys: Masks, part: int) -> Bools:
        removals = self._shop.removals
        assert removals is not None
        sets, inverse = np.unique(keys >> SHIFT, return_inverse=True)
        leaves = np.array([removals.leaves(1 << part, int(there) & ~(1 << part)) for there in sets], bool)
        self._blocked += [int(there) << 32 | part for there in sets[~leaves]]
        return leaves[inverse]

    def _costs(self, truth: Truth, layers: Sequence[Masks]) -> Ints:
        """Least holds to go, from the smallest states up; within a layer from those with most parts held."""
        costs = np.full(len(truth) + 1, NEVER, np.int64)  # the last one is of all that falls
        costs[truth.rows(np.array([key_of(self._whole & ~self._movable, 0)], np.uint64))] = 0
        costs[-1] = NEVER
        for layer in reversed(layers):
            for hands in range(self._robots, -1, -1):
                rows = truth.rows(layer[_counts(layer & LOW) == hands])
                if not len(rows):
                    continue
                led = truth.actions(rows)
                after = costs[np.where(led < 0, len(truth), led)]
                after[:, :, 1] += hands - 1
                costs[rows] = np.minimum(costs[rows], after.min(axis=(1, 2)))
        return np.where(costs[:-1] >= NEVER, LOST, costs[:-1])


def _takes(keys: Masks, part: int) -> Bools:
    bit = np.uint64(1 << part)
    free: Bools = (keys >> SHIFT & bit != 0) & (keys & bit == 0)
    return free


def _counts(masks: Masks) -> Ints:
    return np.bitwise_count(masks).astype(np.int64)
