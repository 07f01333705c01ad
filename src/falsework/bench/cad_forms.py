"""Round things whose limits are known by hand, whatever facets stand for them: friction or tilt at which they fall.

`run` walks over facets from 16 to 512, the two sides alike or not, and tells how far the found limits are from the
true ones; times are those of finding the contacts, in CPU milliseconds. Each form has its derivation beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from falsework.bench.round_shapes import about, ball, placed, rod, thread, turned
from falsework.bench.rows import Row
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import Polygon, Shape, box
from falsework.model.verdict import Answer
from falsework.verdicts.check import check

FRICTION = 0.5  # with which forms are made; others are asked by scaling it
SWEEP = ((16, 16), (16, 20), (24, 64), (64, 64), (64, 48), (128, 100), (512, 512), (512, 300))
ACROSS = about("x", 0.5 * np.pi)  # from along z to along y


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """An assembly that stands beyond a limit: `friction`, or below it, `tilt` about y in degrees."""

    name: str
    assembly: Assembly
    limit: float
    kind: str = "friction"
    loads: tuple[Load, ...] = ()

    def joints(self) -> Interfaces:
        return interfaces(self.assembly)

    def answer(self, value: float, joints: Interfaces) -> Answer:
        """What `check` says with another friction, or tilted."""
        if self.kind == "tilt":
            tilt = np.radians(value)
            gravity = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
            return check(self.assembly, joints=joints, gravity=gravity, also=False).answer
        return check(self.assembly, joints=rougher(joints, value / FRICTION), loads=self.loads, also=False).answer

    def bracket(self, joints: Interfaces, width: float = 1e-3) -> tuple[float, float]:
        """Where it falls for certain and where it stands for certain, next to each other, to `width` of the limit."""
        falls, stands = (1.5, 0.6) if self.kind == "tilt" else (0.6, 1.5)
        falls, stands = falls * self.limit, stands * self.limit
        return (
            self._last(joints, "unstable", falls, stands, width),
            self._last(joints, "stable", stands, falls, width),
        )

    def _last(self, joints: Interfaces, wanted: Answer, inside: float, outside: float, width: float) -> float:
        """The last value on the way outside with the wanted answer; NaN where it is not even there inside."""
        if self.answer(inside, joints) != wanted:
            return float("nan")
        while abs(outside - inside) > width * self.limit:
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if self.answer(middle, joints) == wanted else (inside, middle)
        return inside


def rougher(joints: Interfaces, factor: float) -> Interfaces:
    """The same with friction times a factor."""
    patches, ambiguous = joints.patches, joints.ambiguous
    return replace(
        joints,
        patches=replace(patches, friction=factor * patches.friction),
        ambiguous=replace(ambiguous, friction=factor * ambiguous.friction),
    )


def _made(fixed: set[str], parts: dict[str, tuple[Shape, object]]) -> Assembly:
    made = tuple(make_part(name, shape, pose) for name, (shape, pose) in parts.items())  # type: ignore[arg-type]
    return Assembly(made, fixed=frozenset(fixed), friction=FRICTION)


FLOOR: tuple[Shape, object] = (box((4.0, 4.0, 0.1)), placed(-2.0, -2.0, -0.1))


def log_pyramid(facets: int, others: int) -> Form:
    """One log on two that touch, on a floor.

    The upper log's weight leans on the lower ones at 30° from upright. A lower log has no moment about its axis and so
    as much friction at the floor as at the upper log; the force of the upper one goes along the line through both
    places, which is at 15° to their common normal: tan 15° = 2 − √3. At the floor less is needed.
    """
    r, long = 0.1, 0.6
    return Form(
        "log pyramid",
        _made(
            {"floor"},
            {
                "floor": FLOOR,
                "left": (rod(r, long, facets, 0.1), placed(-r, 0, r, ACROSS)),
                "right": (rod(r, long, others, 0.2), placed(r, 0, r, ACROSS)),
                "top": (rod(r, long, facets, 0.3), placed(0, 0, r + np.sqrt(3) * r, ACROSS)),
            },
        ),
        2 - np.sqrt(3),
    )


def ball_on_balls(facets: int, others: int) -> Form:
    """One ball on three that touch each other: as the logs, with sin α = 1/√3 instead of ½, tan(α/2) = 0.3178."""
    r = 0.1
    off, up = 2 * r / np.sqrt(3), 2 * r * np.sqrt(2 / 3)
    below = {
        f"ball-{k}": (
            ball(r, others),
            placed(off * np.cos(turn), off * np.sin(turn), r, about("x", 0.3 + k) @ about("y", 0.7)),
        )
        for k, turn in enumerate(0.3 + 2 * np.pi * np.arange(3) / 3)
    }
    top = {"top": (ball(r, facets), placed(0, 0, r + up, about("x", 1.1)))}
    return Form(
        "ball on three", _made({"floor"}, {"floor": FLOOR, **below, **top}), np.tan(0.5 * np.arcsin(1 / np.sqrt(3)))
    )


def ball_in_groove(facets: int, others: int, opening: float = np.radians(35)) -> Form:
    """A ball in a groove, tilted until its weight goes through one place: 90° less half the groove's opening."""
    wide, r = 0.3, 0.1
    high = wide / np.tan(opening)
    outline = [(-0.6, -0.2), (0.6, -0.2), (0.6, high), (wide, high), (0, 0), (-wide, high), (-0.6, high)]
    groove = Polygon(np.array(outline), 1.0)
    at = placed(0, 0, r / np.sin(opening), about("x", 0.4) @ about("y", 0.2))
    return Form(
        "ball in a groove",
        _made({"groove"}, {"groove": (groove, placed()), "ball": (ball(r, facets), at)}),
        90 - float(np.degrees(opening)),
        "tilt",
    )


