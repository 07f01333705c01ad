"""ChArUco boards: chess boards whose white squares carry markers, so that every corner has a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.model.arrays import Array, Bits, Ints, freeze, freeze_ints
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.extras import library
from falsework.model.travel import MadeAnew

FEWEST = 6  # corners of a picture that is of use
DICTIONARIES = ("4X4_50", "4X4_100", "4X4_250", "5X5_50", "5X5_100", "5X5_250", "6X6_50", "6X6_100", "6X6_250")


@dataclass(frozen=True, slots=True)
class Board:
    """A ChArUco board. Its frame: origin at the upper left corner, x right, y down, z into it.

    >>> Board((7, 5), 0.03, 0.022).corners
    24
    """

    squares: tuple[int, int]  # along x and y
    square_m: float
    marker_m: float
    dictionary: str = "5X5_100"

    def __post_init__(self) -> None:
        if not (len(self.squares) == 2 and all(3 <= one <= 40 for one in self.squares)):
            raise BadInput(f"board: found {self.squares} squares, expected 3 to 40 along each side")
        if not 0 < self.marker_m < self.square_m < 1:
            sizes = f"markers of {self.marker_m} m in squares of {self.square_m} m"
            raise BadInput(f"board: found {sizes}, expected markers smaller than squares, both below 1 m")
        if self.dictionary not in DICTIONARIES:
            raise BadInput(f"board: dictionary {shown(self.dictionary)}: {did_you_mean(self.dictionary, DICTIONARIES)}")

    @staticmethod
    def of(text: str) -> Board:
        """From `7x5:0.03:0.022` or `7x5:0.03:0.022:5X5_100`: squares, their side and the markers' in m, the dictionary.

        >>> Board.of("7x5:0.03:0.022") == Board((7, 5), 0.03, 0.022)
        True
        """
        words = text.split(":")
        try:
            x, y = (int(word) for word in words[0].split("x"))
            square, marker = (float(word) for word in words[1:3])
        except ValueError as why:
            raise BadInput(
                f"board {shown(text)}: expected squares, sides in m and a dictionary: 7x5:0.03:0.022"
            ) from why
        return Board((x, y), square, marker, *words[3:4])

    @property
    def corners(self) -> int:
        """Inner corners of the chess board."""
        return (self.squares[0] - 1) * (self.squares[1] - 1)

    def made(self) -> Any:
        """The board as OpenCV has it."""
        aruco = library("cv2").aruco
        known = aruco.getPredefinedDictionary(getattr(aruco, f"DICT_{self.dictionary}"))
        return aruco.CharucoBoard(self.squares, self.square_m, self.marker_m, known)

    def picture(self, pixels_per_square: int = 100) -> Bits:
        """(h, w) to print: as wide as the squares say, without a margin."""
        size = (self.squares[0] * pixels_per_square, self.squares[1] * pixels_per_square)
        picture: Bits = self.made().generateImage(size)
        return picture


@dataclass(frozen=True, slots=True, eq=False)
class Seen(MadeAnew):
    """Corners of a board that one picture shows."""

    numbers: Ints  # (n,)
    points_m: Array  # (n, 3) on the board
    pixels: Array  # (n, 2) column, row

    def __post_init__(self) -> None:
        freeze_ints(self, numbers=(None,))
        freeze(self, points_m=(None, 3), pixels=(None, 2))


def corners_seen(board: Board, rgb: Bits) -> Seen:
    """The corners of a board in a picture, to a fraction of a pixel; BadInput where there are too few."""
    cv2 = library("cv2")
    gray = cv2.cvtColor(np.ascontiguousarray(rgb), cv2.COLOR_RGB2GRAY) if rgb.ndim == 3 else rgb
    made = board.made()
    pixels, numbers, _, markers = cv2.aruco.CharucoDetector(made).detectBoard(gray)
    count = 0 if numbers is None else len(numbers)
    if count < FEWEST:
        found = 0 if markers is None else len(markers)
        hint = "is the board another one?" if found < 2 else "is it turned away or cut off?"
        raise BadInput(f"found {count} corners and {found} markers of the board, expected {FEWEST} corners; {hint}")
    points = np.asarray(made.getChessboardCorners(), dtype=float)[np.asarray(numbers).ravel()]
    if np.linalg.matrix_rank(points[:, :2] - points[0, :2], tol=1e-9) < 2:
        raise BadInput(f"found {count} corners, all in one line; expected some beside it")
    return Seen(np.asarray(numbers).ravel(), points, np.asarray(pixels, dtype=float).reshape(-1, 2))


def spread_px(pixels: Array) -> float:
    """How much of a picture corners span: the root of the area of their bounding box."""
    across, down = np.ptp(pixels, axis=0)
    return math.sqrt(float(across * down))
