"""Numbers that threads share in machine code: seen by all in one order, with everything written before them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Ints

_extending: Any = importlib.import_module("numba.extending")
_types: Any = importlib.import_module("numba.core.types")
_cgutils: Any = importlib.import_module("numba.core.cgutils")
_ORDER = "seq_cst"


def _intrinsic(generator: Callable[..., Any]) -> Any:
    """A function for machine code that is told in LLVM's own words."""
    return _extending.intrinsic(generator)


@compiled
def announce(shared: Ints, place: int, number: int) -> None:
    """Writes a number for other threads to see."""
    _store(shared, place, number)


@inner
def seen(shared: Ints, place: int) -> int:
    """The number that some thread announced last."""
    number: int = _load(shared, place)
    return number


@inner
def replaced(shared: Ints, place: int, old: int, new: int) -> bool:
    """Writes `new` if `old` is still there, and says whether it was: of threads that try, one succeeds."""
    was_there: bool = _swap(shared, place, old, new)
    return was_there


@inner
def added(shared: Ints, place: int, number: int) -> int:
    """Adds to what is there, which is returned."""
    before: int = _add(shared, place, number)
    return before


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    made = context.make_array(kind)(context, builder, array)
    return _cgutils.get_item_pointer(context, builder, kind, made, [place])


@_intrinsic
def _load(_: Any, shared: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature.args[0], *given), _ORDER, 8)

    return _types.int64(shared, _types.intp), generate


@_intrinsic
def _store(_: Any, shared: Any, place: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, where, value = given
        builder.store_atomic(value, _pointer(context, builder, signature.args[0], array, where), _ORDER, 8)
        return context.get_dummy_value()

    return _types.void(shared, _types.intp, _types.int64), generate


@_intrinsic
def _swap(_: Any, shared: Any, place: Any, old: Any, new: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, where, before, after = given
        pointer = _pointer(context, builder, signature.args[0], array, where)
        return builder.extract_value(builder.cmpxchg(pointer, before, after, _ORDER, _ORDER), 1)

    return _types.boolean(shared, _types.intp, _types.int64, _types.int64), generate


@_intrinsic
def _add(_: Any, shared: Any, place: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array, where, value = given
        return builder.atomic_rmw("add", _pointer(context, builder, signature.args[0], array, where), value, _ORDER)

    return _types.int64(shared, _types.intp, _types.int64), generate
