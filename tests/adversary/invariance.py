"""`python -m tests.adversary.invariance [N] [--seed S] [--kinds a,b] [--jobs J] [--out DIR] [--table]`: same answers?

What must not change an answer: a heavy stranger beside it, the order of parts, how it is turned, units; for contacts
alone the strength of gravity from 1e-6 to 1e3 and the density, loads going along. Clutches have a strength of their
own, which files cannot scale: there gravity and masses change against each other, so that weights, loads and strengths
keep their ratio. Prints a table: how many answers flipped between stable and unstable, and how many became undecided
although the judge is clear. Can be stopped, looked at (`--table`) and taken up again like the hunt (`run`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.adversary.asking import said_of
from tests.adversary.judge import judged
from tests.adversary.keeping import INTERRUPTED, Kept, OtherSeed, spread, told
from tests.adversary.kinds import KINDS, Case, case_of
from tests.adversary.kinds.scales import beside_a_stranger
from tests.adversary.scene import Scene
from tests.adversary.solids import random_turn, turn_about

DEFAULT = 2000
VARIED = [kind for kind in KINDS if kind not in ("sunk", "feathers", "gravity", "sizes")]
Change = Callable[[Scene, np.random.Generator], Scene]


def stranger(scene: Scene, rng: np.random.Generator) -> Scene:
    return beside_a_stranger(scene, rng, ratio=10 ** rng.uniform(1, 8))


def order(scene: Scene, rng: np.random.Generator) -> Scene:
    return scene.in_order(rng.permutation(len(scene.parts)))


def rotation(scene: Scene, rng: np.random.Generator) -> Scene:
    """Any way; about the vertical on a table; by a quarter where there are bricks."""
    if scene.has_bricks:
        return scene.quarter_turned()
    if scene.ground != "none":
        return scene.turned(turn_about(np.array([0.0, 0, 1]), rng.uniform(0, 2 * np.pi)))
    return scene.turned(random_turn(rng))


def units(factor: float) -> Change:
    """A thousand times as large or small; bricks have their size, so that they are written in millimetres."""

    def changed(scene: Scene, rng: np.random.Generator) -> Scene:
        return scene.changed(units="mm") if scene.has_bricks else scene.scaled(factor)

    return changed


def gravity(scene: Scene, rng: np.random.Generator) -> Scene:
    factor = 10 ** rng.uniform(-6, 3)
    return scene.under(factor).heavier(1 / factor) if scene.has_capacities else scene.under(factor)


def density(factor: float) -> Change:
    """Masses and loads together; against gravity where clutches are not to be outgrown."""

    def changed(scene: Scene, rng: np.random.Generator) -> Scene:
        return scene.heavier(factor).under(1 / factor) if scene.has_bricks else scene.heavier(factor)

    return changed


CHANGES: dict[str, Change] = {
    "stranger": stranger,
    "order": order,
    "rotation": rotation,
    "units ×1e3": units(1e3),
    "units ×1e-3": units(1e-3),
    "gravity": gravity,
    "density ×1e3": density(1e3),
    "density ×1e-3": density(1e-3),
}


@dataclass(frozen=True)
class Row:
    """One case under one change."""

    change: str
    kind: str
    number: int
    before: str
    after: str
    clear: bool

    @property
    def flipped(self) -> bool:
        decided = ("stable", "unstable")
        broken = self.after not in (*decided, "undecided") and self.before != self.after
        return broken or (self.before in decided and self.after in decided and self.before != self.after)

    @property
    def lost(self) -> bool:
        return self.after == "undecided" and self.before != "undecided" and self.clear


def varied(case: Case, folder: Path | None = None) -> list[Row]:
    """A case under all changes; what flips is written to the folder, before and after."""
    base = case.document()
    before, clear = _answer(base, case.scene), judged(case.problem).clear
    rows = []
    for number, (name, change) in enumerate(CHANGES.items()):
        rng = np.random.default_rng([case.seed, case.number, number])
        scene = change(case.scene, rng).within_limits()
        if not scene.fits():
            continue
        document = scene.document(np.random.default_rng(case.writing))
        row = Row(name, case.kind, case.number, before, _answer(document, scene), clear)
        if folder is not None and (row.flipped or row.lost):
            stem = f"{case.kind}-{case.seed}-{case.number}"
            _write(folder / f"{stem}-{name.replace(' ', '-')}.json", document)
            _write(folder / f"{stem}.json", base)
        rows.append(row)
    return rows


def _answer(document: dict[str, Any], scene: Scene) -> str:
    try:
        verdict = said_of(document, **scene.options())
    except Exception as why:  # noqa: BLE001 - a traceback is the worst flip
        return f"{type(why).__name__}: {why}"
    return "refused" if isinstance(verdict, Exception) else str(verdict.answer)


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")


def table(rows: list[Row]) -> str:
    lines = [f"{'change':<15}{'cases':>8}{'stable':>8}{'unstable':>10}{'flipped':>9}{'undecided':>11}\n"]
    for name in CHANGES:
        mine = [row for row in rows if row.change == name]
        counts = [sum(row.before == word for row in mine) for word in ("stable", "unstable")]
        flipped, lost = sum(row.flipped for row in mine), sum(row.lost for row in mine)
        lines.append(f"{name:<15}{len(mine):>8}{counts[0]:>8}{counts[1]:>10}{flipped:>9}{lost:>11}\n")
    return "".join(lines)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.invariance", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=DEFAULT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(VARIED))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only show what was found so far")
    parser.add_argument("--out", help="where answers and flips are kept (default: out/invariance/SEED)")
    asked = parser.parse_args(words)
    kinds = asked.kinds.split(",")
    if any(kind not in KINDS for kind in kinds):
        sys.stderr.write(f"--kinds: expected some of {', '.join(KINDS)}\n")
        return 2
    try:
        kept = Kept(Path(asked.out or f"out/invariance/{asked.seed}"), asked.seed)
    except OtherSeed as why:
        sys.stderr.write(f"--out: {why}\n")
        return 2
    head = f"seed {asked.seed}, {asked.count} cases under {len(CHANGES)} changes each"
    sys.stdout.write(f"{head}, kept in {kept.folder}\n")
    sys.stdout.flush()
    counts = {kind: len(range(place, asked.count, len(kinds))) for place, kind in enumerate(kinds)}
    done = asked.table or told(compare(kept, counts, asked.seed, asked.jobs))
    rows = [Row(**one) for kind in kinds for case in kept.rows(kind) for one in case["rows"]]
    sys.stdout.write(table(rows))
    changed = [row for row in rows if row.flipped or row.lost]
    for row in changed:
        sys.stdout.write(f"{row.kind} {row.number} {row.change}: {row.before} became {row.after}\n")
    if not done:
        return INTERRUPTED
    return 1 if changed else 0


def compare(kept: Kept, counts: dict[str, int], seed: int, jobs: int) -> Iterator[str]:
    """Does what is not done yet; yields how far it is."""
    tasks = [(kind, number) for kind, count in counts.items() for number in kept.missing(kind, count)]
    tasks.sort(key=lambda task: task[1])
    changed = 0
    for done, (kind, number, rows) in enumerate(spread(_one, [(*task, seed, kept.folder) for task in tasks], jobs)):
        kept.add(kind, [json.dumps({"number": number, "rows": [asdict(row) for row in rows]})])
        changed += sum(row.flipped or row.lost for row in rows)
        yield f"{done + 1} of {len(tasks)} cases, {changed} answers changed"


def _one(kind: str, number: int, seed: int, folder: Path) -> tuple[str, int, list[Row]]:
    return kind, number, varied(case_of(kind, number, seed), folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
