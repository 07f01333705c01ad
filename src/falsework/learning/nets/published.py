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
from falsework.learning.nets.segments import ABSENT, Segments, pooled_max, pooled_mean
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces

SLOPE = 0.2
HALF = 8  # features of a mass, and of what a part is: held, to stay


class PublishedInput(NamedTuple):
    """The force-torque graph of one assembly as tensors."""

    masses: Tensor  # (bodies, 1)
    normals: Tensor
    arms: Tensor
    first: Segments  # force nodes, by their first part
    second: Segments
    of_force: Segments  # torque nodes, by force node
    of_part: Segments
    twin: Tensor


class Present(NamedTuple):
    """Which nodes are there, (states, nodes) each."""

    parts: Tensor
    forces: Tensor
    torques: Tensor


class Attention(nn.Module):
    """Scores of the seed's kind: of what is sent, and of who receives it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sent, self.received = nn.Linear(width, 1, bias=False), nn.Linear(width, 1, bias=False)

    def among(self, segments: Segments, there: Tensor, sent: Tensor, receivers: Tensor) -> Tensor:
        """Over the neighbours in segments."""
        listening = self.received(receivers).squeeze(2).index_select(1, segments.to)
        scores = functional.leaky_relu(self.sent(sent).squeeze(2) + listening, SLOPE)
        return segments.attended(scores, there, sent)

    def among_all(self, there: Tensor, sent: Tensor, receivers: Tensor) -> Tensor:
        """Over all nodes that are there."""
        scores = functional.leaky_relu(self.sent(sent).transpose(1, 2) + self.received(receivers), SLOPE)
        weights = torch.softmax(torch.where(there.unsqueeze(1), scores, ABSENT), dim=2)
        return torch.matmul(weights, sent)


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

    def forward(
        self, graph: PublishedInput, there: Present, parts: Tensor, forces: Tensor, torques: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        p_torque, p_first, p_second, p_part, p_self = self.from_parts(parts).chunk(5, 2)
        f_torque, f_first, f_second, f_self = self.from_forces(forces).chunk(4, 2)
        t_twin, t_force, t_part, t_self = self.from_torques(torques).chunk(4, 2)
        new_torques = (
            p_torque.index_select(1, graph.of_part.to)
            + f_torque.index_select(1, graph.of_force.to)
            + t_twin.index_select(1, graph.twin)
            + t_self
        )
        new_forces = (
            p_first.index_select(1, graph.first.to)
            + p_second.index_select(1, graph.second.to)
            + self.torque_to_force.among(graph.of_force, there.torques, t_force, forces)
            + f_self
        )
        new_parts = (
            self.force_to_first.among(graph.first, there.forces, f_first, parts)
            + self.force_to_second.among(graph.second, there.forces, f_second, parts)
            + self.torque_to_part.among(graph.of_part, there.torques, t_part, parts)
            + self.part_to_part.among_all(there.parts, p_part, parts)
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
        bodies, forces = len(graph.masses), len(graph.normals)
        return PublishedInput(
            torch.tensor(graph.masses, dtype=torch.float32).unsqueeze(1),
            torch.tensor(graph.normals, dtype=torch.float32),
            torch.tensor(graph.arms, dtype=torch.float32),
            Segments.of(graph.force_bodies[:, 0], bodies),
            Segments.of(graph.force_bodies[:, 1], bodies),
            Segments.of(graph.torque_force, forces),
            Segments.of(graph.torque_body, bodies),
            torch.tensor(graph.torque_twin),
        )

    def forward(self, graph: PublishedInput, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        states = len(installed)
        forces_there = installed.index_select(1, graph.first.to) & installed.index_select(1, graph.second.to)
        there = Present(installed, forces_there, forces_there.index_select(1, graph.of_force.to))
        status = self.status(held.long() + 2 * target.long())
        parts = self.part_in(torch.cat([self.mass(graph.masses).expand(states, -1, -1), status], 2))
        nodes = (
            torch.relu(parts),
            torch.relu(self.normal_in(graph.normals)).expand(states, -1, -1),
            torch.relu(self.arm_in(graph.arms)).expand(states, -1, -1),
        )
        for layer in self.layers:
            messages = layer(graph, there, *nodes)
            nodes = (functional.elu(messages[0]), functional.elu(messages[1]), functional.elu(messages[2]))
        pooled = [
            pool
            for values, here in zip(nodes, there, strict=True)
            for pool in (pooled_max(values, here), -pooled_max(-values, here), pooled_mean(values, here))
        ]
        logits = self.act(self.norm(self.last(graph, there, *nodes)[0]))
        return logits, torch.tanh(self.judge(torch.cat(pooled, 1))).squeeze(1)
