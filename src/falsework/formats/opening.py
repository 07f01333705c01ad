"""What a verb is asked about: an assembly, or the file that it is in; a plan, or the file that it is in."""

from __future__ import annotations

import inspect
import os
from numbers import Real
from typing import Protocol, TypedDict

from falsework.formats.bricks import ldraw
from falsework.formats.detection import recognise
from falsework.formats.loading import load, split_source
from falsework.formats.native import reading as native
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import load_assembly
from falsework.geometry.contacts.ground import grounded
from falsework.model.assembly import Assembly, Ground, as_ground
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.given import Names, names
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan

Source = Assembly | str | os.PathLike[str]


class Reading(TypedDict, total=False):
    """How a file is read, or what is changed of an assembly; the same options on the command line.

    Nothing given: what the file says, else the default of its format.
    """

    fixed: Names  # parts that never move; replaces what the file says
    ground: str | Ground  # "baseplate", "table", "table:0.4" (its friction) or "none"
    mu: float  # friction of contacts
    scale: float  # metres per unit, for meshes
    allow_overlap_m: float  # interpenetration up to this depth is accepted
    gap: float  # up to which distance parts touch, m
    ldraw: str  # LDraw's parts library, a folder or a zip


READING = tuple(
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
    for name, kind in Reading.__annotations__.items()
)


NUMBERS = frozenset(["mu", "scale", "allow_overlap_m", "gap"])


class HasPlan(Protocol):
    """What `plan` and `replan` answer."""

    @property
    def plan(self) -> Plan: ...


PlanSource = Plan | HasPlan | str | os.PathLike[str]


def opened(source: Source, reading: Reading) -> Assembly:
    """The assembly, read from a file where a path was given, with the options applied.

    >>> from falsework.gallery import make
    >>> opened(make("brick-guitar"), {"ground": "table", "mu": 0.3}).ground.kind
    'table'
    """
    given: Reading = {name: value for name, value in reading.items() if value is not None}  # type: ignore[assignment]
    for name in NUMBERS & given.keys():
        if not isinstance(value := given[name], Real):  # type: ignore[literal-required]
            raise BadInput(f"{name}: found {shown(value)}, expected a number")
    if isinstance(source, str | os.PathLike):
        return load(source, **given)
    if not isinstance(source, Assembly):
        raise TypeError(
            f"found {shown(source)}, expected an Assembly or the path of a file; "
            "see falsework.load, falsework.new, Assembly.from_boxes, Assembly.from_trimesh"
        )
    return _changed(source, given)


def opened_with(source: Source, reading: Reading, joints: Interfaces | None) -> tuple[Assembly, Interfaces | None]:
    """The same, and its interfaces where they are known already: not where an option changes what touches."""
    assembly = opened(source, reading)
    return assembly, joints if assembly is source else None


def _changed(assembly: Assembly, given: Reading) -> Assembly:
    if "scale" in given:
        raise BadInput("scale: an assembly is in metres already; scale is for files that do not say their unit")
    if "ldraw" in given:
        raise BadInput("ldraw: an assembly has its parts already; a parts library is for files")
    changes: dict[str, object] = {}
    if "fixed" in given:
        changes["fixed"] = frozenset(names(given["fixed"]))
    if "mu" in given:
        changes["friction"] = given["mu"]
    if "allow_overlap_m" in given:
        changes["allow_overlap_m"] = given["allow_overlap_m"]
    if "gap" in given:
        changes["gap_m"] = given["gap"]
    changed = assembly.changed(**changes) if changes else assembly
    return grounded(changed, as_ground(given["ground"])) if "ground" in given else changed


def opened_plan(given: PlanSource, source: Source | None = None, gap: float | None = None) -> tuple[Plan, Assembly]:
    """The plan, from its file where a path was given, and the assembly that it builds, unless that is given too.

    `gap`: up to which distance its parts touch, m, where not as in the plan.
    """
    if isinstance(given, str | os.PathLike):
        plan = read_plan(given)
    else:
        plan = given if isinstance(given, Plan) else getattr(given, "plan", None)  # type: ignore[assignment]
    if not isinstance(plan, Plan):
        raise TypeError(
            f"found {shown(given)}, expected a plan: what falsework.plan answered, or the path of plan.json"
        )
    if source is not None:
        return plan, opened(source, {} if gap is None else {"gap": gap})
    if plan.source is None:
        raise BadInput("the plan names no file of its assembly; give the assembly too")
    return plan, load_assembly(plan, gap)


def stepped_model(
    given: PlanSource | Assembly, gap: float | None = None, library: str | None = None
) -> Assembly | None:
    """The model in a file that is no plan, where it says in what steps it is built or is a brick model that could.

    >>> stepped_model("examples/guitar.ldr")
    Assembly of 20 parts, 0.04017 kg, on a baseplate
    """
    if isinstance(given, Assembly):
        return given if given.steps else None
    if not isinstance(given, str | os.PathLike):
        return None
    path, _ = split_source(given)
    try:
        known = recognise(path).format
    except BadFile:  # a plan file is in no format of an assembly
        return None
    if known == ldraw.FORMAT:
        return load(given, gap=gap, ldraw=library)
    assembly = load(given, gap=gap) if known == native.FORMAT else None
    return assembly if assembly is not None and assembly.steps else None
