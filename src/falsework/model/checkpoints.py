"""Where long work can be stopped: it says so itself, between two pieces, when nothing it keeps is half done.

Geometry and statics call `checkpoint()` and know nothing of clocks. Whoever must not wait longer than so long runs them
`stoppable` by something that raises when the time has come. Scopes nest; each thread has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[tuple[Callable[[], None], ...]] = ContextVar("asked", default=())


@contextmanager
def stoppable(by: Callable[[], None]) -> Iterator[None]:
    """Inside, every checkpoint asks `by`, which raises to stop the work there."""
    token = _asked.set((*_asked.get(), by))
    try:
        yield
    finally:
        _asked.reset(token)


def checkpoint() -> None:
    """A piece of work is done: whoever waits may stop the rest of it."""
    for ask in _asked.get():
        ask()


def is_stoppable() -> bool:
    """Whether somebody minds how long it takes: then nothing should be begun that goes on for minutes."""
    return bool(_asked.get())
