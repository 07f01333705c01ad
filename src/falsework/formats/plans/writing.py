"""Writes `falsework-plan/1`. Reading it back gives the same plan, to the last bit of every number."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.formats.loading import split_source
from falsework.model.errors import BadInput
from falsework.model.plan import PLAN_FORMAT, Grasp, Plan, Press, Proof, Rules, Source, Step, Subassembly


def write_plan(plan: Plan, path: str | Path) -> None:
    """Write a plan; the file appears whole or not at all.

    >>> import tempfile, falsework
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_plan(falsework.plan("examples/arch.yaml").plan, f"{folder}/plan.json")
    """
    write_whole(path, dumps_plan(plan, Path(path).parent))


def dumps_plan(plan: Plan, folder: str | Path = ".") -> str:
    """A plan as text, one step per line, with the assembly's path relative to a folder."""
    document = plan_document(plan, folder)
    lines = []
    for key, value in document.items():
        text = json.dumps(value, allow_nan=False)
        if key == "steps" and value:
            text = "[\n  " + ",\n  ".join(json.dumps(step, allow_nan=False) for step in value) + "\n ]"
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def plan_document(plan: Plan, folder: str | Path = ".") -> dict[str, Any]:
    """A plan as JSON has it."""
    if plan.source is None:
        raise BadInput("a plan can only be written with the assembly it is for; give it a source")
    provenance = plan.provenance
    return {
        "format": PLAN_FORMAT,
        "assembly": _source_entry(plan.source, Path(folder)),
        "rules": _rules_entry(plan.rules),
        "status": plan.status,
        **({} if plan.proof is None else {"proof": proof_entry(plan.proof)}),
        **_ends_entry(plan),
        "steps": [_step_entry(step) for step in plan.steps],
        **({"subassemblies": [subassembly_entry(one) for one in plan.apart]} if plan.apart else {}),
        "provenance": {
            "version": provenance.version,
            "input_sha256": provenance.input_sha256,
            "settings": provenance.settings,
            "seed": provenance.seed,
            "wall_s": provenance.wall_s,
        },
    }


def proof_entry(proof: Proof) -> dict[str, Any]:
    """What was proved, as JSON has it."""
    return {"by": proof.by, "why": proof.why, "groups": proof.groups, "directions": proof.directions}


def _ends_entry(plan: Plan) -> dict[str, Any]:
    """Where the plan begins and ends, unless that is nothing and everything."""
    entry: dict[str, Any] = {}
    if plan.start.installed:
        entry["start"] = {"installed": list(plan.start.installed), "held": list(plan.start.held)}
        if plan.start.T_world_assembly is not None:
            entry["start"]["T_world_assembly"] = plan.start.T_world_assembly.tolist()
    if plan.target is not None:
        entry["target"] = list(plan.target)
    return entry


def _rules_entry(rules: Rules) -> dict[str, Any]:
    return {
        "name": rules.name,
        "robots": rules.robots,
        "regrasp": rules.regrasp,
        "paths": rules.paths,
        "mu": float(rules.mu),
        "model": rules.model,
        "cone": rules.cone,
        "gravity": [float(g) for g in rules.gravity],
        "press_n": rules.press_n,
        **({} if rules.grasps is None else {"grasps": rules.grasps}),
        **({"require_connected": True} if rules.require_connected else {}),
        **({"checks": list(rules.checks)} if rules.checks else {}),
    }


def _source_entry(source: Source, folder: Path) -> dict[str, Any]:
    path, key = split_source(source.path)
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    entry = {
        "path": relative if key is None else f"{relative}#{key}",
        "sha256": source.sha256,
        "fixed": list(source.fixed),
        "ground": str(source.ground),
        "scale": float(source.scale),
    }
    given = {"allow_overlap": source.allow_overlap_m, "gap": source.gap_m}
    return entry | {key: float(value) for key, value in given.items() if value is not None}


def subassembly_entry(built: Subassembly) -> dict[str, Any]:
    """How parts that are placed as one are built apart, as JSON has it."""
    return {"parts": list(built.parts), "fast": built.fast, "steps": [_step_entry(step) for step in built.steps]}


def _step_entry(step: Step) -> dict[str, Any]:
    entry: dict[str, Any] = {"action": step.action}
    if step.parts:
        entry["part"] = step.parts[0]
    if len(step.parts) > 1:
        entry["parts"] = list(step.parts)
    if step.grasped:
        entry["grasped"] = list(step.grasped)
    entry["held"] = list(step.held)
    if step.path is not None:
        entry["path"] = step.path.tolist()
    if step.T_world_assembly is not None:
        entry["T_world_assembly"] = step.T_world_assembly.tolist()
    if step.secured is not None:
        entry["secured"] = step.secured
    if step.grasp is not None:
        entry["grasp"] = _grasp_entry(step.grasp)
    if step.robot is not None:
        entry["robot"] = step.robot
    if step.press is not None:
        entry["press"] = _press_entry(step.press)
    if step.utilization is not None:
        entry["utilization"] = float(step.utilization)
    if step.margin_deg is not None:
        entry["margin_deg"] = float(step.margin_deg)
    return entry


def _grasp_entry(grasp: Grasp) -> dict[str, Any]:
    return {
        "kind": grasp.kind,
        "point": grasp.point_m.tolist(),
        "closing": grasp.closing.tolist(),
        "approach": grasp.approach.tolist(),
        "width": float(grasp.width_m),
    }


def _press_entry(press: Press) -> dict[str, Any]:
    return {
        "force": press.force_n.tolist(),
        "point": press.point_m.tolist(),
        "utilization": press.utilization,
        "joints": [{"parts": [a, b], "utilization": float(share)} for a, b, share in press.joints],
    }
