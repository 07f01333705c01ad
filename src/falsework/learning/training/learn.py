"""`learn`: trains a policy on assemblies, for so long or so many updates, and keeps it in a folder."""

from __future__ import annotations

import contextlib
import os
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack

import torch

from falsework.formats.opening import READING, Reading, Source, opened
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.learning.nets.policy_file import PolicyFile, write_policy
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.training.checkpoints import CHECKPOINT, POLICY, Kept, Row, restored, save_run
from falsework.learning.training.run import Course, Run, Update, share
from falsework.learning.training.settings import Settings
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.verbs import verb
from falsework.version import __version__

EVERY = 10  # updates between two looks at the accuracy
LOOKED_AT = 512  # starts of each kind at such a look; all of them at the end
SAVE_EVERY_S = 2.0  # seconds between checkpoints, which take some milliseconds each
SAMPLED = 0.90  # share of episodes won in the last update at which a run may be over (the seed's code)
MOST_SHOWN = 12  # starts that failed, on the page
MINUTES = 5.0  # where nothing is said


Bin = tuple[int, int, int]  # parts to go, starts with so many, how many of them were finished
Failed = tuple[tuple[str, ...], tuple[str, ...]]  # parts to go, parts held


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A policy, how it came about, and where it is.

    `stopped` is "updates", "minutes" or "accuracy". Accuracies are of the last weights, not of the best ones seen.

    >>> Trained.__match_args__[:3]
    ('policy', 'updates', 'cpu_s')
    """

    policy: PolicyFile
    updates: int
    cpu_s: float
    stopped: str
    train_accuracy: float
    test_accuracy: float
    train_states: int
    test_states: int
    curve: tuple[Row, ...]
    by_parts: tuple[Bin, ...]  # of the test starts
    failed: tuple[Failed, ...]  # the first few of them that were not finished
    path: Path | None = None
    oracle_calls: int = 0  # states that the oracle was asked about, each once, from here on where a run was resumed


Progress = Callable[[Row], None]


@verb(*READING)
def learn(
    sources: Source | Sequence[Source],
    *,
    robots: int = 2,
    minutes: float | None = None,
    updates: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    seed: int = 0,
    settings: Settings | None = None,
    paths: str = "none",
    threads: int = 1,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Trained:
    """A policy that takes assemblies, or those in files, apart with so many hands, trained here and now.

    minutes    of processor time, 5 if neither is given; `updates`: that many instead, or whichever comes first
    out        a folder for the policy, the curve and checkpoints; `resume`: go on from the checkpoint there, if any
    seed       random seed: same seed, updates and threads, same weights
    settings   how to train; `Settings()` has the defaults
    paths      "none": what is in the way is not looked at; "straight": parts that cannot leave so are masked (6.1)
    progress   is told every row of the curve

    The other options are those of `load`.

    >>> trained = learn("examples/arch.yaml", updates=1, settings=Settings(rollouts=8, widths=(4, 4)))
    >>> trained.updates, trained.stopped
    (1, 'updates')
    """
    several = [sources] if isinstance(sources, Assembly | str | os.PathLike) else list(sources)
    if not several:
        raise BadInput("learn: no assembly was given")
    chosen = settings or Settings()
    folder = None if out is None else Path(out)
    if folder is not None and not resume and (folder / CHECKPOINT).exists():
        raise BadInput(f"{folder}: there is a run already; add --resume to go on with it, or name another folder")
    if resume and folder is None:
        raise BadInput("--resume needs --out: the folder of the run to go on with")
    with _threads(threads):
        problems = [_problem(opened(source, reading), robots, paths) for source in several]
        run = Run(problems, chosen, seed)
        kept = Kept([_hash(problem) for problem in problems], robots, paths)
        if resume and folder is not None and (folder / CHECKPOINT).exists():
            restored(folder, run, kept)
        return _trained(run, kept, _Budget(minutes, updates), folder, progress)


@dataclass(slots=True)
class _Budget:
    minutes: float | None
    updates: int | None

    def __post_init__(self) -> None:
        if self.minutes is None and self.updates is None:
            self.minutes = MINUTES

    def used_up(self, run: Run, cpu_s: float) -> str:
        if self.updates is not None and run.done >= self.updates:
            return "updates"
        return "minutes" if self.minutes is not None and cpu_s >= 60.0 * self.minutes else ""


def _trained(run: Run, kept: Kept, budget: _Budget, folder: Path | None, progress: Progress | None) -> Trained:
    before, begun, saved = kept.cpu_s, time.process_time(), time.process_time()
    kept.stopped = kept.stopped if kept.stopped == "accuracy" else ""
    while not kept.stopped:
        kept.cpu_s = before + time.process_time() - begun
        kept.stopped = budget.used_up(run, kept.cpu_s)
        if kept.stopped:
            break
        found = run.update()
        if run.done % EVERY == 0:
            row = _look(run, found, before + time.process_time() - begun)
            kept.curve.append(row)
            if progress is not None:
                progress(row)
            settled = run.done >= max(
                run.settings.drops, default=0
            )  # at a high rate, what is seen changes by the update
            if settled and row["train"] >= run.settings.stop_at and found.won >= SAMPLED:
                kept.stopped = "accuracy"
        if folder is not None and time.process_time() - saved > SAVE_EVERY_S:
            _save(folder, run, kept)
            saved = time.process_time()
    trained = _result(run, kept, folder)
    if folder is not None:
        _save(folder, run, kept, trained.policy)
    return trained


def _look(run: Run, found: Update, cpu_s: float) -> Row:
    accuracies = {"train": run.accuracy("train", LOOKED_AT), "test": run.accuracy("test", LOOKED_AT)}
    return {"update": float(run.done), **accuracies, **found.as_dict(), "cpu_s": round(cpu_s, 2)}


def _result(run: Run, kept: Kept, folder: Path | None) -> Trained:
    outcomes = {which: run.outcomes(which) for which in ("train", "test")}
    train, test = (share([fine for _, _, fine in found]) for found in outcomes.values())
    about = {
        "robots": kept.robots,
        "paths": kept.paths,
        "seed": run.seed,
        "updates": run.done,
        "cpu_s": round(kept.cpu_s, 1),
        "train_accuracy": train,
        "test_accuracy": None if test != test else test,
        "settings": run.settings.as_dict(),
        "inputs": kept.inputs,
        "falsework": __version__,
    }
    policy = PolicyFile(run.shape, run.weights(), about)
    curve = tuple(kept.curve)
    path = None if folder is None else folder / POLICY
    tried, examined = (len(found) for found in outcomes.values())
    by_parts, failed = _where_it_errs(outcomes["test"] or outcomes["train"])
    times = (run.done, kept.cpu_s, kept.stopped)
    asked = sum(len(course.player.problem.known) for course in run.courses)
    return Trained(policy, *times, train, test, tried, examined, curve, by_parts, failed, path, asked)


def _where_it_errs(outcomes: Sequence[tuple[Course, Situation, bool]]) -> tuple[tuple[Bin, ...], tuple[Failed, ...]]:
    counts: dict[int, list[bool]] = {}
    failed: list[Failed] = []
    for course, here, fine in outcomes:
        counts.setdefault((here.installed & ~here.target).bit_count(), []).append(fine)
        if not fine and len(failed) < MOST_SHOWN:
            named = course.player.problem.assembly.named
            failed.append((named(here.installed & ~here.target), named(here.held)))
    return tuple((parts, len(found), sum(found)) for parts, found in sorted(counts.items())), tuple(failed)


def _save(folder: Path, run: Run, kept: Kept, policy: PolicyFile | None = None) -> None:
    save_run(folder, run, kept)
    about: dict[str, Any] = {"robots": kept.robots, "paths": kept.paths, "updates": run.done, "unfinished": True}
    write_policy(folder / POLICY, policy or PolicyFile(run.shape, run.weights(), about))


def _problem(assembly: Assembly, robots: int, paths: str) -> Problem:
    if paths not in ("none", "straight"):
        raise BadInput(f"paths {paths!r}: policies are trained with none or straight")
    joints = interfaces(assembly)
    removals = StraightRemovals(assembly, joints) if paths == "straight" else None
    return Problem.of(assembly, robots, joints=joints, removals=removals)


def _hash(problem: Problem) -> str:
    return sha256(pickle.dumps(problem.assembly, 5)).hexdigest()


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    """Sums depend on how many threads share them; afterwards it is as it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
