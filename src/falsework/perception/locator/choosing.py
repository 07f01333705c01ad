"""Which of many that exclude each other to choose: branch and bound, and what a bound rules out before it.

Branch and bound is quick where bricks share pixels with few others. Of hundreds that explain the same pixels, as where
nothing shows where white bricks end, it counts those pixels once for each. There the pixels' weights are shared out
first (Lagrange): for any λ between 0 and the weights w, no packing is worth more than

    Σ (w − λ) + the most that bricks worth Σ λ − cost each come to, of which those that are apart exclude each other,

and what would be worth less than is wanted even if it is taken is ruled out.
"""

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
def best_choice(shown, weights, costs, apart, allowed, floor, most_nodes):
    """(chosen (n,) bool, worth, whether that is proven): groups that any chosen one shows count once, less the costs.

    shown (n, m) says who shows which group, weights (m,) what a group counts, apart (n, n) who excludes whom. What is
    not worth more than `floor` is not looked for: then none is chosen, and the worth told is the floor.
    """
    n, m = shown.shape
    alive, covered = np.zeros((n + 2, n), np.bool_), np.zeros((n + 2, m), np.bool_)
    chosen, best = np.zeros((n + 2, n), np.bool_), np.zeros(n, np.bool_)
    worth, branch = np.zeros(n + 2), np.full(n + 2, -1)
    gains, clique = np.empty(n), np.empty(n, np.int64)
    alive[0] = allowed
    most, nodes, depth = floor, 0, 0
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


@inner
def _cliques(gains, alive, apart, out):
    """Into `out` (n,) a number for each: those of one number all exclude each other; gives how many there are."""
    order = np.argsort(-gains)
    members, sizes = np.empty((len(gains), len(gains)), np.int64), np.zeros(len(gains), np.int64)
    cliques = 0
    for i in order:
        out[i] = -1
        if not alive[i]:
            continue
        for c in range(cliques):
            fits = True
            for k in range(sizes[c]):
                if not apart[i, members[c, k]]:
                    fits = False
                    break
            if fits:
                out[i] = c
                break
        if out[i] < 0:
            out[i] = cliques
            cliques += 1
        members[out[i], sizes[out[i]]] = i
        sizes[out[i]] += 1
    return cliques


@inner
def _values(starts, owners, shares, costs, out):
    """Into `out` (n,) what each is worth if groups count so much for whoever shows them."""
    out[:] = -costs
    for g in range(len(shares)):
        for k in range(starts[g], starts[g + 1]):
            out[owners[k]] += shares[g]


@inner
def _best_of(values, alive, clique, cliques, best):
    """Into `best` (cliques,) who is worth most of each, −1 where nobody is worth anything; gives their sum."""
    best[:cliques] = -1
    for i in range(len(values)):
        if alive[i] and values[i] > 0.0 and (best[clique[i]] < 0 or values[i] > values[best[clique[i]]]):
            best[clique[i]] = i
    total = 0.0
    for c in range(cliques):
        if best[c] >= 0:
            total += values[best[c]]
    return total


@compiled
def still_possible(starts, owners, weights, costs, apart, allowed, floor, rounds):
    """(n,) who may be in a choice that is worth more than `floor`; the others are in none.

    Group g is shown by owners[starts[g] : starts[g + 1]]. Shares are sought by subgradients, `rounds` steps.
    """
    n, m = len(costs), len(weights)
    alive = allowed.copy()
    values, clique, best = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    shares, tightest, times = weights.copy(), weights.copy(), np.empty(m)
    _values(starts, owners, shares, costs, values)
    cliques = _cliques(values, alive, apart, clique)
    least, step, idle = np.inf, 1.0, 0
    for _ in range(rounds):
        _values(starts, owners, shares, costs, values)
        bound = _best_of(values, alive, clique, cliques, best)
        for g in range(m):
            bound += weights[g] - shares[g]
        if bound <= floor:
            return np.zeros(n, np.bool_)
        idle += 1
        if bound < least - 1e-6:
            least, idle = bound, 0
            tightest[:] = shares
        if idle == 8:
            step, idle = 0.6 * step, 0
        times[:] = -1.0
        for g in range(m):
            for k in range(starts[g], starts[g + 1]):
                if alive[owners[k]] and best[clique[owners[k]]] == owners[k]:
                    times[g] += 1.0
        size = 0.0
        for g in range(m):
            if (times[g] < 0.0 and shares[g] < weights[g]) or (times[g] > 0.0 and shares[g] > 0.0):
                size += times[g] * times[g]
        if size == 0.0:
            break
        far = step * (bound - floor) / size
        for g in range(m):
            shares[g] = min(max(shares[g] - far * times[g], 0.0), weights[g])
    _values(starts, owners, tightest, costs, values)
    rest = (weights - tightest).sum()
    for i in range(n):
        if alive[i]:
            beside = ~apart[i] & alive
            beside[i] = False
            if rest + values[i] + _best_of(values, beside, clique, cliques, best) <= floor:
                alive[i] = False
    return alive
