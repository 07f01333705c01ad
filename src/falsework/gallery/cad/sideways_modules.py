"""Modules with parts that leave to the front: cross pins, hinged flaps, hanging plates, dovetailed slides, bridges."""

from __future__ import annotations

import numpy as np

from falsework.gallery.cad.fasteners import cap_screw, dowel
from falsework.gallery.cad.modules import FRONT, MM, PLATE, Draw, Module, ModuleKind
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.workpieces import Solid, cuboid, cut, cylinder, lying, prism, shifted, united, upside_down
from falsework.model.arrays import Array


def pinned_block(draw: Draw, parts: int) -> Module:
    """A block between two lugs with a pin through all three; guards in slots stand before the pin."""
    module, w, high = Module(), draw.mm(5, 8), draw.mm(10, 16)
    r, z = draw.mm(1.5, 2.5), draw.mm(4, 7)
    drill = shifted(lying(cylinder(r, -20 * MM, 20 * MM, draw.facets), "y"), z=z)
    lugs = [cuboid((-w, y, -MM), (w, y + 3 * MM, 2 * z)) for y in (-8 * MM, 5 * MM)]
    module.bosses += [cut(lug, drill) for lug in lugs]
    module.add("block", cut(cuboid((-w, -5 * MM, 0.0), (w, 5 * MM, high)), drill))
    module.add("pin", shifted(lying(dowel(r, -8 * MM, 8 * MM, draw.facets), "y"), z=z), steel=True, fastener=True)
    guards = []
    for number in range(parts - 2):
        y = (-10.5 - 2.5 * number) * MM
        slot = cuboid((-w, y, -3 * MM), (w, y + 2 * MM, PLATE))
        module.holes.append(slot)
        guards.append(f"guard-{number + 1}")
        module.add(guards[-1], cuboid((-w, y, -3 * MM), (w, y + 2 * MM, z + 4 * MM)))
    module.leave(*guards)
    module.leave("pin", way=FRONT)
    module.leave("block")
    return module


def propped_flap(draw: Draw, parts: int) -> Module:
    """A flap on a hinge pin, held level by props; without them it swings down unless somebody holds it."""
    module, r, z = Module(), draw.mm(1.5, 2.2), draw.mm(9, 13)
    eye, x = 2 * r, -12 * MM
    drill = shifted(lying(cylinder(r, -20 * MM, 20 * MM, draw.facets), "y"), x, 0.0, z)
    for y in (-9 * MM, 5 * MM):
        module.bosses.append(cut(cuboid((x - eye, y, -MM), (x + eye, y + 4 * MM, z + eye)), drill))
    knuckle = shifted(lying(cylinder(eye, -5 * MM, 5 * MM, draw.facets), "y"), x, 0.0, z)
    blade = cuboid((x, -5 * MM, z - MM), (16 * MM, 5 * MM, z + MM))
    module.add("flap", cut(united([knuckle, blade]), drill))
    module.add(
        "pin", shifted(lying(dowel(r, -10 * MM, 9 * MM, draw.facets), "y"), x, 0.0, z), steel=True, fastener=True
    )
    props, each = [], 14 * MM / (parts - 2)
    for number in range(parts - 2):
        low = MM + number * each
        hole = cuboid((low, -2 * MM, -3 * MM), (low + 0.5 * each, 2 * MM, PLATE))
        module.holes.append(hole)
        props.append(f"prop-{number + 1}")
        module.add(props[-1], cuboid((low, -2 * MM, -3 * MM), (low + 0.5 * each, 2 * MM, z - MM)))
    module.leave("pin", way=FRONT)
    module.leave("flap", *props)
    return module


def hanging_plate(draw: Draw, parts: int) -> Module:
    """A plate that hangs on screws before a wall: when the last screw leaves, a hand must have the plate."""
    module, metric, high = Module(), SIZES[3], draw.mm(18, 24)
    r, screws = metric.size * 0.5 * MM, parts - 2
    wall = cuboid((-15 * MM, 4 * MM, 0.0), (15 * MM, 12 * MM, high))
    tenon = cuboid((-8 * MM, 6 * MM, -4 * MM), (8 * MM, 10 * MM, MM))
    module.holes.append(cuboid((-8 * MM, 6 * MM, -4 * MM), (8 * MM, 10 * MM, PLATE)))
    xs = [(-10 + 20 * (k + 0.5) / screws) * MM for k in range(screws)]
    z, thick = 0.7 * high, draw.mm(2, 4)
    drills = [shifted(lying(cylinder(r, -20 * MM, 10 * MM, draw.facets), "y"), x, 0.0, z) for x in xs]
    module.add("wall", cut(united([wall, tenon]), *drills))
    module.add("plate", cut(cuboid((-13 * MM, 4 * MM - thick, 4 * MM), (13 * MM, 4 * MM, high)), *drills))
    # A screw that was made along z with its head below 0 has it before y = 0 once it lies along y.
    screw = lying(cap_screw(metric, thick + 6 * MM, draw.facets), "y")
    names = []
    for number, x in enumerate(xs, start=1):
        names.append(f"screw-{number}")
        module.add(names[-1], shifted(screw, x, 4 * MM - thick, z), steel=True, fastener=True)
    module.leave(*names, "plate", way=FRONT)
    module.leave("wall")
    module.hands = 2
    return module


