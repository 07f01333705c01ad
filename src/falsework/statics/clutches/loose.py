"""Whether any strength would do: with clutches that hold everything, clutched bodies move as one.

A cluster that reaches a body that does not move is held. All others must be held by patches alone:

    minimise |r|²   subject to   r = G·λ + b,  λ ≥ 0      (per cluster: six equations)

At r = 0 λ balances the clusters. Otherwise r itself, as a motion of the clusters, closes no patch (Gᵀr ≥ 0), costs
no slip, and the loads gain b·r = |r|² on it: nothing can hold it (seed 002, eq. 13 and 14).
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy.sparse import block_array, coo_array, csc_array, eye_array

from falsework.kernels.clusters import clusters
from falsework.model.arrays import Array
from falsework.statics.clutches.network import Network

HELD = 1e-7  # |r| of |b|: less is rounding
DENSE = 600  # equations up to which r is polished by a dense least-squares solution


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters of clutched bodies that reach no fixed body: `spread` maps their twists to scaled body twists."""

    count: int
    spread: csc_array  # (6n, 6·count)


def loose_clusters(network: Network) -> Clusters:
    """Of the free bodies."""
    n = network.bodies
    pairs = np.where(network.number[network.pairs] < 0, n, network.number[network.pairs])
    label = clusters(pairs, n + 1)
    loose = np.flatnonzero(label[:n] != label[n])
    if not len(loose):
        return Clusters(0, csc_array((6 * n, 0)))
    names, cluster = np.unique(label[loose], return_inverse=True)
    centre = np.zeros((len(names), 3))
    coms = network.coms[loose]
    np.add.at(centre, cluster, coms)
    centre /= np.maximum(np.bincount(cluster, minlength=len(names)), 1)[:, None]
    arm = coms - centre[cluster]
    twist = np.tile(np.eye(6), (len(loose), 1, 1))  # v = v_c + ω × arm
    twist[:, 0, 4], twist[:, 0, 5] = arm[:, 2], -arm[:, 1]
    twist[:, 1, 3], twist[:, 1, 5] = -arm[:, 2], arm[:, 0]
    twist[:, 2, 3], twist[:, 2, 4] = arm[:, 1], -arm[:, 0]
    down = np.broadcast_to((6 * loose[:, None] + np.arange(6))[:, :, None], twist.shape)
    across = np.broadcast_to((6 * cluster[:, None] + np.arange(6))[:, None, :], twist.shape)
    spread = csc_array((twist.ravel(), (down.ravel(), across.ravel())), shape=(6 * n, 6 * len(names)))
    return Clusters(len(names), spread)


def holding_weights(
    network: Network, clusters: Clusters, balance: csc_array, loads: Array
) -> tuple[Array, Array | None]:
    """Patch weights (g,) that balance the loose clusters, and a scaled motion (n, 6) if they cannot."""
    pushes = csc_array(balance[:, 10 * network.clutches :])
    held = csc_array(clusters.spread.T @ pushes)
    b = clusters.spread.T @ loads.ravel()
    size = float(np.linalg.norm(b))
    weights = np.zeros(held.shape[1])
    if size == 0.0:
        return weights, None
    touching = np.flatnonzero(np.diff(held.indptr))
    rest = b.copy()
    if len(touching):
        few = csc_array(held[:, touching])
        weights[touching], rest = _nearest(few, b / size)
        weights *= size
        rest = rest * size
    if float(np.linalg.norm(rest)) <= HELD * size:
        return weights, None
    return weights, (clusters.spread @ rest / np.linalg.norm(rest)).reshape(-1, 6)


def _nearest(held: csc_array, b: Array) -> tuple[Array, Array]:
    """λ ≥ 0 with the least |held·λ + b|, and what is left."""
    rows, columns = held.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    hessian = block_array([[coo_array((columns, columns)), None], [None, eye_array(rows)]], format="csc")
    table = block_array([[held, -eye_array(rows)], [-eye_array(columns), coo_array((columns, rows))]], format="csc")
    cones = [clarabel.ZeroConeT(rows), clarabel.NonnegativeConeT(columns)]
    right = np.concatenate([-b, np.zeros(columns)])
    solution = clarabel.DefaultSolver(
        csc_array(hessian), np.zeros(rows + columns), csc_array(table), right, cones, settings
    ).solve()
    weights = np.maximum(np.array(solution.x)[:columns], 0.0)
    used = np.flatnonzero(weights > 1e-7)
    if rows <= DENSE and len(used):
        exact = np.linalg.lstsq(held[:, used].toarray(), -b, rcond=None)[0]
        rest: Array = held[:, used] @ exact + b
        if (exact >= 0.0).all() and (held.T @ rest >= -1e-12).all():
            weights = np.zeros(columns)
            weights[used] = exact
            return weights, rest
    return weights, held @ weights + b
