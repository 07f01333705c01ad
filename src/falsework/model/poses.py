"""Rotations and poses, the one home of their arithmetic: quaternions are w, x, y, z, twists v, ω."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from falsework.model.arrays import Array

TURNS = 1e-9  # radians: less is no turn
ORTHONORMAL = 1e-6  # how far R·Rᵀ of a rotation may be from the identity
LAST_ROW = [0.0, 0.0, 0.0, 1.0]


def to_rotation(quaternions: Array) -> Array:
    """(…, 3, 3) rotations of quaternions (…, 4) of any length."""
    w, x, y, z = np.moveaxis(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def is_rigid(T: Array) -> bool:
    """Whether a 4x4 matrix is a rotation and a translation; in plain floats, which for one pose are quicker."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = T.tolist()
    lengths = (a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i)
    products = (a * d + b * e + c * f, d * g + e * h + f * i, g * a + h * b + i * c)
    turned = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    errors = (*(length - 1.0 for length in lengths), *products, turned - 1.0)
    turns = all(abs(error) <= ORTHONORMAL for error in errors)  # NaN fails every comparison
    return turns and all(map(math.isfinite, (x, y, z))) and last == LAST_ROW


def inverse(T: Array) -> Array:
    """(…, 4, 4) the poses back."""
    turned = np.swapaxes(T[..., :3, :3], -1, -2)
    back = np.zeros_like(T)
    back[..., :3, :3] = turned
    back[..., :3, 3] = -np.einsum("...ij,...j->...i", turned, T[..., :3, 3])
    back[..., 3, 3] = 1.0
    return back


def to_quaternion(rotation: Array) -> Array:
    """(…, 4) unit quaternions w, x, y, z of rotations (…, 3, 3), by their largest component, w never negative."""
    m = np.moveaxis(rotation, (-2, -1), (0, 1))
    doubled = np.array(  # 4 q qᵀ
        [
            [1 + m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2]],
        ]
    )
    largest = np.argmax(np.einsum("ii...->i...", doubled), axis=0)
    rows = np.take_along_axis(doubled, largest[None, None], axis=0)[0]
    quaternions: Array = np.moveaxis(rows / np.linalg.norm(rows, axis=0), 0, -1)
    return np.where(quaternions[..., :1] < 0, -quaternions, quaternions)


def about(axis: int, degrees: float) -> Array:
    """(3, 3) rotation about a coordinate axis (0, 1, 2); multiples of 90 degrees without rounding."""
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0:
        cosine, sine = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    else:
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[first, first] = rotation[second, second] = cosine
    rotation[first, second], rotation[second, first] = -sine, sine
    return rotation


def fixed_axes_rotation(angles: list[float]) -> Array:
    """Rotation by three angles in radians about the fixed axes x, y, z, in that order."""
    (cx, sx), (cy, sy), (cz, sz) = ((math.cos(angle), math.sin(angle)) for angle in angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    rotation: Array = about_z @ about_y @ about_x
    return rotation


def logarithm(T: Array) -> Array:
    """(6,) the twist v, ω whose unit screw is the pose T."""
    turn = T[:3, :3]
    cosine = min(1.0, max(-1.0, 0.5 * (float(np.trace(turn)) - 1.0)))
    angle = math.acos(cosine)
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    if angle < TURNS:
        return np.concatenate([T[:3, 3], np.zeros(3)])
    if math.pi - angle < 1e-6:  # the skew part vanishes: the axis is where (R + 1)/2 has its largest column
        square = 0.5 * (turn + np.eye(3))
        column = int(np.argmax(np.diag(square)))
        axis = square[:, column] / np.linalg.norm(square[:, column])
        axis = axis if float(axis @ skew) >= 0 else -axis
    else:
        axis = skew / (2.0 * math.sin(angle))
    K = _skew(axis)
    factor = 1.0 - 0.5 * angle / math.tan(0.5 * angle)
    inverse = np.eye(3) - 0.5 * angle * K + factor * (K @ K)
    return np.concatenate([inverse @ T[:3, 3], angle * axis])


def exponential(twist: Array) -> Array:
    """(4, 4) the pose after a twist v, ω."""
    pose = np.eye(4)
    angle = float(np.linalg.norm(twist[3:]))
    if angle < TURNS:
        pose[:3, 3] = twist[:3]
        return pose
    K = _skew(twist[3:] / angle)
    pose[:3, :3] = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)
    sweep = np.eye(3) + (1 - math.cos(angle)) / angle * K + (1 - math.sin(angle) / angle) * (K @ K)
    pose[:3, 3] = sweep @ twist[:3]
    return pose


def _skew(v: Sequence[float] | Array) -> Array:
    x, y, z = (float(one) for one in v)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
