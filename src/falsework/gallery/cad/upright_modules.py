"""Modules whose parts leave upwards: stacks on pins, boxes, bearings, gears, arms in balance; and through-bolts."""

from __future__ import annotations

import math

from falsework.gallery.cad.fasteners import cap_screw, dowel, hexagon_nut, hexagon_screw, washer
from falsework.gallery.cad.gears import gear, meshing_phase
from falsework.gallery.cad.machines import BACKLASH, bearing_ring
from falsework.gallery.cad.modules import BELOW, CELL, MM, PLATE, Draw, Module, ModuleKind
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.workpieces import (
    ball,
    circle,
    cuboid,
    cut,
    cylinder,
    hexagon,
    prism,
    rectangle,
    shifted,
    united,
    upside_down,
)

HALF = CELL / 2


def stack(draw: Draw, parts: int) -> Module:
    """Plates of all sorts on a pin in a hole."""
    module, r = Module(), draw.mm(2, 3.5)
    module.holes.append(cylinder(r, -PLATE / 2, PLATE, draw.facets))
    z, names = 0.0, []
    for number in range(1, parts):
        thick, wide = draw.mm(2, 4), draw.mm(8, 15)
        outline = (
            circle(wide, draw.facets),
            hexagon(2 * wide * 0.85),
            rectangle(-wide, -0.7 * wide, wide, 0.7 * wide),
        )[draw.whole(0, 2)]
        names.append(f"plate-{number}")
        module.add(names[-1], prism(outline, z, z + thick, [circle(r, draw.facets)]))
        z += thick
    module.add("pin", dowel(r, -PLATE / 2, z + draw.mm(1, 4), draw.facets), steel=True, fastener=True)
    module.leave(*reversed(names), "pin")
    return module


def closed_box(draw: Draw, parts: int) -> Module:
    """A box with a foot in the plate, a lid on screws, and blocks inside."""
    module, w, wall, high = Module(), draw.mm(28, 32), 3 * MM, draw.mm(12, 18)
    screws = min(4, max(1, parts - 3))
    contents = parts - 2 - screws
    if contents > 4:
        raise ValueError("a box holds four blocks")
    metric, boss = SIZES[3], 2.5 * MM
    r, far = metric.size * 0.5 * MM, w / 2 - boss
    places = [(far, far), (-far, -far), (far, -far), (-far, far)][:screws]
    shell = cut(
        cuboid((-w / 2, -w / 2, 0.0), (w / 2, w / 2, high)),
        cuboid((wall - w / 2, wall - w / 2, wall), (w / 2 - wall, w / 2 - wall, 2 * high)),
    )
    posts = [shifted(cuboid((-boss, -boss, wall / 2), (boss, boss, high)), x, y) for x, y in places]
    taps = [shifted(cylinder(r, high / 2, 2 * high, draw.facets), x, y) for x, y in places]
    foot = cuboid((-5 * MM, -5 * MM, -3 * MM), (5 * MM, 5 * MM, wall / 2))
    module.holes.append(cuboid((-5 * MM, -5 * MM, -3 * MM), (5 * MM, 5 * MM, PLATE)))
    module.add("box", cut(united([shell, *posts, foot]), *taps))
    lid = prism(rectangle(-w / 2, -w / 2, w / 2, w / 2), high, high + wall, [circle(r, draw.facets, p) for p in places])
    module.add("lid", lid)
    blocks = []
    room = w - 2 * wall - 4 * boss
    for number in range(contents):
        x = -room / 2 + room * number / contents
        tall = draw.mm(4, 1e3 * high - 5)
        blocks.append(f"block-{number + 1}")
        module.add(blocks[-1], cuboid((x, -6 * MM, wall), (x + 0.8 * room / contents, 6 * MM, wall + tall)))
    screw = shifted(upside_down(cap_screw(metric, wall + high / 2, draw.facets)), z=high + wall)
    for number, (x, y) in enumerate(places, start=1):
        module.add(f"screw-{number}", shifted(screw, x, y), steel=True, fastener=True)
    module.leave(*(f"screw-{k}" for k in range(1, screws + 1)), "lid", *blocks, "box")
    return module


