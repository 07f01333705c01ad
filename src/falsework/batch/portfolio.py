"""One hard plan on many processors: planners, selectors and random seeds side by side, and the first proof wins.

What a variant comes to counts only where it is certain: a plan that `verify` has checked in full, or a proof that there
is none. Both hold whoever found them, so which variant wins changes which plan it is, never whether there is one.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any

from falsework.batch.pools.named import pool_named
from falsework.batch.pools.processes import Processes, usable_processors
from falsework.formats.opening import Reading, Source, opened
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, did_you_mean, shown
from falsework.model.interfaces import Interfaces
from falsework.model.ports import WorkPool
from falsework.model.work import UNLIMITED
from falsework.planning.plan import plan
from falsework.planning.plans.jobs import Planned, Planner
from falsework.planning.verification.verify import verify

MOST = 256
READING_NAMES = frozenset(Reading.__annotations__)
# Planner and selector of each rank. The first is what `plan` does; those after it differ from it, and from each other,
# the more the nearer they stand; from then on the usual planner goes by chance.
DIVERSE: tuple[tuple[Planner, str], ...] = (
    ("auto", "height"),
    ("depth-first", "outside-in"),
    ("auto", "least-blocked"),
    ("beam", "height"),
    ("depth-first", "height"),
    ("auto", "degree"),
    ("growing-beam", "outside-in"),
    ("auto", "volume"),
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to search; the lower its rank, the nearer to the usual one.

    >>> [variant.planner for variant in variants(3, seed=0)]
    ['auto', 'depth-first', 'auto']
    """

    rank: int
    planner: Planner
    selector: str
    seed: int

    def as_dict(self) -> dict[str, Any]:
        return {"rank": self.rank, "planner": self.planner, "selector": self.selector, "seed": self.seed}


@dataclass(frozen=True, slots=True, eq=False)
class Raced:
    """What a portfolio came to: the winner's plan or proof; without one, what the first variant reached."""

    planned: Planned
    winner: Variant | None  # None: nobody has come to an answer
    ended: int  # how many variants had come to their end by then
    variants: int


def variants(number: int, seed: int) -> Iterator[Variant]:
    """So many ways to search, by rank."""
    by_chance: Iterator[tuple[Planner, str]] = (("auto", "random") for _ in count())
    ways = [*DIVERSE[:number], *islice(by_chance, max(number - len(DIVERSE), 0))]
    for rank, (planner, selector) in enumerate(ways):
        yield Variant(rank, planner, selector, seed + max(rank - len(DIVERSE) + 1, 0))


def portfolio(
    source: Source,
    number: int,
    *,
    pool: str | WorkPool | None = None,
    by_rank: bool = False,
    seed: int = 0,
    **options: Any,
) -> Raced:
    """A plan by `number` variants at a time: the first verified plan, or proof that there is none, wins.

    pool     who searches, as `batch` takes it; as many processes as there are variants and processors, unless told
    by_rank  wait until it is known which variant of lowest rank has an answer: the same plan every time, unless it
             is time that runs out

    The other options are those of `plan`, but for `planner` and `selector`.

    >>> raced = portfolio("examples/arch.yaml", 2, robots=2, by_rank=True)
    >>> raced.planned.status, raced.winner.rank
    ('complete', 0)
    """
    if not 1 <= number <= MOST:
        raise BadInput(f"portfolio: found {shown(number)}, expected a whole number from 1 to {MOST}")
    if wrong := sorted(options.keys() - _usable()):
        raise TypeError(f"portfolio() has no option {wrong[0]!r}; {did_you_mean(wrong[0], _usable())}")
    chosen = Processes(min(number, usable_processors())) if pool is None else pool_named(pool)
    reading: Reading = {name: options.pop(name) for name in READING_NAMES & options.keys()}  # type: ignore[assignment]
    race = _Race(list(variants(number, seed)), by_rank)
    outcomes = chosen.outcomes(Planning(opened(source, reading), options), race.variants, UNLIMITED)
    try:
        for outcome in outcomes:
            if race.has_winner(outcome.number, outcome.value, outcome.lost):
                break
    finally:
        outcomes.close()  # type: ignore[attr-defined]
    return race.result()


def _usable() -> set[str]:
    """Options of `plan` that a portfolio leaves to its caller and that travel."""
    ours = {"source", "planner", "selector", "seed", "journals", "progress", "started_s"}
    return set(inspect.signature(plan).parameters) - ours


class Planning:
    """What a worker does: search as a variant says, and check what it found."""

    def __init__(self, assembly: Assembly, options: dict[str, Any]) -> None:
        self._assembly, self._options = assembly, options
        self._joints: Interfaces | None = options.pop("joints", None)

    def warm(self) -> None:
        """What all variants need, once: where parts touch, and the machine code for what they are."""
        try:
            self._joints = interfaces(self._assembly) if self._joints is None else self._joints
        except BadInput:  # as every variant will say
            return
        sample = make("brick-wall", 0, columns=2, courses=2) if len(self._joints.clutches) else make("h-shape")
        plan(sample, budget=20)

    def __call__(self, variant: Variant) -> tuple[Planned, bool]:
        """What the search came to, and whether that is certain."""
        how: dict[str, Any] = {"planner": variant.planner, "selector": variant.selector, "seed": variant.seed}
        planned = plan(self._assembly, **{**self._options, **how}, joints=self._joints)
        if planned.status == "complete":
            return planned, bool(verify(planned.plan, self._assembly).valid)
        return planned, planned.status == "infeasible" and planned.plan.proof is not None


class _Race:
    """Who has answered so far."""

    def __init__(self, ways: list[Variant], by_rank: bool) -> None:
        self.variants, self._by_rank = ways, by_rank
        self._ended: dict[int, tuple[Planned, bool] | None] = {}
        self._lost: dict[int, str] = {}
        self._winner: int | None = None

    def has_winner(self, rank: int, found: tuple[Planned, bool] | None, lost: str) -> bool:
        self._ended[rank] = None if lost else found
        if lost:
            self._lost[rank] = lost
        certain = {rank for rank, ended in self._ended.items() if ended is not None and ended[1]}
        if not certain:
            return False
        first = min(certain)
        if self._by_rank and not all(lower in self._ended for lower in range(first)):
            return False
        self._winner = first if self._by_rank else rank
        return True

    def result(self) -> Raced:
        count = len(self.variants)
        if self._winner is not None:
            found = self._ended[self._winner]
            assert found is not None
            return Raced(found[0], self.variants[self._winner], len(self._ended), count)
        reached = [ended for _, ended in sorted(self._ended.items()) if ended is not None]
        if not reached:
            raise _why(self._lost)
        planned, certain = reached[0]
        if planned.status == "complete" and not certain:  # what verify refutes is no plan
            planned = replace(planned, plan=replace(planned.plan, status="budget"), why="no plan could be verified")
        return Raced(planned, None, len(self._ended), count)


def _why(lost: dict[int, str]) -> Exception:
    """What became of a portfolio whose every variant was lost; what they all refuse is bad input."""
    said = lost[min(lost)]
    kind, colon, text = said.partition(": ")
    return BadInput(text) if colon and kind in ("BadInput", "BadFile", "BadPart", "Overlap") else Undecided(said)
