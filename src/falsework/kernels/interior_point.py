"""Conic programs, solved by Clarabel's interior-point method; needs nothing but numpy to state them."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from falsework.model.arrays import Array, Ints

TOLERANCE = 1e-11


class ByColumns(Protocol):
    """A sparse matrix as scipy's `csc_matrix` keeps it, rows sorted within each column."""

    @property
    def data(self) -> Any: ...

    @property
    def indices(self) -> Any: ...

    @property
    def indptr(self) -> Any: ...

    @property
    def shape(self) -> Any: ...


class Columns(NamedTuple):
    """The same without scipy, which takes a quarter of a second to import."""

    data: Array
    indices: Ints
    indptr: Ints
    shape: tuple[int, int]
    has_canonical_format: bool = True  # sorted, nothing twice


def interior_point(
    q: Array, P: ByColumns | None, G: ByColumns, h: Array, cones: list[tuple[str, int]], timeout_s: float | None
) -> tuple[Array, Array, str]:
    """min ½xᵀPx + q·x with h − G x in the cones: x, multipliers, and how it ended."""
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    if timeout_s is not None:
        settings.time_limit = timeout_s
    made = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "second order": clarabel.SecondOrderConeT,
    }
    none = np.zeros(0, dtype=np.int64), np.zeros(len(q) + 1, dtype=np.int64), (len(q), len(q))
    energy = Columns(np.zeros(0), *none) if P is None else P
    chosen = [made[name](size) for name, size in cones if size]
    solution = clarabel.DefaultSolver(energy, q, G, h, chosen, settings).solve()
    return np.array(solution.x), np.array(solution.z), str(solution.status)


def first_unit(count: int) -> Array:
    """The first unit vector."""
    vector = np.zeros(count)
    vector[0] = 1.0
    return vector
