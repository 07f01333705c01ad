"""Does it stand? An independent judge: linear programs over its own contact list, with proofs that it checks itself.

Friction cones are taken from inside, by rays on their surface, to prove that a thing stands, and from outside, by rays
of a pyramid around them, to prove that it falls. Where eight leave the answer open more are added where they matter.
What is believed is not the solver but the arithmetic after it:

    residual   the worst, over free bodies, of imbalance / (own weight + loads on it), by forces inside the true cones
    power      (loads·v − what the interfaces can take up on v) / Σ scale·(speed + radius·spin): no forces whatever
               leave a smaller residual than that

Forces beyond a hundred times the load prove nothing here, and entering a contact is charged at a thousand times.
A clear stand bears slightly smaller interfaces: friction and strength less, contacts smaller, by SHRINK.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from tests.adversary.brick_grid import CLUTCH_FRICTION, Clutch
from tests.adversary.problem import Contact, Problem
from tests.adversary.solids import plane_axes

Pair = tuple[int, int]
Answer = Literal["stands", "falls", "cannot tell"]
BALANCED = 1e-8  # a residual below it contradicts every motion that gains 1e-6
MARGIN = 1e-6  # verdicts nearer to the limit may be left undecided
SHRINK = 2e-6
MOST_FORCE, CHARGE = 1e2, 1e3  # of the load of the connected piece
EDGES, ROUNDS = 8, 12
NEW_WAY = 1e-5  # radians: rays nearer to each other are one
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Finding:
    """What is proved; `margin` is the power of the fall, or SHRINK for what stands with smaller interfaces too."""

    answer: Answer
    margin: float
    residual: float = np.inf
    power: float = -np.inf

    @property
    def clear(self) -> bool:
        return self.margin > MARGIN


def judged(problem: Problem) -> Finding:
    """Stands, falls or cannot tell, with a margin."""
    inside = _Rays(problem, inner=True, shrink=SHRINK)
    outside = _Rays(problem, inner=False, shrink=0.0)
    residual, power = np.inf, -np.inf
    for _ in range(ROUNDS):
        residual, motion = inside.solve()
        if residual <= BALANCED:
            return Finding("stands", SHRINK, residual, power)
        power = max(power, power_of(problem, motion))
        if power > MARGIN:
            break
        _, motion = outside.solve()
        power = max(power, power_of(problem, motion))
        if power > MARGIN:
            break
        if not (inside.refined() | outside.refined()):
            break
    if power > MARGIN:
        return Finding("falls", power, residual, power)
    exact = _Rays(problem, inner=True, shrink=0.0, angles=inside.angles)
    residual = exact.solve()[0]
    return Finding("stands" if residual <= BALANCED else "cannot tell", 0.0, residual, power)


class _Rays:
    """One linear program: forces as sums of rays, imbalances as small as can be."""

    def __init__(self, problem: Problem, *, inner: bool, shrink: float, angles: list[np.ndarray] | None = None) -> None:
        self.problem, self.inner, self.shrink = problem, inner, shrink
        self.points: list[tuple[Contact, np.ndarray]] = []
        for contact in problem.contacts:
            places = contact.sure if inner else contact.possible
            middle = places.mean(axis=0) if len(places) else places
            self.points += [(contact, place + shrink * (middle - place)) for place in places]
        around = 2 * np.pi * np.arange(EDGES) / EDGES
        self.angles = [around] * len(self.points) if angles is None else angles
        self._used: list[np.ndarray] = []
        self._motion = np.zeros((len(problem.names), 6))

    def solve(self) -> tuple[float, np.ndarray]:
        """The residual of the best forces, and the motion (n, 6) that bounds it from below."""
        problem, sheet = self.problem, _Sheet(self.problem)
        for number, (contact, place) in enumerate(self.points):
            pair = contact.first, contact.second
            if contact.normal is None:
                sheet.push(pair, place, np.eye(3), low=-np.inf)
            else:
                sheet.push(pair, place, self._directions(number), tag=number)
        for first, second, clutch in problem.clutches:
            sheet.grip((first, second), clutch, 1.0 - self.shrink)
        for first, second, place, axis in problem.hinges:
            sheet.push((first, second), place, np.eye(3), low=-np.inf)
            sheet.twist((first, second), plane_axes(axis))
        left, motion, amounts = sheet.solved(MOST_FORCE if self.inner else np.inf)
        self._motion = motion
        self._used = [amounts.get(number, np.zeros(0)) for number in range(len(self.points))]
        return left, motion

    def _directions(self, number: int) -> np.ndarray:
        """(k, 3) rays with unit normal component."""
        contact = self.points[number][0]
        axes, friction = plane_axes(contact.normal), contact.friction * (1.0 - self.shrink)
        if friction == 0.0:
            return contact.normal[None]
        angles = self.angles[number]
        if self.inner:
            flat = friction * np.column_stack([np.cos(angles), np.sin(angles)])
        else:
            half = 0.5 * ((np.roll(angles, -1) - angles) % (2 * np.pi))
            middle = angles + half
            flat = (friction / np.cos(half))[:, None] * np.column_stack([np.cos(middle), np.sin(middle)])
        return contact.normal + flat @ axes

    def refined(self) -> bool:
        """More rays where the answer hangs on them; false where there are none to add."""
        changed = False
        angles = list(self.angles)
        for number, (contact, place) in enumerate(self.points):
            if contact.normal is None or contact.friction == 0.0:
                continue
            here = angles[number]
            slip = _apart(self.problem, self._motion, contact, place) @ plane_axes(contact.normal).T
            more = [np.arctan2(-slip[1], -slip[0])] if slip.any() else []
            if not self.inner and len(self._used[number]):
                half = 0.5 * ((np.roll(here, -1) - here) % (2 * np.pi))
                more += (here + half)[self._used[number] > 0].tolist()
            fresh = [
                a % (2 * np.pi) for a in more if (np.abs((a - here + np.pi) % (2 * np.pi) - np.pi) > NEW_WAY).all()
            ]
            if fresh:
                angles[number] = np.unique(np.concatenate([here, fresh]) % (2 * np.pi))
                changed = True
        self.angles = angles
        return changed


class _Sheet:
    """Columns of the balance, scaled body by body, until they are solved."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.low: list[float] = []
        self.most: list[float] = []  # 1 where a bound on forces applies
        self.limits: list[tuple[int, np.ndarray, np.ndarray]] = []  # first column, rows, right-hand side
        self.tags: dict[int, slice] = {}
        piece = problem.pieces()
        self.piece_load = np.bincount(piece, weights=problem.scales, minlength=len(piece))[piece]

    def _unit(self, pair: Pair) -> float:
        sizes = [self.problem.scales[body] for body in pair if body >= 0]
        return float(np.exp(np.mean(np.log(sizes)))) if sizes else 1.0

    def _add(self, pair: Pair, place: np.ndarray, forces: np.ndarray, torques: np.ndarray, low: float) -> None:
        problem, unit, start = self.problem, self._unit(pair), len(self.low)
        bound = max((self.piece_load[body] for body in pair if body >= 0), default=1.0) / unit
        for body, sign in ((pair[1], 1.0), (pair[0], -1.0)):
            if body < 0:
                continue
            turns = np.cross(place - problem.centres[body], forces) + torques
            block = sign * unit * np.concatenate([forces, turns / problem.radii[body]], axis=1) / problem.scales[body]
            k, n = np.nonzero(block)
            self.rows += (6 * body + n).tolist()
            self.columns += (start + k).tolist()
            self.values += block[k, n].tolist()
        self.low += [low] * len(forces)
        self.most += [bound] * len(forces)

    def push(self, pair: Pair, place: np.ndarray, ways: np.ndarray, low: float = 0.0, tag: int = -1) -> None:
        """Forces on the second body along given ways."""
        if tag >= 0:
            self.tags[tag] = slice(len(self.low), len(self.low) + len(ways))
        self._add(pair, place, ways, np.zeros_like(ways), low)

    def twist(self, pair: Pair, ways: np.ndarray) -> None:
        """Moments on the second body, in units of its arm."""
        arm = max(self.problem.radii[body] for body in pair if body >= 0)
        self._add(pair, np.zeros(3), np.zeros_like(ways), arm * ways, -np.inf)

    def grip(self, pair: Pair, clutch: Clutch, strength: float) -> None:
        """A clutch: its wrench on the lower brick, six numbers, in units of newton and stud; and pressed corners."""
        unit, start, arm = self._unit(pair), len(self.low), 0.008
        lower = (pair[1], pair[0])  # so that the wrench acts on the brick with the studs
        self._add(lower, clutch.origin, np.eye(3), np.zeros((3, 3)), -np.inf)
        self._add(lower, clutch.origin, np.zeros((3, 3)), arm * np.eye(3), -np.inf)
        rows, right = clutch_rows(clutch)
        rows[:, 3:] *= arm
        rows, right = unit * rows, strength * right
        size = np.maximum(np.abs(rows).max(axis=1), right)  # every row near one, so that none is lost in tolerances
        self.limits.append((start, rows / size[:, None], right / size))
        for corner in clutch.corners:
            self.push(pair, clutch.origin + np.array([*corner, 0.0]), np.array([[0.0, 0.0, 1.0]]))

    def solved(self, most: float) -> tuple[float, np.ndarray, dict[int, np.ndarray]]:
        """The residual, the motion and what each tagged ray carries."""
        problem, count, size = self.problem, len(self.low), 6 * len(self.problem.names)
        balance = coo_array((self.values, (self.rows, self.columns)), shape=(size, count)).tocsr()
        loads = problem.loads / problem.scales[:, None]
        loads[:, 3:] /= problem.radii[:, None]
        slack = coo_array((np.tile([1.0, -1.0], size), (np.repeat(np.arange(size), 2), np.arange(2 * size))))
        from scipy.sparse import hstack

        equal = hstack([balance, slack.tocsr()]).tocsc()
        cost = np.concatenate([np.zeros(count), np.ones(2 * size)])
        low, high = np.array([*self.low, *[0.0] * (2 * size)]), np.full(count + 2 * size, np.inf)
        if most < np.inf:
            high[:count] = most * np.array(self.most)
        upper, right = self._limits(count + 2 * size)
        done = linprog(
            cost, A_ub=upper, b_ub=right, A_eq=equal, b_eq=-loads.ravel(), bounds=np.column_stack([low, high]),
            method="highs-ds", options=_OPTIONS,
        )  # fmt: skip
        if done.x is None or done.eqlin.marginals is None:
            return np.inf, np.zeros((len(problem.names), 6)), {}
        x = np.clip(done.x[:count], low[:count], high[:count])
        left = (balance @ x + loads.ravel()).reshape(-1, 6)
        over = float(np.maximum(0.0, upper @ done.x - right).max(initial=0.0)) if upper is not None else 0.0
        residual = float(np.maximum(np.linalg.norm(left[:, :3], axis=1), np.linalg.norm(left[:, 3:], axis=1)).max())
        motion = -np.array(done.eqlin.marginals).reshape(-1, 6) / problem.scales[:, None]
        motion[:, 3:] /= problem.radii[:, None]
        return max(residual, over), motion, {tag: x[where] for tag, where in self.tags.items()}

    def _limits(self, columns: int) -> tuple[object | None, np.ndarray | None]:
        if not self.limits:
            return None, None
        rows, places, values, right, done = [], [], [], [], 0
        for start, table, limit in self.limits:
            k, n = np.nonzero(table)
            rows.append(done + k)
            places.append(start + n)
            values.append(table[k, n])
            right.append(limit)
            done += len(limit)
        joined = coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(places))), shape=(done, columns)
        )
        return joined.tocsr(), np.concatenate(right)


