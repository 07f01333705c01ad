"""What a controller does and leaves undone, as data: forces, heights, patience, and the parts that can be ablated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from falsework.model.errors import BadInput, did_you_mean, shown

BLOW = 2.0  # times a press: what may be felt as a hand of kilograms touches down at its usual speed

ABLATIONS = {
    "press-check": "press by a fixed way, without feeling for the force, and do not press again from above",
    "grasp-check": "believe that every brick is held that fingers closed on",
    "verification": "believe that every brick that was let go is in its place",
    "replanning": "keep to the plan that was made first",
    "frozen-view": "locate all bricks once, before the first is taken",
    "wrist-view": "lay bricks as if they were where the fingers closed on them",
    "forces": "judge presses by the support polygon of seed 004, not by the forces in joints",
    "centring": "take bricks that come down between two others like any other",
    "subassemblies": "place brick by brick, never several that were put together apart",
}


@dataclass(frozen=True, slots=True)
class ControlSettings:
    """Defaults are for Duplo bricks and a hand like the Panda's.

    >>> ControlSettings().without("verification").verify
    False
    """

    carry_n: float = 10.0  # the grip on the way
    grip_spare: float = 1.4  # times the grip that a press needs: more tears the brick out again as the arm eases
    press_n: float = 1.56  # at least, where what stands was proved to bear it
    press_sure: float = 1.25  # times the press that is needed: a press ends once nine tenths of it are felt
    touch_n: float = 2.0  # with which a hand closes on a brick of the structure, that others hang on
    support_n: float = 40.0  # … and with which it holds it then, or pulls one off
    above_m: float = 0.06  # how high over a brick a hand comes and goes
    clear_m: float = 0.035  # by which a hand that has let go rises until its tips are over the brick
    over_m: float = 0.012  # from how high above `hover_m` closed fingers come down onto it
    gap_m: float = (
        3e-3  # over the studs, where the slow part of a way ends: bricks hang a little lower than they should
    )
    hover_m: float = 1e-3  # over a brick that lies on studs, where a press from above begins
    deeper_m: float = 3e-3  # than the seat: how far a press may go
    looks_s: float = 0.25  # that one look takes, told to the clock: the log does not depend on the machine
    plans_s: float = 1.0  # … and one plan
    tries: int = 6  # of one brick, before it is given up
    limit_s: float = 200.0  # for a whole product
    patience_s: float = 90.0  # in all, for bricks that are not there
    wrist: bool = True  # what is held is looked at over its place, and laid by what is seen
    polygon: bool = False  # presses by the support polygon of seed 004, not by forces
    centre: bool = True  # bricks that come down between two others are squeezed both ways before they are taken
    pieces: bool = True  # bricks may be put together apart and placed as one
    press_top: bool = True
    feel: bool = True  # for the force of a press; else it goes as deep as the seat should be
    grasp_check: bool = True
    verify: bool = True
    replan: bool = True
    look_again: bool = True

    def without(self, *ablated: str) -> ControlSettings:
        """The same without parts of it, for ablations."""
        changed: dict[str, object] = {}
        for name in ablated:
            if name not in ABLATIONS:
                raise BadInput(f"--ablate {shown(name)}: {did_you_mean(name, ABLATIONS)}")
            changed |= _CHANGES[name]
        return replace(self, **changed)  # type: ignore[arg-type]


_CHANGES: dict[str, dict[str, object]] = {
    "press-check": {"press_top": False, "feel": False},
    "grasp-check": {"grasp_check": False},
    "verification": {"verify": False},
    "replanning": {"replan": False},
    "frozen-view": {"look_again": False},
    "wrist-view": {"wrist": False},
    "forces": {"polygon": True},
    "centring": {"centre": False},
    "subassemblies": {"pieces": False},
}
