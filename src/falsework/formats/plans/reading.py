"""Plan files, `falsework-plan/1`: reading them. Written by `formats.plans.writing`.

Every key may be left out that not every plan needs. Among them:

    start          parts in place and held at the beginning, and T_world_assembly if they do not lie as in the file
    target         the parts that are there in the end, if not all
    subassemblies  parts that are placed as one: how they are put together before, on the one that is held fast
    proof          where there is no plan: of which plans, and how
    steps[].grasped     of parts placed as one: the one that a hand carries them all by, or all, each in a hand
    steps[].press       how a brick is pressed home
    steps[].secured     what keeps parts together while they are turned over
    steps[].margin_deg  how far what is there may be tilted about x or y then
    rules.grasps, rules.require_connected
    rules.checks        names of checks that whoever made the plan had passed

Which sets of rules and which stability models there are is not known here: whoever judges a plan asks their registries
for `rules.name` and `rules.model`.
"""

from __future__ import annotations

import os
from pathlib import Path

from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.text import read_text
from falsework.formats.plans.sources import read_source
from falsework.formats.plans.steps import read_pose, read_step
from falsework.model.plan import (
    GRASPINGS,
    NOTHING,
    PATH_KINDS,
    PLAN_FORMAT,
    PROOF_KINDS,
    STATUSES,
    Plan,
    Proof,
    Rules,
    Start,
    Subassembly,
)
from falsework.model.provenance import Provenance

MAX_STEPS = 400_000

_RULE_KEYS = (
    "name", "robots", "regrasp", "paths", "mu", "model", "cone", "gravity", "press_n", "grasps", "require_connected",
    "checks",
)  # fmt: skip
_PLAN_KEYS = (
    "format", "assembly", "rules", "status", "proof", "start", "target", "steps", "subassemblies", "provenance",
)  # fmt: skip
_PROVENANCE_KEYS = ("version", "input_sha256", "settings", "seed", "wall_s")


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """The plan in a file; its source's path is as seen from here.

    >>> import tempfile, falsework
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = falsework.save(falsework.plan("examples/arch.yaml"), f"{folder}/plan.json")
    ...     read_plan(f"{folder}/plan.json").status
    'complete'
    """
    file = Path(path)
    root = load_json(file, read_text(file))
    if root["format"].value != PLAN_FORMAT:
        raise root["format"].expected(repr(PLAN_FORMAT))
    root.only(_PLAN_KEYS)
    source = read_source(root["assembly"], file.parent)
    steps = tuple(read_step(node) for node in root["steps"].elements(MAX_STEPS))
    provenance, target, apart = root.get("provenance"), root.get("target"), root.get("subassemblies")
    with root.blamed():
        return Plan(
            _rules(root["rules"]),
            root["status"].word(STATUSES),
            steps,
            Provenance() if provenance is None else read_provenance(provenance),
            source,
            _start(root.get("start")),
            None if target is None else target.names(),
            () if apart is None else tuple(_subassembly(node) for node in apart.elements(MAX_STEPS)),
            _proof(root.get("proof")),
        )


def _proof(node: Node | None) -> Proof | None:
    if node is None:
        return None
    node.only(("by", "why", "groups", "directions"))
    groups, directions = node.get("groups"), node.get("directions")
    return Proof(
        node["by"].word(PROOF_KINDS),
        node["why"].text(),
        groups is not None and groups.flag(),
        None if directions is None or directions.value is None else directions.whole(0, 1 << 32),
    )


def _subassembly(node: Node) -> Subassembly:
    node.only(("parts", "fast", "steps"))
    steps = tuple(read_step(step) for step in node["steps"].elements(MAX_STEPS))
    with node.blamed():
        return Subassembly(node["parts"].names(), node["fast"].name(), steps)


def _start(node: Node | None) -> Start:
    if node is None:
        return NOTHING
    node.only(("installed", "held", "T_world_assembly"))
    held, pose = node.get("held"), node.get("T_world_assembly")
    return Start(
        node["installed"].names(),
        () if held is None else held.names(),
        None if pose is None else read_pose(pose),
    )


def _rules(node: Node) -> Rules:
    node.only(_RULE_KEYS)
    usual = Rules()
    keys = ("regrasp", "gravity", "press_n", "mu", "grasps", "require_connected", "checks")
    regrasp, gravity, press, mu, grasps, connected, checks = (node.get(key) for key in keys)
    pull = usual.gravity if gravity is None else tuple(gravity.numbers(3))
    return Rules(
        node["name"].text(),
        node["robots"].whole(1, 1000),
        usual.regrasp if regrasp is None else regrasp.flag(),
        node["paths"].word(PATH_KINDS),
        usual.mu if mu is None else mu.number(0, 1e3),
        node["model"].text(),
        node["cone"].word(("8", "exact")),
        (pull[0], pull[1], pull[2]),
        None if press is None else press.number(0),
        usual.grasps if grasps is None else grasps.word(GRASPINGS),
        usual.require_connected if connected is None else connected.flag(),
        usual.checks if checks is None else tuple(check.name() for check in checks.elements()),
    )


def read_provenance(node: Node) -> Provenance:
    """Where what a file holds came from."""
    node.only(_PROVENANCE_KEYS)
    version, digits, settings, seed, wall = (node.get(key) for key in _PROVENANCE_KEYS)
    return Provenance(
        "unknown" if version is None else version.text(),
        None if digits is None else digits.text(),
        {} if settings is None else settings.mapping(),
        None if seed is None else seed.whole(-(2**63), 2**63),
        None if wall is None else wall.number(0, 1e12),
    )
