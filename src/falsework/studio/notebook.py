"""What a notebook shows of an assembly or an answer: a small table, of an assembly a drawing. No script, no network.

Every text is escaped: names come from files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

import numpy as np

from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.figures import length, listed, mass, percent
from falsework.model.part import Part
from falsework.model.plan import Plan, Step
from falsework.model.verdict import Criterion, Forces, Motion, Verdict

MOST_ROWS = 40  # of a table; the rest is counted
MOST_NAMES = 12
MOST_TRIANGLES = 3000  # of a drawing: beyond it costs more than a look is worth
WIDTH, HEIGHT = 320, 240  # pixels
TO_VIEWER = np.array([0.48, -0.76, 0.44])  # from where the drawing looks: in front, to the right, above
LIGHT = np.array([0.3, -0.5, 0.8])
COLORS = ("#b5651d", "#8d99ae", "#c9a227", "#5f7a61", "#a26769")
FIXED_COLOR = "#777777"
ANSWERS = {"stable": ("stands", "#2a7f3f"), "unstable": ("falls", "#b3261e"), "undecided": ("undecided", "#8a6d00")}
Row = tuple[str, str]


def notebook_html(thing: Assembly | Verdict | Plan) -> str:
    """HTML of an assembly, a verdict or a plan, complete in itself.

    >>> from falsework.gallery import make
    >>> "<svg" in notebook_html(make("semicircular-arch"))
    True
    """
    match thing:
        case Assembly():
            return _boxed(_table(_about_assembly(thing)), _drawing(thing))
        case Verdict():
            return _boxed(_answer(thing), _table(_about_verdict(thing)))
        case Plan():
            return _boxed(_table([("plan", thing.status), ("steps", str(len(thing.steps)))]), _steps(thing.steps))


def _about_assembly(assembly: Assembly) -> list[Row]:
    low, high = bounds_m(assembly)
    size = " × ".join(map(length, (high - low).tolist()))
    rows = [("parts", str(len(assembly.parts))), ("mass", mass(assembly.mass_kg)), ("size", size)]
    rows.append(("ground", str(assembly.ground)))
    fixed = [name for name in assembly.names if name in assembly.fixed]
    return [*rows, ("fixed", _few(fixed) or "nothing"), ("friction", f"{assembly.friction:g}")]


def _about_verdict(verdict: Verdict) -> list[Row]:
    rows = [("model", verdict.model)]
    match verdict.certificate:
        case Forces():
            rows.append(("proof", f"forces that balance to {verdict.residual:.1e} of the load"))
        case Motion():
            rows.append(("proof", f"a motion that gains {verdict.residual:.1e} of load × speed"))
        case Criterion() as found:
            rows.append((found.name, f"{found.value:.4g}, at most {found.limit:.4g}"))
    if verdict.why:
        rows.append(("why", verdict.why))
    if verdict.unbounded or verdict.utilization is not None:
        share = "no strength would do" if verdict.utilization is None else f"{percent(verdict.utilization)} is needed"
        rows.append(("clutch strength", share))
    if verdict.falling:
        rows.append(("falling", _few(verdict.falling)))
    if verdict.breaking:
        rows.append(("breaking", _few([f"{first} - {second}" for first, second in verdict.breaking])))
    return rows + [(f"also {model}", answer) for model, answer in verdict.also.items()]


def _answer(verdict: Verdict) -> str:
    word, color = ANSWERS[verdict.answer]
    return f'<b style="color:{color}">{word}</b>'


def _steps(steps: Sequence[Step]) -> str:
    rows = []
    for number, step in enumerate(islice(steps, MOST_ROWS), start=1):
        rows.append(_cells(str(number), step.action, _few(step.parts), _few(step.held) or "–"))
    if len(steps) > MOST_ROWS:
        rows.append(_cells("…", f"{len(steps) - MOST_ROWS} more", "", ""))
    head = "".join(f"<th>{word}</th>" for word in ("step", "action", "parts", "held"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _table(rows: Iterable[Row]) -> str:
    return f"<table>{''.join(_cells(*row) for row in rows)}</table>"


def _cells(*texts: str) -> str:
    return "<tr>" + "".join(f'<td style="text-align:left">{escape(text)}</td>' for text in texts) + "</tr>"


def _boxed(*pieces: str) -> str:
    return f'<div style="display:flex;gap:1em;align-items:center">{"".join(pieces)}</div>'


def _few(names: Sequence[str]) -> str:
    return listed(names, MOST_NAMES)


def drawing_svg(assembly: Assembly) -> str:
    """A small drawing of the parts, as a file of its own; nothing in it where there are too many triangles to draw.

    >>> from falsework.gallery import make
    >>> drawing_svg(make("semicircular-arch"))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    space = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    drawn = _drawing(assembly) or f'<svg width="{WIDTH}" height="{HEIGHT}"></svg>'
    return drawn.replace("<svg", f"<svg {space}", 1)


def _drawing(assembly: Assembly) -> str:
    """The parts as they stand, seen from the front right and above, the farthest triangles drawn first."""
    meshes = [surface(part.shape) for part in assembly.parts]
    if sum(len(mesh.triangles) for mesh in meshes) > MOST_TRIANGLES:
        return ""
    shown = [_faces(part, number, part.name in assembly.fixed) for number, part in enumerate(assembly.parts)]
    corners = np.concatenate([triangles for triangles, _ in shown])  # (t, 3, 3) right, up, toward the viewer
    colors = [color for _, several in shown for color in several]
    low, high = corners[..., :2].min(axis=(0, 1)), corners[..., :2].max(axis=(0, 1))
    scale = 0.92 * min(WIDTH / max(high[0] - low[0], 1e-12), HEIGHT / max(high[1] - low[1], 1e-12))
    flat = (corners[..., :2] - (low + high) / 2) * scale * (1, -1) + (WIDTH / 2, HEIGHT / 2)
    polygons = [
        f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in flat[row])}" fill="{colors[row]}"'
        f' stroke="{colors[row]}" stroke-width="0.5"/>'
        for row in np.argsort(corners[..., 2].mean(axis=1), kind="stable").tolist()
    ]
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="the parts">{"".join(polygons)}</svg>'


def _faces(part: Part, number: int, fixed: bool) -> tuple[Array, list[str]]:
    """The triangles of a part that face the viewer, in the axes of the drawing, and their colours."""
    mesh = surface(part.shape)
    right = np.cross([0.0, 0.0, 1.0], TO_VIEWER)
    axes = np.stack([right / np.linalg.norm(right), np.cross(TO_VIEWER, right / np.linalg.norm(right)), TO_VIEWER])
    world = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    corners = world[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)[:, None]
    facing = normals @ TO_VIEWER > 0
    bright = 0.55 + 0.45 * np.clip(normals[facing] @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
    base = FIXED_COLOR if fixed else COLORS[number % len(COLORS)]
    return corners[facing] @ axes.T, [_shaded(base, share) for share in bright.tolist()]


def _shaded(color: str, share: float) -> str:
    return "#" + "".join(f"{round(int(color[k : k + 2], 16) * share):02x}" for k in (1, 3, 5))
