"""`python -m tests.interrupts.run [COUNT] [SEED]`: so many interrupts at random moments, over all verbs.

Every command is first run undisturbed, so that moments spread over the whole of it. Prints a table; exit 1 if a run
ended otherwise than by exit 130 (143 for SIGTERM), or its own answer, or later than LIMIT_S after the signal.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from falsework.supervision import GRACE_S
from tests.interrupts.striking import COMMANDS, Ending, prepare, struck, verb_of

LIMIT_S = 1.0
LONGEST_S = 10.0  # into a run


def run(count: int, seed: int) -> dict[str, list[Ending]]:
    """Endings by verb."""
    rng = Random(seed)
    found: dict[str, list[Ending]] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        prepare(made)
        lengths = {}
        for number, command in enumerate(COMMANDS):
            begun = time.monotonic()
            struck(command, made, made / f"whole-{number}", LONGEST_S, rng, awake=True)
            lengths[command] = min(time.monotonic() - begun, LONGEST_S)
        for number in range(count):
            command = COMMANDS[number % len(COMMANDS)]
            ending = struck(
                command, made, made / f"run-{number}", rng.uniform(0.0, lengths[command]), rng, awake=number % 4 > 0
            )
            found.setdefault(verb_of(command), []).append(ending)
            for why in worse(ending):
                sys.stderr.write(f"{number}: {command}: {why}\n")
    return found


def worse(ending: Ending) -> list[str]:
    """What is to be said against it, slowness included."""
    late = [f"took {ending.seconds:.2f} s"] if ending.seconds > LIMIT_S and not ending.early else []
    return [*ending.complaints, *late]


def main() -> int:
    count, seed = (*map(int, sys.argv[1:]), *(200, 0)[len(sys.argv) - 1 :])
    found = run(count, seed)
    heads = (
        f"{'verb':10} {'runs':>5} {'had finished':>13} {'stopped':>8} {'ended from outside':>19} {'worst s':>8} worse"
    )
    sys.stdout.write(heads + "\n")
    bad = 0
    for verb, endings in found.items():
        heeded = [ending for ending in endings if not ending.early]
        stopped = [ending for ending in heeded if not ending.finished]
        outside = sum(ending.seconds > GRACE_S for ending in stopped)
        slowest = max((ending.seconds for ending in stopped), default=0.0)
        bad += (wrong := sum(bool(worse(ending)) for ending in heeded))
        finished = len(heeded) - len(stopped)
        sys.stdout.write(
            f"{verb:10} {len(heeded):5} {finished:13} {len(stopped):8} {outside:19} {slowest:8.2f} {wrong}\n"
        )
    early = Counter(ending.code for endings in found.values() for ending in endings if ending.early)
    sys.stdout.write(f"while Python itself started: {sum(early.values())}, by exit code {dict(early)}\n")
    loads = " ".join(f"{load:.1f}" for load in os.getloadavg())
    sys.stdout.write(f"load average {loads} on {os.cpu_count()} processors\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
