"""The page of a training run: its curves, and where the policy errs. One file without a script; all text is escaped."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.formats.basics.atomic import write_whole
from falsework.model.figures import percent, seconds
from falsework.studio.plain_page import plain_html
from falsework.studio.report import REPORT_NAME
from falsework.studio.share_plots import (
    BELOW,
    BLUE,
    GREY,
    HEIGHT,
    LEFT,
    PLOT_STYLE,
    RED,
    WIDTH,
    Curve,
    curves_drawing,
    drawing,
    level,
)

if TYPE_CHECKING:
    from falsework.learning.training.learn import Trained

CURVES = (("train", BLUE), ("test", RED), ("won", GREY))
STYLE = f"""
body {{ max-width: 48rem; }}
{PLOT_STYLE}"""


def write_learning_page(folder: str | os.PathLike[str], trained: Trained) -> Path:
    """Write report.html into the folder of a run; gives its path."""
    path = Path(folder) / REPORT_NAME
    write_whole(path, learning_html(trained))
    return path


def learning_html(trained: Trained) -> str:
    """The page of what was trained."""
    body = "\n".join([_summary(trained), _curves(trained.curve), _by_parts(trained), _failed(trained)])
    return plain_html("training", body, STYLE)


def _summary(trained: Trained) -> str:
    about = trained.policy.about
    rows = [
        ("net", f"{trained.policy.shape.kind}, {trained.policy.shape.layers} × {trained.policy.shape.width}"),
        ("robots", str(about.get("robots"))),
        ("seed", str(about.get("seed"))),
        ("updates", f"{trained.updates}, ended by {trained.stopped}"),
        ("processor time", seconds(trained.cpu_s)),
        ("training states", f"{percent(trained.train_accuracy)} of {trained.train_states} finished by first choices"),
    ]
    if trained.test_states:
        rows.append(("test states", f"{percent(trained.test_accuracy)} of {trained.test_states} finished"))
    return f"<h1>A policy, trained</h1>\n<table>{_rows(rows)}</table>"


def _curves(curve: Sequence[dict[str, float]]) -> str:
    if len(curve) < 2:
        return ""
    last = curve[-1]["update"]
    drawn = [Curve(name, [(row["update"], row[name]) for row in curve], colour) for name, colour in CURVES]
    told = "Accuracy by first choices on training and test states, and the share of sampled episodes won."
    return f"<h2>Curves</h2>\n<p>{told}</p>\n{curves_drawing(drawn, last, f'{last:.0f} updates')}"


def _by_parts(trained: Trained) -> str:
    if not trained.by_parts:
        return ""
    widest = (WIDTH - LEFT) / len(trained.by_parts)
    lines = [level(value) for value in (0.0, 0.5, 1.0)]
    for n, (parts, count, finished) in enumerate(trained.by_parts):
        high = (HEIGHT - BELOW) * finished / count
        x = LEFT + n * widest
        title = f"<title>{parts} parts to go: {finished} of {count} finished</title>"
        place = f'x="{x + 1:.1f}" y="{HEIGHT - BELOW - high:.1f}" width="{max(widest - 2, 1):.1f}" height="{high:.1f}"'
        lines.append(f"<rect {place}>{title}</rect>")
        if len(trained.by_parts) <= 40:
            lines.append(f'<text x="{x + widest / 3:.1f}" y="{HEIGHT - 8}">{parts}</text>')
    return f"<h2>Where it errs</h2>\n<p>Share finished, by how many parts are to go.</p>\n{drawing(lines)}"


def _failed(trained: Trained) -> str:
    if not trained.failed:
        return ""
    rows = [
        (f"{len(there)} to go: {', '.join(there)}", f"held {', '.join(held) or '–'}") for there, held in trained.failed
    ]
    return f"<h2>Not finished</h2>\n<p>The first few.</p>\n<table>{_rows(rows)}</table>"


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<tr><td>{escape(one)}</td><td>{escape(other)}</td></tr>" for one, other in rows)
