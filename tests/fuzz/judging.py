"""Runs one case and says what is wrong with how it ended; nothing, if it ended as the contract has it."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import time
import traceback
import warnings
from pathlib import Path
from typing import NoReturn

from falsework.cli import main
from tests.fuzz.cases import Case

SECONDS = 10.0  # of processor time, which a busy machine does not lengthen: no input may take longer
CODES = (0, 1, 2, 3)


def judged(case: Case, folder: Path) -> list[str]:
    """Complaints about one case, run in an empty folder."""
    source, target = folder / "in", folder / "out"
    for place in (source, target):
        place.mkdir()
    for name, data in case.files.items():
        (source / name).write_bytes(data)
    words = [word.replace("{in}", str(source)).replace("{out}", str(target)) for word in case.words]
    out, err = io.StringIO(), io.StringIO()
    logging.getLogger().handlers.clear()  # it would write to the last case's stderr
    start = time.process_time()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(folder),  # some words are names of files that are then written
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        try:
            code = main(words)
        except SystemExit as stopped:  # --help, --version
            code = stopped.code if isinstance(stopped.code, int) else 0
        except BaseException:  # noqa: BLE001 - whatever it is, it should not have come this far
            return [f"traceback: {traceback.format_exc()[-1500:]}"]
    spent = time.process_time() - start
    complaints = [f"took {spent:.1f} s"] if spent > SECONDS else []
    complaints += _about_ending(code, out.getvalue(), err.getvalue(), "--json" in words)
    return complaints + _about_files(code, case, source, target)


def _about_ending(code: int, out: str, err: str, as_json: bool) -> list[str]:
    found = []
    if code not in CODES:
        found.append(f"exit code {code}")
    lines = err.splitlines()
    strange = [line for line in lines if "Warning:" in line or line.startswith("Traceback")]
    if strange:
        found.append(f"stderr has {strange[0][:300]!r}")
    if code == 2:
        told = [line for line in lines if not line.startswith("falsework: WARNING")]
        if len(told) != 1 or (out and not as_json):
            found.append(f"exit 2 with {len(told)} lines and {len(out)} characters on stdout: {told[:2]}")
    if as_json and code in (0, 1, 2):
        try:
            if not isinstance(json.loads(out, parse_constant=_refuse), dict):
                found.append("stdout is no JSON object")
        except ValueError as why:
            found.append(f"stdout is not one JSON object: {why}: {out[:200]!r}")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}")


def _about_files(code: int, case: Case, source: Path, target: Path) -> list[str]:
    found = []
    left = [path for path in (*source.rglob("*"), *target.rglob("*")) if path.name.endswith(".part")]
    if left:
        found.append(f"left behind {left[0].name}")
    if code == 2 and any(path.is_file() for path in target.rglob("*")):
        found.append(f"exit 2, but wrote {[path.name for path in target.rglob('*')][:3]}")
    if code == 2 and "{in}" not in case.words and {path.name for path in source.iterdir()} != set(case.files):
        found.append("exit 2, but wrote beside the input")
    return found
