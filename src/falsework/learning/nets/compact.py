"""A compact net on the graph of contacts: three layers of attention, 32 wide, what is known of a contact on its edge.

It sees what the published net sees, at about a tenth of the work, because contact points are not nodes. With
h the nodes, f the features of an edge from j to i, one layer is

    m   = leaky(S hⱼ + D hᵢ + E f)            GATv2 with features on edges
    h′  = norm(h + O Σⱼ softmaxⱼ(a·m) m + G mean(h))
    h″  = norm(h′ + B relu(A h′))

`ForeseeingNet` is the same, told besides what would move without a part that is held (`imagining.py`).
Every map of nets of this kind is one of `Linear` and `LayerNorm`, so that a few lines of numpy evaluate it too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from falsework.learning.graphs.contact_graph import EDGE_FEATURES, NODE_FEATURES, ContactGraph, contact_graph
from falsework.learning.graphs.imagining import IMAGINED_FEATURES, Imagined
from falsework.learning.graphs.supports import SUPPORT_FEATURES, Supports
from falsework.learning.nets.attention import Edges, heard
from falsework.learning.nets.present import Rows
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

DYNAMIC = 2 + len(SUPPORT_FEATURES)  # held, to stay, and what is there of its contacts


class CompactInput(NamedTuple):
    """The graph of one assembly as tensors."""

    nodes: Tensor
    senders: Tensor
    receivers: Tensor
    features: Tensor
    supports: Supports
    imagined: Imagined | None  # whoever foresees


class Heard(NamedTuple):
    """Which nodes of a batch are there, who hears whom, and by which contact."""

    nodes: Rows
    edges: Edges
    contacts: Tensor


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

    def forward(self, graph: CompactInput, here: Heard, hidden: Tensor) -> Tensor:
        known, attention = self.edge(graph.features), self.score.weight[0]
        told = heard(self.sent(hidden), self.received(hidden), known, attention, here.contacts, here.edges)
        whole = here.nodes.of_states(self.whole(here.nodes.mean(hidden)))
        hidden = self.first_norm(hidden + self.out(told) + whole)
        more: Tensor = self.second_norm(hidden + self.narrow(torch.relu(self.widen(hidden))))
        return more


class CompactNet(nn.Module):
    """Two logits a body, hold and remove, and the value of the state."""

    def __init__(self, layers: int = 3, width: int = 32, more: int = 0) -> None:
        super().__init__()
        self.enter = nn.Linear(len(NODE_FEATURES) + DYNAMIC + more, width)
        self.layers = nn.ModuleList(CompactLayer(width) for _ in range(layers))
        self.act = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))
        self.judge = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    @staticmethod
    def prepared(assembly: Assembly, joints: Interfaces) -> CompactInput:
        return CompactNet.read(contact_graph(assembly, joints))

    @staticmethod
    def read(graph: ContactGraph, imagined: Imagined | None = None) -> CompactInput:
        return CompactInput(
            torch.tensor(graph.nodes, dtype=torch.float32),
            torch.tensor(graph.edges[0]),
            torch.tensor(graph.edges[1]),
            torch.tensor(graph.features, dtype=torch.float32),
            Supports(graph),
            imagined,
        )

    def forward(self, graph: CompactInput, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        nodes = Rows.of(installed)
        edges = Rows.of(installed.index_select(1, graph.senders) & installed.index_select(1, graph.receivers))
        ends = Edges(nodes.rows_of(edges, graph.senders), nodes.rows_of(edges, graph.receivers))
        here = Heard(nodes, ends, edges.node)
        flags = torch.stack([held[installed], target[installed]], 1).to(graph.nodes.dtype)
        told = [graph.supports(np.asarray(installed))]
        if graph.imagined is not None:
            told.append(graph.imagined(np.asarray(installed), np.asarray(held)))
        there = [torch.from_numpy(one)[installed] for one in told]
        hidden = self.enter(torch.cat([graph.nodes.index_select(0, nodes.node), flags, *there], 1))
        for layer in self.layers:
            hidden = layer(graph, here, hidden)
        value = self.judge(torch.cat([nodes.mean(hidden), nodes.most(hidden)], 1))
        return nodes.spread(self.act(hidden)), torch.tanh(value).squeeze(1)


class ForeseeingNet(CompactNet):
    """A compact net that is told what would move without a part that is held: of a few rounds, and no oracle."""

    def __init__(self, layers: int = 4, width: int = 48) -> None:
        super().__init__(layers, width, len(IMAGINED_FEATURES))

    @staticmethod
    def prepared(assembly: Assembly, joints: Interfaces) -> CompactInput:
        return CompactNet.read(contact_graph(assembly, joints), Imagined(assembly, joints))
