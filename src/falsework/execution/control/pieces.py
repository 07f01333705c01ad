"""Pieces: bricks that are put together apart, on a tray, and placed as one.

A tray is smooth and holds nothing, so nothing has to be torn off it: the lowest brick of a piece stays where it lies,
the others are pressed onto it, and a hand takes all of them by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from falsework.execution.control.belief import LEVEL_M, Belief, Piece, alike, box, fits
from falsework.execution.control.finger_room import EASED_M
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.ways import HOLDS, Errand, Ways, studs_m
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.perception.findings import Located
from falsework.model.placement import Objection, Placement
from falsework.model.plan import Plan, Step, Subassembly
from falsework.model.poses import inverse
from falsework.model.shapes import BrickShape, Shape
from falsework.planning.nodes.moves import bits
from falsework.robots.brickcell.brick_holds import brick_holds, openings
from falsework.robots.collision.arm_bodies import ArmBodies

INSIDE_M = 4e-3  # of the base: a press or a weight that is nearer to its edge might tip it
NEAR_M = 0.012  # of where a piece should be: what is seen there is it


class OnTray:
    """A `PlacementCheck` of what is put together apart: on one brick that nothing holds, and nothing may tip it.

    Every brick rests on one that is there, and the middle of where it does, and of all weights, is over the base.

    >>> import falsework
    >>> OnTray(falsework.new("duplo-stack")).name
    'tray'
    """

    name, certain, minds_hands = "tray", True, False

    def __init__(self, assembly: Assembly) -> None:
        self._parts = assembly.parts

    def objection(self, placement: Placement) -> Objection | None:
        if not placement.apart:
            return None
        there, parts = list(bits(placement.before.installed)), list(bits(placement.parts))
        if len(parts) != 1:
            return Objection("pieces of pieces are not put together")
        low, high = box(self._parts[parts[0]])
        boxes = {number: box(self._parts[number]) for number in there}
        joints = [
            (np.maximum(low, first)[:2] + np.minimum(high, last)[:2]) / 2
            for first, last in boxes.values()
            if abs(last[2] - low[2]) < LEVEL_M and (np.minimum(high, last) - np.maximum(low, first) > LEVEL_M)[:2].all()
        ]
        if not joints:
            return Objection("it would have to be pressed on from below")
        all_of_it = [self._parts[number] for number in (*there, *parts)]
        weight = np.average(
            [part.com_world_m[:2] for part in all_of_it], axis=0, weights=[part.mass_kg for part in all_of_it]
        )
        foot = min(first[2] for first, _ in boxes.values())
        bases = [(first[:2], last[:2]) for first, last in boxes.values() if first[2] < foot + LEVEL_M]
        tipping = any(not any(_inside(point, *base) for base in bases) for point in (np.mean(joints, axis=0), weight))
        return Objection("nothing holds what it is pressed onto, and it would tip") if tipping else None


def _inside(point: Array, low: Array, high: Array) -> bool:
    return bool((point > low + INSIDE_M).all() and (point < high - INSIDE_M).all())


def put_together(plan: Plan, step: Step) -> Subassembly | None:
    """How bricks that a step places as one are put together before; None where a tray and one hand cannot."""
    for built in plan.apart:
        if set(built.parts) == set(step.parts):
            steps = [one for one in built.steps if one.action == "place"]
            singly = all(len(one.parts) == 1 and set(one.held) <= set(one.parts) for one in steps)
            down = all(one.press is None or one.press.force_n[2] < 0 for one in steps)
            return built if singly and down else None
    return None


def begun_on(belief: Belief, built: Subassembly, seen: Located) -> Iterator[Belief]:
    """With a brick that lies on a tray as the first of a piece, whichever way round it is seen."""
    part = belief.part(built.fast)
    loose = tuple(one for one in belief.loose if one is not seen)
    for T in alike(seen):
        piece = Piece(frozenset(built.parts), T @ inverse(part.T_world_part), frozenset([built.fast]))
        yield replace(belief, piece=piece, loose=loose)


def whole(belief: Belief) -> Belief:
    """As it will be, once all bricks of the piece are together."""
    assert belief.piece is not None
    return belief.standing(*belief.piece.names)


def seen_again(belief: Belief, piece: Piece, found: Sequence[Located], near_m: float = NEAR_M) -> Piece | None:
    """A piece where its uppermost brick that is seen says it is; None where none is seen."""
    for name in sorted(piece.there, key=lambda name: (-box(belief.part(name))[1][2], name)):
        part = belief.part(name)
        goal = piece.T_world_piece @ part.T_world_part
        middle = middle_of(part, goal)
        level = [one for one in found if fits(part, one) and abs(one.T_base_brick[2, 3] - goal[2, 3]) < NEAR_M / 2]
        near = [one for one in level if np.linalg.norm(one.middle_m[:2] - middle[:2]) < near_m]
        if near:
            seen = min(near, key=lambda one: float(np.linalg.norm(one.middle_m[:2] - middle[:2])))
            turned = max(alike(seen), key=lambda T: float(np.trace(T[:3, :3].T @ goal[:3, :3])))
            T = turned @ inverse(part.T_world_part)
            T[2, 3] = piece.T_world_piece[2, 3]
            return replace(piece, T_world_piece=T)
    return None


def middle_of(part: Part, T_world_part: Array) -> Array:
    """(3,) of the world, the middle of a brick's lower face: as `Located.middle_m` is of one that was seen."""
    size = np.array(part.shape.kind.size_m) if isinstance(part.shape, BrickShape) else np.zeros(3)
    middle: Array = T_world_part[:3, :3] @ (size * (0.5, 0.5, 0.0)) + T_world_part[:3, 3]
    return middle


