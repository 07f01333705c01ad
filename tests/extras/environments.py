"""`python -m tests.extras.environments [EXTRA …]`: real environments, with the wheel and no extra, each alone, and all.

One environment, made from the wheel; what an extra brings is installed, every verb asked, and what was new is
uninstalled again. Prints a line an environment; exit 1 if a command neither answered nor named an extra.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.extras.probing import COMMANDS, EXTRAS, LONG, ROOT, TOWER, complaint

PINNED = {"learning": "torch==2.13.0"}  # first: unpinned it would bring gigabytes for graphics cards
ALL = "all"
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


class Environment:
    """A fresh virtual environment with falsework in it, installed from its wheel."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=True)
        self._bin = folder / "venv" / "bin"
        self._pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
        (self._wheel,) = folder.glob("falsework-*.whl")
        self._pip("install", str(self._wheel))

    def opened(self, extras: Sequence[str]) -> list[str]:
        """Install extras; the names of what is new."""
        before = self._installed()
        for extra in extras:
            if extra in PINNED:
                self._pip("install", PINNED[extra])
        if extras:
            self._pip("install", f"{self._wheel}[{','.join(extras)}]")
        return sorted(self._installed() - before)

    def closed(self, new: list[str]) -> None:
        if new:
            self._pip("uninstall", "--yes", *new)

    def answered(self, command: str, allowed: Sequence[str], made: Path) -> dict[str, Any]:
        """As `probing.answered` has it."""
        with tempfile.TemporaryDirectory() as out:
            words = command.format(made=made, out=out)
            done = self._run(words, out)
        return {"code": done.returncode, "said": done.stderr, "allowed": list(allowed)}

    def _run(self, words: str, out: str) -> subprocess.CompletedProcess[str]:
        if words.startswith("python "):
            program = ["python", "-c", _PROGRAM, words.partition(" ")[2]]
        else:
            program = ["falsework", *shlex.split(words)]
        program[0] = str(self._bin / program[0])
        return subprocess.run(program, capture_output=True, text=True, check=False, cwd=out, env=CLEAN)

    def _pip(self, *words: str) -> None:
        subprocess.run(
            [str(self._bin / "python"), "-m", "pip", "--quiet", *words], check=True, cwd=self._bin, env=CLEAN
        )

    def _installed(self) -> set[str]:
        words = [str(self._bin / "python"), "-m", "pip", "list", "--format=freeze"]
        listed = subprocess.run(words, capture_output=True, text=True, check=True, cwd=self._bin, env=CLEAN).stdout
        return {line.partition("==")[0] for line in listed.splitlines()}


_PROGRAM = """
import sys
import falsework
from falsework.model.errors import FalseworkError

try:
    if "environment" in sys.argv[1]:
        import falsework.brickworld.environment
    eval(sys.argv[1])
except FalseworkError as why:
    sys.stderr.write(f"falsework: {why}\\n")
    sys.exit(2)
"""


def asked(environment: Environment, extras: Sequence[str], made: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every command, in an environment with these extras."""
    environment.answered(f"plan {TOWER} --out {made}", extras, made)
    for name, command in COMMANDS.items():
        if name not in LONG:
            yield name, environment.answered(command, extras, made)


def main() -> int:
    bad = 0
    choices = [[], *([extra] for extra in EXTRAS), list(EXTRAS)]
    wanted = [choice for choice in choices if not sys.argv[1:] or _name(choice) in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Path(folder))
        for choice in wanted:
            start = time.monotonic()
            new = environment.opened(choice)
            answers = list(asked(environment, choice, Path(folder)))
            against = [f"{name}: {why}" for name, answer in answers if (why := complaint(answer))]
            environment.closed(new)
            bad += len(against)
            lacking = sum(answer["code"] == 2 for _, answer in answers)
            sys.stdout.write(
                f"{_name(choice):9} {len(answers):3} commands, {lacking:2} named an extra, {len(against)} wrong, "
                f"{time.monotonic() - start:.0f} s; brought {', '.join(new) or 'nothing'}\n"
            )
            sys.stdout.writelines(f"  {line}\n" for line in against)
            sys.stdout.flush()
    return int(bad > 0)


def _name(choice: Sequence[str]) -> str:
    return ALL if len(choice) == len(EXTRAS) else "".join(choice) or "none"


if __name__ == "__main__":
    sys.exit(main())
