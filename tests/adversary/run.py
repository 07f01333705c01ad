"""`python -m tests.adversary.run [N] [--seed S] [--kinds a,b] [--jobs J] [--out DIR] [--table]`: for wrong verdicts.

Cases are spread over the kinds. Every outcome is a line in DIR, so that a hunt that was stopped goes on where it was,
and `--table` shows at any time what there is. A contradiction is written there as a file that falsework reads, with
the command and both answers in its first lines. Ends with a table by kind; exit 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.adversary.asking import Outcome, outcome_of
from tests.adversary.keeping import INTERRUPTED, Kept, OtherSeed, spread, told
from tests.adversary.kinds import KINDS, Case, case_of
from tests.adversary.scene import Scene

DEFAULT = 100_000
RARE = {"limits": 0.1}  # kinds whose cases take long to make
CHUNK = 20  # cases that one process does in one go
COLUMNS = ("cases", "stable", "unstable", "refused", "undecided", "near", "open", "wrong")


def main(words: list[str]) -> int:
    asked_for = _parser().parse_args(words)
    kinds = list(KINDS) if asked_for.kinds is None else asked_for.kinds.split(",")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        sys.stderr.write(f"--kinds: there is no {', '.join(unknown)}; there are {', '.join(KINDS)}\n")
        return 2
    try:
        kept = Kept(Path(asked_for.out or f"out/adversary/{asked_for.seed}"), asked_for.seed)
    except OtherSeed as why:
        sys.stderr.write(f"--out: {why}\n")
        return 2
    counts = shares(kinds, asked_for.count)
    total = sum(counts.values())
    sys.stdout.write(f"seed {asked_for.seed}, {total} cases of {len(kinds)} kinds, kept in {kept.folder}\n")
    sys.stdout.flush()
    done = asked_for.table or told(hunt(kept, counts, asked_for.seed, asked_for.jobs))
    outcomes = [one for kind in kinds for one in outcomes_of(kept, kind)]
    sys.stdout.write(table(outcomes, kinds))
    if not done:
        return INTERRUPTED
    return 1 if any(one.wrong for one in outcomes) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.run", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=DEFAULT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only show what a hunt has found so far")
    parser.add_argument("--out", help="where outcomes and contradictions are kept (default: out/adversary/SEED)")
    return parser


def shares(kinds: list[str], count: int) -> dict[str, int]:
    """How many cases of each kind make up at least a count."""
    weights = {kind: RARE.get(kind, 1.0) for kind in kinds}
    return {kind: math.ceil(count * weight / sum(weights.values())) for kind, weight in weights.items()}


def hunt(kept: Kept, counts: dict[str, int], seed: int, jobs: int) -> Iterator[str]:
    """Does what is not done yet; yields how far it is."""
    chunks = []
    for kind, count in counts.items():
        numbers = kept.missing(kind, count)
        chunks += [(kind, numbers[k : k + CHUNK]) for k in range(0, len(numbers), CHUNK)]
    chunks.sort(key=lambda chunk: chunk[1][0])  # kinds side by side: an early look shows all
    wrong = undecided = number = 0
    left = sum(len(numbers) for _, numbers in chunks)
    for kind, outcomes in spread(some, [(*chunk, seed) for chunk in chunks], jobs):
        kept.add(kind, [one.as_json() for one in outcomes])
        for one in outcomes:
            if one.wrong and one.judge:
                write_contradiction(kept.folder, case_of(kind, one.number, seed), one)
        number += len(outcomes)
        wrong += sum(bool(one.wrong) for one in outcomes)
        undecided += sum(one.undecided for one in outcomes)
        yield f"{number} of {left} cases, {wrong} wrong, {undecided} undecided"


def some(kind: str, numbers: list[int], seed: int) -> tuple[str, list[Outcome]]:
    """Cases of one kind, one after the other."""
    return kind, [one_case(kind, number, seed) for number in numbers]


def one_case(kind: str, number: int, seed: int) -> Outcome:
    """What breaks with a traceback is wrong too."""
    judge = ""
    try:
        case = case_of(kind, number, seed)
        judge = "not asked"
        return outcome_of(case)
    except Exception as why:  # noqa: BLE001
        return Outcome(kind, number, "broke", judge, 1.0, f"{type(why).__name__}: {why}")


def outcomes_of(kept: Kept, kind: str) -> list[Outcome]:
    """What is known of a kind."""
    return [Outcome(**row) for row in kept.rows(kind)]


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
    """Cases by kind; undecided are those with a margin, near those without, open those that the judge leaves open."""
    rows = [("kind", *COLUMNS)]
    for kind in [*kinds, "all"]:
        mine = [one for one in outcomes if kind in (one.kind, "all")]
        counts = [len(mine)]
        counts += [sum(one.said.startswith(word) for one in mine) for word in ("stable", "unstable", "refused")]
        counts += [sum(one.undecided for one in mine), sum(one.near for one in mine), sum(one.open for one in mine)]
        rows.append((kind, *map(str, [*counts, sum(bool(one.wrong) for one in mine)])))
    lines = [f"{row[0]:<10}" + "".join(f"{word:>11}" for word in row[1:]) + "\n" for row in rows]
    left = sum(one.said.startswith("undecided") and (one.near or one.open) for one in outcomes)
    return "".join(lines) + f"of the cases near or open, {left} are undecided\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