def boxes_in_boxes(draw: Draw, parts: int) -> Module:
    """Boxes one in the other, each with a lid in its mouth, the innermost with a block in it if parts are odd."""
    module, boxes = Module(), parts // 2
    w, wall = 32 * MM, draw.mm(1.2, 32 / (4 * boxes + 4))
    floor, high, lids, shells = 0.0, draw.mm(20, 26), [], []
    module.holes.append(cuboid((-4 * MM, -4 * MM, -3 * MM), (4 * MM, 4 * MM, PLATE)))
    for k in range(1, boxes + 1):
        half = w / 2
        body = cuboid((-half, -half, floor), (half, half, high))
        if k == 1:
            body = united([body, cuboid((-4 * MM, -4 * MM, -3 * MM), (4 * MM, 4 * MM, wall / 2))])
        inner, ledge = half - wall, half - wall / 2
        cavity = cuboid((-inner, -inner, floor + wall), (inner, inner, 1.0))
        mouth = cuboid((-ledge, -ledge, high - wall), (ledge, ledge, 1.0))
        shells.append(f"box-{k}")
        lids.append(f"lid-{k}")
        module.add(shells[-1], cut(body, cavity, mouth))
        module.add(lids[-1], cuboid((-ledge, -ledge, high - wall), (ledge, ledge, high)))
        w, floor, high = w - 2 * wall, floor + wall, high - wall
    if parts % 2:
        module.add("block", cuboid((-w / 4, -w / 4, floor), (w / 4, w / 4, (floor + high) / 2)))
        lids.append("block")
    module.leave(*lids, *reversed(shells))
    return module


def bearing(draw: Draw, parts: int) -> Module:
    """A grooved ring in a round pocket, balls in a cage, and a ring on top."""
    module, balls, facets = Module(), parts - 3, 24
    r, radius = 2.4 * MM, draw.mm(9, 11)
    lower, wide = bearing_ring(radius, r, facets, 0.0), 1.6 * r
    up = 1.5 * r - 2 * MM  # it lies 2 mm deep in the plate
    module.holes.append(cylinder(radius + wide, -2 * MM, PLATE, facets))
    module.add("lower", shifted(lower, z=up), steel=True)
    angles = [2 * math.pi * k / balls for k in range(balls)]
    places = [(radius * math.cos(a), radius * math.sin(a)) for a in angles]
    pockets = [circle(r, draw.facets, place) for place in places]
    rim, eye = circle(radius + 1.5 * r, facets), circle(radius - 1.5 * r, facets)
    module.add("cage", shifted(prism(rim, -r / 2, r / 4, [*pockets, eye]), z=up))
    for number, (x, y) in enumerate(places, start=1):
        module.add(f"ball-{number}", shifted(ball(r, draw.facets), x, y, up), steel=True)
    module.add("upper", shifted(upside_down(lower), z=up), steel=True)
    module.leave("upper", *(f"ball-{k}" for k in range(1, balls + 1)), "cage", "lower")
    return module


def gear_pair(draw: Draw, parts: int) -> Module:
    """Two gears on pins under a strap; further straps above it."""
    module, size = Module(), 0.9 * MM
    r, face, teeth = 2 * MM, draw.mm(3, 6), (17, 17)
    far = size * sum(teeth) / 4
    phase = meshing_phase(teeth[0], teeth[1], 0.0, 0.0)
    straps, top = parts - 4, face
    thick = [draw.mm(2, 4) for _ in range(straps)]
    pin = dowel(r, -PLATE / 2, face + sum(thick) + 2 * MM, draw.facets)
    for number, (x, count, turn) in enumerate(((-far, teeth[0], 0.0), (far, teeth[1], phase)), start=1):
        module.holes.append(shifted(cylinder(r, -PLATE / 2, PLATE, draw.facets), x))
        module.add(f"pin-{number}", shifted(pin, x), steel=True, fastener=True)
        wheel = gear(size, count, 0.0, face, r, draw.facets, BACKLASH * size, turn)
        module.add(f"gear-{number}", shifted(wheel, x), steel=True)
    names = []
    for number, t in enumerate(thick, start=1):
        eyes = [circle(r, draw.facets, (x, 0.0)) for x in (-far, far)]
        names.append(f"strap-{number}")
        module.add(names[-1], prism(rectangle(-far - 5 * MM, -5 * MM, far + 5 * MM, 5 * MM), top, top + t, eyes))
        top += t
    module.leave(*reversed(names), "gear-1", "gear-2", "pin-1", "pin-2")
    return module


