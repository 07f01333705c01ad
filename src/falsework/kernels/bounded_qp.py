"""Quadratic programs with bounds on rows, min ½xᵀPx + q·x with low ≤ A·x ≤ high, by two solvers behind one call.

`Osqp` keeps its factor and starts from its last solution: quick, approximate, and it does not converge on overloaded
structures. `Clarabel` solves each program afresh to full precision: what a verdict rests on.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.sparse import csc_matrix, vstack

from falsework.model.arrays import Array

PRECISE = 1e-10


class BoundedProgram(Protocol):
    """One program whose matrices stay and whose vectors change."""

    def solve(self, q: Array, low: Array, high: Array) -> tuple[Array, bool]:
        """The minimiser, and whether it is one within the solver's tolerance."""
        ...


class Osqp:
    """OSQP, as seed 000 uses it."""

    def __init__(self, P: Any, A: Any, tolerance: float) -> None:
        self._P, self._A, self._tolerance = _matrix(P), _matrix(A), tolerance
        self._solver: Any = None

    def solve(self, q: Array, low: Array, high: Array) -> tuple[Array, bool]:
        import osqp

        if self._solver is None:
            self._solver = osqp.OSQP()
            limits = {"eps_abs": self._tolerance, "eps_rel": self._tolerance, "max_iter": 4000}
            self._solver.setup(self._P, q, self._A, low, high, verbose=False, warm_starting=True, **limits)
        else:
            self._solver.update(q=q, l=low, u=high)
        result = self._solver.solve()
        return np.array(result.x), result.info.status_val in (1, 2)


class Clarabel:
    """Clarabel's interior point; equal bounds are equations, infinite ones are left out."""

    def __init__(self, P: Any, A: Any, timeout_s: float | None = None) -> None:
        self._P, self._A, self._timeout_s = csc_matrix(P), csc_matrix(A).tocsr(), timeout_s

    def solve(self, q: Array, low: Array, high: Array) -> tuple[Array, bool]:
        import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = PRECISE
        if self._timeout_s is not None:
            settings.time_limit = self._timeout_s
        same = low == high
        above, below = ~same & np.isfinite(high), ~same & np.isfinite(low)
        rows = csc_matrix(vstack([self._A[same], self._A[above], -self._A[below]]))
        limits = np.concatenate([high[same], high[above], -low[below]])
        counts = int(same.sum()), int(above.sum() + below.sum())
        cones = [kind(n) for kind, n in zip((clarabel.ZeroConeT, clarabel.NonnegativeConeT), counts, strict=True) if n]
        found = clarabel.DefaultSolver(self._P, q, rows, limits, cones, settings).solve()
        x = np.array(found.x)
        return x, str(found.status) in ("Solved", "AlmostSolved") and bool(np.isfinite(x).all())


def _matrix(table: Any) -> Any:
    """As OSQP takes it: 32-bit indices."""
    found = csc_matrix(table)
    found.sort_indices()
    found.indices, found.indptr = found.indices.astype(np.int32), found.indptr.astype(np.int32)
    return found
