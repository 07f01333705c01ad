"""What is there in many states of one assembly, one row below the other.

The graph of an assembly does not change; states differ in which nodes are there. With half of the parts a state has
about a quarter of the contacts, so nets work on the rows that are there only, state by state, node by node.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from falsework.learning.nets.attention import Edges, taken

ABSENT = -1e30  # the score of what is not there


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The nodes (or edges) of one kind that are there in a batch of states."""

    there: Tensor  # (states, nodes)
    state: Tensor  # (rows,)
    node: Tensor  # (rows,) its number in the graph
    counts: Tensor  # (states,)
    row: Tensor  # (states · nodes,) of what is there, its row

    @staticmethod
    def of(there: Tensor) -> Rows:
        state, node = there.nonzero(as_tuple=True)
        return Rows(there, state, node, there.sum(1), there.reshape(-1).cumsum(0) - 1)

    def rows_of(self, others: Rows, nodes: Tensor) -> Tensor:
        """For each row of others, the row of a node in the same state; `nodes` are by the numbers of the others."""
        return self.row.index_select(0, others.state * self.there.shape[1] + nodes.index_select(0, others.node))

    def pairs(self) -> Edges:
        """From everything to everything in the same state."""
        state, receiver, sender = (self.there.unsqueeze(2) & self.there.unsqueeze(1)).nonzero(as_tuple=True)
        first = state * self.there.shape[1]
        return Edges(self.row.index_select(0, first + sender), self.row.index_select(0, first + receiver))

    def spread(self, values: Tensor) -> Tensor:
        """(states, nodes, width): rows where they belong, zeros elsewhere."""
        states, nodes = self.there.shape
        empty = values.new_zeros(states * nodes, values.shape[1])
        return empty.index_copy(0, self.state * nodes + self.node, values).reshape(states, nodes, -1)

    def mean(self, values: Tensor) -> Tensor:
        """(states, width): zeros where nothing is there."""
        total = torch.segment_reduce(values, "sum", lengths=self.counts, unsafe=True)
        return total / self.counts.clamp_min(1).unsqueeze(1)

    def most(self, values: Tensor) -> Tensor:
        """(states, width): zeros where nothing is there."""
        found = torch.segment_reduce(values, "max", lengths=self.counts, unsafe=True, initial=ABSENT)
        return torch.where(self.counts.unsqueeze(1) > 0, found, 0.0)

    def of_states(self, values: Tensor) -> Tensor:
        """(rows, width): each row gets what its state has."""
        return taken(values, self.state)
