"""The one list of rule sets: what a plan may do under each, and who does the work.

What is told here is all that `verify`, reports and whoever asks for a plan need to know of a rule set, and nothing here
imports a search. How moves are checked, walked and turned into steps is its `Craft`, in a file of its own, which is
imported when a search begins. A rule set of your own is registered by `register`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Grasping, Proof, Rules
from falsework.planning.nodes.presses import PRESS_N

if TYPE_CHECKING:
    from falsework.planning.crafts.craft import Craft
    from falsework.planning.plans.workshop import Workshop

Limits = Callable[[Proof], tuple[str, ...]]


def _no_limits(proof: Proof) -> tuple[str, ...]:
    del proof
    return ()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One set of rules, by the name that people ask for."""

    name: str
    craft: Callable[[Workshop], Craft]  # how work is done by these rules in one workshop
    hands: int = 2  # where nobody says how many
    for_bricks: bool = False  # every part is a brick that a hand grips; pressed home, if `Rules.press_n` says so
    turns: bool = False  # the whole may be turned over, and needs no ground
    takes_hold_anew: bool = False  # hands take hold of what they let go, whatever `Rules.regrasp` says
    regrasps: bool = False  # `Rules.regrasp` is set, whether or not it is asked for
    always_presses: bool = False  # without a press it is another rule set
    written: str = ""  # what plan files call it, if not by its name: `always_presses` tells it from that other one
    apart: str = ""  # by which rules groups are put together before they are placed, if not by the same
    planners: frozenset[str] = frozenset()  # that are made for it, beside those that every set takes
    limits: Limits = _no_limits  # of which plans a proof is that there are none, where that is not all of them

    @property
    def file_name(self) -> str:
        return self.written or self.name

    def means(self, rules: Rules) -> bool:
        """Whether the rules of a plan are of this set."""
        return rules.name == self.file_name and (rules.press_n is not None or not self.always_presses)

    def refined(self, usual: Rules, assembly: Assembly, press_n: float | None, grasps: Grasping) -> Rules:
        """What a caller asked for as this set takes it; `BadInput` where that does not go together."""
        if not self.for_bricks:
            if press_n is not None or grasps != "any":
                raise BadInput(f"press and grasps are for rules bricks, not {self.name}; leave them out")
            return usual
        if not all(part.is_brick for part in assembly.parts):
            raise BadInput(f"rules {self.name}: every part must be a brick of the catalogue; use holds or reorient")
        if self.always_presses and press_n == 0:
            raise BadInput(f"rules {self.name} without a press are the rules {self.file_name}; use those")
        pressed = PRESS_N if press_n is None else press_n or None
        return replace(usual, regrasp=usual.regrasp or self.regrasps, press_n=pressed, grasps=grasps)


def rule_sets() -> tuple[RuleSet, ...]:
    """Every rule set that is registered."""
    return tuple(_SETS.values())


def register(rules: RuleSet) -> None:
    """Make a rule set known by its name."""
    if rules.name in _SETS:
        raise BadInput(f"rules {shown(rules.name)}: there is a set of this name already; give yours another")
    _SETS[rules.name] = rules


def unregister(name: str) -> None:
    """Forget a rule set that was registered."""
    if name in _BUILT_IN or name not in _SETS:
        raise BadInput(f"rules {shown(name)} were not registered, so they cannot be forgotten")
    del _SETS[name]


def rule_set_named(name: str) -> RuleSet:
    """The set that somebody asks for; `BadInput` with the nearest one where nobody knows it."""
    if name not in _SETS:
        raise BadInput(f"rules {shown(name)}: {did_you_mean(name, _SETS)}")
    return _SETS[name]


def rule_set_of(rules: Rules) -> RuleSet:
    """The set that the rules of a plan are of; of two that files call the same, the one that asks for more."""
    meant = [one for one in _SETS.values() if one.means(rules)]
    if not meant:
        known = {one.file_name for one in _SETS.values()}
        raise BadInput(f"rules.name: found {shown(rules.name)}; {did_you_mean(rules.name, known)}")
    return max(meant, key=lambda one: one.always_presses)


def usual_rule_set(assembly: Assembly) -> RuleSet:
    """For bricks those of bricks, for all else `holds`."""
    return _SETS["bricks" if all(part.is_brick for part in assembly.parts) else "holds"]


def _holds(shop: Workshop) -> Craft:
    from falsework.planning.crafts.holds import HoldsCraft

    return HoldsCraft(shop)


def _one_by_one(proof: Proof) -> tuple[str, ...]:
    return () if proof.groups else ("parts placed one by one",)


def _reorient(shop: Workshop) -> Craft:
    from falsework.planning.crafts.reorient import ReorientCraft

    return ReorientCraft(shop)


def _bricks(shop: Workshop) -> Craft:
    from falsework.planning.crafts.bricks import BricksCraft

    return BricksCraft(shop)


def _with_what_hangs(proof: Proof) -> tuple[str, ...]:
    return ("bricks placed one by one, or with those that hang from them",) if proof.by in ("search", "bricks") else ()


def _turned_bricks(shop: Workshop) -> Craft:
    from falsework.planning.crafts.turned_bricks import TurnedBricksCraft

    return TurnedBricksCraft(shop)


COMPARED = frozenset(["random-permutation", "genetic", "stability-blind"])  # what seed 001 was compared with
LOCAL = frozenset(["subassemblies", "one-by-one"])  # seed 004's Algorithm 1, and its ablation
_BUILT_IN = {
    one.name: one
    for one in (
        RuleSet("holds", _holds, limits=_one_by_one),  # seed 002
        RuleSet("reorient", _reorient, turns=True, takes_hold_anew=True, apart="holds", planners=COMPARED),  # seed 001
        RuleSet(  # seed 004
            "bricks",
            _bricks,
            hands=1,
            for_bricks=True,
            takes_hold_anew=True,
            regrasps=True,
            planners=LOCAL,
            limits=_with_what_hangs,
        ),
        RuleSet(  # bricks are grasped and pressed home, and the model is turned over on a table
            "bricks+reorient",
            _turned_bricks,
            hands=1,
            for_bricks=True,
            turns=True,
            takes_hold_anew=True,
            always_presses=True,
            written="reorient",
            apart="holds",
            planners=COMPARED | LOCAL,
        ),
    )
}
_SETS = dict(_BUILT_IN)
