"""Attention along lists of edges, forward and backward, in machine code: one pass over the edges each.

Library calls would write every intermediate, an edge wide, to memory and read it again; here an edge's numbers stay in
the nearest cache. Sums run in the order of the edges, so the same call gives the same bits.
"""

# Kernels are typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from falsework.kernels.compiled import compiled, inner


@compiled
def attend(sent, received, values, senders, receivers, slope, weights, out):
    """GAT: `out` of a receiver is the mean of values, weighted by the softmax of leaky(sent + received)."""
    for e in range(len(senders)):
        score = sent[senders[e]] + received[receivers[e]]
        weights[e] = score if score > 0 else slope * score
    _softmax(weights, receivers, len(out))
    for e in range(len(senders)):
        into, value = out[receivers[e]], values[senders[e]]
        for c in range(len(into)):
            into[c] += weights[e] * value[c]


@compiled
def attend_back(sent, received, values, senders, receivers, slope, weights, out, grad, d_sent, d_received, d_values):
    """What the gradient of `out` is to the three that go in."""
    for e in range(len(senders)):
        s, r = senders[e], receivers[e]
        value, heard, came, goes, weight = values[s], out[r], grad[r], d_values[s], weights[e]
        along = np.float32(0.0)
        for c in range(len(came)):
            along += came[c] * (value[c] - heard[c])
            goes[c] += weight * came[c]
        score = weight * along
        if sent[s] + received[r] <= 0:
            score *= slope
        d_sent[s] += score
        d_received[r] += score


@compiled
def hear(sent, received, known, which, senders, receivers, attention, slope, messages, weights, out):
    """GATv2 with features on edges: messages leaky(sent + received + known), weighted by the softmax of their scores.

    `which` of the rows of `known` belongs to an edge.
    """
    for e in range(len(senders)):
        a, b, c, message = sent[senders[e]], received[receivers[e]], known[which[e]], messages[e]
        score = np.float32(0.0)
        for k in range(len(message)):
            plain = a[k] + b[k] + c[k]
            message[k] = plain if plain > 0 else slope * plain
            score += attention[k] * message[k]
        weights[e] = score
    _softmax(weights, receivers, len(out))
    for e in range(len(senders)):
        into, message = out[receivers[e]], messages[e]
        for k in range(len(into)):
            into[k] += weights[e] * message[k]


@compiled
def hear_back(
    which, senders, receivers, attention, slope, messages, weights, out, grad, d_sent, d_received, d_known, d_attention
):
    """What the gradient of `out` is to what was sent, received, known, and to the attention."""
    for e in range(len(senders)):
        message, heard, came, weight = messages[e], out[receivers[e]], grad[receivers[e]], weights[e]
        along = np.float32(0.0)
        for k in range(len(came)):
            along += came[k] * (message[k] - heard[k])
        score = weight * along
        a, b, c = d_sent[senders[e]], d_received[receivers[e]], d_known[which[e]]
        for k in range(len(came)):
            d_attention[k] += score * message[k]
            step = weight * came[k] + score * attention[k]
            step = step if message[k] > 0 else slope * step
            a[k] += step
            b[k] += step
            c[k] += step


@compiled
def add_rows(rows, to, out):
    """Add each row to the one that it belongs to."""
    for n in range(len(to)):
        into, row = out[to[n]], rows[n]
        for c in range(len(row)):
            into[c] += row[c]


@inner
def _softmax(scores, receivers, count):
    """In place, over the edges of each receiver."""
    highest, total = np.full(count, np.float32(-np.inf)), np.zeros(count, np.float32)
    for e in range(len(receivers)):
        highest[receivers[e]] = max(highest[receivers[e]], scores[e])
    for e in range(len(receivers)):
        scores[e] = np.exp(scores[e] - highest[receivers[e]])
        total[receivers[e]] += scores[e]
    for e in range(len(receivers)):
        scores[e] /= total[receivers[e]]
