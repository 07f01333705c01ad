"""Seed 003's bodies with three degrees of freedom each (8.2): the same principle with far fewer variables.

A point of a figure accelerates by a + α × r − ω² r; put into (Q), what bars say holds of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from falsework.collapse.framework import Framework
from falsework.collapse.least_distance import nearest
from falsework.collapse.separating_edges import Triple, doubled_area, share
from falsework.geometry.shapes.linking import components_of
from falsework.model.arrays import Array, Ints, freeze_ints
from falsework.model.errors import BadInput


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Which figure each point belongs to: points that bars join belong together."""

    figure: Ints  # (n,)

    def __post_init__(self) -> None:
        freeze_ints(self, figure=(None,))

    @property
    def count(self) -> int:
        return int(self.figure.max()) + 1

    @staticmethod
    def of(framework: Framework) -> Figures:
        figure = components_of(len(framework.points), *framework.bars.T)
        if int(figure.max(initial=-1)) + 1 != len(framework.outlines):
            raise BadInput("figures with three degrees of freedom cannot share points; hinges need points and bars")
        return Figures(figure)


def rigid_accelerations(
    framework: Framework, figures: Figures, now: Array, velocities: Array, gravity: Array, triples: Sequence[Triple]
) -> Array:
    """(figures, 3) accelerations of the centres of mass and of the angles, counter-clockwise; zero if fixed."""
    arms = _arms(framework, figures, now)
    spins = _spins(framework, figures, arms, velocities)
    T, offset = _points_of(framework, figures, arms, spins)
    free = np.flatnonzero([not framework.fixed[figures.figure == k].any() for k in range(figures.count)])
    columns = (3 * free[:, None] + np.arange(3)).ravel()
    masses = np.repeat(framework.masses_kg, 2)
    moved = np.repeat(~framework.fixed, 2)
    H = T[moved][:, columns].T @ (masses[moved, None] * T[moved][:, columns])
    pull = np.broadcast_to(gravity, now.shape).ravel() - offset
    target = np.linalg.solve(H, T[moved][:, columns].T @ (masses * pull)[moved])
    G, b = _sides(framework, now, velocities, triples)
    rows, limits = G @ T[:, columns], b - G @ offset
    L = np.linalg.cholesky(H)
    inverse = np.linalg.inv(L)
    none = np.zeros((0, len(columns)))
    found = nearest(np.ones(len(columns)), L.T @ target, none, np.zeros(0), rows @ inverse.T, limits)
    result = np.zeros((figures.count, 3))
    result[free] = (inverse.T @ found.x).reshape(-1, 3)
    return result


def _arms(framework: Framework, figures: Figures, now: Array) -> Array:
    """(n, 2) of all points from the centres of mass of their figures."""
    weights = np.bincount(figures.figure, framework.masses_kg)
    centres = np.stack([np.bincount(figures.figure, framework.masses_kg * now[:, i]) / weights for i in (0, 1)], axis=1)
    arms: Array = now - centres[figures.figure]
    return arms


def _spins(framework: Framework, figures: Figures, arms: Array, velocities: Array) -> Array:
    """(figures,) angular velocities, from the points' angular momentum."""
    swept = arms[:, 0] * velocities[:, 1] - arms[:, 1] * velocities[:, 0]
    momentum = np.bincount(figures.figure, framework.masses_kg * swept)
    inertia = np.bincount(figures.figure, framework.masses_kg * (arms**2).sum(axis=1))
    spins: Array = momentum / inertia
    return spins


def _points_of(framework: Framework, figures: Figures, arms: Array, spins: Array) -> tuple[Array, Array]:
    """Accelerations of all points (2n,) as T q + offset."""
    count = len(arms)
    T = np.zeros((2 * count, 3 * figures.count))
    rows, figure = np.arange(count), figures.figure
    T[2 * rows, 3 * figure] = T[2 * rows + 1, 3 * figure + 1] = 1.0
    T[2 * rows, 3 * figure + 2], T[2 * rows + 1, 3 * figure + 2] = -arms[:, 1], arms[:, 0]
    offset: Array = (-(spins[figure] ** 2)[:, None] * arms).ravel()
    return T, offset


def _sides(framework: Framework, now: Array, v: Array, triples: Sequence[Triple]) -> tuple[Array, Array]:
    """(S2⁺) over the accelerations of all points."""
    G, b = np.zeros((len(triples), len(now), 2)), np.zeros(len(triples))
    for row, (i, j, k) in enumerate(triples):
        alpha, along = share(now, i, j, k), now[j] - now[i]
        n = np.array([-along[1], along[0]])
        G[row, k], G[row, j], G[row, i] = n, -alpha * n, -(1 - alpha) * n
        b[row] = -2 * doubled_area(v[i], v[j], v[k])
    return G.reshape(len(triples), 2 * len(now)), b
