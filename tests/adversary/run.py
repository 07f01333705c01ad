"""`python -m tests.adversary.run [N] [--seed S] [--kinds a,b] [--jobs J] [--out DIR]`: a hunt for wrong verdicts.

Cases are spread over the kinds. Every outcome is a line in DIR, so that a hunt that was interrupted goes on
where it was. A contradiction is written there as a file that falsework reads, with the command and both answers in its
first lines. Ends with a table by kind; exit 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import yaml

from tests.adversary.asking import Outcome, outcome_of
from tests.adversary.kinds import KINDS, Case, case_of
from tests.adversary.scene import Scene

DEFAULT = 100_000
RARE = {"limits": 0.1}  # kinds whose cases take long to make
CHUNK = 50  # cases that one process does in one go
COLUMNS = ("cases", "stable", "unstable", "refused", "undecided", "near", "wrong")


def main(words: list[str]) -> int:
    asked_for = _parser().parse_args(words)
    kinds = list(KINDS) if asked_for.kinds is None else asked_for.kinds.split(",")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        sys.stderr.write(f"--kinds: there is no {', '.join(unknown)}; there are {', '.join(KINDS)}\n")
        return 2
    folder = Path(asked_for.out or f"out/adversary/{asked_for.seed}")
    folder.mkdir(parents=True, exist_ok=True)
    counts = shares(kinds, asked_for.count)
    sys.stdout.write(f"seed {asked_for.seed}, {sum(counts.values())} cases of {len(kinds)} kinds, kept in {folder}\n")
    start = time.perf_counter()
    for done, number in hunt(folder, counts, asked_for.seed, asked_for.jobs):
        if number % 1000 < CHUNK:
            sys.stdout.write(f"{number} cases, {time.perf_counter() - start:.0f} s, {done} wrong\n")
            sys.stdout.flush()
    outcomes = [one for kind in kinds for one in kept(folder, kind)[: counts[kind]]]
    sys.stdout.write(table(outcomes, kinds))
    return 1 if any(one.wrong for one in outcomes) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.run", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=DEFAULT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", help="where outcomes and contradictions are kept (default: out/adversary/SEED)")
    return parser


def shares(kinds: list[str], count: int) -> dict[str, int]:
    """How many cases of each kind make up at least a count."""
    weights = {kind: RARE.get(kind, 1.0) for kind in kinds}
    return {kind: math.ceil(count * weight / sum(weights.values())) for kind, weight in weights.items()}


def hunt(folder: Path, counts: dict[str, int], seed: int, jobs: int) -> Iterator[tuple[int, int]]:
    """Does what is not done yet; yields how many were wrong and how many are done."""
    chunks = []
    for kind, count in counts.items():
        first = len(kept(folder, kind))
        chunks += [(kind, k, min(k + CHUNK, count)) for k in range(first, count, CHUNK)]
    chunks.sort(key=lambda chunk: chunk[1])  # kinds side by side: an early look shows all
    wrong = number = 0
    waiting: dict[str, dict[int, list[Outcome]]] = {kind: {} for kind in counts}
    for kind, first, outcomes in _done(chunks, seed, jobs):
        waiting[kind][first] = outcomes
        number += len(outcomes)
        for one in outcomes:
            if one.wrong:
                wrong += 1
                write_contradiction(folder, case_of(kind, one.number, seed), one)
        _keep(folder, kind, waiting[kind])
        yield wrong, number


def _done(chunks: list[tuple[str, int, int]], seed: int, jobs: int) -> Iterator[tuple[str, int, list[Outcome]]]:
    if jobs == 1:
        for kind, first, last in chunks:
            yield kind, first, some(kind, first, last, seed)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(some, *chunk, seed): chunk for chunk in chunks}
        for future in as_completed(futures):
            kind, first, _ = futures[future]
            yield kind, first, future.result()


def some(kind: str, first: int, last: int, seed: int) -> list[Outcome]:
    """Cases of one kind, one after the other."""
    return [one_case(case_of(kind, number, seed)) for number in range(first, last)]


def one_case(case: Case) -> Outcome:
    """What breaks with a traceback is wrong too."""
    try:
        return outcome_of(case)
    except Exception as why:  # noqa: BLE001
        return Outcome(case.kind, case.number, "broke", "", 1.0, f"{type(why).__name__}: {why}")


def _file(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.jsonl"


def _keep(folder: Path, kind: str, waiting: dict[int, list[Outcome]]) -> None:
    """Outcomes are kept in the order of their numbers; those that came too early wait."""
    file = _file(folder, kind)
    done = len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0
    with file.open("a", encoding="utf-8") as stream:
        while done in waiting:
            ready = waiting.pop(done)
            stream.write("".join(one.as_json() + "\n" for one in ready))
            done += len(ready)


def kept(folder: Path, kind: str) -> list[Outcome]:
    """What a hunt left behind; half a line, where it was cut off, is done again."""
    file = _file(folder, kind)
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        text = text[: text.rfind("\n") + 1]
        file.write_text(text, encoding="utf-8")
    return [Outcome(**json.loads(line)) for line in text.splitlines()]


def write_contradiction(folder: Path, case: Case, outcome: Outcome) -> Path:
    """A file that falsework reads, which says what is wrong with the answer."""
    path = folder / f"{case.kind}-{case.seed}-{case.number}.yaml"
    lines = [
        f"# falsework check {path.name}{options_of(case.scene)}",
        f"# {' '.join(outcome.wrong.split())}",
        f"# said: {' '.join(outcome.said.split())}; the judge: {outcome.judge}, margin {outcome.margin:.2e}",
        f"# python -m tests.adversary.show {case.kind} {case.number} --seed {case.seed}",
    ]
    text = yaml.safe_dump(case.document(), sort_keys=False, default_flow_style=None, width=120)
    path.write_text("\n".join(lines) + "\n" + text, encoding="utf-8")
    return path


def options_of(scene: Scene) -> str:
    """On a command line."""
    return "".join(f" --{name} {shlex.quote(','.join(names))}" for name, names in scene.options().items())


def table(outcomes: list[Outcome], kinds: list[str]) -> str:
    """Cases by kind; undecided counts those with a margin, near those without."""
    rows = [("kind", *COLUMNS)]
    for kind in [*kinds, "all"]:
        mine = [one for one in outcomes if kind in (one.kind, "all")]
        counts = [len(mine)]
        counts += [sum(one.said.startswith(word) for one in mine) for word in ("stable", "unstable", "refused")]
        counts += [
            sum(one.undecided for one in mine),
            sum(one.near for one in mine),
            sum(bool(one.wrong) for one in mine),
        ]
        rows.append((kind, *map(str, counts)))
    return "".join(f"{row[0]:<10}" + "".join(f"{word:>11}" for word in row[1:]) + "\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