def bearing(facets: int, others: int, play: float = 5e-4, lever: float = 0.03) -> Form:
    """A shaft in a hole with play, a heavy load hanging at its side: it rolls up its hole, and holds where the load
    hangs within the circle of friction, lever ≤ r sin φ with tan φ = μ.
    """
    r = 0.1
    hole = turned([(r + play, -0.1), (0.3, -0.1), (0.3, 0.1), (r + play, 0.1)], others, ring=True, phase=0.05)
    made = _made({"hole"}, {"hole": (hole, placed(turn=ACROSS)), "shaft": (rod(r, 0.4, facets), placed(turn=ACROSS))})
    weight = 9.81 * made.parts[1].mass_kg
    hanging = 50 * weight
    sine = lever * hanging / (hanging + weight) / r
    load = Load("shaft", np.array([0.0, 0.0, -hanging]), np.array([lever, 0.0, 0.0]))
    return Form("shaft in a bearing", made, float(np.tan(np.arcsin(sine))), loads=(load,))


def plug(facets: int, others: int, half_angle: float = np.radians(12)) -> Form:
    """A cone hanging in a cone that opens downward: it holds itself if tan β ≤ μ."""
    narrow, long = 0.1, 0.2
    wide = narrow + long * np.tan(half_angle)
    seat = turned([(narrow, 0), (0.5, 0), (0.5, long), (wide, long)], others, ring=True)
    cone = turned([(0, 0), (narrow, 0), (wide, long), (0, long)], facets)
    down = placed(turn=about("x", np.pi))
    return Form(
        "cone in cone", _made({"seat"}, {"seat": (seat, down), "plug": (cone, down)}), float(np.tan(half_angle))
    )


def wedge(facets: int, others: int, slope: float = np.radians(20)) -> Form:
    """A half log, flat side down, on a slope: tan of its angle."""
    turns = np.pi * np.arange(facets // 2 + 1) / (facets // 2)
    half = Polygon(np.column_stack([0.1 * np.cos(turns), 0.1 * np.sin(turns)]), 0.4)
    ramp = Polygon(np.array([(-1.0, 0.0), (1.0, 0.0), (1.0, 2 * np.tan(slope))]), 1.0)
    at = placed(0, 0, np.tan(slope), about("y", -slope))
    return Form(
        "half log on a slope", _made({"ramp"}, {"ramp": (ramp, placed()), "log": (half, at)}), float(np.tan(slope))
    )


def screw(facets: int, others: int, pitch: float = 0.003) -> Form:
    """A thread on a thread: it does not unscrew if the tangent of its lead, at its outer edge, is at most μ."""
    inner, outer = 0.0095, 0.01
    below = thread(inner, outer, -0.001, 0.0, pitch, 4, others)
    above = thread(inner, outer, 0.0, 0.001, pitch, 2, facets)
    up = placed(0, 0, pitch)
    return Form("screw", _made({"bolt"}, {"bolt": (below, placed()), "nut": (above, up)}), pitch / (2 * np.pi * outer))


FORMS: tuple[Callable[[int, int], Form], ...] = (
    log_pyramid,
    ball_on_balls,
    ball_in_groove,
    bearing,
    plug,
    wedge,
    screw,
)


def run() -> Iterator[Row]:
    """Every form with every pair of facets."""
    for make in FORMS:
        for facets, others in SWEEP:
            if make in (ball_on_balls, ball_in_groove) and facets > 256:
                continue  # half a million triangles say no more
            form = make(facets, others)
            start = time.process_time()
            joints = form.joints()
            took = 1e3 * (time.process_time() - start)
            falls, stands = form.bracket(joints)
            off = [value / form.limit - 1 for value in (falls, stands)]
            yield Row(
                f"{form.name} {facets}/{others}",
                took,
                notes={"falls": falls, "stands": stands, "by_hand": form.limit, "points": len(joints.patches.points)},
                target="within 0.5 %" if min(facets, others) >= 64 else "within 5 %",
                figure=f"{100 * off[0]:+.2f} % to {100 * off[1]:+.2f} %",
            )
