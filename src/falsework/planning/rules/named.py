"""From what a caller asks for to the rules of a plan."""

from __future__ import annotations

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import GRASPINGS, PATH_KINDS, Grasping, PathKind, Rules
from falsework.planning.nodes.rule_sets import rule_set_named, usual_rule_set
from falsework.verdicts.registry import AUTO, model_named, usual_model


def rules_for(
    assembly: Assembly,
    name: str | None = None,
    robots: int | None = None,
    paths: PathKind = "straight",
    regrasp: bool = False,
    press_n: float | None = None,
    grasps: Grasping = "any",
    require_connected: bool = False,
    model: str = AUTO,
    checks: tuple[str, ...] = (),
) -> Rules:
    """The rules by which to plan an assembly: unless said otherwise, bricks by one hand and all else by two.

    Hands that support bricks take hold anew as they please. `press_n` 0: presses are not looked at. `checks`: what the
    caller's own are called.
    """
    rule_set = usual_rule_set(assembly) if name is None else rule_set_named(name)
    for label, word, known in (("paths", paths, PATH_KINDS), ("grasps", grasps, GRASPINGS)):
        if word not in known:
            raise BadInput(f"{label} {shown(word)}: {did_you_mean(word, known)}")
    x, y, z = assembly.gravity.tolist()
    usual = Rules(
        rule_set.file_name,
        rule_set.hands if robots is None else robots,
        regrasp,
        paths,
        assembly.friction,
        usual_model(assembly) if model == AUTO else model_named(model).name,
        gravity=(x, y, z),
        require_connected=require_connected,
        checks=checks,
    )
    return rule_set.refined(usual, assembly, press_n, grasps)
