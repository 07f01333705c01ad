"""`python -m tests.adversary.show KIND NUMBER [--seed S] [--out FILE]`: one case and both answers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.adversary.asking import outcome_of
from tests.adversary.kinds import KINDS, case_of
from tests.adversary.run import write_contradiction


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.show", description=__doc__)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="a folder in which to write it")
    asked_for = parser.parse_args(words)
    case = case_of(asked_for.kind, asked_for.number, asked_for.seed)
    outcome = outcome_of(case)
    sys.stdout.write(f"{outcome.as_json()}\n")
    if asked_for.out:
        sys.stdout.write(f"{write_contradiction(Path(asked_for.out), case, outcome)}\n")
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
