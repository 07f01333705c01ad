"""Pairs and small sets of parts that fit into each other: each asks for another kind of way out."""

from __future__ import annotations

import math

import numpy as np

from falsework.gallery.cad.assembling import on_table, part
from falsework.gallery.cad.declared import Declared, Leaving, Made, Motion, lifted, straight, unscrewed
from falsework.gallery.cad.fasteners import dowel, hexagon_nut, hexagon_screw
from falsework.gallery.cad.threads import nearest_size
from falsework.gallery.cad.workpieces import (
    around_circle,
    ball,
    bore,
    circle,
    cuboid,
    cut,
    cylinder,
    lying,
    prism,
    rectangle,
    sector,
    shifted,
    tube,
    turned,
    united,
)


def shaft_in_plate(radius: float, play: float, facets: int, hole_facets: int) -> Made:
    """A collared shaft that stands in a through-hole; shaft and hole may have different facet counts."""
    thick, reach = 2 * radius, 4 * radius
    hole = bore(radius, play, hole_facets) if play or hole_facets == facets else around_circle(radius, hole_facets)
    side = 6 * radius
    plate = prism(rectangle(-side / 2, -side / 2, side / 2, side / 2), 0.0, thick, [circle(hole, hole_facets)])
    profile = [(0.0, 0.0), (radius, 0.0), (radius, thick), (1.5 * radius, thick), (1.5 * radius, thick + radius / 2)]
    shaft = turned([*profile, (radius, thick + radius / 2), (radius, reach), (0.0, reach)], facets)
    parts = [part("plate", plate), part("shaft", shaft)]
    return Made(on_table(parts), Declared(lifted(["shaft"], 1.5 * thick), frozenset(), play_m=play))


def nut_and_bolt(size: int, length: float, play: float, facets: int) -> Made:
    """A hexagon screw on its head, and a nut halfway up its thread."""
    metric = nearest_size(size)
    low = _halfway(length, metric.nut * 1e-3)
    parts = [
        part("bolt", hexagon_screw(metric, length, facets), steel=True),
        part("nut", hexagon_nut(metric, low, facets, play), steel=True),
    ]
    turns = math.ceil((length - low) / (metric.pitch * 1e-3)) + 1
    way = unscrewed("nut", turns, metric.pitch * 1e-3, (0.0, 0.0, 1.0))
    fasteners = frozenset(["bolt", "nut"])
    why = f"right-handed, {metric.pitch:g} mm a turn; at least {play * 1e6:g} µm between the flanks"
    return Made(on_table(parts), Declared((way,), fasteners, play_m=play, why=why))


def dovetail(width: float, play: float, tails: int) -> Made:
    """A board with tails in a board with pins: it leaves along the grain of the joint only."""
    pitch, deep = width / tails, width / 3
    half, lean = pitch / 4, deep * math.tan(math.radians(12.0))
    post = cuboid((0.0, 0.0, 0.0), (deep, width, deep))
    sockets, blades = [], []
    for number in range(tails):
        y = (number + 0.5) * pitch
        sockets.append(_tail(y, half + play, lean, deep))
        blades.append(_tail(y, half, lean, deep))
    base = united([cut(post, *sockets), cuboid((0.0, 0.0, -deep), (4 * deep, width, 0.0))])
    rail = united([*blades, cuboid((deep, 0.0, play), (4 * deep, width, deep))])
    parts = [part("pins", base), part("tails", rail)]
    way = straight("tails", (0.0, 0.0, 1.0), 1.2 * deep)
    why = "the tails are wider inside than at the mouth, so they leave across the boards only"
    return Made(on_table(parts), Declared((way,), play_m=play, why=why))


def mortise_and_tenon(width: float, play: float, facets: int) -> Made:
    """A rail with a tenon in a post, kept by a peg through both."""
    w, peg = width, width / 8
    mortise = cuboid((-w, -w / 6 - play, 1.5 * w - play), (2 * w, w / 6 + play, 2.5 * w + play))
    hole = shifted(lying(cylinder(bore(peg, play, facets), -w, w, facets), "y"), w / 2, 0.0, 2 * w)
    post = cut(cuboid((0.0, -w / 2, 0.0), (w, w / 2, 4 * w)), mortise, hole)
    foot = cuboid((-w, -1.5 * w, -w / 2), (5 * w, 1.5 * w, 0.0))
    tenon = cuboid((0.0, -w / 6, 1.5 * w), (1.5 * w, w / 6, 2.5 * w))
    rail = cut(united([tenon, cuboid((w, -w / 2, 1.25 * w), (4 * w, w / 2, 2.75 * w))]), hole)
    leg = cuboid((3 * w, -w / 2, 0.0), (4 * w, w / 2, 1.25 * w))
    rod = shifted(lying(dowel(peg, -0.75 * w, 0.75 * w, facets, peg / 5), "y"), w / 2, 0.0, 2 * w)
    parts = [part("post", united([post, foot])), part("rail", united([rail, leg])), part("peg", rod)]
    order = (straight("peg", (0.0, 1.0, 0.0), 3 * w), straight("rail", (1.0, 0.0, 0.0), 6 * w))
    return Made(on_table(parts), Declared(order, frozenset(["peg"]), play_m=play, why="the peg bars the tenon"))


