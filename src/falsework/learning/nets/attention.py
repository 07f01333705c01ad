"""Attention and gathered rows as torch differentiates them; the loops are in `attention_kernels`."""

# Kernels and torch's functions are not typed.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

from falsework.learning.nets.attention_kernels import add_rows, attend, attend_back, hear, hear_back

SLOPE = np.float32(0.2)  # of the leaky rectifiers


class Edges(NamedTuple):
    """(e,) rows of who sends and of who receives."""

    senders: Tensor
    receivers: Tensor


class _Taken(Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, rows: Tensor) -> Tensor:
        ctx.rows, ctx.count = rows, len(values)
        return values.index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        back = grad.new_zeros(ctx.count, grad.shape[1])
        add_rows(_array(grad), ctx.rows.numpy(), back.numpy())
        return back, None


class _Attended(Function):
    @staticmethod
    def forward(ctx: Any, sent: Tensor, received: Tensor, values: Tensor, edges: Edges) -> Tensor:
        weights, out = values.new_empty(len(edges.senders)), values.new_zeros(len(received), values.shape[1])
        given: Any = [_array(one) for one in (sent, received, values, *edges)]
        _called(attend, *given, SLOPE, weights.numpy(), out.numpy())
        ctx.kept = (given, weights, out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        given, weights, out = ctx.kept
        back: Any = [torch.zeros(one.shape) for one in given[:3]]
        into: Any = [one.numpy() for one in back]
        _called(attend_back, *given, SLOPE, weights.numpy(), _array(out), _array(grad), *into)
        return *back, None


class _Heard(Function):
    @staticmethod
    def forward(
        ctx: Any, sent: Tensor, received: Tensor, known: Tensor, attention: Tensor, which: Tensor, edges: Edges
    ) -> Tensor:
        width = sent.shape[1]
        messages, weights = sent.new_empty(len(which), width), sent.new_empty(len(which))
        out = sent.new_zeros(len(received), width)
        lists: Any = [one.numpy() for one in (which, *edges)]
        arrays: Any = [_array(one) for one in (sent, received, known)]
        _called(hear, *arrays, *lists, _array(attention), SLOPE, messages.numpy(), weights.numpy(), out.numpy())
        ctx.kept = (lists, _array(attention), messages, weights, out, [one.shape for one in arrays])
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        lists, attention, messages, weights, out, shapes = ctx.kept
        back: Any = [torch.zeros(shape) for shape in (*shapes, attention.shape)]
        into: Any = [one.numpy() for one in back]
        _called(
            hear_back, *lists, attention, SLOPE, messages.numpy(), weights.numpy(), _array(out), _array(grad), *into
        )
        return *back, None, None


def taken(values: Tensor, rows: Tensor) -> Tensor:
    """(n, width): the rows of `values` with these numbers."""
    found: Tensor = _Taken.apply(values, rows)
    return found


def attended(sent: Tensor, received: Tensor, values: Tensor, edges: Edges) -> Tensor:
    """(receivers, width): values of the senders, weighted by the softmax of leaky(sent + received); GAT.

    `sent` (senders,) and `received` (receivers,) are scores. Receivers to which nobody sends get zeros.
    """
    found: Tensor = _Attended.apply(sent, received, values, edges)
    return found


def heard(sent: Tensor, received: Tensor, known: Tensor, attention: Tensor, which: Tensor, edges: Edges) -> Tensor:
    """(receivers, width): messages m = leaky(sent + received + known), weighted by the softmax of attention · m; GATv2.

    `known` (k, width) is what edges know, `which` (e,) the row of each. Receivers to which nobody sends get zeros.
    """
    found: Tensor = _Heard.apply(sent, received, known, attention, which, edges)
    return found


def _called(kernel: Callable[..., Any], *given: Any) -> None:
    kernel(*given)


def _array(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()
