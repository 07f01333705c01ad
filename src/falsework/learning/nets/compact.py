"""A compact net on the graph of contacts: three layers of attention, 32 wide, what is known of a contact on its edge.

It sees what the published net sees, at about a tenth of the work, because contact points are not nodes. With
h the nodes, f the features of an edge from j to i, one layer is

    m   = leaky(S hⱼ + D hᵢ + E f)            GATv2 with features on edges
    h′  = norm(h + O Σⱼ softmaxⱼ(a·m) m + G mean(h))
    h″  = norm(h′ + B relu(A h′))

Every map of nets of this kind is one of `Linear` and `LayerNorm`, so that a few lines of numpy evaluate it too.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from falsework.learning.graphs.contact_graph import EDGE_FEATURES, NODE_FEATURES, contact_graph
from falsework.learning.nets.segments import Segments, pooled_max, pooled_mean
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

SLOPE = 0.2  # of the leaky rectifiers
DYNAMIC = 2  # held, and to stay


class CompactInput(NamedTuple):
    """The graph of one assembly as tensors."""

    nodes: Tensor
    senders: Tensor
    receivers: Segments
    features: Tensor


class CompactLayer(nn.Module):
    """One round of messages along contacts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sent = nn.Linear(width, width, bias=False)
        self.received = nn.Linear(width, width)
        self.edge = nn.Linear(len(EDGE_FEATURES), width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)
        self.out = nn.Linear(width, width)
        self.whole = nn.Linear(width, width, bias=False)
        self.first_norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)
        self.second_norm = nn.LayerNorm(width)

    def forward(self, graph: CompactInput, there: Tensor, both: Tensor, hidden: Tensor) -> Tensor:
        """`there` are nodes, `both` edges whose two ends are there."""
        message = self.sent(hidden).index_select(1, graph.senders)
        message = message + self.received(hidden).index_select(1, graph.receivers.to) + self.edge(graph.features)
        message = functional.leaky_relu(message, SLOPE)
        heard = graph.receivers.attended(self.score(message).squeeze(2), both, message)
        whole = self.whole(pooled_mean(hidden, there)).unsqueeze(1)
        hidden = self.first_norm(hidden + self.out(heard) + whole)
        more: Tensor = self.second_norm(hidden + self.narrow(torch.relu(self.widen(hidden))))
        return more


class CompactNet(nn.Module):
    """Two logits a body, hold and remove, and the value of the state."""

    def __init__(self, layers: int = 3, width: int = 32) -> None:
        super().__init__()
        self.enter = nn.Linear(len(NODE_FEATURES) + DYNAMIC, width)
        self.layers = nn.ModuleList(CompactLayer(width) for _ in range(layers))
        self.act = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))
        self.judge = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    @staticmethod
    def prepared(assembly: Assembly, joints: Interfaces) -> CompactInput:
        graph = contact_graph(assembly, joints)
        return CompactInput(
            torch.tensor(graph.nodes, dtype=torch.float32),
            torch.tensor(graph.edges[0]),
            Segments.of(graph.edges[1], len(graph.nodes)),
            torch.tensor(graph.features, dtype=torch.float32),
        )

    def forward(self, graph: CompactInput, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        still = graph.nodes.expand(len(installed), -1, -1)
        hidden = self.enter(torch.cat([still, torch.stack([held, target], 2).to(still.dtype)], 2))
        both = installed.index_select(1, graph.senders) & installed.index_select(1, graph.receivers.to)
        for layer in self.layers:
            hidden = layer(graph, installed, both, hidden)
        value = self.judge(torch.cat([pooled_mean(hidden, installed), pooled_max(hidden, installed)], 1))
        return self.act(hidden), torch.tanh(value).squeeze(1)