def clutch_rows(clutch: Clutch) -> tuple[np.ndarray, np.ndarray]:
    """(3m, 6) rows and limits on the wrench that the upper brick puts on the lower one, about the origin.

    Six modes: tractions p_n = α₀ + α₁x + α₂y, p_x = β₀ − θy, p_y = γ₀ + θx whose resultant is the wrench. At every
    point the stud is only pulled, F_a ≥ 0, and slides where |F_t| + F_a > μF_r + μF₀.
    """
    x, y = clutch.points.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    tractions = np.array(
        [
            [zero, zero, zero, one, zero, -y],
            [zero, zero, zero, zero, one, x],
            [one, x, y, zero, zero, zero],
        ]
    ).transpose(2, 0, 1)  # (m, 3, 6 modes)
    arms = np.column_stack([clutch.points, zero])
    turns = np.cross(arms[:, :, None], tractions, axis=1)
    wrench = np.concatenate([tractions.sum(axis=0), turns.sum(axis=0)])  # (6, 6 modes)
    at_points = tractions @ np.linalg.inv(wrench)  # (m, 3, 6)
    inward = clutch.inward
    radial = inward[:, 0, None] * at_points[:, 0] + inward[:, 1, None] * at_points[:, 1]
    around = inward[:, 0, None] * at_points[:, 1] - inward[:, 1, None] * at_points[:, 0]
    axial = at_points[:, 2]
    slides = axial - CLUTCH_FRICTION * radial
    rows = np.concatenate([-axial, slides + around, slides - around])
    limits = np.concatenate([zero, np.full(2 * len(x), clutch.point_n)])
    return rows, limits


