"""How far off eyes are, drawn: places, turns, covariances, what is found of which bricks. No script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

import numpy as np
from scipy.stats import chi2

from falsework.studio.plain_page import plain_html
from falsework.studio.share_plots import COLOURS, GREY, PLOT_STYLE, Curve, curves_drawing

STYLE = f"""
body {{ max-width: 48rem; }}
{PLOT_STYLE}"""
FREEDOM = 3  # of an ellipsoid of x, y and yaw
MOST_MM, MOST_DEG = 1.5, 2.25  # drawn; limits are two thirds of it
LIMIT_MM, LIMIT_DEG = 1.0, 1.5
CLASSES = {"clear": "70 % and more", "partly": "30 to 70 %", "hidden": "less than 30 %", "ambiguous": "nobody can tell"}
ANSWERS = ("found", "refused", "missed")


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of many scenes: by how much bricks were off, squared distances in covariances, counts by class."""

    name: str
    places_mm: Sequence[float]
    yaws_deg: Sequence[float]
    distances: Sequence[float]
    counts: Mapping[str, int]


def errors_html(seen: Sequence[Seen]) -> str:
    """The page of some lists of scenes, each a curve of its own."""
    body = [
        "<h1>How far off eyes are</h1>",
        "<p>Bricks that can be told and of which at least 70 % are seen.</p>",
        _off("Places", [(one.name, one.places_mm) for one in seen], MOST_MM, LIMIT_MM, " mm"),
        _off("Turns", [(one.name, one.yaws_deg) for one in seen], MOST_DEG, LIMIT_DEG, "°"),
        _inside(seen),
        *(_answers(one) for one in seen),
    ]
    return plain_html("eyes", "\n".join(body), STYLE)


def _off(title: str, lists: Sequence[tuple[str, Sequence[float]]], most: float, limit: float, unit: str) -> str:
    grid = np.linspace(0.0, most, 121)
    drawn = [
        Curve(name, [(float(x), float(np.mean(np.asarray(off) <= x))) for x in grid], colour)
        for (name, off), colour in zip(lists, cycle(COLOURS), strict=False)
        if len(off)
    ]
    told = f"Share that is off by no more than so much; 95 % should be within {limit:g}{unit}."
    return f"<h2>{title}</h2>\n<p>{told}</p>\n{curves_drawing(drawn, most, f'{most:g}{unit}', [limit])}"


def _inside(seen: Sequence[Seen]) -> str:
    """Who claims that so many are inside, and how many are: on the diagonal covariances are true."""
    claims = np.linspace(0.0, 1.0, 81)[:-1]
    edges = chi2.ppf(claims, FREEDOM)
    drawn = [Curve("claimed", [(0.0, 0.0), (1.0, 1.0)], GREY)]
    for one, colour in zip((one for one in seen if one.distances), cycle(COLOURS), strict=False):
        inside = [float(np.mean(np.asarray(one.distances) <= edge)) for edge in edges]
        drawn.append(Curve(one.name, list(zip(claims.tolist(), inside, strict=True)), colour))
    told = "Share of truths inside the ellipsoid of x, y and yaw that claims to hold so many."
    return f"<h2>Covariances</h2>\n<p>{told}</p>\n{curves_drawing(drawn, 1.0, '100 % claimed', [0.95])}"


def _answers(one: Seen) -> str:
    rows: list[tuple[str, ...]] = [("of which is seen", *ANSWERS)]
    for name, words in CLASSES.items():
        rows.append((words, *(f"{one.counts.get(f'{name} {answer}', 0):,}" for answer in ANSWERS)))
    cells = "".join(f"<tr><td>{escape(first)}</td>{''.join(map(_number, rest))}</tr>" for first, *rest in rows)
    false, guessed = one.counts.get("false", 0), one.counts.get("wrong pick", 0)
    wrong = f"{false} told that are not there, {guessed} of them where nobody could tell."
    return f"<h2>{escape(one.name)}</h2>\n<table>{cells}</table>\n<p>{wrong}</p>"


def _number(cell: str) -> str:
    return f'<td class="number">{cell}</td>'
