"""Which part to try first: selectors order the parts that could be removed next.

A search that builds goes through the same order from its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.solids import bulk, surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.ports import PartSelector, RemovalOracle
from falsework.model.state import State
from falsework.planning.nodes.moves import bits

SELECTORS = ("height", "outside-in", "volume", "degree", "least-blocked", "random", "learned")


Policy = Callable[[Assembly, State, Sequence[int]], Sequence[float] | Array]


class ByScore:
    """Orders parts by a number, highest first; ties by part order."""

    def __init__(self, score: Callable[[int, State], float]) -> None:
        self._score = score

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        del assembly
        return sorted(candidates, key=lambda part: (-self._score(part, state), part))


class LeastBlocked(ByScore):
    """Orders parts by how few are in the way; of parts with as many, the higher first."""

    def __init__(self, openness: Callable[[int, State], float], height: Callable[[int, State], float]) -> None:
        super().__init__(openness)
        self._height = height

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        del assembly
        scores = {part: (-self._score(part, state), -self._height(part, state), part) for part in candidates}
        return sorted(candidates, key=lambda part: scores[part])


class OutsideIn:
    """Farthest from the centre of the installed parts' bounding box first (seed 001, III-C)."""

    def __init__(self, assembly: Assembly) -> None:
        placed = [surface(b.shape).vertices @ b.T_world_part[:3, :3].T + b.T_world_part[:3, 3] for b in assembly.parts]
        self._low = np.array([vertices.min(axis=0) for vertices in placed])
        self._high = np.array([vertices.max(axis=0) for vertices in placed])

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        there = [part for part in bits(state.installed) if part < len(assembly.parts)]
        centre = (self._low[there].min(axis=0) + self._high[there].max(axis=0)) / 2
        far = np.linalg.norm(assembly.coms_m[list(candidates)] - centre, axis=1)
        return [candidates[n] for n in np.lexsort((np.asarray(candidates), -np.round(far, 9)))]


class Learned:
    """Likeliest first, by a policy that was learned elsewhere (seed 001, III-C: "which part is removed next").

    `policy(assembly, state, candidates)` gives a number for each candidate, in their order: probabilities or logits,
    only their order counts. What it looks at is its own affair: shapes, contacts, what is installed. A policy that
    needs a network brings it along; nothing here imports one.

    >>> from falsework import plan
    >>> plan("examples/arch.yaml", selector=Learned(lambda assembly, state, candidates: [0.0] * len(candidates))).status
    'complete'
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        scores = np.asarray(self._policy(assembly, state, candidates), dtype=float)
        if scores.shape != (len(candidates),) or np.isnan(scores).any():
            found = f"{scores.size} scores for {len(candidates)} candidates, or some that are not numbers"
            raise BadInput(f"selector learned: the policy gave {found}; expected one number each")
        return [candidates[n] for n in np.lexsort((np.asarray(candidates), -scores))]


class Random:
    """In any order, a new one each time."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> list[int]:
        del assembly, state
        return [candidates[n] for n in self._rng.permutation(len(candidates))]


def selector_named(
    name: str,
    assembly: Assembly,
    touching: Sequence[int],
    removals: RemovalOracle | None,
    rng: np.random.Generator,
) -> PartSelector:
    """One of the selectors that come with the house; `learned` is a port that needs a policy."""
    if name == "outside-in":
        return OutsideIn(assembly)
    if name == "random":
        return Random(rng)
    if name == "height":
        return ByScore(_upward(assembly))
    if name == "volume":
        volumes = [bulk(surface(part.shape)).volume_m3 for part in assembly.parts]
        return ByScore(lambda part, _: -volumes[part])
    if name == "degree":
        return ByScore(lambda part, state: -(touching[part] & state.installed).bit_count())
    if name == "least-blocked":
        return LeastBlocked(_openness(removals, touching), _upward(assembly))
    if name == "learned":
        raise BadInput("selector learned: no policy was given; pass selectors.Learned(policy) to falsework.plan")
    raise BadInput(f"selector {shown(name)}: {did_you_mean(name, SELECTORS)}")


def _upward(assembly: Assembly) -> Callable[[int, State], float]:
    """Height of the centre of mass against gravity, as it lies."""

    @lru_cache(maxsize=64)
    def heights(pull: tuple[float, float, float] | None) -> Array:
        down = assembly.gravity if pull is None else np.array(pull)
        up = -down / np.linalg.norm(down) if down.any() else np.array([0.0, 0.0, 1.0])
        raised: Array = np.round(assembly.coms_m @ up, 9)
        return raised

    return lambda part, state: float(heights(state.gravity)[part])


def _openness(removals: RemovalOracle | None, touching: Sequence[int]) -> Callable[[int, State], float]:
    """How few parts are in the way, on the way where they are fewest; without paths, how few touch it."""

    def score(part: int, state: State) -> float:
        there = state.installed & ~(1 << part)
        if removals is None:
            return -float((touching[part] & there).bit_count())
        in_the_way = [(mask & there).bit_count() for mask in removals.blockers(1 << part)]
        return -float(min(in_the_way, default=there.bit_count()))

    return score
