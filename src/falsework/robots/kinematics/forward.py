"""Where links and flange are for given joints, how they move with each joint, and how far a pose is missed."""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.exact import compiled, inner
from falsework.model.arrays import Array
from falsework.robots.kinematics.chain import Chain


@inner
def place(chain: Chain, q: Array, links: Array) -> None:
    """Fill `links` (n + 2, 3, 4): the base, the link behind every joint, and the flange, in the frame of the base."""
    n = len(chain.frames)
    for i in range(3):
        for j in range(4):
            links[0, i, j] = chain.base[i, j]
    for k in range(n):
        _join(links[k], chain.frames[k], links[k + 1])
        if chain.sliding[k]:
            for i in range(3):
                links[k + 1, i, 3] += q[k] * links[k + 1, i, 2]
        else:
            c, s = math.cos(q[k]), math.sin(q[k])
            for i in range(3):
                x, y = links[k + 1, i, 0], links[k + 1, i, 1]
                links[k + 1, i, 0] = c * x + s * y
                links[k + 1, i, 1] = c * y - s * x
    _join(links[n], chain.flange, links[n + 1])


@inner
def _join(first: Array, second: Array, out: Array) -> None:
    """out = first · second, of poses (3, 4)."""
    for i in range(3):
        a, b, c = first[i, 0], first[i, 1], first[i, 2]
        for j in range(4):
            out[i, j] = a * second[0, j] + b * second[1, j] + c * second[2, j]
        out[i, 3] += first[i, 3]


@inner
def rates(chain: Chain, links: Array, jacobian: Array) -> None:
    """Fill `jacobian` (6, n): how the flange moves with each joint, its origin above, its turning below."""
    n = len(chain.frames)
    x, y, z = links[n + 1, 0, 3], links[n + 1, 1, 3], links[n + 1, 2, 3]
    for k in range(n):
        a, b, c = links[k + 1, 0, 2], links[k + 1, 1, 2], links[k + 1, 2, 2]
        if chain.sliding[k]:
            jacobian[0, k], jacobian[1, k], jacobian[2, k] = a, b, c
            jacobian[3, k] = jacobian[4, k] = jacobian[5, k] = 0.0
        else:
            u, v, w = x - links[k + 1, 0, 3], y - links[k + 1, 1, 3], z - links[k + 1, 2, 3]
            jacobian[0, k], jacobian[1, k], jacobian[2, k] = b * w - c * v, c * u - a * w, a * v - b * u
            jacobian[3, k], jacobian[4, k], jacobian[5, k] = a, b, c


@inner
def miss(found: Array, wanted: Array, error: Array) -> float:
    """Fill `error` (6,): the way and the turn from a pose (3, 4) to the one that is wanted; its length, m and rad."""
    for i in range(3):
        error[i] = wanted[i, 3] - found[i, 3]
    trace = 0.0
    x = y = z = 0.0
    for j in range(3):  # the skew part of wanted · foundᵀ
        trace += wanted[0, j] * found[0, j] + wanted[1, j] * found[1, j] + wanted[2, j] * found[2, j]
        x += wanted[2, j] * found[1, j] - wanted[1, j] * found[2, j]
        y += wanted[0, j] * found[2, j] - wanted[2, j] * found[0, j]
        z += wanted[1, j] * found[0, j] - wanted[0, j] * found[1, j]
    sine, cosine = 0.5 * math.sqrt(x * x + y * y + z * z), 0.5 * (trace - 1.0)
    if sine > 1e-9:
        scale = 0.5 * math.atan2(sine, cosine) / sine
    elif cosine > 0.0:
        scale = 0.5
    else:  # half a turn: any axis is as good, another start is better
        scale, x = 1.0, math.pi
    error[3], error[4], error[5] = scale * x, scale * y, scale * z
    total = 0.0
    for i in range(6):
        total += error[i] * error[i]
    return math.sqrt(total)


@compiled
def links_of(chain: Chain, positions: Array) -> Array:
    """(m, n + 2, 3, 4) base, links and flange for positions (m, n), in the base's frame."""
    found = np.empty((len(positions), len(chain.frames) + 2, 3, 4))
    for k in range(len(positions)):
        place(chain, positions[k], found[k])
    return found


@compiled
def jacobians_of(chain: Chain, positions: Array) -> Array:
    """(m, 6, n) for positions (m, n): rows v, then ω, in the base's axes, of the flange's origin."""
    n = len(chain.frames)
    links = np.empty((n + 2, 3, 4))
    found = np.empty((len(positions), 6, n))
    for k in range(len(positions)):
        place(chain, positions[k], links)
        rates(chain, links, found[k])
    return found
