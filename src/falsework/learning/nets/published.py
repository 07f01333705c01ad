"""The net of seed 002 (5.4): eight layers of graph attention, 16 wide, on the force-torque graph.

Attention is that of the first GAT paper, one head, summed over thirteen kinds of edges:

    to torque nodes  from their part, their force node, their twin, themselves
    to force nodes   from the first part, the second, their torque nodes, themselves
    to part nodes    from force nodes as first part, as second, from torque nodes, from all parts, themselves

Of most kinds a node has one neighbour, whose weight is one whatever its score: there attention is a linear map. The
paper shares the architecture between policy and value; its code shares the encoder, which is what is done here.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from falsework.learning.graphs.force_torque import force_torque_graph
from falsework.learning.nets.attention import Edges, attended, taken
from falsework.learning.nets.present import Rows
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

HALF = 8  # features of a mass, and of what a part is: held, to stay


class PublishedInput(NamedTuple):
    """The force-torque graph of one assembly as tensors."""

    masses: Tensor  # (bodies, 1)
    normals: Tensor
    arms: Tensor
    first: Tensor  # of force nodes, their parts
    second: Tensor
    of_force: Tensor  # of torque nodes, their force node, their part, and the other one of their two
    of_part: Tensor
    twin: Tensor


class Present(NamedTuple):
    """Which nodes are there in a batch, and which rows belong together."""

    parts: Rows
    forces: Rows
    torques: Rows
    first: Tensor  # (forces,) rows of parts
    second: Tensor
    of_force: Tensor  # (torques,) rows of forces, parts and torques
    of_part: Tensor
    twin: Tensor
    pairs: Edges  # of parts

    @staticmethod
    def of(graph: PublishedInput, installed: Tensor) -> Present:
        there = installed.index_select(1, graph.first) & installed.index_select(1, graph.second)
        parts, forces, torques = Rows.of(installed), Rows.of(there), Rows.of(there.index_select(1, graph.of_force))
        return Present(
            parts,
            forces,
            torques,
            parts.rows_of(forces, graph.first),
            parts.rows_of(forces, graph.second),
            forces.rows_of(torques, graph.of_force),
            parts.rows_of(torques, graph.of_part),
            torques.rows_of(torques, graph.twin),
            parts.pairs(),
        )


class Attention(nn.Module):
    """Scores of the seed's kind: of what is sent, and of who receives it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sent, self.received = nn.Linear(width, 1, bias=False), nn.Linear(width, 1, bias=False)

    def among(self, edges: Edges, sent: Tensor, receivers: Tensor) -> Tensor:
        """Over the neighbours along edges."""
        return attended(self.sent(sent).squeeze(1), self.received(receivers).squeeze(1), sent, edges)

    def sends(self, receivers_of: Tensor, sent: Tensor, receivers: Tensor) -> Tensor:
        """Where each sender sends to one receiver."""
        return self.among(Edges(torch.arange(len(receivers_of)), receivers_of), sent, receivers)


class PublishedLayer(nn.Module):
    """Thirteen kinds of edges, their messages summed; maps out of one kind of nodes are one product."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.from_parts = nn.Linear(width, 5 * width, bias=False)
        self.from_forces = nn.Linear(width, 4 * width, bias=False)
        self.from_torques = nn.Linear(width, 4 * width, bias=False)
        self.torque_to_force, self.torque_to_part = Attention(width), Attention(width)
        self.force_to_first, self.force_to_second = Attention(width), Attention(width)
        self.part_to_part = Attention(width)
        self.bias = nn.Parameter(torch.zeros(3, width))
        for mapped in (self.from_parts, self.from_forces, self.from_torques):
            for block in torch.split(mapped.weight, width):
                nn.init.xavier_uniform_(block)

    def forward(self, there: Present, parts: Tensor, forces: Tensor, torques: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        p_torque, p_first, p_second, p_part, p_self = self.from_parts(parts).chunk(5, 1)
        f_torque, f_first, f_second, f_self = self.from_forces(forces).chunk(4, 1)
        t_twin, t_force, t_part, t_self = self.from_torques(torques).chunk(4, 1)
        new_torques = (
            taken(p_torque, there.of_part) + taken(f_torque, there.of_force) + taken(t_twin, there.twin) + t_self
        )
        new_forces = (
            taken(p_first, there.first)
            + taken(p_second, there.second)
            + self.torque_to_force.sends(there.of_force, t_force, forces)
            + f_self
        )
        new_parts = (
            self.force_to_first.sends(there.first, f_first, parts)
            + self.force_to_second.sends(there.second, f_second, parts)
            + self.torque_to_part.sends(there.of_part, t_part, parts)
            + self.part_to_part.among(there.pairs, p_part, parts)
            + p_self
        )
        return new_parts + self.bias[0], new_forces + self.bias[1], new_torques + self.bias[2]


class PublishedNet(nn.Module):
    """Two logits a body, hold and remove, and the value of the state."""

    def __init__(self, layers: int = 8, width: int = 16) -> None:
        super().__init__()
        self.mass, self.status = nn.Linear(1, HALF), nn.Embedding(4, HALF)
        self.part_in, self.normal_in, self.arm_in = nn.Linear(2 * HALF, width), nn.Linear(3, width), nn.Linear(3, width)
        self.layers = nn.ModuleList(PublishedLayer(width) for _ in range(layers))
        self.last = PublishedLayer(width)
        self.norm, self.act = nn.LayerNorm(width), nn.Linear(width, 2)
        self.judge = nn.Sequential(
            nn.Linear(9 * width, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)
        )

    @staticmethod
    def prepared(assembly: Assembly, joints: Interfaces) -> PublishedInput:
        graph = force_torque_graph(assembly, joints)
        return PublishedInput(
            torch.tensor(graph.masses, dtype=torch.float32).unsqueeze(1),
            torch.tensor(graph.normals, dtype=torch.float32),
            torch.tensor(graph.arms, dtype=torch.float32),
            torch.tensor(graph.force_bodies[:, 0]),
            torch.tensor(graph.force_bodies[:, 1]),
            torch.tensor(graph.torque_force),
            torch.tensor(graph.torque_body),
            torch.tensor(graph.torque_twin),
        )

    def forward(self, graph: PublishedInput, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        there = Present.of(graph, installed)
        status = self.status(held[installed].long() + 2 * target[installed].long())
        parts = self.part_in(torch.cat([self.mass(graph.masses).index_select(0, there.parts.node), status], 1))
        nodes = (
            torch.relu(parts),
            taken(torch.relu(self.normal_in(graph.normals)), there.forces.node),
            taken(torch.relu(self.arm_in(graph.arms)), there.torques.node),
        )
        for layer in self.layers:
            messages = layer(there, *nodes)
            nodes = (functional.elu(messages[0]), functional.elu(messages[1]), functional.elu(messages[2]))
        pooled = [
            pool
            for values, here in zip(nodes, (there.parts, there.forces, there.torques), strict=True)
            for pool in (here.most(values), -here.most(-values), here.mean(values))
        ]
        logits = there.parts.spread(self.act(self.norm(self.last(there, *nodes)[0])))
        return logits, torch.tanh(self.judge(torch.cat(pooled, 1))).squeeze(1)
