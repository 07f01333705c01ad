"""The multilayer perceptron that seed 002 compares with (7.2): three hidden layers of 64, tanh, policy and value apart.

It knows parts by their numbers only, so it is of one assembly and of no other.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces


class FlatInput(NamedTuple):
    """An assembly, to a net that knows nothing of it."""

    bodies: int


class PerceptronNet(nn.Module):
    """Two logits a body, hold and remove, and the value of the state."""

    def __init__(self, bodies: int, layers: int = 3, width: int = 64) -> None:
        super().__init__()
        self.bodies = bodies
        self.act = _perceptron(3 * bodies, 2 * bodies, layers, width)
        self.judge = _perceptron(3 * bodies, 1, layers, width)

    def prepared(self, assembly: Assembly, joints: Interfaces) -> FlatInput:
        del joints
        if len(assembly.bodies) != self.bodies:
            found = f"{len(assembly.bodies)} bodies, and this perceptron was made for {self.bodies}"
            raise BadInput(f"{found}; a perceptron is of one assembly: train another, or use a net on graphs")
        return FlatInput(self.bodies)

    def forward(self, graph: FlatInput, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        seen = torch.cat([installed, held, target], 1).to(torch.float32)
        return self.act(seen).reshape(len(seen), graph.bodies, 2), torch.tanh(self.judge(seen)).squeeze(1)


def _perceptron(takes: int, gives: int, layers: int, width: int) -> nn.Sequential:
    sizes = [takes, *[width] * layers]
    hidden = [block for n in range(layers) for block in (nn.Linear(sizes[n], sizes[n + 1]), nn.Tanh())]
    return nn.Sequential(*hidden, nn.Linear(sizes[-1], gives))
