"""Drawings of shares over a number, as SVG without a script: learning curves, how far off, how often inside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, BELOW = 640, 220, 44, 24  # of a drawing, pixels
PLOT_STYLE = """
polyline { fill: none; stroke-width: 2; } line { stroke: #8886; } line.mark { stroke: #8a6d00; stroke-dasharray: 4 3; }
"""
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
BLUE, RED, GREY, GREEN, BROWN = "#4a76a8", "#b3261e", "#999999", "#2a7f3f", "#8a6d00"
COLOURS = (BLUE, RED, GREEN, BROWN, GREY)


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares (0 to 1) over a number; where a share is NaN nothing is known."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str = BLUE


def curves_drawing(curves: Sequence[Curve], most: float, label: str, marks: Iterable[float] = ()) -> str:
    """Curves over numbers from 0 to `most`, which `label` names; dashed lines at `marks`."""

    def at(number: float) -> float:
        return LEFT + (WIDTH - LEFT) * number / most

    lines = [level(value) for value in QUARTERS]
    lines += [f'<line class="mark" x1="{at(x):.1f}" y1="0" x2="{at(x):.1f}" y2="{HEIGHT - BELOW}"/>' for x in marks]
    for number, curve in enumerate(curves):
        known = [(x, y) for x, y in curve.points if not math.isnan(y)]
        points = " ".join(f"{at(x):.1f},{(HEIGHT - BELOW) * (1 - y):.1f}" for x, y in known)
        lines.append(f'<polyline points="{points}" stroke="{curve.colour}"/>')
        x = LEFT + 110 * number
        lines.append(f'<circle cx="{x + 4}" cy="{HEIGHT - 8}" r="4" fill="{curve.colour}"/>')
        lines.append(f'<text x="{x + 12}" y="{HEIGHT - 4}">{curve.name}</text>')
    lines.append(f'<text x="{WIDTH - 4}" y="{HEIGHT - 4}" text-anchor="end">{label}</text>')
    return drawing(lines)


def level(value: float) -> str:
    """A line across at a share, with its label."""
    y = (HEIGHT - BELOW) * (1 - value)
    label = f'<text x="2" y="{max(y + 4, 10):.1f}">{100 * value:.0f} %</text>'
    return f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH}" y2="{y:.1f}"/>{label}'


def drawing(lines: Iterable[str]) -> str:
    """What was drawn, as one picture of the usual size."""
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">{"".join(lines)}</svg>'
