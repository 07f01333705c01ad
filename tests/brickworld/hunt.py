"""`python -m tests.brickworld.hunt 10000`: random pushes, in search of one that ends inside of something.

Prints the seeds and, every 500 cases and in the end, how many there were, how deep the deepest overlap of any frame
was, and how often the engine gave up. Every case that is too deep or given up is told with its seed.
"""

from __future__ import annotations

import argparse
import sys
import time

from falsework.brickworld.settings import DEEPEST_M
from tests.brickworld.pushing import case, pushed

REPORTED = 500


def hunt(count: int, first: int = 0) -> int:
    """How many of them were too deep, or given up."""
    _say(f"{count} pushes, seeds {first} to {first + count - 1}; too deep is more than {1e3 * DEEPEST_M:g} mm")
    deep = lost = 0
    worst, start = 0.0, time.process_time()
    for number in range(count):
        one = case(first + number)
        depth, why = pushed(one)
        worst = max(worst, depth)
        deep += depth > DEEPEST_M
        lost += bool(why)
        if depth > DEEPEST_M or why:
            _say(f"{one}: {1e3 * depth:.3g} mm {why}")
        if (number + 1) % REPORTED == 0 or number + 1 == count:
            spent = time.process_time() - start
            told = f"{number + 1} pushes: {deep} too deep, {lost} given up, deepest {1e3 * worst:.3g} mm"
            _say(f"{told}, {spent:.0f} s of processor time")
    return deep + lost


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    given = parser.parse_args()
    sys.exit(1 if hunt(given.count, given.seed) else 0)
