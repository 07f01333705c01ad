"""What hangs together: the components of a graph, in a few array operations and without a library to load."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Ints


def components_of(count: int, one: Ints, other: Ints) -> Ints:
    """(count,) the component of each node, numbered from 0 by their first nodes; edges join `one` and `other`.

    Every node points at a lower one of its component, or itself. Each round the targets of an edge's ends are joined
    and all chains are shortened to one step, so the rounds are few.
    """
    lower = np.arange(count)
    while True:
        here, there = lower[one], lower[other]
        apart = here != there
        if not apart.any():
            break
        one, other = one[apart], other[apart]
        np.minimum.at(lower, np.maximum(here, there)[apart], np.minimum(here, there)[apart])
        while (lower[lower] != lower).any():
            lower = lower[lower]
    number: Ints = np.unique(lower, return_inverse=True)[1].reshape(count)
    return number
