"""Work of a bench, one task after the other or through a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from falsework.model.ports import WorkPool

Task = TypeVar("Task")
Value = TypeVar("Value")


def done(
    work: Callable[[Task], Value], tasks: Sequence[Task], pool: WorkPool | None, name: Callable[[Task], str]
) -> Iterator[tuple[Task, Value]]:
    """Tasks as they are done, each with what came of it; RuntimeError, with its name, for one that nothing came of.

    >>> list(done(abs, [-2, 3], None, str))
    [(-2, 2), (3, 3)]
    """
    if pool is None or not tasks:
        yield from ((task, work(task)) for task in tasks)
        return
    for outcome in pool.outcomes(work, tasks):
        task = tasks[outcome.number]
        if outcome.lost:
            raise RuntimeError(f"{name(task)}: {outcome.lost}")
        yield task, outcome.value
