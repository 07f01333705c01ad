"""Searches that a guide leads: by its order of moves, holds included, in turns with searches that nobody leads.

What is tried, and what a move must pass, is as without a guide. A guide that gives nonsense costs some evaluations.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.ports import Guide
from falsework.model.state import State
from falsework.planning.nodes.checks import Refusal
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.nodes.moves import Move, Node, bits
from falsework.planning.search.searches import Outcome, Search, in_turns
from falsework.planning.search.walks import TakingApart, Task

TRUST = 1.25  # evaluations a part removed that a guide may take before the other searches join in
GRACE = 3  # and so many beside, one more for every MANY parts
MANY = 8
FORETHOUGHT = 8  # states that a guide is asked about to choose one removal
WIDE = 1e3  # scores are told apart up to here
MUCH = 1e6  # to be paid where a guide says nothing
NOBODY_KNOWS = 10**9  # how many parts are left
AT_LEAST = 5  # evaluations that the guide is counted as having had, so that small problems are done before it is back
SHARE = 6  # evaluations of the others for each of the guide's then


def scored(guide: Guide, state: State, moves: Sequence[tuple[int, State]]) -> Array:
    """What a guide says of moves, fit to sort by: what is not a number comes last."""
    if not moves:
        return np.zeros(0)
    found = np.asarray(guide.scores(state, moves), dtype=float)
    if found.shape != (len(moves),):
        raise BadInput(f"guide: found scores of shape {found.shape} for {len(moves)} moves; expected one number each")
    return np.where(np.isnan(found), -np.inf, found)


def costs_to_go(guide: Guide, nodes: Sequence[Node]) -> Array:
    """What a guide says is still to be paid from nodes, fit to sort by: what is not a number is much."""
    if not nodes:
        return np.zeros(0)
    found = np.asarray(guide.cost_to_go([State(node.installed, node.held) for node in nodes]), dtype=float)
    if found.shape != (len(nodes),):
        raise BadInput(f"guide: found costs of shape {found.shape} for {len(nodes)} states; expected one number each")
    told: Array = np.nan_to_num(found, nan=MUCH, posinf=MUCH, neginf=-MUCH)
    return told


class ByGuide:
    """A guide as a selector, for walks that choose holds themselves."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        del assembly
        moves = [(1 << part, _without(state, part)) for part in candidates]
        scores = scored(self._guide, state, moves)
        return [candidates[n] for n in np.argsort(-scores, kind="stable")]


