"""What a batch says in sum: how many stand and fall, how hard clutches work, what took longest, what went wrong."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falsework.batch.folder import is_quarantined
from falsework.batch.keys import place_of
from falsework.batch.shards import TIMINGS, lines, objects
from falsework.version import __version__

FORMAT = "falsework-batch-summary/1"
MOST_LISTED = 200  # failures, and refusals
SLOWEST = 20
BINS = 20  # of the histogram: from 0 to 1, and all beyond
YES_NO = {0: "yes", 1: "no", 3: "undecided"}


@dataclass(slots=True)
class Summary:
    """Counts rows as they go by; remembers only as many as a page can show."""

    verb: str
    rows: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)  # answers that are no, or undecided
    exits: Counter[int] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    quarantined: int = 0
    utilization: list[int] = field(default_factory=lambda: [0] * (BINS + 1))

    def add(self, row: dict[str, Any]) -> None:
        self.rows += 1
        code = row["exit"]
        self.exits[code] += 1
        about = {"key": row["key"], "input": row["input"], "options": row["options"]}
        if is_quarantined(row):
            self.quarantined += 1
            self._list(self.refused, about | {"why": row["error"]["message"]})
            return
        if code == 2:
            self.failed += 1
            self._list(self.refused, about | {"why": row["error"]["message"]})
            return
        self.answers[self._word(row)] += 1
        share = row.get("utilization")
        if isinstance(share, int | float):
            self.utilization[min(int(BINS * share), BINS)] += 1
        if code != 0:
            self._list(self.failures, about | {"answer": self._word(row), "utilization": share})

    def _word(self, row: dict[str, Any]) -> str:
        """The answer in the verb's own words, where it has some."""
        for word in ("verdict", "status"):
            if isinstance(row.get(word), str):
                return str(row[word])
        return YES_NO[row["exit"]]

    @staticmethod
    def _list(where: list[dict[str, Any]], entry: dict[str, Any]) -> None:
        if len(where) < MOST_LISTED:
            where.append(entry)


def summarised(folder: Path, summary: Summary, places: Set[bytes]) -> dict[str, Any]:
    """As `summary.json` has it; times are those of the last try of each job."""
    slowest, total_s, tried_again = _times(folder, places)
    return {
        "format": FORMAT,
        "version": __version__,
        "verb": summary.verb,
        "done": summary.rows,
        "failed": summary.failed,
        "quarantined": summary.quarantined,
        "answers": dict(sorted(summary.answers.items())),
        "exits": {str(code): count for code, count in sorted(summary.exits.items())},
        "utilization": {
            "from": 0.0,
            "to": 1.0,
            "counts": summary.utilization[:BINS],
            "beyond": summary.utilization[BINS],
        },
        "work_s": total_s,
        "tried_again": tried_again,
        "slowest": slowest,
        "failures": summary.failures,
        "refused": summary.refused,
        "artefacts": (folder / "artefacts").is_dir(),
    }


def _times(folder: Path, places: Set[bytes]) -> tuple[list[dict[str, Any]], float, int]:
    heap: list[tuple[float, int, dict[str, Any]]] = []
    total_s, tried_again = 0.0, 0
    all_ours = sum(1 for _ in lines(folder, TIMINGS)) == len(places)
    for number, row in enumerate(objects(folder, TIMINGS)):
        if not all_ours and place_of(row["input"], row["options"]) not in places:
            continue
        total_s += row["took_s"]
        tried_again += row["tries"] > 1
        entry = (row["took_s"], -number, {word: row[word] for word in ("key", "input", "options", "took_s")})
        (heapq.heappush if len(heap) < SLOWEST else heapq.heappushpop)(heap, entry)
    return [entry for _, _, entry in sorted(heap, reverse=True)], total_s, tried_again
