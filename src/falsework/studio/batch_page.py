"""The page of a batch, drawn from its `summary.json`: counts, how hard clutches work, what took longest, what failed.

One file without a script; drawings and reports of single jobs are links into the folder `artefacts` beside it. Every
text is escaped: names come from files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import BadFile
from falsework.model.figures import percent, seconds
from falsework.studio.plain_page import plain_html
from falsework.studio.report import REPORT_NAME

SUMMARY_NAME, DRAWING_NAME = "summary.json", "drawing.svg"
FORMAT = "falsework-batch-summary/1"
MOST_DRAWINGS = 60
WIDTH, HEIGHT = 640, 160  # of the histogram, pixels
WORDS = {"stable": "stand", "unstable": "fall", "complete": "can be built", "infeasible": "cannot be built"}
TONES = {"stable": "yes", "complete": "yes", "yes": "yes", "unstable": "no", "infeasible": "no", "no": "no"}
STYLE = """
body { max-width: 62rem; }
.counts { display: flex; flex-wrap: wrap; gap: .6rem; padding: 0; list-style: none; }
.counts li { border: 1px solid #8888; border-radius: .5rem; padding: .4rem .9rem; }
.counts b { font-size: 1.5rem; display: block; }
.yes b { color: #2a7f3f; } .no b { color: #b3261e; } .open b { color: #8a6d00; }
.wall { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .8rem; }
.wall figure { margin: 0; } .wall img { width: 100%; height: auto; background: #8881; border-radius: .4rem; }
figcaption { font-size: .8rem; overflow-wrap: anywhere; }
rect.beyond { fill: #b3261e; }
"""


def write_batch_page(folder: str | os.PathLike[str]) -> Path:
    """Write report.html beside the summary of a batch; gives its path."""
    path = Path(folder) / REPORT_NAME
    write_whole(path, batch_html(read_summary(folder), Path(folder)))
    return path


def read_summary(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The summary that a batch left in its folder."""
    path = Path(folder) / SUMMARY_NAME
    try:
        found = json.loads(path.read_bytes())
    except OSError as why:
        raise BadFile(path, "", f"cannot be read: {why.strerror}; falsework batch writes it when it is done") from why
    except ValueError as why:
        raise BadFile(path, "", "is not JSON") from why
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadFile(path, "format", f"expected {FORMAT}")
    return found


def batch_html(summary: dict[str, Any], folder: Path) -> str:
    """The page; artefacts are looked for in the folder, and linked where they are."""
    pieces = [
        f"<h1>{summary['jobs']:,} jobs of falsework {escape(summary['verb'])}</h1>",
        _counts(summary),
        _times(summary),
        _histogram(summary["utilization"]),
        _failures(summary, folder),
        _refused(summary),
        _slowest(summary["slowest"], folder),
        f"<p>falsework {escape(summary['version'])}</p>",
    ]
    return plain_html("batch", "\n".join(filter(None, pieces)), STYLE, pictures=True)


def _counts(summary: dict[str, Any]) -> str:
    counts = [(WORDS.get(word, word), number, TONES.get(word, "open")) for word, number in summary["answers"].items()]
    counts += [("refused", summary["failed"], "open"), ("given up", summary["quarantined"], "open")]
    missing = summary["jobs"] - summary["done"]
    counts += [("not done yet", missing, "open")] if missing else []
    items = [f'<li class="{tone}"><b>{number:,}</b>{escape(word)}</li>' for word, number, tone in counts if number]
    return f'<ul class="counts">{"".join(items)}</ul>'


def _times(summary: dict[str, Any]) -> str:
    rate = "" if summary["jobs_per_s"] is None else f", {summary['jobs_per_s']:.3g} jobs a second"
    again = f"; {summary['tried_again']:,} were tried again" if summary["tried_again"] else ""
    return f"<p>{seconds(summary['work_s'])} of work; {seconds(summary['wall_s'])} in the last run{rate}{again}.</p>"


def _histogram(found: dict[str, Any]) -> str:
    """How many need how much of their clutches' strength; what needs more than all of it is one bar."""
    counts = [*found["counts"], found["beyond"]]
    if not any(counts):
        return ""
    wide, high = WIDTH / len(counts), HEIGHT / max(counts)
    bars = []
    for place, number in enumerate(counts):
        beyond = place == len(counts) - 1
        share = "more than 100 %" if beyond else f"{100 * place / (len(counts) - 1):g} % and more"
        bars.append(
            f'<rect x="{place * wide + 1:.1f}" y="{HEIGHT - number * high:.1f}" width="{wide - 2:.1f}" '
            f'height="{number * high:.1f}"{" class=" + chr(34) + "beyond" + chr(34) if beyond else ""}>'
            f"<title>{share}: {number:,}</title></rect>"
        )
    labels = "".join(
        f'<text x="{WIDTH * k / 4 * (1 - 1 / len(counts)):.0f}" y="{HEIGHT + 14}">{25 * k} %</text>' for k in range(5)
    )
    return (
        "<h2>How much of the clutch strength is needed</h2>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 20}" width="{WIDTH}" role="img" aria-label="histogram">'
        f"{''.join(bars)}{labels}</svg>"
    )


def _failures(summary: dict[str, Any], folder: Path) -> str:
    failures = summary["failures"]
    if not failures:
        return ""
    drawn = [row for row in failures if (_artefacts(folder, row) / DRAWING_NAME).exists()][:MOST_DRAWINGS]
    wall = f'<div class="wall">{"".join(_figure(row, folder) for row in drawn)}</div>' if drawn else ""
    rows = [] if drawn else [(_linked(row, folder), escape(_about(row))) for row in failures[:MOST_DRAWINGS]]
    more = sum(number for word, number in summary["answers"].items() if TONES.get(word) != "yes") - len(drawn or rows)
    return f"<h2>What does not stand</h2>{wall}{_table(rows)}{_more(more)}"


def _figure(row: dict[str, Any], folder: Path) -> str:
    source = _url(_artefacts(folder, row) / DRAWING_NAME, folder)
    image = f'<img src="{source}" alt="" loading="lazy" width="320" height="240">'
    report = _artefacts(folder, row) / REPORT_NAME
    shown = f'<a href="{_url(report, folder)}">{image}</a>' if report.exists() else image
    return f"<figure>{shown}<figcaption>{_linked(row, folder)}<br>{escape(_about(row))}</figcaption></figure>"


def _about(row: dict[str, Any]) -> str:
    told = [WORDS.get(row["answer"], row["answer"]).replace("fall", "falls")]
    if row["utilization"] is not None:
        told.append(f"{percent(row['utilization'])} of the strength is needed")
    return ", ".join([*told, *(f"{name} {value}" for name, value in row["options"].items())])


def _refused(summary: dict[str, Any]) -> str:
    if not summary["refused"]:
        return ""
    rows = [(escape(row["input"]), escape(row["why"])) for row in summary["refused"]]
    more = summary["failed"] + summary["quarantined"] - len(rows)
    return f"<h2>What was refused or given up</h2>{_table(rows)}{_more(more)}"


def _slowest(found: Sequence[dict[str, Any]], folder: Path) -> str:
    rows = [(_linked(row, folder), seconds(row["took_s"])) for row in found]
    return f"<h2>What took longest</h2>{_table(rows, number=True)}" if rows else ""


def _linked(row: dict[str, Any], folder: Path) -> str:
    report = _artefacts(folder, row) / REPORT_NAME
    name = escape(row["input"])
    return f'<a href="{_url(report, folder)}">{name}</a>' if report.exists() else name


def _artefacts(folder: Path, row: dict[str, Any]) -> Path:
    return folder / "artefacts" / str(row["key"])


def _url(path: Path, folder: Path) -> str:
    return quote(path.relative_to(folder).as_posix())


def _table(rows: Iterable[tuple[str, str]], number: bool = False) -> str:
    style = ' class="number"' if number else ""
    cells = "".join(f"<tr><td>{first}</td><td{style}>{second}</td></tr>" for first, second in rows)
    return f"<table>{cells}</table>" if cells else ""


def _more(number: int) -> str:
    return f"<p>… and {number:,} more.</p>" if number > 0 else ""
