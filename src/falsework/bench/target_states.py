"""States whose answers must not depend on the processor, and how they are asked about on several.

Four of five are random states. The fifth is near a limit: it leans or is pushed just less or just more than it bears,
between a hundredth and a hundred-thousandth of its weight off. The limit is found here, once; every target makes the
assemblies anew, so that poses and contacts are rounded there too.

`python -m falsework.bench.target_states` answers the questions that it is given on its standard input.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from falsework.bench.samples import brick_wall, cantilever, random_state, vault
from falsework.bench.targets import Target
from falsework.gallery.registry import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.bits import flags
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.ambiguity import certain
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.warm import warm

ASSEMBLIES: Mapping[str, Callable[[], Assembly]] = {
    "vault": partial(vault, 20, 1),
    "vault in two layers": partial(vault, 24, 2),
    "arch": partial(make, "semicircular-arch"),
    "flat arch": partial(make, "flat-arch"),
    "dome": partial(make, "dome"),
    "shell": partial(make, "hexagonal-shell"),
    "wall": partial(make, "running-bond-wall"),
    "diamond tower": partial(make, "diamond-tower"),
    "brick wall": partial(brick_wall, 16),
    "brick tower": partial(cantilever, 18, 2),
}
NEAR = 0.2  # of the states are near a limit
OF_ONE = 5  # states near the same limit: it takes some forty questions to find
OFF = (1e-5, 1e-2)  # weights of the free parts by which a limit is missed; the referee's tolerances are 1e-6 of loads
KNOWN = 1e-6  # of the same, to which a limit is known
TRIES = 20  # states among which one is sought that stands, and falls if it is leant or pushed enough
MOST = 100.0  # weights of the free parts that push, or tangent of the angle by which the state leans

Bent = Callable[[float], State]  # leant or pushed so much


@dataclass(frozen=True, slots=True)
class Question:
    """A state of one of the ASSEMBLIES."""

    assembly: str
    state: State
    off: float = 0.0  # near a limit: by how many weights it is missed, negative where it stands


@dataclass(frozen=True, slots=True)
class Differences:
    """States, by their number."""

    contradictory: list[int]  # stable on one target, unstable on another
    partly_undecided: list[int]  # undecided on some, decided on others


def questions(count: int) -> list[Question]:
    """The same ones on every machine, but for the last digits of limits."""
    rng = np.random.default_rng(0)
    shares = [len(share) for share in np.array_split(np.arange(count), len(ASSEMBLIES))]
    return [
        question for name, share in zip(ASSEMBLIES, shares, strict=True) for question in _questions(name, share, rng)
    ]


def _questions(name: str, count: int, rng: np.random.Generator) -> Iterator[Question]:
    assembly = ASSEMBLIES[name]()
    oracle = Equilibrium(assembly, certain(interfaces(assembly)), compiled=True)
    near = round(NEAR * count)
    for begin in range(0, near, OF_ONE):
        yield from _near_limit(name, oracle, min(OF_ONE, near - begin), rng)
    for _ in range(count - near):
        yield Question(name, random_state(assembly, rng))


def _near_limit(name: str, oracle: Equilibrium, count: int, rng: np.random.Generator) -> Iterator[Question]:
    """A random state that stands, leant or pushed nearly as much as it bears; plain ones where there is none."""
    for _ in range(TRIES):
        state = random_state(oracle.assembly, rng)
        bent = (_leaning if rng.random() < 0.5 else _pushed)(oracle.assembly, state, rng)
        limit = _limit(oracle, bent)
        if limit is not None:
            offs = np.exp(rng.uniform(np.log(OFF[0]), np.log(OFF[1]), count)) * rng.choice((-1, 1), count)
            yield from (Question(name, bent(limit + float(off)), float(off)) for off in offs)
            return
    for _ in range(count):
        yield Question(name, random_state(oracle.assembly, rng))


def _leaning(assembly: Assembly, state: State, rng: np.random.Generator) -> Bent:
    angle, down = rng.uniform(0, 2 * np.pi), float(np.linalg.norm(assembly.gravity))

    def leaning(tangent: float) -> State:
        across = tangent * down
        gravity = (float(across * np.cos(angle)), float(across * np.sin(angle)), -down)
        return State(state.installed, state.held, gravity)

    return leaning


def _pushed(assembly: Assembly, state: State, rng: np.random.Generator) -> Bent:
    free = assembly.named(state.free(assembly))
    part = free[int(rng.integers(len(free)))] if free else assembly.names[0]
    there = flags(state.free(assembly), len(assembly.bodies))
    weight = float(assembly.masses_kg[there].sum() * np.linalg.norm(assembly.gravity))
    direction = rng.normal(size=3)
    push = direction * weight / np.linalg.norm(direction)
    return lambda size: State(state.installed, state.held, loads=(Load(part, size * push),))


def _limit(oracle: Equilibrium, bent: Bent) -> float | None:
    """How much a state bears; None if that is hardly anything, or everything."""
    low, high = OFF[1], 2 * OFF[1]
    if not oracle.assess(bent(low)).stands:
        return None
    while oracle.assess(bent(high)).stands:
        low, high = high, 4 * high
        if high > MOST:
            return None
    while high - low > KNOWN:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if oracle.assess(bent(middle)).stands else (low, middle)
    return low


def answers(asked: Sequence[Question]) -> list[Answer]:
    """Here, one after the other."""
    oracles: dict[str, Equilibrium] = {}
    found: list[Answer] = []
    for question in asked:
        if question.assembly not in oracles:
            assembly = ASSEMBLIES[question.assembly]()
            oracles[question.assembly] = Equilibrium(assembly, certain(interfaces(assembly)), compiled=True)
        found.append(oracles[question.assembly].assess(question.state).answer)
    return found


def answers_on(target: Target, asked: Sequence[Question]) -> tuple[list[Answer], float]:
    """On a target, in a process of its own, and the seconds that it worked on them."""
    command = [sys.executable, "-m", "falsework.bench.target_states"]
    given = pickle.dumps(list(asked))
    done = subprocess.run(command, input=given, env=target.environment(), capture_output=True, check=False)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise RuntimeError(f"target {target.name}: exit {done.returncode}: {' '.join(last)}")
    found: tuple[list[Answer], float] = pickle.loads(done.stdout)
    return found


def differences(by_target: Mapping[str, Sequence[Answer]]) -> Differences:
    """Between the answers of all targets to the same questions."""
    together = [set(told) for told in zip(*by_target.values(), strict=True)]
    return Differences(
        [n for n, told in enumerate(together) if {"stable", "unstable"} <= told],
        [n for n, told in enumerate(together) if "undecided" in told and len(told) > 1],
    )


def main() -> None:
    warm()
    asked: list[Question] = pickle.load(sys.stdin.buffer)
    start = time.process_time()
    found = answers(asked)
    sys.stdout.buffer.write(pickle.dumps((found, time.process_time() - start)))


if __name__ == "__main__":
    main()
