"""Which of many that exclude each other to choose: branch and bound, for what shares pixels with few others."""

# Kernels take arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.exact import compiled, inner


@inner
def marginals(shown, weights, costs, alive, covered, out):
    """What each that is alive would add; those that would add nothing die, for later they would add still less."""
    for i in range(len(costs)):
        out[i] = 0.0
        if alive[i]:
            gain = -costs[i]
            for g in range(len(weights)):
                if shown[i, g] and not covered[g]:
                    gain += weights[g]
            if gain > 1e-9:
                out[i] = gain
            else:
                alive[i] = False


@inner
def most_to_add(gains, order, alive, apart, clique):
    """A bound on what those alive can add together: of those that all exclude each other, only the best counts."""
    total, cliques = 0.0, 0
    for at in range(len(order)):
        i = order[at]
        clique[i] = -1
        if not alive[i]:
            continue
        for c in range(cliques):
            fits = True
            for before in range(at):
                j = order[before]
                if clique[j] == c and not apart[i, j]:
                    fits = False
                    break
            if fits:
                clique[i] = c
                break
        if clique[i] < 0:
            clique[i] = cliques
            cliques += 1
            total += gains[i]
    return total


@compiled
def best_choice(shown, weights, costs, apart, allowed, most_nodes):
    """(chosen (n,) bool, worth, whether that is proven): groups that any chosen one shows count once, less the costs.

    shown (n, m) says who shows which group, weights (m,) what a group counts, apart (n, n) who excludes whom.
    """
    n, m = shown.shape
    alive, covered = np.zeros((n + 2, n), np.bool_), np.zeros((n + 2, m), np.bool_)
    chosen, best = np.zeros((n + 2, n), np.bool_), np.zeros(n, np.bool_)
    worth, branch = np.zeros(n + 2), np.full(n + 2, -1)
    gains, clique = np.empty(n), np.empty(n, np.int64)
    alive[0] = allowed
    most, nodes, depth = 0.0, 0, 0
    while depth >= 0:
        if branch[depth] >= 0:  # back from having taken it: the same without it
            alive[depth, branch[depth]] = False
            branch[depth] = -1
        nodes += 1
        if nodes > most_nodes:
            return best, most, False
        marginals(shown, weights, costs, alive[depth], covered[depth], gains)
        if worth[depth] > most + 1e-9:
            most = worth[depth]
            best[:] = chosen[depth]
        order = np.argsort(-gains)
        if worth[depth] + most_to_add(gains, order, alive[depth], apart, clique) <= most + 1e-9:
            depth -= 1
            continue
        i = order[0]
        branch[depth] = i
        for j in range(n):
            alive[depth + 1, j] = alive[depth, j] and j != i and not apart[i, j]
            chosen[depth + 1, j] = chosen[depth, j] or j == i
        for g in range(m):
            covered[depth + 1, g] = covered[depth, g] or shown[i, g]
        worth[depth + 1] = worth[depth] + gains[i]
        branch[depth + 1] = -1
        depth += 1
    return best, most, True