class GuidedRemoval(TakingApart):
    """From the whole down, the likeliest (part, holds) first; every way to hold that helps has its turn."""

    def __init__(self, task: Task, guide: Guide) -> None:
        super().__init__(task)
        self._guide = guide
        self._fixed = task.assembly.fixed_mask()

    def moves(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node]]:
        yield from (found for found in self.tries(node, ledger, met) if found is not None)
        if self._task.regrasp:
            yield from self._regrasped(node, ledger, met)

    def tries(self, node: Node, ledger: Ledger, met: Met) -> Iterator[tuple[Move, Node] | None]:
        """What every evaluation comes to: a move and the node that it leads to, or nothing.

        First what the guide would do hand by hand, whom to take hold of and then whom to remove (seed 002, Algorithm
        1), likeliest first; then all that is left, with holds where something falls without.
        """
        told = _Told()
        for parts, rest in chain(self._by_hand(node), self._all_that_is_left(node, told)):
            if rest in met or told.is_vain(parts, rest):
                continue
            refusal = ledger.refusal(Move(parts, rest, node))
            told.add(parts, rest, refusal)
            yield None if refusal is not None else (Move(parts, rest, node), rest)

    def _by_hand(self, node: Node) -> Iterator[tuple[int, Node]]:
        """First what comes of the likeliest steps, then removals by how likely the guide comes to them, taking hold of
        parts before; no more than FORETHOUGHT states are thought about."""
        queue = [(False, 0.0, 0, 0, node)]  # not first, −log of its chance, when it came up, parts removed, state
        serial = thought = 0
        while queue:
            later, unlikely, _, parts, here = heapq.heappop(queue)
            if parts:
                yield parts, here
            elif thought < FORETHOUGHT:
                thought += 1
                steps = self._steps(here)
                chances = _log_chances(scored(self._guide, *_as_asked(here, steps)))
                best = int(chances.argmax()) if len(chances) else 0
                for number, (chance, (removed, after)) in enumerate(zip(chances.tolist(), steps, strict=True)):
                    serial += 1
                    heapq.heappush(queue, (later or number != best, unlikely - chance, serial, removed, after))

    def _steps(self, here: Node) -> list[tuple[int, Node]]:
        """What one hand may do: remove a part that it holds, or take hold of one if it holds none."""
        gone = self._task.still_to_go(here)
        steps = [
            (1 << part, Node(here.installed & ~(1 << part), here.held & ~(1 << part), here.pose))
            for part in bits(here.held & gone)
        ]
        if here.held.bit_count() < self._task.robots:
            loose = here.installed & ~here.held & ~self._fixed
            parts = self._task.ordered(here, loose & gone) + list(bits(loose & ~gone))
            steps += [(0, Node(here.installed, here.held | 1 << part, here.pose)) for part in parts]
        return steps

    def _all_that_is_left(self, node: Node, told: _Told) -> Iterator[tuple[int, Node]]:
        """Every part, likeliest first, without a new hold; where that falls, with one more of those that fall."""
        parts = self._task.ordered(node, self._task.still_to_go(node))
        rests = [
            (1 << part, Node(node.installed & ~(1 << part), node.held & ~(1 << part), node.pose)) for part in parts
        ]
        scores = scored(self._guide, *_as_asked(node, rests))
        for number in np.argsort(-scores, kind="stable"):
            waiting, seen = [rests[number]], set[int]()
            while waiting:
                removed, rest = waiting.pop(0)
                yield removed, rest
                if rest.held.bit_count() + 1 < self._task.robots:
                    for part in bits(told.would_help(removed, rest) & rest.installed & ~rest.held & ~self._fixed):
                        held = rest.held | 1 << part
                        if held not in seen:
                            seen.add(held)
                            waiting.append((removed, Node(rest.installed, held, rest.pose)))


class _Told:
    """What the checks have said of removals from one node, and what follows from it."""

    def __init__(self) -> None:
        self._asked = set[tuple[int, int]]()
        self._helps: dict[tuple[int, int], int] = {}  # by parts removed and what was held: whom to hold beside
        self._falls: dict[int, list[tuple[int, int]]] = {}  # by parts removed: what was held, and who fell
        self._barred = set[int]()  # parts that do not go, whoever is held

    def add(self, parts: int, rest: Node, refusal: Refusal | None) -> None:
        self._asked.add((parts, rest.held))
        if refusal is None:
            return
        if refusal.node == rest:
            self._helps[parts, rest.held] = refusal.blockers
        if refusal.minds_hands or refusal.undecided:
            return
        if refusal.node == rest:
            self._falls.setdefault(parts, []).append((rest.held, refusal.blockers))
        else:
            self._barred.add(parts)

    def is_vain(self, parts: int, rest: Node) -> bool:
        """Whether it was asked, or cannot be."""
        return parts in self._barred or (parts, rest.held) in self._asked or self._fallen(parts, rest) is not None

    def _fallen(self, parts: int, rest: Node) -> int | None:
        """Who falls, where that is known: with parts held beside, none of whom fell, the same ones fell."""
        falls = self._falls.get(parts, ())
        return next((blockers for held, blockers in falls if not rest.held & ~held & blockers), None)

    def would_help(self, parts: int, rest: Node) -> int:
        """Whom to take hold of beside: whatever stands with more parts held holds one of these."""
        told = self._helps.get((parts, rest.held))
        return (self._fallen(parts, rest) or 0) if told is None else told


