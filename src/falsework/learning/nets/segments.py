"""Softmax and sums over the neighbours of each node, for many states of one assembly at once.

The graph of an assembly does not change; states differ in which nodes are there. So a batch is (states, nodes, …), and
sums over neighbours are products with a fixed matrix of zeros and ones, which run in the same order every time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from falsework.model.arrays import Ints

ABSENT = -1e30  # the score of what is not there


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Which node each of the senders sends to."""

    to: Tensor  # (senders,) numbers of receivers
    sums: Tensor  # (receivers, senders) one where a sender sends to a receiver

    @staticmethod
    def of(to: Ints, receivers: int) -> Segments:
        sums = np.zeros((receivers, len(to)), dtype=np.float32)
        sums[to, np.arange(len(to))] = 1.0
        return Segments(torch.from_numpy(np.array(to)), torch.from_numpy(sums))

    def attended(self, scores: Tensor, there: Tensor, values: Tensor) -> Tensor:
        """(states, receivers, width): values (states, senders, width), weighted by the softmax of their scores.

        Receivers to which nobody sends get zeros.
        """
        scores = torch.where(there, scores, ABSENT)
        with torch.no_grad():
            lowest = torch.full((scores.shape[0], self.sums.shape[0]), ABSENT)
            highest = lowest.scatter_reduce(1, self.to.expand_as(scores), scores, "amax")
            off = highest.index_select(1, self.to)
        weights = torch.exp(scores - off) * there
        total = torch.matmul(weights, self.sums.T)
        summed = torch.matmul(self.sums, weights.unsqueeze(2) * values)
        return summed / total.clamp_min(1e-12).unsqueeze(2)


def pooled_mean(values: Tensor, there: Tensor) -> Tensor:
    """(states, width): the mean over the nodes that are there; zeros where there are none."""
    weights = there.to(values.dtype)
    return torch.einsum("snw,sn->sw", values, weights) / weights.sum(1, keepdim=True).clamp_min(1.0)


def pooled_max(values: Tensor, there: Tensor) -> Tensor:
    """(states, width): the greatest over the nodes that are there; zeros where there are none."""
    if values.shape[1] == 0:
        return values.new_zeros(values.shape[0], values.shape[2])
    found = torch.where(there.unsqueeze(2), values, ABSENT).amax(1)
    return torch.where(there.any(1, keepdim=True), found, 0.0)
