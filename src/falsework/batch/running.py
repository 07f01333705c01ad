"""`batch`: one question asked of many inputs; what is answered is kept at once, and never asked again."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from falsework.batch.folder import Finished, answers, opened_folder
from falsework.batch.inputs.naming import named
from falsework.batch.inputs.sources import FileSource, PlanSource, packed
from falsework.batch.inputs.sweeps import Options, option_sweep
from falsework.batch.keys import Job
from falsework.batch.pools.named import pool_named
from falsework.batch.shards import ROWS, TIMINGS, Appender
from falsework.batch.summary import Summary, summarised
from falsework.batch.table import RESULTS, Columns, write_table
from falsework.formats.basics.atomic import write_whole
from falsework.lazy import upstairs
from falsework.model.answers import NotTrueOrFalse
from falsework.model.errors import BadFile, BadInput, MissingExtra, did_you_mean, shown
from falsework.model.ports import WorkPool
from falsework.model.verbs import verb as taught
from falsework.model.work import Limits, Outcome

SUMMARY = "summary.json"
Artefacts = Literal["none", "failures", "all"]
ARTEFACTS: tuple[Artefacts, ...] = ("none", "failures", "all")
TIMEOUT_S, MEMORY_MB = 600.0, 4096  # of one job, unless told
Names = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Batch(NotTrueOrFalse):
    """What a batch came to.

    `failed` are jobs that were refused, `quarantined` those that were given up because their workers died of them.
    Every job has a row; `answers` counts what they say.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     batch("info", "examples/arch.yaml", out=folder, pool="serial").quarantined
    0
    """

    ASK_INSTEAD = "batch.jobs == batch.done"

    jobs: int
    done: int  # have a row
    new: int  # … since this call
    failed: int
    quarantined: int
    answers: dict[str, int]
    results: Path  # Parquet, or the folder of JSON lines where pyarrow is not installed
    summary: Path
    wall_s: float
    jobs_per_s: float | None  # of the new ones; None where there were none


@taught()
def batch(
    verb: str,
    inputs: Names,
    *,
    out: str | os.PathLike[str],
    pool: str | WorkPool = "processes",
    set: Mapping[str, Any] | Iterable[str] = (),
    artefacts: Artefacts = "none",
    timeout_s: float | None = TIMEOUT_S,
    memory_mb: float | None = None,
    resume: bool = False,
    retry: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """One verb asked of many inputs; the same call again does only what is missing or has changed.

    verb       "check", "margins", "collapse", "simulate", "plan", "verify", "convert" or "info"
    inputs     files, folders, patterns, lists, "FILE#*", "new:KIND{n=3..40,seed=0..99}"; one or several
    out        the folder: shards/*.jsonl while it goes on, results.parquet and summary.json at the end
    pool       "serial", "processes", "processes:N", "ray", "ray:ADDRESS" or a `WorkPool` of your own
    set        options of the verb, as the command line names them, all choices of several: {"mu": [0.3, 0.5]}
    artefacts  whose certificates, reports and drawings are kept: "none", "failures" (what falls, breaks or stays
               undecided) or "all"
    timeout_s  the most seconds that a job may take; what takes longer twice is quarantined
    memory_mb  the most memory that a job may take; 4096, or its share of the machine's
    resume     there must be something to go on from
    retry      try again what was quarantined
    progress   is told how many jobs are done, and of how many, 0 while that is not known

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = batch("check", ["examples/bridge.txt", "examples/stairs.txt"], out=folder, pool="serial")
    >>> found.done, found.answers
    (2, {'stable': 1, 'unstable': 1})
    """
    chosen = pool_named(pool)
    if artefacts not in ARTEFACTS:
        raise BadInput(f"artefacts {shown(artefacts)}: {did_you_mean(artefacts, ARTEFACTS)}")
    folder = Path(out)
    answering = upstairs("Answering")(verb, artefacts, str(folder.resolve()))
    choices = option_sweep(set if isinstance(set, Mapping) else list(set))
    for options in choices:
        answering.refuse(options)
    limits = Limits(timeout_s, _memory_bytes(memory_mb, chosen.workers))
    words = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    with opened_folder(folder, verb, resume):
        for left in (folder / "artefacts").glob(".*.part"):  # by a worker that was killed
            shutil.rmtree(left, ignore_errors=True)
        run = _Run(folder, Finished(folder, retry), verb, words, choices)
        run.work(chosen, answering, limits, progress)
        return run.ended()


def _memory_bytes(megabytes: float | None, workers: int) -> int | None:
    if megabytes is not None:
        if not 0 < megabytes < 1e9:
            raise BadInput(f"memory_mb: found {shown(megabytes)}, expected a number above 0")
        return int(megabytes * 2**20)
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return MEMORY_MB * 2**20
    return max(min(MEMORY_MB * 2**20, int(0.8 * machine / workers)), 64 * 2**20)


@dataclass(slots=True)
class _Run:
    """One call: which jobs there are, which of them are under way, and what was done."""

    folder: Path
    finished: Finished
    verb: str
    words: list[str | os.PathLike[str]]
    choices: list[Options]
    places: set[bytes] = field(default_factory=set)  # of all jobs that were named
    under_way: dict[int, Job] = field(default_factory=dict)
    shares_files: bool = True  # workers see the same files as we do
    done: int = 0
    new: int = 0
    began_s: float = field(default_factory=time.monotonic)

    def jobs(self) -> Iterator[Job]:
        """Every job once, however often it is named."""
        for source, own in named(self.words):
            about = PlanSource(source.name) if self.verb == "verify" and isinstance(source, FileSource) else source
            for options in self.choices:
                job = Job(self.verb, about, {**options, **own})
                if (place := job.place()) not in self.places:
                    self.places.add(place)
                    yield job

    def missing(self) -> Iterator[Job]:
        """Those that are not done."""
        number = 0
        for job in self.jobs():
            if job in self.finished:
                self.done += 1
                continue
            self.under_way[number] = job
            number += 1
            yield job if self.shares_files else replace(job, source=packed(job.source))

    def work(self, pool: WorkPool, answering: Any, limits: Limits, progress: Callable[[int, int], None] | None) -> None:
        total = 0 if progress is None else self._count()
        self.shares_files = pool.shares_files
        with ExitStack() as stack:
            rows, timings = (Appender(self.folder, stem) for stem in (ROWS, TIMINGS))
            stack.callback(rows.close)
            stack.callback(timings.close)
            outcomes = pool.outcomes(answering, self.missing(), limits)
            stack.callback(outcomes.close)  # type: ignore[attr-defined]
            for outcome in outcomes:
                self._keep(rows, timings, outcome)
                self.done, self.new = self.done + 1, self.new + 1
                if progress is not None:
                    progress(self.done, total)
        if not self.places:
            raise BadInput("there is nothing to do: no input names anything")

    def _count(self) -> int:
        """How many jobs there will be; names are read twice for whoever watches."""
        return sum(1 for _ in named(self.words)) * len(self.choices)

    def _keep(self, rows: Appender, timings: Appender, outcome: Outcome) -> None:
        job = self.under_way.pop(outcome.number)
        if outcome.lost:
            key, times = job.key(), {}
            error = {"kind": "quarantined", "message": f"{job.source.name}: {outcome.lost}", "exit": 3}
            row = {"key": key, "input": job.source.name, "options": job.options, "exit": 3, "error": error}
            line = json.dumps(row).encode()
        else:
            key, line, times = outcome.value.key, outcome.value.row, outcome.value.times
            if outcome.value.missing is not None:
                raise MissingExtra(*outcome.value.missing)
        about = {"key": key, "input": job.source.name, "options": job.options}
        spent = {"took_s": outcome.took_s, "cpu_s": outcome.cpu_s, "tries": outcome.tries, "worker": outcome.worker}
        rows.append(line)
        timings.append(json.dumps(about | spent | times).encode())

    def ended(self) -> Batch:
        """What there is by now, summed up and as a table."""
        wall_s = time.monotonic() - self.began_s
        summary, columns = Summary(self.verb), Columns()
        for row in answers(self.folder, self.places):
            summary.add(row)
            columns.learn(row)
        write_table(self.folder, columns, answers(self.folder, self.places))
        per_s = self.new / wall_s if self.new else None
        told = summarised(self.folder, summary, self.places) | {
            "jobs": len(self.places),
            "new": self.new,
            "wall_s": wall_s,
            "jobs_per_s": per_s,
        }
        try:
            write_whole(self.folder / SUMMARY, json.dumps(told, indent=1, allow_nan=False) + "\n")
        except BadFile as why:
            raise BadFile(why.path, why.place, f"{why.problem}; what was done is kept") from why
        results = self.folder / RESULTS
        return Batch(
            len(self.places),
            summary.rows,
            self.new,
            summary.failed,
            summary.quarantined,
            dict(summary.answers),
            results if results.exists() else self.folder / "shards",
            self.folder / SUMMARY,
            wall_s,
            per_s,
        )
