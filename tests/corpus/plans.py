"""Plan files that say something impossible, for an assembly that is fine."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from tests.fuzz.seeds import arch_plan

Document = dict[str, Any]
TURNED = [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def _with(*place: str | int, value: Any) -> Callable[[Document], Document]:
    """A plan with one value replaced; `...` takes it out."""

    def changed(document: Document) -> Document:
        branch: Any = document
        for key in place[:-1]:
            branch = branch[key]
        if value is ...:
            del branch[place[-1]]
        else:
            branch[place[-1]] = value
        return document

    return changed


_CHANGES = {
    "plan of another format": _with("format", value="falsework-plan/2"),
    "plan without a format": _with("format", value=...),
    "plan with an unknown key": _with("stpes", value=[]),
    "plan without rules": _with("rules", value=...),
    "plan without steps": _with("steps", value=...),
    "plan with steps in a mapping": _with("steps", value={"1": {}}),
    "plan of unknown status": _with("status", value="done"),
    "plan by unknown rules": _with("rules", "name", value="magic"),
    "plan for no hands": _with("rules", "robots", value=0),
    "plan with half a hand": _with("rules", "robots", value=1.5),
    "plan with negative friction": _with("rules", "mu", value=-1),
    "plan with a misspelt rule": _with("rules", "regarsp", value=True),
    "plan in two dimensions": _with("rules", "gravity", value=[0, -9.81]),
    "plan without an assembly": _with("assembly", value=...),
    "plan for an absolute path": _with("assembly", "path", value="/etc/passwd"),
    "plan for an empty path": _with("assembly", "path", value=""),
    "plan with a short hash": _with("assembly", "sha256", value="ab12"),
    "plan with a hash in capitals": _with("assembly", "sha256", value="A" * 64),
    "plan on the sea": _with("assembly", "ground", value="sea"),
    "plan at scale 0": _with("assembly", "scale", value=0),
    "plan that fixes a part twice": _with("assembly", "fixed", value=["left", "left"]),
    "plan with a step of text": _with("steps", 0, value="place the lintel"),
    "plan with an unknown action": _with("steps", 0, "action", value="throw"),
    "plan that does not say what is held": _with("steps", 0, "held", value=...),
    "plan that holds a part twice": _with("steps", 0, "held", value=["lintel", "lintel"]),
    "plan with an empty path of poses": _with("steps", 0, "path", value=[]),
    "plan with a pose of three rows": _with("steps", 0, "path", 0, value=[[1, 0, 0, 0]] * 3),
    "plan with a pose that scales": _with("steps", 0, "path", 0, value=TURNED),
    "plan with a pose of words": _with("steps", 0, "path", 0, value=[["a"] * 4] * 4),
    "plan with a grasp of no width": _with(
        "steps", 0, "grasp", value={"point": [0, 0, 0], "closing": [1, 0, 0], "approach": [0, 0, -1], "width": 0}
    ),
    "plan that places nobody": _with("steps", 0, "part", value=[]),
    "plan that uses less than nothing": _with("steps", 0, "utilization", value=-0.5),
}
TEXTS: dict[str, tuple[str, str]] = {
    **{kind: ("plan.json", json.dumps(change(copy.deepcopy(arch_plan())))) for kind, change in _CHANGES.items()},
    "plan cut short": ("plan.json", json.dumps(arch_plan())[:-40]),
    "plan of nothing": ("plan.json", "{}"),
    "plan that is a list": ("plan.json", "[]"),
    "plan with NaN": ("plan.json", json.dumps(arch_plan()).replace("9.81", "NaN")),
    "plan with a key twice": ("plan.json", '{"format": "falsework-plan/1", "format": "falsework-plan/1"}'),
}
