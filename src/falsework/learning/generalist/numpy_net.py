"""Nets on the graph of contacts without torch: a few lines of numpy that evaluate them for many states at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from falsework.learning.graphs.contact_graph import EDGE_FEATURES, NODE_FEATURES, ContactGraph
from falsework.learning.graphs.imagining import Imagined
from falsework.learning.graphs.supports import SUPPORT_FEATURES, Supports
from falsework.model.arrays import Bools

Floats = npt.NDArray[np.float32]
SLOPE, EPSILON, ABSENT = np.float32(0.2), np.float32(1e-5), np.float32(-1e30)


def weight_shapes(layers: int, width: int, more: int = 0) -> dict[str, tuple[int, ...]]:
    """The shapes of all weights of a net of this size, by name; `more` features of nodes than the compact net has."""
    seen, contact = len(NODE_FEATURES) + 2 + len(SUPPORT_FEATURES) + more, len(EDGE_FEATURES)
    maps = {"enter": (width, seen), "act.0": (width, width), "act.2": (2, width)}
    maps |= {"judge.0": (width, 2 * width), "judge.2": (1, width)}
    plain: dict[str, tuple[int, ...]] = {}
    for n in range(layers):
        name = f"layers.{n}"
        maps |= {f"{name}.{one}": (width, width) for one in ("received", "out")}
        maps |= {f"{name}.widen": (2 * width, width), f"{name}.narrow": (width, 2 * width)}
        plain |= {f"{name}.{one}.weight": (width, width) for one in ("sent", "whole")}
        plain |= {f"{name}.edge.weight": (width, contact), f"{name}.score.weight": (1, width)}
        plain |= {
            f"{name}.{norm}.{one}": (width,) for norm in ("first_norm", "second_norm") for one in ("weight", "bias")
        }
    biased = {f"{name}.weight": shape for name, shape in maps.items()}
    return {**plain, **biased, **{f"{name}.bias": shape[:1] for name, shape in maps.items()}}


class NumpyNet:
    """The net of one policy on the graph of one assembly."""

    def __init__(self, weights: Mapping[str, Floats], graph: ContactGraph, imagined: Imagined | None = None) -> None:
        self._weights, self._imagined = weights, imagined
        self._layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
        self._senders, self._receivers = graph.edges
        self._heard, self._starts = np.unique(self._receivers, return_index=True)
        self._nodes, self._supports = graph.nodes.astype(np.float32), Supports(graph)
        features = graph.features.astype(np.float32)
        self._edges = [features @ weights[f"layers.{n}.edge.weight"].T for n in range(self._layers)]

    def __call__(self, installed: Bools, held: Bools, target: Bools) -> tuple[Floats, Floats]:
        """(states, bodies, 2) logits of holding and removing, (states,) worth; all three flags are (states, bodies)."""
        still = np.broadcast_to(self._nodes, (len(installed), *self._nodes.shape))
        flags = np.stack([held, target], axis=2).astype(np.float32)
        told = [still, flags, self._supports(installed)]
        if self._imagined is not None:
            told.append(self._imagined(installed, held))
        hidden = self._linear("enter", np.concatenate(told, axis=2))
        both = installed[:, self._senders] & installed[:, self._receivers]
        for number in range(self._layers):
            hidden = self._layer(number, installed, both, hidden)
        logits = self._linear("act.2", np.maximum(self._linear("act.0", hidden), 0))
        most = np.where(installed[:, :, None], hidden, ABSENT).max(axis=1)
        pooled = np.concatenate(
            [_mean(hidden, installed), np.where(installed.any(axis=1, keepdims=True), most, 0)], axis=1
        )
        worth = np.tanh(self._linear("judge.2", np.maximum(self._linear("judge.0", pooled), 0)))[:, 0]
        return logits, worth

    def _layer(self, number: int, there: Bools, both: Bools, hidden: Floats) -> Floats:
        name = f"layers.{number}"
        sent, received = self._linear(f"{name}.sent", hidden), self._linear(f"{name}.received", hidden)
        message = sent[:, self._senders] + received[:, self._receivers] + self._edges[number]
        message = np.where(message > 0, message, SLOPE * message)
        heard = self._attended(self._linear(f"{name}.score", message)[:, :, 0], both, message, hidden)
        whole = self._linear(f"{name}.whole", _mean(hidden, there))[:, None]
        hidden = self._norm(f"{name}.first_norm", hidden + self._linear(f"{name}.out", heard) + whole)
        wide = np.maximum(self._linear(f"{name}.widen", hidden), 0)
        return self._norm(f"{name}.second_norm", hidden + self._linear(f"{name}.narrow", wide))

    def _attended(self, scores: Floats, both: Bools, message: Floats, like: Floats) -> Floats:
        """Messages weighted by the softmax of their scores, summed where they are received."""
        heard = np.zeros_like(like)
        if not len(self._heard):
            return heard
        scores = np.where(both, scores, ABSENT)
        highest = np.zeros((len(scores), like.shape[1]), np.float32)
        highest[:, self._heard] = np.maximum.reduceat(scores, self._starts, axis=1)
        weights = np.exp(scores - highest[:, self._receivers]) * both
        total = np.add.reduceat(weights, self._starts, axis=1)
        summed = np.add.reduceat(weights[:, :, None] * message, self._starts, axis=1)
        heard[:, self._heard] = summed / np.maximum(total, np.float32(1e-12))[:, :, None]
        return heard

    def _linear(self, name: str, values: Floats) -> Floats:
        made: Floats = values @ self._weights[f"{name}.weight"].T
        if f"{name}.bias" in self._weights:
            made += self._weights[f"{name}.bias"]
        return made

    def _norm(self, name: str, values: Floats) -> Floats:
        off = values - values.mean(axis=2, keepdims=True)
        spread = np.sqrt((off * off).mean(axis=2, keepdims=True) + EPSILON)
        normed: Floats = off / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def _mean(values: Floats, there: Bools) -> Floats:
    weights = there.astype(np.float32)
    summed = np.einsum("snw,sn->sw", values, weights)
    mean: Floats = (summed / np.maximum(weights.sum(axis=1, keepdims=True), 1)).astype(np.float32)
    return mean
