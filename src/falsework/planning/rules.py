"""The named sets of rules, what each takes for granted, and the two of them that combine."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import GRASPINGS, PATH_KINDS, RULE_SETS, Grasping, PathKind, Rules, RuleSet
from falsework.planning.presses import PRESS_N

TURNED_BRICKS = "bricks+reorient"  # bricks are grasped and pressed home, and the model is turned over on a table
RuleName = RuleSet | Literal["bricks+reorient"]


def rules_for(
    assembly: Assembly,
    name: RuleName | None = None,
    robots: int | None = None,
    paths: PathKind = "straight",
    regrasp: bool = False,
    press_n: float | None = None,
    grasps: Grasping = "any",
    require_connected: bool = False,
) -> Rules:
    """The rules by which to plan an assembly: unless said otherwise, bricks by one hand and all else by two.

    Hands that support bricks take hold anew as they please. `press_n` 0: presses are not looked at.
    """
    bricks = all(part.is_brick for part in assembly.parts)
    asked = ("bricks" if bricks else "holds") if name is None else name
    if asked not in (*RULE_SETS, TURNED_BRICKS):
        raise BadInput(f"rules {shown(asked)}: {did_you_mean(asked, (*RULE_SETS, TURNED_BRICKS))}")
    for_bricks = asked in ("bricks", TURNED_BRICKS)
    chosen: RuleSet = "reorient" if asked == "bricks+reorient" else asked
    if paths not in PATH_KINDS:
        raise BadInput(f"paths {shown(paths)}: {did_you_mean(paths, PATH_KINDS)}")
    if for_bricks and not bricks:
        raise BadInput(f"rules {asked}: every part must be a brick of the catalogue; use holds or reorient")
    if asked == TURNED_BRICKS and press_n == 0:
        raise BadInput(f"rules {asked} without a press are the rules reorient; use those")
    hands = (1 if for_bricks else 2) if robots is None else robots
    if hands < 1:
        raise BadInput(f"robots: found {hands}, expected 1 hand or more")
    x, y, z = assembly.gravity.tolist()
    model = "snapfit" if any(part.is_brick for part in assembly.parts) else "blocks"
    usual = Rules(
        chosen,
        hands,
        regrasp,
        paths,
        assembly.friction,
        model,
        gravity=(x, y, z),
        require_connected=require_connected,
    )
    if grasps not in GRASPINGS:
        raise BadInput(f"grasps {shown(grasps)}: {did_you_mean(grasps, GRASPINGS)}")
    if not for_bricks:
        if press_n is not None or grasps != "any":
            raise BadInput(f"press and grasps are for rules bricks, not {chosen}; leave them out")
        return usual
    return replace(
        usual,
        regrasp=regrasp or chosen == "bricks",
        press_n=PRESS_N if press_n is None else press_n or None,
        grasps=grasps,
    )
