"""Writes `falsework-motion/1`: `motion.json` and `motion.npz`, with the plan and the cell beside them."""

from __future__ import annotations

import io
import json
import math
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.atomic import write_whole
from falsework.formats.motions.reading import COLUMNS
from falsework.formats.plans.writing import dumps_plan
from falsework.formats.robots.cell_writing import cell_text
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.motion import MOTION_FORMAT, Motion

LISTS = ("segments", "commands", "grips", "stays")


def save_motion(motion: Motion, folder: str | Path) -> Path:
    """Write a motion into a folder: plan.json, cell.yaml, motion.npz and, last, motion.json, whose path is returned."""
    place = Path(folder)
    files = {
        "plan.json": dumps_plan(motion.plan, place),
        "cell.yaml": cell_text(motion.cell),
        "motion.npz": rows(motion),
    }
    hashes = {}
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        write_whole(place / name, data)
        hashes[name] = {"path": name, "sha256": sha256(data).hexdigest()}
    document = motion_document(motion)
    named = {"plan": hashes["plan.json"], "cell": hashes["cell.yaml"], "rows": hashes["motion.npz"]}
    write_whole(place / "motion.json", _text({"format": MOTION_FORMAT, **named, **document}))
    return place / "motion.json"


def rows(motion: Motion) -> bytes:
    """The rows of all arms as an .npz: the same motion gives the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for track in motion.tracks:
            for name in COLUMNS:
                array = io.BytesIO()
                np.lib.format.write_array(array, np.ascontiguousarray(getattr(track, name)), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{track.arm}/{name}.npy"), array.getvalue(), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def motion_document(motion: Motion) -> dict[str, Any]:
    """All of it but the rows and the files beside it, as JSON has it."""
    provenance = motion.provenance
    return {
        "T_world_assembly": motion.T_world_assembly.tolist(),
        "arms": [
            {
                "name": one.name,
                "arm": one.arm.name,
                "tool": one.tool.name,
                "joints": [joint.name for joint in one.arm.joints],
                "assumed": list(JointLimits.of(one.arm).assumed),
            }
            for one in motion.cell.arms
        ],
        "makespan_s": motion.makespan_s,
        "one_by_one_s": motion.one_by_one_s,
        "bound_s": motion.bound_s,
        "steps_s": list(motion.steps_s),
        "segments": [
            {"arm": one.arm, "kind": one.kind, **_times(one), "task": one.task, "to": one.to}
            | ({} if one.guard is None else {"guard": {"until_n": one.guard.until_n, "stop_n": one.guard.stop_n}})
            for one in motion.segments
        ],
        "commands": [
            {"arm": one.arm, **_times(one), "opening_m": one.opening_m, "force_n": one.force_n}
            for one in motion.commands
        ],
        "grips": [
            {"arm": one.arm, "parts": list(one.parts), **_times(one), "grasp": _grasp(one.grasp)}
            for one in motion.grips
        ],
        "stays": [
            {"part": one.part, **_times(one), **({} if one.arm is None else {"arm": one.arm}), "T": one.T.tolist()}
            for one in motion.stays
        ],
        "provenance": {
            "version": provenance.version,
            "input_sha256": provenance.input_sha256,
            "settings": provenance.settings,
            "seed": provenance.seed,
            "wall_s": provenance.wall_s,
        },
    }


def _times(thing: Any) -> dict[str, Any]:
    return {"begin_s": thing.begin_s, "end_s": thing.end_s if math.isfinite(thing.end_s) else None}


def _grasp(grasp: Grasp) -> dict[str, Any]:
    return {
        "part": grasp.part,
        "kind": grasp.kind,
        "T_part_tool": grasp.T_part_tool.tolist(),
        "opening_m": grasp.opening_m,
        "open_m": grasp.open_m,
        "force_n": grasp.force_n,
        "margin": grasp.margin,
    }


def _text(document: dict[str, Any]) -> str:
    """One line for every segment, command, grip and stay."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value, allow_nan=False)
        if key in LISTS and value:
            text = "[\n  " + ",\n  ".join(json.dumps(one, allow_nan=False) for one in value) + "\n ]"
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