def power_of(problem: Problem, motion: np.ndarray) -> float:
    """How surely a motion (n, 6) proves that no forces do; see above. Exact cones, all that is possible."""
    speeds = np.linalg.norm(motion[:, :3], axis=1) + problem.radii * np.linalg.norm(motion[:, 3:], axis=1)
    weight = float(problem.scales @ speeds)
    if not 0 < weight < np.inf:
        return -np.inf
    gained = float((problem.loads * motion).sum())
    return (gained - taken_up(problem, motion)) / weight


def taken_up(problem: Problem, motion: np.ndarray) -> float:
    """What all interfaces together can resist on a motion, forces bounded by CHARGE times the load of their piece."""
    piece = problem.pieces()
    load = np.bincount(piece, weights=problem.scales, minlength=len(piece))[piece]

    def bound(*pair: int) -> float:
        return CHARGE * max(load[body] for body in pair if body >= 0)

    total = 0.0
    for contact in problem.contacts:
        for place in contact.possible:
            apart = _apart(problem, motion, contact, place)
            if contact.normal is None:
                entered = float(np.linalg.norm(apart))
            else:
                along = float(contact.normal @ apart)
                sideways = float(np.linalg.norm(apart - along * contact.normal))
                entered = max(0.0, contact.friction * sideways - along)
            total += bound(contact.first, contact.second) * entered
    for first, second, place, axis in problem.hinges:
        apart = _speed(problem, motion, second, place) - _speed(problem, motion, first, place)
        turned = _spin(motion, second) - _spin(motion, first)
        reach = max(problem.radii[body] for body in (first, second) if body >= 0)
        turned = turned - (turned @ axis) * axis
        total += bound(first, second) * float(np.linalg.norm(apart) + reach * np.linalg.norm(turned))
    for first, second, clutch in problem.clutches:
        total += _clutch_resists(problem, motion, first, second, clutch, bound(first, second))
    return total


