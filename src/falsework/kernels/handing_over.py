"""Tuples that machine code returns, so that Ctrl-C meanwhile is an exception like any other.

To make Python's objects of its results, numba calls Python functions, and there an interrupt that came while machine
code ran is raised. numba's own tuples do not look whether that happened: a tuple then misses an item, a named tuple its
class, and the process ends in a segmentation fault. These look.
"""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_pythonapi: Any = importlib.import_module("numba.core.pythonapi")
_types: Any = importlib.import_module("numba.core.types")
_cgutils: Any = importlib.import_module("numba.core.cgutils")


def look_for_exceptions() -> None:
    """From now on, in all that numba compiles; what it compiled before stays as it is."""
    importlib.import_module("numba.core.boxing")  # which would put its own in their place
    boxers = _pythonapi._boxers.functions
    for kind in (_types.Tuple, _types.UniTuple):
        boxers[kind] = _tuple
    for kind in (_types.NamedTuple, _types.NamedUniTuple):
        boxers[kind] = _named_tuple


def _tuple(kind: Any, values: Any, c: Any) -> Any:
    """A tuple object, or NULL if an item could not be made."""
    made = _cgutils.alloca_once_value(c.builder, c.pyapi.tuple_new(kind.count))
    for place, item_kind in enumerate(kind):
        so_far = c.builder.load(made)
        with _if_there(c, so_far):
            item = c.box(item_kind, c.builder.extract_value(values, place))
            with c.builder.if_else(_cgutils.is_not_null(c.builder, item)) as (there, missing):
                with there:
                    c.pyapi.tuple_setitem(so_far, place, item)
                with missing:
                    c.pyapi.decref(so_far)
                    c.builder.store(c.pyapi.get_null_object(), made)
    return c.builder.load(made)


def _named_tuple(kind: Any, values: Any, c: Any) -> Any:
    """An object of its class, or NULL if that or an item could not be made."""
    made = _cgutils.alloca_once_value(c.builder, c.pyapi.get_null_object())
    named = c.pyapi.unserialize(c.pyapi.serialize_object(kind.instance_class))
    with _if_there(c, named):
        items = _tuple(kind, values, c)
        with _if_there(c, items):
            c.builder.store(c.pyapi.call(named, items), made)
            c.pyapi.decref(items)
        c.pyapi.decref(named)
    return c.builder.load(made)


@contextmanager
def _if_there(c: Any, thing: Any) -> Iterator[None]:
    with c.builder.if_then(_cgutils.is_not_null(c.builder, thing), likely=True):
        yield
