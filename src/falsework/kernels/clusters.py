"""Bodies that hang together, in machine code: a union of sets, each named for its first body."""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled
from falsework.model.arrays import Ints


def clusters(pairs: Ints, bodies: int) -> Ints:
    """(bodies,) a number each, equal where pairs (k, 2) connect; numbered in the order of their first bodies."""
    label = np.arange(bodies)
    _unite(np.ascontiguousarray(pairs), label)
    return label


@compiled
def _unite(pairs, label):
    """In: label[i] = i. Out: the clusters; until the last loop label[i] ≤ i leads toward the first body of a set."""
    for k in range(len(pairs)):
        one, two = pairs[k, 0], pairs[k, 1]
        while label[one] != one:
            label[one] = label[label[one]]
            one = label[one]
        while label[two] != two:
            label[two] = label[label[two]]
            two = label[two]
        if one < two:
            label[two] = one
        else:
            label[one] = two
    count = 0
    for body in range(len(label)):
        if label[body] == body:
            label[body] = count
            count += 1
        else:
            label[body] = label[label[body]]