def _clutch_resists(
    problem: Problem, motion: np.ndarray, first: int, second: int, clutch: Clutch, bound: float
) -> float:
    """The most power a clutch can take up on a motion: a linear program in its wrench; corners only press."""
    apart = _speed(problem, motion, second, clutch.origin) - _speed(problem, motion, first, clutch.origin)
    turned = _spin(motion, second) - _spin(motion, first)
    if not (apart.any() or turned.any()):
        return 0.0
    corners = [apart + np.cross(turned, (*corner, 0.0)) for corner in clutch.corners]
    entered = sum(max(0.0, -float(corner[2])) for corner in corners)
    rows, limits = clutch_rows(clutch)
    rows, pull = rows.copy(), np.concatenate([apart, turned])
    rows[:, 3:] *= 0.008
    pull[3:] *= 0.008
    size = float(np.abs(pull).max())
    done = linprog(-pull / size, A_ub=rows, b_ub=limits, bounds=(None, None), method="highs-ds", options=_OPTIONS)
    if done.status != 0:
        return np.inf
    return bound * entered + size * float(-done.fun)


def _apart(problem: Problem, motion: np.ndarray, contact: Contact, place: np.ndarray) -> np.ndarray:
    return _speed(problem, motion, contact.second, place) - _speed(problem, motion, contact.first, place)


def _speed(problem: Problem, motion: np.ndarray, body: int, place: np.ndarray) -> np.ndarray:
    if body < 0:
        return np.zeros(3)
    return motion[body, :3] + np.cross(motion[body, 3:], place - problem.centres[body])


def _spin(motion: np.ndarray, body: int) -> np.ndarray:
    return np.zeros(3) if body < 0 else motion[body, 3:]
