"""Nets by their shape, and to and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from falsework.learning.nets.compact import CompactNet, ForeseeingNet
from falsework.learning.nets.perceptron import PerceptronNet
from falsework.learning.nets.policy_file import PolicyFile, Shape, Weights, fits
from falsework.learning.nets.published import PublishedNet
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces


class PolicyNet(Protocol):
    """What all kinds of nets have in common."""

    def prepared(self, assembly: Assembly, joints: Interfaces) -> Any:
        """The graph of an assembly, as this net reads it."""
        ...

    def __call__(self, graph: Any, installed: Tensor, held: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """(states, bodies, 2) logits to hold and to remove, and (states,) values; flags are (states, bodies)."""
        ...


def make_net(shape: Shape, seed: int = 0) -> nn.Module:
    """A net with new weights, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if shape.kind == "compact":
            return CompactNet(shape.layers, shape.width)
        if shape.kind == "foreseeing":
            return ForeseeingNet(shape.layers, shape.width)
        if shape.kind == "published":
            return PublishedNet(shape.layers, shape.width)
        return PerceptronNet(shape.bodies, shape.layers, shape.width)


def weights_of(net: nn.Module) -> Weights:
    return {name: values.detach().numpy().copy() for name, values in net.state_dict().items()}


def net_of(policy: PolicyFile, path: str | Path = "policy") -> nn.Module:
    """The net of a file, ready to be asked; `BadFile` if its weights do not fit its shape."""
    net = make_net(policy.shape)
    fits(policy, {name: tuple(values.shape) for name, values in net.state_dict().items()}, path)
    net.load_state_dict({name: torch.from_numpy(values.copy()) for name, values in policy.weights.items()})
    return net.eval()