def dovetailed_slide(draw: Draw, parts: int) -> Module:
    """A slide on a dovetailed rail of the plate, between a fixed stop and one that is screwed on."""
    module, metric = Module(), SIZES[3]
    r, screws = metric.size * 0.5 * MM, parts - 2
    narrow, wide, tall = 4 * MM, 6 * MM, 4 * MM
    tail = np.array([(-narrow, 0.0), (narrow, 0.0), (wide, tall), (-wide, tall)])
    rail = lying_profile(tail, -7 * MM, 9 * MM)
    module.bosses.append(united([rail, cuboid((-wide, -7 * MM, -MM), (wide, 9 * MM, 0.0))]))
    module.bosses.append(cuboid((-10 * MM, 9 * MM, -MM), (10 * MM, 13 * MM, draw.mm(6, 10))))
    body = cuboid((-10 * MM, -7 * MM, 0.0), (10 * MM, 9 * MM, draw.mm(7, 11)))
    module.add("slide", cut(body, lying_profile(tail, -30 * MM, 30 * MM)))
    thick = draw.mm(5, 8)
    xs = [(-8 + 16 * (k + 0.5) / screws) * MM for k in range(screws)]
    drills = [shifted(cylinder(r, -6 * MM, 20 * MM, draw.facets), x, -11 * MM) for x in xs]
    module.holes += drills
    module.add("stop", cut(cuboid((-10 * MM, -15 * MM, 0.0), (10 * MM, -7 * MM, thick)), *drills))
    screw = shifted(upside_down(cap_screw(metric, thick + 6 * MM, draw.facets)), z=thick)
    names = []
    for number, x in enumerate(xs, start=1):
        names.append(f"screw-{number}")
        module.add(names[-1], shifted(screw, x, -11 * MM), steel=True, fastener=True)
    module.leave(*names, "stop")
    module.leave("slide", way=FRONT)
    return module


def pegged_bridge(draw: Draw, parts: int) -> Module:
    """Posts in the plate, a lintel on their tenons, and pegs through the tenons above it."""
    module, high, thick = Module(), draw.mm(10, 16), draw.mm(3, 5)
    posts = 2 if parts < 6 else 3
    xs = [(-12 + 24 * k / (posts - 1)) * MM for k in range(posts)]
    r, tenon, far = 1.2 * MM, 2.5 * MM, 4 * MM
    top, z = high + thick, high + thick + 1.2 * MM
    lintel = cuboid((-17 * MM, -5 * MM, high), (17 * MM, 5 * MM, top))
    pegged = parts - posts - 1
    pegs, names = [], []
    for number, x in enumerate(xs, start=1):
        drill = shifted(lying(cylinder(r, -9 * MM, 9 * MM, draw.facets), "y"), x, 0.0, z)
        shank = cuboid((x - tenon, -tenon, -4 * MM), (x + tenon, tenon, z + 3 * MM))
        post = united([shank, cuboid((x - far, -far, 0.0), (x + far, far, high))])
        lintel = cut(lintel, cuboid((x - tenon, -tenon, 0.0), (x + tenon, tenon, 1.0)))
        module.holes.append(cuboid((x - tenon, -tenon, -4 * MM), (x + tenon, tenon, PLATE)))
        names.append(f"post-{number}")
        has_peg = number <= pegged
        module.add(names[-1], cut(post, drill) if has_peg else post)
        if has_peg:
            pegs.append(f"peg-{number}")
            peg = dowel(r, -7 * MM, 5 * MM, draw.facets)
            module.add(pegs[-1], shifted(lying(peg, "y"), x, 0.0, z), steel=True, fastener=True)
    module.add("lintel", lintel)
    module.leave(*pegs, way=FRONT)
    module.leave("lintel", *names)
    return module


def lying_profile(outline: Array, low: float, high: float) -> Solid:
    """A figure of x and z from one y to another."""
    mirrored = np.column_stack([outline[:, 1], outline[:, 0]])[::-1]  # z and x, as `lying` along y takes them
    return lying(prism(mirrored, low, high), "y")


SIDEWAYS = (
    ModuleKind("pinned block", pinned_block, 2, 5, sideways=True),
    ModuleKind("propped flap", propped_flap, 3, 5, sideways=True),
    ModuleKind("hanging plate", hanging_plate, 3, 5, sideways=True),
    ModuleKind("dovetailed slide", dovetailed_slide, 3, 4, sideways=True),
    ModuleKind("pegged bridge", pegged_bridge, 4, 7, sideways=True),
)