def l_slide(width: float, play: float, facets: int) -> Made:
    """A pin with a collar above and below a plate, in a slot that turns a corner and opens at the side."""
    r, t = width / 6, width / 4
    slot = united(
        [
            cuboid((-r - play, -r - play, -t), (width + r + play, r + play, 2 * t)),
            cuboid((width - r - play, -2 * width, -t), (width + r + play, r + play, 2 * t)),
        ]
    )
    plate = cut(cuboid((-width, -width, 0.0), (2 * width, width, t)), slot)
    feet = [cuboid((x, y, -2 * t), (x + t, y + t, 0.0)) for x in (-width, 2 * width - t) for y in (-width, width - t)]
    stem = cylinder(r, -1.5 * t, 2.5 * t, facets)
    collars = [cylinder(2 * r, t + play, 2 * t, facets), cylinder(2 * r, -t, -play, facets)]
    foot = cylinder(r, -2 * t, -1.5 * t, facets)
    parts = [part("plate", united([plate, *feet])), part("slider", united([stem, foot, *collars]))]
    way = Leaving("slider", (Motion((width, 0.0, 0.0)), Motion((0.0, -1.5 * width - 2 * r, 0.0))))
    return Made(on_table(parts), Declared((way,), play_m=play, why="first along the slot, then around its corner"))


def bayonet(radius: float, play: float, facets: int) -> Made:
    """A plug with two lugs at the end of two bent slots: turned back, then drawn out."""
    r, lug, deep = radius, radius / 4, 2.0 * radius
    wall, wide = 1.75 * radius, math.radians(15.0)
    slack = play / r  # rad, at the inner wall
    reach = bore(r + lug, play, facets)
    tools = [cylinder(bore(r, play, facets), 0.25 * r, 4 * r, facets)]
    for side in (0.0, math.pi):
        straight_slot = sector(0.0, reach, side - wide - slack, side + wide + slack, facets)
        bent = sector(0.0, reach, side - wide - slack, side + math.radians(60.0) + wide + slack, facets)
        tools += [prism(straight_slot, 0.5 * r, 4 * r), prism(bent, 0.5 * r - play, r + play)]
    socket = cut(cylinder(wall, 0.0, deep, facets), *tools)
    turned_by = math.radians(60.0)
    lug_at = [sector(0.0, r + lug, side - wide, side + wide, facets) for side in (turned_by, turned_by + math.pi)]
    lugs = [prism(outline, 0.5 * r, r) for outline in lug_at]
    plug = united([cylinder(r, 0.25 * r, 3 * r, facets), *lugs])
    parts = [part("socket", socket), part("plug", plug)]
    way = Leaving("plug", (Motion((0.0, 0.0, 0.0), -turned_by), Motion((0.0, 0.0, deep))))
    return Made(on_table(parts), Declared((way,), play_m=play, why="60° back, then straight out"))


def ball_in_socket(radius: float, play: float, facets: int, captive: int) -> Made:
    """A ball in a cup: open above its middle, or closed around it so that the mouth is narrower than the ball."""
    r = radius
    inside = around_circle(bore(r, play, facets), facets) if play else r  # faces, not corners, keep the play
    block = cylinder(2 * r, -1.75 * r, 0.6 * r if captive else -0.2 * r, facets)
    cup = cut(block, ball(inside, facets))
    parts = [part("socket", cup), part("ball", ball(r, facets))]
    if captive:
        why = "the mouth is 0.8 of the ball's diameter wide, and the ball is round"
        return Made(on_table(parts), Declared((), locked=frozenset(["ball"]), play_m=play, why=why))
    return Made(on_table(parts), Declared(lifted(["ball"], 3 * r), play_m=play, why="the cup is open above its middle"))


def key_in_lock(radius: float, play: float, facets: int) -> Made:
    """A key turned by a quarter: its bit is behind the plate, away from the keyhole."""
    r = radius
    chamber = tube(4 * r, 3 * r, -2.5 * r, 0.0, facets)
    floor = cylinder(4 * r, -3 * r, -2.5 * r, facets)
    front = cylinder(4 * r, 0.0, r, facets)
    slot = cuboid((0.0, -r / 2 - play, -r), (2.5 * r + play, r / 2 + play, 2 * r))
    lock = cut(united([chamber, floor, front]), cylinder(bore(r, play, facets), -r, 2 * r, facets), slot)
    bit = cuboid((-r / 2, 0.0, -1.5 * r - play), (r / 2, 2.5 * r, -play))
    bow = cuboid((-2 * r, -r / 2, 3 * r), (2 * r, r / 2, 6 * r))
    key = united([cylinder(r, -2.5 * r, 3.5 * r, facets), bit, bow])
    parts = [part("lock", lock), part("key", key)]
    way = Leaving("key", (Motion((0.0, 0.0, 0.0), -math.pi / 2), Motion((0.0, 0.0, 4.5 * r))))
    return Made(on_table(parts), Declared((way,), play_m=play, why="a quarter back to the keyhole, then out"))


def _tail(y: float, half: float, lean: float, deep: float) -> object:
    outline = [(0.0, y - half - lean), (deep, y - half), (deep, y + half), (0.0, y + half + lean)]
    return prism(np.array(outline), 0.0, deep)


def _halfway(length: float, nut: float) -> float:
    return round(0.5 * (length - nut), 4)
