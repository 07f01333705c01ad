"""A tool's bodies at a part: whether the open hand gets to a grasp and away from it without touching the part."""

from __future__ import annotations

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array, Bools
from falsework.model.poses import inverse
from falsework.model.robots.tool import Tool
from falsework.model.shapes import Shape
from falsework.robots.collision.bodies import Piece, all_pairs, bodies_of
from falsework.robots.collision.surroundings import WORLD
from falsework.robots.collision.touching import in_the_way

SEAT_M = 0.0005  # by which cups and plates stay off what they sit on, where it is asked what else they touch
CLEAR_M = 0.004  # between each finger and the part as the hand comes
LEAST_CLEAR_M = 0.0025  # where the hand does not open that far
AWAY_M = (0.0, 0.015, 0.04, 0.08)  # along the way that the hand leaves


def hands_free(shape: Shape, tool: Tool, T_part_tool: Array, open_m: Array) -> Bools:
    """(k,) whether hands (k, 4, 4), open so far (k,), miss the part at the grasp and on the straight way back."""
    pieces = rough_pieces_of(shape)
    solid = bodies_of([Piece(piece.vertices) for piece in (pieces.body if tool.kind == "stud" else pieces.all)])
    back = inverse(tool.T_flange_tool)
    seat = SEAT_M if tool.kind != "parallel" else 0.0
    free = np.ones(len(T_part_tool), bool)
    widths, which = np.unique(np.ceil(open_m * 1e5) / 1e5, return_inverse=True)
    for n, width in enumerate(widths):
        rows = np.flatnonzero(which.ravel() == n)
        hand = bodies_of([Piece(body.at(min(float(width), tool.opening_m[1]))) for body in tool.bodies])
        pairs = all_pairs(hand, solid)
        met = np.zeros(len(rows), bool)
        for away in AWAY_M:
            poses = T_part_tool[rows].copy()
            poses[:, :3, 3] -= (away + seat) * poses[:, :3, 2]
            links = np.ascontiguousarray((poses @ back)[:, None, :3, :])
            met |= in_the_way(hand, links, solid, WORLD, pairs, 1e-6, 1)[:, 0] != 0
        free[rows] = ~met
    return free


def opened(tool: Tool, width_m: Array) -> Array:
    """(k,) how far the fingers are open as the hand comes to a width, or NaN where it is too wide for them."""
    low, high = tool.opening_m
    wanted = np.minimum(width_m + 2 * CLEAR_M, high)
    enough = (wanted >= width_m + 2 * LEAST_CLEAR_M) & (width_m >= low)
    opening: Array = np.where(enough, wanted, np.nan)
    return opening
