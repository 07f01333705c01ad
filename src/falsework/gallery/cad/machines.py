"""Small machines and fittings: gears on axles, bearings, hinges, brackets, housings, boxes in boxes, frames."""

from __future__ import annotations

import math
from itertools import pairwise

from falsework.gallery.cad.assembling import on_table, part
from falsework.gallery.cad.declared import UP, Declared, Leaving, Made, lifted, straight, unscrewed
from falsework.gallery.cad.fasteners import cap_screw, dowel, hexagon_nut, hexagon_screw, washer
from falsework.gallery.cad.gears import gear, meshing_phase
from falsework.gallery.cad.threads import nearest_size
from falsework.gallery.cad.workpieces import (
    Solid,
    ball,
    bore,
    circle,
    cuboid,
    cut,
    cylinder,
    lying,
    prism,
    rectangle,
    shifted,
    turned,
    united,
    upside_down,
)
from falsework.model.part import Part

BACKLASH = 0.02  # of a module, each tooth
CONFORMITY, GROOVE_STEPS = 1.08, 13  # a groove's radius by that of its balls; chords across it, one at the bottom


def gear_train(gears: int, teeth: int, module: float, facets: int, play: float) -> Made:
    """Gears that mesh in a row, each on an axle of its own in a plate; large ones and small ones in turn."""
    sizes = [teeth if k % 2 == 0 else max(17, (3 * teeth) // 4) for k in range(gears)]
    axle, thick, face = 2.5 * module, 4 * module, 6 * module
    xs, phases = [0.0], [0.0]
    for before, here in pairwise(sizes):
        xs.append(xs[-1] + module * (before + here) / 2)
        phases.append(meshing_phase(before, here, phases[-1], 0.0))
    far = module * (teeth / 2 + 3)
    plate = prism(rectangle(-far, -far, xs[-1] + far, far), -thick, 0.0, [circle(axle, facets, (x, 0.0)) for x in xs])
    parts = [part("plate", plate)]
    for k, x in enumerate(xs, start=1):
        parts.append(part(f"axle-{k}", shifted(dowel(axle, -thick, 2 * face, facets), x), steel=True))
    for k, (x, size, phase) in enumerate(zip(xs, sizes, phases, strict=True), start=1):
        wheel = gear(module, size, 0.0, face, bore(axle, play, facets), facets, BACKLASH * module, phase)
        parts.append(part(f"gear-{k}", shifted(wheel, x), steel=True))
    order = lifted([f"gear-{k}" for k in range(1, gears + 1)], 3 * face)
    order += lifted([f"axle-{k}" for k in range(1, gears + 1)], 4 * face)
    why = "every gear lifts off its axle, whether or not it meshes; then the axles leave"
    return Made(on_table(parts), Declared(order, _named(parts, "axle"), play_m=play, why=why))


def stacked_gears(stages: int, teeth: int, module: float, facets: int, play: float) -> Made:
    """Gears one above the other on one axle, each meshing with one on a second axle: they leave from the top."""
    large, small = teeth, max(17, teeth // 2 + 1)
    axle, thick, face = 2.5 * module, 4 * module, 4 * module
    between = module * (large + small) / 2
    far = module * (teeth / 2 + 3)
    holes = [circle(axle, facets, (x, 0.0)) for x in (0.0, between)]
    plate = prism(rectangle(-far, -far, between + far, far), -thick, 0.0, holes)
    high = (stages + 2) * face
    parts = [part("plate", plate)]
    parts += [
        part(f"axle-{k}", shifted(dowel(axle, -thick, high, facets), x), steel=True)
        for k, x in ((1, 0.0), (2, between))
    ]
    hole, names = bore(axle, play, facets), []
    for stage in range(stages):
        sizes = (large, small) if stage % 2 == 0 else (small, large)
        low, phase = stage * face, meshing_phase(sizes[0], sizes[1], 0.0, 0.0)
        for k, (x, size, turn) in enumerate(((0.0, sizes[0], 0.0), (between, sizes[1], phase)), start=1):
            wheel = gear(module, size, low, low + face, hole, facets, BACKLASH * module, turn)
            names.append(f"gear-{stage + 1}-{k}")
            parts.append(part(names[-1], shifted(wheel, x), steel=True))
    order = lifted(reversed(names), high + face) + lifted(["axle-1", "axle-2"], 2 * high)
    why = "large and small gears lie above each other, so each waits for those above it"
    return Made(on_table(parts), Declared(order, _named(parts, "axle"), play_m=play, why=why))


def thrust_bearing(radius: float, balls: int, facets: int, play: float) -> Made:
    """Two grooved rings, balls between them, and a cage that keeps the balls apart."""
    r = 0.75 * math.pi * radius / balls
    lower = bearing_ring(radius, r, facets, play)
    places = [
        (radius * math.cos(2 * math.pi * k / balls), radius * math.sin(2 * math.pi * k / balls)) for k in range(balls)
    ]
    pockets = [circle(bore(r, play, facets), facets, place) for place in places]
    cage = prism(circle(radius + 1.5 * r, facets), -r / 4, r / 4, [*pockets, circle(radius - 1.5 * r, facets)])
    parts = [part("lower", lower, steel=True), part("cage", cage)]
    parts += [
        part(f"ball-{k}", shifted(ball(r, facets), *place), steel=True) for k, place in enumerate(places, start=1)
    ]
    parts.append(part("upper", upside_down(lower), steel=True))
    order = lifted(["upper", *(f"ball-{k}" for k in range(1, balls + 1)), "cage"], 6 * r)
    return Made(on_table(parts), Declared(order, play_m=play, why="the upper ring lies on the balls"))


def bearing_ring(radius: float, r: float, facets: int, play: float) -> Solid:
    """The lower ring of a thrust bearing: balls of radius `r` in its groove have their centres at z = 0."""
    wide, floor = 1.6 * r, 1.5 * r
    rim = [(radius - wide, -floor), (radius + wide, -floor), (radius + wide, -r / 2)]
    return turned([*rim, *_groove(radius, r, play)], facets)


def hinge(width: float, knuckles: int, facets: int, play: float) -> Made:
    """Two leaves whose knuckles alternate on a pin; one lies on the table, the other stands on its edge."""
    w, r, t = width, width / 12, width / 20
    length = w / knuckles
    eyes: list[list[object]] = [[], []]
    for k in range(knuckles):
        low, high = k * length + (play if k else 0.0), (k + 1) * length
        eyes[k % 2].append(shifted(lying(cylinder(2 * r, low, high, facets), "y")))
    bores = lying(cylinder(bore(r, play, facets), -w, 2 * w, facets), "y")
    flat = cuboid((0.0, 0.0, -2 * r), (w, w, -2 * r + t))
    upright = cuboid((-2 * r, 0.0, 0.0), (-2 * r + t, w, w))
    leaves = []
    for mine, plate in ((0, flat), (1, upright)):
        others = [k for k in range(knuckles) if k % 2 != mine]
        windows = [cuboid((-3 * r, k * length, -3 * r), (2.2 * r, (k + 1) * length + play, 2.2 * r)) for k in others]
        leaves.append(cut(united([cut(plate, *windows), *eyes[mine]]), bores))
    foot = cuboid((0.0, 0.0, -2 * r - t), (w, w, -2 * r))
    pin = lying(dowel(r, -r, w, facets, r / 8), "y")
    parts = [part("flat", united([leaves[0], foot])), part("upright", leaves[1]), part("pin", pin, steel=True)]
    order = (straight("pin", (0.0, -1.0, 0.0), 1.2 * w), straight("upright", UP, 1.5 * w))
    return Made(
        on_table(parts), Declared(order, frozenset(["pin"]), hands=2, play_m=play, why="the pin bars both leaves")
    )


def bracket(size: int, facets: int, play: float, threaded: int) -> Made:
    """An angle against an upright, by two screws with washers and nuts."""
    metric = nearest_size(size)
    d, thick = metric.size * 1e-3, metric.size * 1.0e-3
    hole, side = bore(d / 2, play, facets), 8 * d
    clear = metric.washer[2] * 1e-3
    upright = united([cuboid((-thick, 0.0, 0.0), (0.0, side, side)), cuboid((-4 * d, 0.0, 0.0), (0.0, side, thick))])
    angle = united([cuboid((0.0, 0.0, d), (thick, side, side)), cuboid((0.0, 0.0, d), (side, side, d + thick))])
    places = [(side / 4, 0.7 * side), (0.75 * side, 0.7 * side)]
    drills = [shifted(lying(cylinder(hole, -side, side, facets), "x"), 0.0, *place) for place in places]
    parts = [part("upright", cut(upright, *drills)), part("angle", cut(angle, *drills))]
    length = 2 * thick + clear + 1.3 * metric.nut * 1e-3
    screw = lying(hexagon_screw(metric, length, facets, bool(threaded)), "x")
    nut = lying(hexagon_nut(metric, 2 * thick + clear, facets, play, bool(threaded)), "x")
    ring = lying(washer(metric, 2 * thick, facets, nominal=not play), "x")
    order, turns = [], math.ceil(1.5 * metric.nut / metric.pitch) + 1
    for k, (y, z) in enumerate(places, start=1):
        for name, solid in ((f"screw-{k}", screw), (f"washer-{k}", ring), (f"nut-{k}", nut)):
            parts.append(part(name, shifted(solid, -thick, y, z), steel=True))
        out = (1.0, 0.0, 0.0)
        if threaded:
            off = unscrewed(f"nut-{k}", turns, metric.pitch * 1e-3, out, (0.0, y, z))
            order.append(Leaving(off.part, (*off.way, *straight("", out, 2 * side).way)))
        else:
            order.append(straight(f"nut-{k}", out, 2 * side))
        order.append(straight(f"washer-{k}", out, 2 * side))
        order.append(straight(f"screw-{k}", (-1.0, 0.0, 0.0), 2 * length))
    order.append(straight("angle", out, 2 * side))
    fasteners = _named(parts, "screw") | _named(parts, "nut") | _named(parts, "washer")
    return Made(
        on_table(parts), Declared(tuple(order), fasteners, hands=2, play_m=play, why="nut, washer, screw, angle")
    )


def housing(width: float, screws: int, contents: int, facets: int, play: float) -> Made:
    """A box with a lid on socket screws, and blocks inside that wait for the lid."""
    w, t, high = width, width / 12, width / 2
    metric = nearest_size(1e3 * w / 20)
    r = metric.size * 0.5e-3
    boss = 3 * r
    corners = [(x, y) for y in (boss, w - boss) for x in (boss, w - boss)]
    sides = [(w / 2, boss), (w / 2, w - boss)]
    places = [*corners, *sides][:screws]
    body = cut(cuboid((0.0, 0.0, 0.0), (w, w, high)), cuboid((t, t, t), (w - t, w - t, 2 * high)))
    posts = [shifted(cylinder(boss, t / 2, high, facets), *place) for place in places]
    taps = [shifted(cylinder(r, high / 3, 2 * high, facets), *place) for place in places]
    body = cut(united([body, *posts]), *taps)
    lid = prism(rectangle(0.0, 0.0, w, w), high, high + t, [circle(bore(r, play, facets), facets, p) for p in places])
    parts = [part("body", body), part("lid", lid)]
    each = (w - 2 * t - 8 * boss) / max(1, contents)
    for k in range(contents):
        x = t + 4 * boss + k * each
        block = cuboid((x, 5 * boss, t), (x + 0.8 * each, w - 5 * boss, high * (0.5 + 0.4 * (k % 2))))
        parts.append(part(f"block-{k + 1}", block))
    screw = shifted(upside_down(cap_screw(metric, t + 0.5 * high, facets)), z=high + t)
    parts += [part(f"screw-{k}", shifted(screw, *place), steel=True) for k, place in enumerate(places, start=1)]
    order = lifted([f"screw-{k}" for k in range(1, screws + 1)], 2 * high) + lifted(["lid"], 2 * w)
    order += lifted([f"block-{k}" for k in range(1, contents + 1)], 2 * w)
    return Made(on_table(parts), Declared(order, _named(parts, "screw"), play_m=play, why="screws, lid, contents"))


def nested_boxes(boxes: int, width: float, play: float) -> Made:
    """Boxes in boxes, each with a lid that drops into its mouth, and a block in the innermost."""
    parts, inside = [], width
    floor, wall = 0.0, width / (4 * (boxes + 1))
    high = width
    for k in range(1, boxes + 1):
        low, rim = -inside / 2, high
        shell = cuboid((low, low, floor), (-low, -low, rim))
        cavity = cuboid((low + wall, low + wall, floor + wall), (-low - wall, -low - wall, 2 * width))
        ledge = cuboid((low + wall / 2, low + wall / 2, rim - wall), (-low - wall / 2, -low - wall / 2, 2 * width))
        parts.append(part(f"box-{k}", cut(shell, cavity, ledge)))
        inset = low + wall / 2 + play
        parts.append(part(f"lid-{k}", cuboid((inset, inset, rim - wall), (-inset, -inset, rim))))
        inside, floor, high = inside - 2 * wall - 2 * play, floor + wall, rim - wall
    parts.append(
        part("block", cuboid((-inside / 2, -inside / 2, floor), (inside / 2, inside / 2, 0.5 * (floor + high))))
    )
    names = [f"lid-{k}" for k in range(1, boxes + 1)] + ["block"] + [f"box-{k}" for k in range(boxes, 1, -1)]
    order = lifted(names, 2 * width)
    why = "each box waits for the lid above it; the contents of a box leave before the box"
    return Made(on_table(parts), Declared(order, play_m=play, why=why))


def _groove(radius: float, r: float, play: float) -> list[tuple[float, float]]:
    """The upper side of the lower ring, from outside in: a round groove that is a little wider than the balls.

    So balls touch it at the bottom only, and rings of chords do not enter them.
    """
    round_, low = CONFORMITY * r, -r / 2
    centre = round_ - r - play
    end = math.asin((low - centre) / round_)
    step = (-math.pi - 2 * end) / GROOVE_STEPS
    angles, corner = [end + step * k for k in range(GROOVE_STEPS + 1)], round_ / math.cos(step / 2)
    points = [(radius + corner * math.cos(a), centre + corner * math.sin(a)) for a in angles]
    points[0], points[-1] = (points[0][0], low), (points[-1][0], low)
    return [*points, (radius - 1.6 * r, low)]


def _named(parts: list[Part], word: str) -> frozenset[str]:
    return frozenset(one.name for one in parts if one.name.startswith(word))
