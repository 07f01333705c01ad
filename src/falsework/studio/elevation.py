"""A plane assembly as engineers draw it: outlines, lines of thrust, hinges, reactions and a scale, as SVG.

The plane is that of `thrust_line.plane_axis`; up is against gravity. Lengths are metres at a scale that the bar shows;
forces are drawn to a scale of their own, which is told too.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.figures import force, length
from falsework.model.interfaces import Interfaces
from falsework.model.part import Part
from falsework.model.state import State
from falsework.verdicts.masonry.reactions import Reaction
from falsework.verdicts.masonry.thrust import Thrust
from falsework.verdicts.masonry.thrust_line import ThrustLine, plane_axis

WIDTH, MARGIN, FOOT = 900.0, 60.0, 115.0  # of the page, in its own units
FACING = 0.99  # cosine: faces that are seen from the front
LONGEST, JOINT = 90.0, 45.0  # the longest arrow of supports, and of joints
COLORS = {"least": "#1f6fb4", "greatest": "#c23b22", "reaction": "#3a7d34", "joint": "#8a6d1a"}


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """From world points to the page."""

    across: Array  # (3,) unit
    up: Array
    corner: Array  # (2,) the lower left of what is drawn, m
    scale: float  # page units a metre
    height: float  # of the page

    def at(self, points: Array) -> Array:
        """(n, 2) of points (n, 3)."""
        flat = np.stack([points @ self.across, points @ self.up], axis=1) - self.corner
        page: Array = np.stack([MARGIN + self.scale * flat[:, 0], self.height - FOOT - self.scale * flat[:, 1]], axis=1)
        return page


def elevation(
    assembly: Assembly,
    joints: Interfaces,
    state: State,
    title: str,
    thrust: Thrust | None = None,
    reactions: tuple[Reaction, ...] = (),
    resultants: ThrustLine | None = None,
) -> str:
    """The SVG of a state, with the lines of least and greatest thrust and what supports carry, where they are given.

    `resultants`: of the forces that prove it, an arrow for each joint.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> state = falsework.State.complete(arch)
    >>> elevation(arch, falsework.interfaces(arch), state, "arch").count("<title>")
    13
    """
    axis, gravity = plane_axis(assembly, joints, state), state.gravity_of(assembly)
    if axis is None or not gravity.any():
        raise BadInput("an elevation shows plane assemblies under gravity; here contacts or loads face all ways")
    parts = [part for number, part in enumerate(assembly.parts) if state.installed >> number & 1]
    sheet = _sheet(parts, axis, -gravity / float(np.linalg.norm(gravity)))
    free = state.free(assembly)
    fixed = {part.name for number, part in enumerate(assembly.parts) if not free >> number & 1}
    shapes = [_outline(sheet, part, axis, part.name in fixed) for part in parts]
    lines = [] if thrust is None else _thrust(sheet, thrust)
    arrows = [*_resultants(sheet, resultants), *_reactions(sheet, assembly, reactions)]
    foot = [*_scale_bar(sheet), *_key(sheet, title, thrust, reactions, resultants)]
    size = f'width="{WIDTH:g}" height="{sheet.height:.6g}" viewBox="0 0 {WIDTH:g} {sheet.height:.6g}"'
    begun = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Helvetica, Arial, sans-serif" font-size="13">'
    return "\n".join([begun, *shapes, *lines, *arrows, *foot, "</svg>", ""])


def _sheet(parts: list[Part], axis: Array, up: Array) -> _Sheet:
    across = np.cross(up, axis)
    across *= np.sign(across[np.argmax(np.abs(across))])
    corners = np.concatenate([_placed(part)[0] for part in parts])
    flat = np.stack([corners @ across, corners @ up], axis=1)
    low, extent = flat.min(axis=0), np.ptp(flat, axis=0)
    scale = float((WIDTH - 2 * MARGIN) / max(extent[0], extent[1] / 1.2))
    return _Sheet(across, up, low, scale, float(scale * extent[1] + MARGIN + FOOT))


def _placed(part: Part) -> tuple[Array, Ints]:
    """Corners (n, 3) in world axes, and triangles."""
    mesh = surface(part.shape)
    return mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3], mesh.triangles


def _outline(sheet: _Sheet, part: Part, axis: Array, is_fixed: bool) -> str:
    """The border of the faces that look along the axis."""
    corners, triangles = _placed(part)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    seen = triangles[normals @ axis > FACING * sizes]
    edges = {(int(p), int(q)) for one in seen for p, q in zip(one, np.roll(one, -1), strict=True)}
    onward = {p: q for p, q in edges if (q, p) not in edges}
    loops = []
    while onward:
        start, at = next(iter(onward.items()))
        loop = [start]
        while at != start and at in onward:
            loop.append(at)
            at = onward.pop(at)
        onward.pop(start, None)
        loops.append("M" + "L".join(f"{x:.6g},{y:.6g}" for x, y in sheet.at(corners[loop])) + "Z")
    fill = "#b9b4aa" if is_fixed else "#eeeae2"
    drawn = f'fill="{fill}" fill-rule="evenodd" stroke="#555" stroke-width="1"'
    return f'<path d="{" ".join(loops)}" {drawn}><title>{escape(part.name)}</title></path>'


def _thrust(sheet: _Sheet, thrust: Thrust) -> list[str]:
    return [
        mark
        for name, at in (("least", thrust.least), ("greatest", thrust.greatest))
        if at is not None and at.line is not None
        for mark in _line(sheet, at.line, COLORS[name])
    ]


def _line(sheet: _Sheet, line: ThrustLine, color: str) -> list[str]:
    """From joint to joint of each part, and a ring where it touches the end of a joint."""
    at = {one.parts: sheet.at(one.point_m[None])[0] for one in line.crossings}
    through: dict[str, list[Array]] = {}
    for parts, place in at.items():
        for part in parts:
            through.setdefault(part, []).append(place)
    marks = [
        f'<line x1="{p[0]:.6g}" y1="{p[1]:.6g}" x2="{q[0]:.6g}" y2="{q[1]:.6g}" stroke="{color}" stroke-width="1.6"/>'
        for places in through.values()
        if len(places) == 2
        for p, q in [places]
    ]
    hinged = (at[one.parts] for one in line.hinges)
    ring = f'fill="white" stroke="{color}" stroke-width="1.6"'
    return marks + [f'<circle cx="{x:.6g}" cy="{y:.6g}" r="4.5" {ring}/>' for x, y in hinged]


def _reactions(sheet: _Sheet, assembly: Assembly, reactions: tuple[Reaction, ...]) -> list[str]:
    """An arrow into the middle of each support, and its force."""
    sizes = [float(np.linalg.norm(one.force_n)) for one in reactions]
    marks, color = [], COLORS["reaction"]
    for one, size in zip(reactions, sizes, strict=True):
        if size <= 1e-9 * max(sizes):
            continue
        end = sheet.at(assembly.bodies[assembly.index[one.part]].com_world_m[None])[0]
        begin, drawn = _arrow(sheet, end, one.force_n / max(sizes) * LONGEST, color, 2.0)
        marks += [
            *drawn,
            f'<text x="{begin[0]:.6g}" y="{begin[1] + 14:.6g}" text-anchor="middle" fill="{color}">'
            f"{force(size)}</text>",
        ]
    return marks


def _resultants(sheet: _Sheet, line: ThrustLine | None) -> list[str]:
    """An arrow through each joint that is pressed, onto its second part, to a scale of their own."""
    crossings = () if line is None else line.crossings
    sizes = [float(np.linalg.norm(one.force_n)) for one in crossings]
    marks = []
    for one, size in zip(crossings, sizes, strict=True):
        if size > 1e-9 * max(sizes):
            end = sheet.at(one.point_m[None])[0]
            _, drawn = _arrow(sheet, end, one.force_n / max(sizes) * JOINT, COLORS["joint"], 1.2)
            marks.append(f"<g>{''.join(drawn)}<title>{escape(' - '.join(one.parts))}: {force(size)}</title></g>")
    return marks


def _arrow(sheet: _Sheet, end: Array, force_of: Array, color: str, thick: float) -> tuple[Array, list[str]]:
    """Where an arrow onto a place of the page begins, and its marks; its length and way are those of a world vector."""
    way = np.array([force_of @ sheet.across, -(force_of @ sheet.up)])
    begin, side = end - way, np.array([-way[1], way[0]]) * 3 * thick / max(float(np.hypot(*way)), 1e-9)
    back = end - way * 6 * thick / max(float(np.hypot(*way)), 6 * thick)
    head = " ".join(f"{x:.6g},{y:.6g}" for x, y in (end, back + side, back - side))
    return begin, [
        f'<line x1="{begin[0]:.6g}" y1="{begin[1]:.6g}" x2="{back[0]:.6g}" y2="{back[1]:.6g}" '
        f'stroke="{color}" stroke-width="{thick:g}"/>',
        f'<polygon points="{head}" fill="{color}"/>',
    ]


def _scale_bar(sheet: _Sheet) -> list[str]:
    """As long as a round number of metres, about a fifth of the page."""
    wanted = WIDTH / 5 / sheet.scale
    power = 10.0 ** np.floor(np.log10(wanted))
    metres = float(max(step * power for step in (1, 2, 5) if step * power <= wanted))
    y, x = sheet.height - 22, MARGIN
    end = x + metres * sheet.scale
    bar = f'<path d="M{x:.6g},{y - 5:.6g}V{y:.6g}H{end:.6g}V{y - 5:.6g}" fill="none" stroke="#333" stroke-width="1.5"/>'
    return [bar, f'<text x="{end + 8:.6g}" y="{y:.6g}" fill="#333">{length(metres)}</text>']


def _key(
    sheet: _Sheet, title: str, thrust: Thrust | None, reactions: tuple[Reaction, ...], resultants: ThrustLine | None
) -> list[str]:
    y = sheet.height - 22
    told = [(escape(title), "#333")]
    if thrust is not None:
        low, high = ("no bound was found" if end is None else force(end) for end in thrust.range_n)
        told += [(f"least thrust {low}", COLORS["least"]), (f"greatest {high}", COLORS["greatest"])]
    if reactions:
        told.append(("reactions", COLORS["reaction"]))
    if resultants is not None and resultants.crossings:
        most = max(float(np.linalg.norm(one.force_n)) for one in resultants.crossings)
        told.append((f"in joints up to {force(most)}", COLORS["joint"]))
    words = [f'<tspan fill="{color}" dx="14">{text}</tspan>' for text, color in told]
    return [f'<text x="{WIDTH - MARGIN:g}" y="{y:.6g}" text-anchor="end">{"".join(words)}</text>']
