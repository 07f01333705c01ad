"""Does it stand? An independent judge: linear programs over its own contact list, with proofs that it checks itself.

Friction cones are taken from inside, by rays on their surface, to prove that a thing stands, and from outside, by rays
of a pyramid around them, to prove that it falls. Where eight leave the answer open more are added where they matter.
What is believed is not the solver but the arithmetic after it:

    residual   the worst, over free bodies, of imbalance / (own weight + loads on it), by forces inside the true cones
    power      (loads·v − what the interfaces can take up on v) / Σ scale·(speed + radius·spin): no forces whatever
               leave a smaller residual than that

Forces beyond a hundred times the load prove nothing here; entering a contact is charged at a hundred thousand times.
A clear stand bears slightly smaller interfaces: friction and strength less, contacts smaller, by SHRINK.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linprog

from tests.adversary.brick_grid import PITCH, Clutch
from tests.adversary.clutch_model import clutch_rows
from tests.adversary.problem import Problem
from tests.adversary.program import OPTIONS, Points, Sheet

Answer = Literal["stands", "falls", "cannot tell"]
BALANCED = 1e-8  # a residual below it contradicts every motion that gains 1e-6
MARGIN = 1e-6  # verdicts nearer to the limit may be left undecided
SHRINK = 2e-6
MOST_FORCE, CHARGE = 1e2, 1e5  # of the load of the connected piece
EDGES, ROUNDS = 8, 12
FEW = 4  # rounds where the contacts themselves are not known exactly, and finer cones are of little use
NEW_WAY = 1e-5  # radians: rays nearer to each other are one
CIRCLE = 2 * np.pi


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
    inside, outside = _Cones(Points(problem, True, SHRINK)), _Cones(Points(problem, False))
    residual, power = np.inf, -np.inf
    blurred = any(len(contact.sure) != len(contact.possible) for contact in problem.contacts)
    for _ in range(FEW if blurred else ROUNDS):
        residual = inside.solve()
        if residual <= BALANCED:
            return Finding("stands", SHRINK, residual, power)
        power = max(power, power_of(problem, inside.motion))
        if power <= MARGIN:
            outside.solve()
            power = max(power, power_of(problem, outside.motion))
        if power > MARGIN:
            return Finding("falls", power, residual, power)
        if not (inside.refined() | outside.refined()):
            break
    exact = _Cones(Points(problem, True), inside.angles)
    residual = exact.solve()
    return Finding("stands" if residual <= BALANCED else "cannot tell", 0.0, residual, power)


class _Cones:
    """Friction cones as rays, from inside or from outside, and what was last solved with them."""

    def __init__(self, points: Points, angles: list[np.ndarray] | None = None) -> None:
        self.points = points
        self.angles = [CIRCLE * np.arange(EDGES) / EDGES] * len(points) if angles is None else angles
        self.motion = np.zeros((len(points.problem.names), 6))
        self._used = np.zeros(0)  # by ray

    def solve(self) -> float:
        """The residual of the best forces; `motion` bounds it from below."""
        points, problem = self.points, self.points.problem
        sheet = Sheet(problem)
        owner, ways = self._rays()
        places = points.places[owner]
        rays = sheet.add(points.first[owner], points.second[owner], places, ways, np.zeros_like(ways), 0.0)
        loose = np.repeat(np.flatnonzero(points.open), 3)
        any_way = np.tile(np.eye(3), (len(loose) // 3, 1))
        pairs = points.first[loose], points.second[loose]
        sheet.add(*pairs, points.places[loose], any_way, np.zeros_like(any_way), -np.inf)
        for first, second, clutch in problem.clutches:
            sheet.grip((first, second), clutch, 1.0 - points.shrink)
        for first, second, place, axis in problem.hinges:
            sheet.hinge((first, second), place, axis)
        residual, self.motion, carried = sheet.solved(MOST_FORCE if points.inner else np.inf)
        self._used = carried[rays]
        return residual

    def _rays(self) -> tuple[np.ndarray, np.ndarray]:
        """(r,) points and (r, 3) ways with unit normal component; where nothing rubs, the normal alone."""
        points = self.points
        angles = [
            np.zeros(0 if loose else 1) if loose or friction == 0 else ring
            for ring, loose, friction in zip(self.angles, points.open, points.friction, strict=True)
        ]
        owner = np.repeat(np.arange(len(points)), [len(ring) for ring in angles])
        at = np.concatenate([np.zeros(0), *angles])
        stretch = points.friction[owner] if len(owner) else np.zeros(0)
        if not points.inner:
            half = np.concatenate([np.zeros(0), *(_halves(ring) for ring in angles)])
            at, stretch = at + half, np.where(stretch > 0, stretch / np.cos(half), 0.0)
        flat = stretch[:, None] * np.column_stack([np.cos(at), np.sin(at)])
        return owner, points.normals[owner] + np.einsum("ra,rai->ri", flat, points.axes[owner])

    def refined(self) -> bool:
        """More rays where the answer hangs on them: against the slip, and between those that carry the outer forces."""
        points, changed = self.points, False
        slips = np.einsum("pi,pai->pa", points.apart(self.motion), points.axes)
        owner = self._rays()[0]
        angles = list(self.angles)
        for number in np.flatnonzero(~points.open & (points.friction > 0)):
            here, slip = angles[number], slips[number]
            more = [np.arctan2(-slip[1], -slip[0])] if slip.any() else []
            if not points.inner:
                more += (here + _halves(here))[self._used[owner == number] > 0].tolist()
            fresh = [one for one in more if (np.abs((one - here + np.pi) % CIRCLE - np.pi) > NEW_WAY).all()]
            if fresh:
                angles[number] = np.unique(np.concatenate([here, fresh]) % CIRCLE)
                changed = True
        self.angles = angles
        return changed


def _halves(ring: np.ndarray) -> np.ndarray:
    """Half of the way from each angle to the next around."""
    return 0.5 * ((np.roll(ring, -1) - ring) % CIRCLE) if len(ring) > 1 else np.zeros(len(ring))


def power_of(problem: Problem, motion: np.ndarray) -> float:
    """How surely a motion (n, 6) proves that no forces do; see above. Exact cones, all that is possible."""
    speeds = np.linalg.norm(motion[:, :3], axis=1) + problem.radii * np.linalg.norm(motion[:, 3:], axis=1)
    weight = float(problem.scales @ speeds)
    if not 0 < weight < np.inf:
        return -np.inf
    return float((problem.loads * motion).sum() - taken_up(problem, motion)) / weight


def taken_up(problem: Problem, motion: np.ndarray) -> float:
    """What all interfaces together can resist on a motion, forces bounded by CHARGE times the load of their piece."""
    points = Points(problem, False)
    total = 0.0
    if len(points):
        apart = points.apart(motion)
        along = np.einsum("pi,pi->p", points.normals, apart)
        sideways = np.linalg.norm(apart - along[:, None] * points.normals, axis=1)
        entered = np.where(points.open, sideways, np.maximum(0.0, points.friction * sideways - along))
        loads = np.append(problem.piece_loads, 0.0)
        total = CHARGE * float(np.maximum(loads[points.first], loads[points.second]) @ entered)
    for first, second, place, axis in problem.hinges:
        apart = _speed(problem, motion, second, place) - _speed(problem, motion, first, place)
        turned = _spin(motion, second) - _spin(motion, first)
        reach = max(problem.radii[body] for body in (first, second) if body >= 0)
        turned = turned - (turned @ axis) * axis
        total += _bound(problem, first, second) * float(np.linalg.norm(apart) + reach * np.linalg.norm(turned))
    for first, second, clutch in problem.clutches:
        total += _clutch_resists(problem, motion, first, second, clutch)
    return total


def _bound(problem: Problem, *pair: int) -> float:
    return CHARGE * float(max(problem.piece_loads[body] for body in pair if body >= 0))


def _clutch_resists(problem: Problem, motion: np.ndarray, first: int, second: int, clutch: Clutch) -> float:
    """The most power a clutch can take up on a motion: a linear program in its wrench; corners only press."""
    apart = _speed(problem, motion, second, clutch.origin) - _speed(problem, motion, first, clutch.origin)
    turned = _spin(motion, second) - _spin(motion, first)
    if not (apart.any() or turned.any()):
        return 0.0
    corners = apart + np.cross(turned, np.column_stack([clutch.corners, np.zeros(4)]))
    entered = float(np.maximum(0.0, -corners[:, 2]).sum())
    rows, limits = clutch_rows(clutch)
    pull = np.concatenate([apart, PITCH * turned])
    rows[:, 3:] *= PITCH
    size = float(np.abs(pull).max())
    done = linprog(-pull / size, A_ub=rows, b_ub=limits, bounds=(None, None), method="highs-ds", options=OPTIONS)
    if done.status != 0:
        return np.inf
    return _bound(problem, first, second) * entered + size * float(-done.fun)


def _speed(problem: Problem, motion: np.ndarray, body: int, place: np.ndarray) -> np.ndarray:
    if body < 0:
        return np.zeros(3)
    return motion[body, :3] + np.cross(motion[body, 3:], place - problem.centres[body])


def _spin(motion: np.ndarray, body: int) -> np.ndarray:
    return np.zeros(3) if body < 0 else motion[body, 3:]
