"""The colours that bricks come in, as a white light shows them: shares of red, green and blue that come back."""

from __future__ import annotations

from falsework.model.errors import BadInput, did_you_mean, shown

PALETTE: dict[str, tuple[float, float, float]] = {
    "red": (0.77, 0.10, 0.08),
    "orange": (0.93, 0.46, 0.10),
    "yellow": (0.95, 0.77, 0.16),
    "green": (0.15, 0.52, 0.20),
    "blue": (0.10, 0.32, 0.68),
    "white": (0.92, 0.91, 0.88),
    "black": (0.09, 0.09, 0.10),
    "gray": (0.55, 0.57, 0.58),
    "lime": (0.62, 0.78, 0.22),
    "cyan": (0.24, 0.68, 0.76),
    "purple": (0.45, 0.27, 0.62),
    "brown": (0.40, 0.24, 0.14),
    "tan": (0.83, 0.74, 0.57),
    "pink": (0.90, 0.58, 0.70),
}
SIX_COLORS = ("red", "orange", "yellow", "green", "blue", "white")  # of the random scenes


def reflectance(color: str) -> tuple[float, float, float]:
    """What of red, green and blue light a brick of that colour gives back.

    >>> reflectance("red")
    (0.77, 0.1, 0.08)
    """
    if color not in PALETTE:
        raise BadInput(f"brick colour {shown(color)}: {did_you_mean(color, PALETTE)}")
    return PALETTE[color]
