"""Runs on disk: a folder with the last checkpoint, the policy so far, and the curve.

checkpoint.safetensors  everything a run needs to go on; JSON in its header
policy.safetensors      the net alone, to be used
curve.csv               one row for every look at the accuracy
"""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.learning.training.run import Run
from falsework.model.errors import BadFile, shown

CHECKPOINT, POLICY, CURVE = "checkpoint.safetensors", "policy.safetensors", "curve.csv"
FORMAT = "falsework-training/1"
_HEADER = "falsework"

Row = dict[str, float]  # of the curve


@dataclass(slots=True)
class Kept:
    """What a checkpoint knows beside the run: what it is of, its curve, and the seconds it has taken."""

    inputs: list[str]  # hashes of the assemblies
    robots: int
    paths: str
    curve: list[Row] = field(default_factory=list)
    cpu_s: float = 0.0
    stopped: str = ""  # why it is over


def save_run(folder: Path, run: Run, kept: Kept) -> None:
    """Whole or not at all."""
    from safetensors.numpy import save

    arrays, state = run.state()
    header = {
        "format": FORMAT,
        "settings": run.settings.as_dict(),
        "seed": run.seed,
        "state": state,
        "inputs": kept.inputs,
        "robots": kept.robots,
        "paths": kept.paths,
        "curve": [_without_nan(row) for row in kept.curve],
        "cpu_s": kept.cpu_s,
        "stopped": kept.stopped,
    }
    write_whole(folder / CHECKPOINT, save(arrays, metadata={_HEADER: json.dumps(header)}))
    write_whole(folder / CURVE, _table(kept.curve))


def saved_header(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays and the header of a checkpoint; `BadFile` in one line for anything else."""
    from safetensors import SafetensorError, safe_open

    path = folder / CHECKPOINT
    try:
        with safe_open(path, "numpy") as opened:
            header = json.loads((opened.metadata() or {}).get(_HEADER, "null"))
            arrays = {name: opened.get_tensor(name) for name in list(opened.keys())}
    except (SafetensorError, OSError, ValueError, TypeError) as why:
        raise BadFile(path, "", f"this is no checkpoint, or a part of it is missing: {why}") from why
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        found = header.get("format") if isinstance(header, dict) else None
        raise BadFile(path, "format", f"found {shown(found)}, expected {FORMAT}; begin anew in another folder")
    return arrays, header


def restored(folder: Path, run: Run, kept: Kept) -> None:
    """Bring a new run to where the one in the folder was; it must be of the same assemblies, settings and seed."""
    arrays, header = saved_header(folder)
    path = folder / CHECKPOINT
    same = {
        "settings": (header.get("settings"), run.settings.as_dict()),
        "seed": (header.get("seed"), run.seed),
        "robots": (header.get("robots"), kept.robots),
        "paths": (header.get("paths"), kept.paths),
        "inputs": (header.get("inputs"), kept.inputs),
    }
    for name, (found, asked) in same.items():
        if found != asked:
            odd = _difference(found, asked)
            raise BadFile(path, name, f"this run was begun with {odd}; ask for the same, or begin in another folder")
    try:
        run.restore(arrays, header["state"])
        kept.curve = [
            {name: math.nan if value is None else value for name, value in row.items()} for row in header["curve"]
        ]
        kept.cpu_s, kept.stopped = header["cpu_s"], header["stopped"]
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as why:
        raise BadFile(path, "", "the checkpoint does not fit its own settings; begin in another folder") from why


def _difference(found: Any, asked: Any) -> str:
    if isinstance(found, dict) and isinstance(asked, dict):
        names = [name for name in sorted({*found, *asked}) if found.get(name) != asked.get(name)]
        return ", ".join(f"{name} {shown(found.get(name))}, not {shown(asked.get(name))}" for name in names[:2])
    if isinstance(found, list):
        return "other assemblies"
    return f"{shown(found)}, not {shown(asked)}"


def _without_nan(row: Row) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in row.items()}


def _table(curve: list[Row]) -> str:
    text = io.StringIO()
    if curve:
        writer = csv.DictWriter(text, list(curve[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(curve)
    return text.getvalue()
