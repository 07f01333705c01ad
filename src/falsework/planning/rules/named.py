"""The named sets of rules, what each takes for granted, and the two of them that combine."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import GRASPINGS, PATH_KINDS, RULE_SETS, Grasping, PathKind, Rules, RuleSet
from falsework.planning.nodes.presses import PRESS_N
from falsework.verdicts.registry import AUTO, model_named, usual_model

TURNED_BRICKS = "bricks+reorient"  # bricks are grasped and pressed home, and the model is turned over on a table
FOR_BRICKS = ("bricks", TURNED_BRICKS)
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
    model: str = AUTO,
) -> Rules:
    """The rules by which to plan an assembly: unless said otherwise, bricks by one hand and all else by two.

    Hands that support bricks take hold anew as they please. `press_n` 0: presses are not looked at.
    """
    bricks = all(part.is_brick for part in assembly.parts)
    asked: RuleName = ("bricks" if bricks else "holds") if name is None else name
    for_bricks = asked in FOR_BRICKS
    hands = (1 if for_bricks else 2) if robots is None else robots
    _refuse_nonsense(asked, bricks, paths, press_n, grasps)
    chosen: RuleSet = "reorient" if asked == "bricks+reorient" else asked
    x, y, z = assembly.gravity.tolist()
    usual = Rules(
        chosen,
        hands,
        regrasp,
        paths,
        assembly.friction,
        usual_model(assembly) if model == AUTO else model_named(model).name,
        gravity=(x, y, z),
        require_connected=require_connected,
    )
    if not for_bricks:
        return usual
    return replace(
        usual,
        regrasp=regrasp or chosen == "bricks",
        press_n=PRESS_N if press_n is None else press_n or None,
        grasps=grasps,
    )


def _refuse_nonsense(asked: str, bricks: bool, paths: str, press_n: float | None, grasps: str) -> None:
    """Raise `BadInput` for words that nobody knows, and for rules that do not go together."""
    for label, word, known in (
        ("rules", asked, (*RULE_SETS, TURNED_BRICKS)),
        ("paths", paths, PATH_KINDS),
        ("grasps", grasps, GRASPINGS),
    ):
        if word not in known:
            raise BadInput(f"{label} {shown(word)}: {did_you_mean(word, known)}")
    if asked in FOR_BRICKS and not bricks:
        raise BadInput(f"rules {asked}: every part must be a brick of the catalogue; use holds or reorient")
    if asked == TURNED_BRICKS and press_n == 0:
        raise BadInput(f"rules {asked} without a press are the rules reorient; use those")
    if asked not in FOR_BRICKS and (press_n is not None or grasps != "any"):
        raise BadInput(f"press and grasps are for rules bricks, not {asked}; leave them out")