def piece_errands(
    ways: Ways, belief: Belief, carriers: Sequence[str], now: Array, best_m: Array, settings: ControlSettings
) -> Iterator[Errand]:
    """Ways to take the piece of a belief by one of its bricks and to bring all of it to its place in the structure.

    Held best first: a press beside what carries the piece would tear it off.
    """
    piece = belief.piece
    assert piece is not None
    in_hand = replace(belief, piece=None)
    around, before, rng = in_hand.around(ways.cell), belief.around(ways.cell), np.random.default_rng(0)
    holds = [
        (name, hold)
        for name in carriers
        for hold in brick_holds(
            belief.part(name), ways.arm.tool, (inverse(in_hand.goal(name)) @ np.append(best_m, 1.0))[:3]
        )
        if in_hand.carries(piece.names, (in_hand.goal(name) @ hold.T_part_tool)[:3, 3])
    ]
    for name, hold in sorted(holds, key=lambda one: one[1].aside_m)[:HOLDS]:
        part, goal, lies = belief.part(name), in_hand.goal(name), belief.goal(name)
        on_tray = replace(belief, piece=replace(piece, there=piece.there - {name})).around(ways.cell)
        in_place = in_hand.standing(*(piece.names - {name})).around(ways.cell)
        over = goal.copy()
        over[2, 3] += settings.gap_m + studs_m(part.shape)
        press_m = settings.gap_m + studs_m(part.shape) + settings.deeper_m
        laid = over.copy()
        laid[:3, 3] += _aside_m(in_hand, piece.names, (over @ hold.T_part_tool)[:3, 0])
        eased = ArmBodies(ways.arm, min(hold.width_m + EASED_M, ways.arm.tool.opening_m[1]))
        bring = ways.descents(laid @ hold.T_part_tool, eased, in_place, settings.above_m, press_m)
        full = ArmBodies(ways.arm, hold.width_m, _load(ways, belief, piece, name, hold.T_part_tool))
        for open_m in openings(hold, ways.arm.tool) if bring else ():
            empty = ArmBodies(ways.arm, open_m)
            takes = ways.descents(lies @ hold.T_part_tool, empty, on_tray, settings.above_m)
            to_take = ways.transit(now, takes[0][0], empty, before, rng) if takes else None
            if to_take is None:
                continue
            for down in bring:
                to_bring = ways.transit(takes[0][0], down[0], full, around, rng)
                if to_bring is not None:
                    yield Errand(ways.arm.name, hold, lies, laid, open_m, to_take, takes[0], to_bring, down, name)
                    break
            break


def _aside_m(belief: Belief, names: frozenset[str], along: Array) -> Array:
    """(3,) how far aside of its place a piece comes down: as much as any of its bricks must."""
    asides = [belief.aside_m(name, along) for name in sorted(names)]
    return max(asides, key=lambda aside: float(np.linalg.norm(aside)))


def _load(ways: Ways, belief: Belief, piece: Piece, name: str, T_part_tool: Array) -> list[tuple[Shape, Array]]:
    """All bricks of a piece in the flange's frame, held by one of them."""
    T_flange_product = ways.arm.tool.T_flange_tool @ inverse(belief.part(name).T_world_part @ T_part_tool)
    return [(belief.part(one).shape, T_flange_product @ belief.part(one).T_world_part) for one in sorted(piece.names)]
