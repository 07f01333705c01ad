"""The named sets of rules, and what each takes for granted."""

from __future__ import annotations

from dataclasses import replace

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import GRASPINGS, PATH_KINDS, RULE_SETS, Grasping, PathKind, Rules, RuleSet
from falsework.planning.presses import PRESS_N


def rules_for(
    assembly: Assembly,
    name: RuleSet | None = None,
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
    chosen = ("bricks" if bricks else "holds") if name is None else name
    if chosen not in RULE_SETS:
        raise BadInput(f"rules {shown(chosen)}: {did_you_mean(chosen, RULE_SETS)}")
    if paths not in PATH_KINDS:
        raise BadInput(f"paths {shown(paths)}: {did_you_mean(paths, PATH_KINDS)}")
    if chosen == "bricks" and not bricks:
        raise BadInput("rules bricks: every part must be a brick of the catalogue; use holds or reorient")
    hands = (1 if chosen == "bricks" else 2) if robots is None else robots
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
    if chosen != "bricks":
        if press_n is not None or grasps != "any":
            raise BadInput(f"press and grasps are for rules bricks, not {chosen}; leave them out")
        return usual
    return replace(usual, regrasp=True, press_n=PRESS_N if press_n is None else press_n or None, grasps=grasps)
