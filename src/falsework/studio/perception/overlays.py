"""Pictures of frames: bricks outlined where they were found, refused or missed; depth and labels in colours.

Found bricks are outlined in green, what was refused in orange with its rivals dashed, what is missing or wrong in red.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Bits
from falsework.model.catalogue import BrickType
from falsework.model.extras import library
from falsework.model.perception.findings import Brick, Refused
from falsework.model.perception.frames import Frame
from falsework.model.poses import inverse

FOUND, REFUSED, MISSING = (70, 230, 110), (255, 165, 40), (255, 70, 70)
HOLE = (20, 20, 20)
DEPTHS = np.array([(253, 231, 60), (94, 201, 98), (33, 145, 140), (59, 82, 139), (68, 1, 84)], dtype=float)  # near, far
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))  # −x, +x, −y, +y, −z, +z


def overlay(
    frame: Frame,
    found: Iterable[Brick] = (),
    refused: Iterable[Refused] = (),
    missing: Iterable[tuple[str, Brick]] = (),
    T_base_cam: Array | None = None,
) -> Bits:
    """(h, w, 3) the frame with what was made of it drawn in.

    `missing`: what is wrong, in a word or two, and the brick that should be there. `T_base_cam`: where the camera is by
    what it sees, if that is known better than the frame knows it.

    >>> from falsework.model.catalogue import brick_type
    >>> K = [[447, 0, 159.5], [0, 447, 119.5], [0, 0, 1]]
    >>> above = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0.5], [0, 0, 0, 1]]
    >>> frame = Frame(np.zeros((240, 320, 3), np.uint8), np.full((240, 320), 0.5), K, above)
    >>> overlay(frame, [Brick(brick_type("duplo:brick_2x2"), "red", np.eye(4))]).any()
    np.True_
    """
    image = library("PIL.Image").fromarray(np.array(frame.rgb))
    pen = _Pen(image, frame.K, frame.T_base_cam if T_base_cam is None else T_base_cam)
    for one in refused:
        for rival in one.rivals:
            for brick in rival:
                pen.outline(brick.kind, brick.T_base_brick, REFUSED, 1)
        pen.mark(one.where_m, "?", REFUSED)
    for brick in found:
        pen.outline(brick.kind, brick.T_base_brick, FOUND, 2)
        pen.write(brick.middle_m, _short(brick.kind), FOUND)
    for why, brick in missing:
        pen.outline(brick.kind, brick.T_base_brick, MISSING, 2)
        pen.write(brick.middle_m, why, MISSING)
    return np.asarray(image)


def depth_picture(depth_m: Array) -> Bits:
    """(h, w, 3) near yellow, far violet, holes black; the scale spans what is there.

    >>> depth_picture(np.array([[0.0, 0.5, 0.6]]))[0, 0].tolist()
    [20, 20, 20]
    """
    known = depth_m > 0
    if not known.any():
        return np.broadcast_to(np.array(HOLE, np.uint8), (*depth_m.shape, 3)).copy()
    near, far = np.quantile(depth_m[known], [0.005, 0.995])
    at = np.clip((depth_m - near) / max(far - near, 1e-6), 0, 1) * (len(DEPTHS) - 1)
    low = np.minimum(at.astype(int), len(DEPTHS) - 2)
    share = (at - low)[..., None]
    colours = (1 - share) * DEPTHS[low] + share * DEPTHS[low + 1]
    return np.where(known[..., None], np.rint(colours), HOLE).astype(np.uint8)


def label_picture(labels: npt.NDArray[np.int32]) -> Bits:
    """(h, w, 3) a colour for every label; negative ones are shades of grey.

    >>> label_picture(np.array([[-1, 0, 1]], np.int32)).shape
    (1, 3, 3)
    """
    least = min(0, int(labels.min()))
    count = int(labels.max()) + 1 - least
    table = np.empty((count, 3))
    for number in range(count):
        label = number + least
        if label < 0:
            table[number] = 40 + 50 * (-label % 4)
        else:  # colours a golden section apart, so that neighbours differ
            hue = 6 * ((0.61803398875 * label + 0.05) % 1)
            table[number] = 60 + 180 * np.clip(np.abs((hue + np.array([0, 4, 2])) % 6 - 3) - 1, 0, 1)
    return np.rint(table[labels - least]).astype(np.uint8)


def _short(kind: BrickType) -> str:
    return f"{kind.length}x{kind.width}"


class _Pen:
    """Draws what is known in the base's frame where a camera sees it."""

    def __init__(self, image: Any, K: Array, T_base_cam: Array) -> None:
        self._draw = library("PIL.ImageDraw").Draw(image)
        self._K, self._T_cam_base = K, inverse(T_base_cam)

    def _at(self, points_m: Array) -> Array | None:
        """(n, 2) pixels; None where one of the points is not in front of the camera."""
        local = points_m @ self._T_cam_base[:3, :3].T + self._T_cam_base[:3, 3]
        if (local[:, 2] < 0.01).any():
            return None
        seen = local @ self._K.T
        pixels: Array = seen[:, :2] / seen[:, 2:]
        return pixels

    def outline(self, kind: BrickType, T_base_brick: Array, colour: tuple[int, int, int], width: int) -> None:
        """The edges of a brick's body on the sides that face the camera."""
        unit = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
        corners = (unit * np.array(kind.size_m)) @ T_base_brick[:3, :3].T + T_base_brick[:3, 3]
        pixels = self._at(corners)
        if pixels is None:
            return
        for face in _FACES:
            ring = pixels[list(face)]
            turned = _doubled_area(ring)
            if turned < 0:  # rows count downward: seen from outside, corners go the other way round
                self._draw.line([tuple(one) for one in (*ring, ring[0])], fill=colour, width=width)

    def write(self, at_m: Array, text: str, colour: tuple[int, int, int]) -> None:
        """A word in the middle of something."""
        pixels = self._at(at_m[None])
        if pixels is not None:
            self._draw.text(tuple(pixels[0]), text, fill=colour, anchor="mm", stroke_width=2, stroke_fill=(0, 0, 0))

    def mark(self, at_m: Array, text: str, colour: tuple[int, int, int]) -> None:
        """A ring with a sign in it."""
        pixels = self._at(at_m[None])
        if pixels is not None:
            u, v = pixels[0]
            self._draw.ellipse((u - 9, v - 9, u + 9, v + 9), outline=colour, width=2)
            self.write(at_m, text, colour)


def _doubled_area(ring: Sequence[Array] | Array) -> float:
    x, y = np.asarray(ring).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