def _as_asked(here: Node, steps: Sequence[tuple[int, Node]]) -> tuple[State, list[tuple[int, State]]]:
    return State(here.installed, here.held), [(parts, State(rest.installed, rest.held)) for parts, rest in steps]


def _log_chances(scores: Array) -> Array:
    """Scores as logarithms of chances that sum to one; of nonsense, all alike."""
    if not len(scores):
        return scores
    finite = np.clip(scores, -WIDE, WIDE) - min(float(scores.max()), WIDE)
    if not np.isfinite(finite).all():
        return np.full(len(scores), -np.log(len(scores)))
    total: Array = finite - np.log(np.exp(finite).sum())
    return total


def straight_on(walk: GuidedRemoval, ledger: Ledger) -> Search:
    """Always on by the first move that is possible, and back where there is none; it pauses at every evaluation."""
    met = Met(walk.covers, walk.minds_pose)
    trail, onward = list[tuple[Move, Node]](), [walk.tries(walk.start, ledger, met)]
    yield walk.left(walk.start)
    while onward:
        node = trail[-1][1] if trail else walk.start
        if walk.arrived(node):
            return Outcome(walk.in_building_order([move for move, _ in trail]))
        for found in onward[-1]:
            yield walk.left(node if found is None else found[1])
            if found is not None:
                met.add(found[1])
                trail.append(found)
                onward.append(walk.tries(found[1], ledger, met))
                break
        else:
            onward.pop()
            if trail:
                trail.pop()
    return Outcome(None)


def led(guided: Search, others: Sequence[Search], ledger: Ledger, walks: int) -> Search:
    """The guide first, then in turns with the others, counted in evaluations: it never has had more than half of what
    they have had, but for what a plan takes them at least, since `walks` of them pay for a part in every round.

    So a plan takes all together at most half as much again as the others alone, whatever the guide says, as long as
    none of them gives up early; proofs that there is none may take longer. A guide that does not get on waits for
    longer. `guided` must pause at every evaluation.
    """
    unled: Search | None = in_turns(others)
    begun, spent = ledger.evaluations, 0
    most = left = fewest = next(guided)
    while True:
        used = ledger.evaluations - begun - spent
        if unled is None or _is_due(spent, used, most, left, walks):
            before = ledger.evaluations
            try:
                left = next(guided)
            except StopIteration as ended:
                outcome: Outcome = ended.value
                if unled is None or outcome.moves is not None or outcome.exhaustive:
                    return outcome
                return (yield from unled)
            spent += ledger.evaluations - before
            fewest = min(fewest, left)
        else:
            try:
                fewest = min(fewest, next(unled))
            except StopIteration as ended:
                ending: Outcome = ended.value
                if ending.moves is not None or ending.exhaustive:
                    return ending
                unled = None
        yield fewest


def _is_due(spent: int, used: int, most: int, left: int, walks: int) -> bool:
    """Whether a guide that has spent so many evaluations, while the others used theirs, may spend one more."""
    if left == 0:
        return True  # it has arrived, and only has to say so
    if spent > TRUST * (most - left) + GRACE + most // MANY:
        return SHARE * max(spent, AT_LEAST) <= used
    return 2 * (spent + 1) <= max(walks * most, used)


def slowed(search: Search, ledger: Ledger, spent: int = 0, at_least: int = AT_LEAST) -> Search:
    """The same search, which may have had evaluations already, and waits until the others have had several for each of
    its own, or are done. It is counted as having had `at_least` so many."""
    left, begun = NOBODY_KNOWS, ledger.evaluations - spent
    while True:
        seen = -1
        while ledger.evaluations - begun - spent < SHARE * max(spent, at_least) and ledger.evaluations != seen:
            seen = ledger.evaluations
            yield left
        before = ledger.evaluations
        try:
            left = next(search)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        spent += ledger.evaluations - before
        yield left


def _without(state: State, part: int) -> State:
    return State(state.installed & ~(1 << part), state.held & ~(1 << part))
