"""The judges' linear program: forces along given ways that leave as little out of balance as can be.

Rows are the balance of every free body, divided by its own load and radius, so that a feather counts as much as a rock.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

from tests.adversary.brick_grid import PITCH, Clutch
from tests.adversary.clutch_model import clutch_rows
from tests.adversary.problem import Problem
from tests.adversary.solids import plane_axes

OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Points:
    """All points at which contacts of a problem act, one after the other."""

    problem: Problem
    inner: bool  # what is sure, or all that is possible
    shrink: float = 0.0

    @cached_property
    def _rows(self) -> list[tuple[int, int, np.ndarray, np.ndarray | None, float]]:
        rows = []
        for contact in self.problem.contacts:
            places = contact.sure if self.inner else contact.possible
            middle = places.mean(axis=0) if len(places) else places
            friction = contact.friction * (1.0 - self.shrink)
            shrunk = places + self.shrink * (middle - places)
            rows += [(contact.first, contact.second, place, contact.normal, friction) for place in shrunk]
        return rows

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def first(self) -> np.ndarray:
        return np.array([row[0] for row in self._rows], dtype=int)

    @cached_property
    def second(self) -> np.ndarray:
        return np.array([row[1] for row in self._rows], dtype=int)

    @cached_property
    def places(self) -> np.ndarray:
        return np.array([row[2] for row in self._rows]).reshape(-1, 3)

    @cached_property
    def open(self) -> np.ndarray:
        """(p,) where the direction of the force is not known."""
        return np.array([row[3] is None for row in self._rows], dtype=bool)

    @cached_property
    def normals(self) -> np.ndarray:
        return np.array([np.zeros(3) if row[3] is None else row[3] for row in self._rows]).reshape(-1, 3)

    @cached_property
    def friction(self) -> np.ndarray:
        return np.array([row[4] for row in self._rows])

    @cached_property
    def axes(self) -> np.ndarray:
        """(p, 2, 3) in the plane of contact."""
        return np.array([np.eye(2, 3) if row[3] is None else plane_axes(row[3]) for row in self._rows]).reshape(
            -1, 2, 3
        )

    def apart(self, motion: np.ndarray) -> np.ndarray:
        """(p, 3) speed of the second body against the first."""
        return self._speeds(motion, self.second) - self._speeds(motion, self.first)

    def _speeds(self, motion: np.ndarray, body: np.ndarray) -> np.ndarray:
        arms = self.places - self.problem.centres[body]
        return np.where(body[:, None] >= 0, motion[body, :3] + np.cross(motion[body, 3:], arms), 0.0)


class Sheet:
    """Columns of the balance until they are solved."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._rows: list[np.ndarray] = []
        self._columns: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._low: list[np.ndarray] = []
        self._bound: list[np.ndarray] = []
        self._limits: list[tuple[int, np.ndarray, np.ndarray]] = []  # first column, rows, right-hand side
        self.count = 0

    def add(
        self,
        first: np.ndarray,
        second: np.ndarray,
        places: np.ndarray,
        forces: np.ndarray,
        torques: np.ndarray,
        low: float,
    ) -> slice:
        """Columns that act on the second bodies, and against the first; −1 is what never moves."""
        problem, columns = self.problem, self.count + np.arange(len(forces))
        unit = self.unit(first, second)
        for body, sign in ((second, 1.0), (first, -1.0)):
            turns = np.cross(places - problem.centres[body], forces) + torques
            block = np.concatenate([forces, turns / problem.radii[body, None]], axis=1)
            block = sign * block * (unit / problem.scales[body])[:, None]
            there = np.broadcast_to((body >= 0)[:, None], block.shape) & (block != 0)
            self._rows.append((6 * body[:, None] + np.arange(6))[there])
            self._columns.append(np.repeat(columns[:, None], 6, axis=1)[there])
            self._values.append(block[there])
        self._low.append(np.full(len(forces), low))
        loads = problem.piece_loads
        self._bound.append(
            np.maximum(np.where(first >= 0, loads[first], 0), np.where(second >= 0, loads[second], 0)) / unit
        )
        self.count += len(forces)
        return slice(self.count - len(forces), self.count)

    def unit(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The force that a column counts in: between the loads of the two bodies."""
        logs = np.log(self.problem.scales)
        one, other = np.where(first >= 0, logs[first], logs[second]), np.where(second >= 0, logs[second], logs[first])
        return np.exp(0.5 * (one + other))

    def hinge(self, pair: tuple[int, int], place: np.ndarray, axis: np.ndarray) -> None:
        """Any force, and any moment but about the axis."""
        first, second = (np.full(5, body) for body in pair)
        arm = max(self.problem.radii[body] for body in pair if body >= 0)
        forces, torques = np.zeros((5, 3)), np.zeros((5, 3))
        forces[:3], torques[3:] = np.eye(3), arm * plane_axes(axis)
        self.add(first, second, np.tile(place, (5, 1)), forces, torques, -np.inf)

    def grip(self, pair: tuple[int, int], clutch: Clutch, strength: float) -> None:
        """A clutch: its wrench on the lower brick, six numbers, in newtons and studs; and corners that press."""
        lower, upper = (np.full(6, body) for body in pair)
        forces, torques = np.zeros((6, 3)), np.zeros((6, 3))
        forces[:3], torques[3:] = np.eye(3), PITCH * np.eye(3)
        start = self.add(upper, lower, np.tile(clutch.origin, (6, 1)), forces, torques, -np.inf).start
        rows, right = clutch_rows(clutch)
        rows[:, 3:] *= PITCH
        rows, right = self.unit(lower[:1], upper[:1]) * rows, strength * right
        size = np.maximum(np.abs(rows).max(axis=1), right)  # every row near one: none is lost in tolerances
        self._limits.append((start, rows / size[:, None], right / size))
        corners = clutch.origin + np.column_stack([clutch.corners, np.zeros(4)])
        up = np.tile([0.0, 0.0, 1.0], (4, 1))
        self.add(lower[:4], upper[:4], corners, up, np.zeros((4, 3)), 0.0)

    def solved(self, most: float) -> tuple[float, np.ndarray, np.ndarray]:
        """The residual, the motion (n, 6) that bounds it from below, and what every column carries."""
        problem, count, size = self.problem, self.count, 6 * len(self.problem.names)
        entries = [np.concatenate([np.zeros(0), *lists]) for lists in (self._values, self._rows, self._columns)]
        places = entries[1].astype(int), entries[2].astype(int)
        balance = csr_array(coo_array((entries[0], places), shape=(size, count)))
        loads = problem.loads / problem.scales[:, None]
        loads[:, 3:] /= problem.radii[:, None]
        slack = coo_array((np.tile([1.0, -1.0], size), (np.repeat(np.arange(size), 2), np.arange(2 * size))))
        low = np.concatenate([*self._low, np.zeros(2 * size)])
        high = np.concatenate([*self._bound, np.full(2 * size, np.inf)])
        high[:count] = np.inf if most == np.inf else most * high[:count]
        upper, right = self._table(count + 2 * size)
        cost = np.concatenate([np.zeros(count), np.ones(2 * size)])
        done = linprog(
            cost, A_ub=upper, b_ub=right, A_eq=hstack([balance, slack]), b_eq=-loads.ravel(),
            bounds=np.column_stack([low, high]), method="highs-ds", options=OPTIONS,
        )  # fmt: skip
        if done.x is None or done.eqlin.marginals is None:
            return np.inf, np.zeros((len(problem.names), 6)), np.zeros(count)
        x = np.clip(done.x[:count], low[:count], high[:count])
        left = (balance @ x + loads.ravel()).reshape(-1, 6)
        residual = float(np.maximum(np.linalg.norm(left[:, :3], axis=1), np.linalg.norm(left[:, 3:], axis=1)).max())
        if upper is not None:
            residual = max(residual, float((upper[:, :count] @ x - right).max()))
        motion = -np.array(done.eqlin.marginals).reshape(-1, 6) / problem.scales[:, None]
        motion[:, 3:] /= problem.radii[:, None]
        return residual, motion, x

    def _table(self, columns: int) -> tuple[csr_array | None, np.ndarray | None]:
        if not self._limits:
            return None, None
        rows, places, values, done = [], [], [], 0
        for start, table, limit in self._limits:
            k, n = np.nonzero(table)
            rows.append(done + k)
            places.append(start + n)
            values.append(table[k, n])
            done += len(limit)
        where = np.concatenate(rows), np.concatenate(places)
        joined = coo_array((np.concatenate(values), where), shape=(done, columns))
        return csr_array(joined), np.concatenate([limit for _, _, limit in self._limits])
