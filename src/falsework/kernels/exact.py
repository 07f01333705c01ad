"""Inner loops whose every bit matters, in machine code: no sum is reassociated, no multiplication fused.

What a compiler makes of fast arithmetic depends on what it has compiled before, so bits would differ between a machine
that compiles now and one that finds machine code on disk. Free ways and pictures lead into a physics engine, in which a
difference in the last bit is one in the third digit seconds later; a log must be the same for the same seed.
"""

from __future__ import annotations

from falsework.kernels.compiled import Function, made


def compiled(function: Function) -> Function:
    """`function` in machine code; it takes and gives arrays, numbers and named tuples of them."""
    return made(function, inner=False, exact=True)


def inner(function: Function) -> Function:
    """The same for a function that only compiled ones call: it has no entrance from Python, and compiles faster."""
    return made(function, inner=True, exact=True)