def balanced_arm(draw: Draw, parts: int) -> Module:
    """An arm on a column, with weights at its tip that a counterweight on its tail keeps up."""
    module, high, deep = Module(), draw.mm(8, 14), 4 * MM
    module.holes.append(cuboid((-10 * MM, -4 * MM, -deep), (-4 * MM, 4 * MM, PLATE)))
    foot = cuboid((-10 * MM, -4 * MM, -deep), (-4 * MM, 4 * MM, MM))
    module.add("column", united([foot, cuboid((-15 * MM, -5 * MM, 0.0), (0.0, 5 * MM, high))]))
    top = high + 3 * MM
    module.add("arm", cuboid((-17 * MM, -5 * MM, high), (15 * MM, 5 * MM, top)))
    tall = 16 * MM  # its weight is more than twice what the tips ask for
    module.add("counterweight", cuboid((-17 * MM, -5 * MM, top), (-8 * MM, 5 * MM, top + tall)), steel=True)
    tips, weights = parts - 3, []
    each = 8 * MM / tips
    for number in range(tips):
        weights.append(f"weight-{number + 1}")
        z = top + number * each
        module.add(weights[-1], cuboid((8 * MM, -4 * MM, z), (15 * MM, 4 * MM, z + each)), steel=True)
    module.leave(*reversed(weights), "counterweight", "arm", "column")
    return module


def through_bolt(draw: Draw, parts: int) -> Module:
    """Plates on a bolt whose head is sunk into the plate from below, under a washer and a nut."""
    module, metric = Module(), SIZES[(4, 5, 6)[draw.whole(0, 2)]]
    r, head = metric.size * 0.5 * MM, metric.head * MM
    seat = head - PLATE
    plates = parts - 3
    thick = [draw.mm(2, 5) for _ in range(plates)]
    ring, nut = metric.washer[2] * MM, metric.nut * MM
    length = sum(thick) + ring + nut + MM - seat
    bolt = shifted(hexagon_screw(metric, length, draw.facets, threaded=False), z=seat)
    pocket = prism(hexagon(metric.across * MM), -PLATE, seat)
    module.holes += [pocket, cylinder(r, -PLATE, PLATE, draw.facets)]
    module.add("bolt", bolt, steel=True, fastener=True)
    names, z = [], 0.0
    for number, t in enumerate(thick, start=1):
        side = draw.mm(9, 16)
        names.append(f"plate-{number}")
        module.add(names[-1], prism(rectangle(-side, -side, side, side), z, z + t, [circle(r, draw.facets)]))
        z += t
    module.add("washer", washer(metric, z, draw.facets, nominal=True), steel=True, fastener=True)
    module.add("nut", hexagon_nut(metric, z + ring, draw.facets, 0.0, threaded=False), steel=True, fastener=True)
    module.leave("nut", "washer", *reversed(names))
    module.leave("bolt", way=BELOW)
    return module


UPRIGHT = (
    ModuleKind("stack", stack, 2, 7),
    ModuleKind("closed box", closed_box, 4, 10),
    ModuleKind("boxes in boxes", boxes_in_boxes, 2, 7),
    ModuleKind("bearing", bearing, 6, 7),
    ModuleKind("gear pair", gear_pair, 5, 7),
    ModuleKind("balanced arm", balanced_arm, 4, 6),
    ModuleKind("through-bolt", through_bolt, 4, 7, from_below=True),
)
