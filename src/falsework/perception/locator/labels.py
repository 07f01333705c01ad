"""Which colour a pixel may have: by hue and saturation, which light and shade change little.

White, grey and black differ by brightness only, so pixels share one label; `shade_of` tells them apart by what whole
faces give back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array
from falsework.model.perception.palette import reflectance

NO_LABEL, SHADED = -1, -2  # none of the colours; without hue and dark: a shadow on the table, or a side of a grey brick
AS_THE_FLOOR = -10  # less a label: a pixel that may be of this label, and looks like the floor as well
WITHOUT_HUE = 0.12  # colours with less chroma than this are white, grey or black
_FARTHEST = 0.35  # from a colour's chroma: more is none of them


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The colours that are told apart, and their names: labels are numbers of `groups`."""

    groups: tuple[tuple[str, ...], ...]
    rgb: Array  # (n, 3) of each group
    chroma: Array  # (n, 2)

    @staticmethod
    def of(colors: Sequence[str]) -> Labels:
        """One label for each colour that has a hue, one for all without; the same for the same colours."""
        return _labels(tuple(colors))

    def tinted(self, gains: Array) -> Labels:
        """The same colours as a camera shows them whose channels have these gains (3,)."""
        return Labels(self.groups, self.rgb, np.asarray(chroma_of(gains * self.rgb), dtype=float))

    def label_of(self, color: str) -> int:
        """The number of a colour's label; −1 if it is none of these."""
        return next((at for at, group in enumerate(self.groups) if color in group), NO_LABEL)

    @property
    def hueless(self) -> int:
        """The label of white, grey and black; one that no pixel has where there is none of them."""
        last = len(self.groups) - 1
        return last if last >= 0 and np.hypot(*chroma_of(self.rgb[last])) < WITHOUT_HUE else -9

    def label(self, chroma: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
        """(h, w) the nearest label of every pixel, by its chroma (h, w, 2); −1 where none is near."""
        nearest = np.full(chroma.shape[:-1], _FARTHEST**2, chroma.dtype)
        labels = np.full(chroma.shape[:-1], NO_LABEL, np.int8)
        for at, value in enumerate(self.chroma):
            apart = chroma_apart(chroma, value)
            nearer = apart < nearest
            labels[nearer], nearest[nearer] = at, apart[nearer]
        return labels


@lru_cache(maxsize=16)
def _labels(colors: tuple[str, ...]) -> Labels:
    values = {name: np.array(reflectance(name)) for name in dict.fromkeys(colors)}
    hueless = tuple(name for name, value in values.items() if np.hypot(*chroma_of(value)) < WITHOUT_HUE)
    groups = [(name,) for name in values if name not in hueless] + ([hueless] if hueless else [])
    # Of those without hue the mean of what is left of it: each as bright as the others.
    rgb = np.array([np.mean([values[name] / values[name].max() for name in group], axis=0) for group in groups])
    return Labels(tuple(groups), rgb, np.asarray(chroma_of(rgb), dtype=float))


def chroma_of(rgb: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(…, 2) red against green, and yellow against blue, as shares of the brightest channel.

    >>> chroma_of(np.array([1.0, 1.0, 0.0])).tolist()
    [0.0, 1.0]
    """
    red, green, blue = np.moveaxis(rgb, -1, 0)
    most = np.maximum(brightest(rgb), 1e-3)
    out = np.empty((*rgb.shape[:-1], 2), rgb.dtype)
    out[..., 0] = (red - green) / most
    out[..., 1] = ((red + green) / 2 - blue) / most
    return out


def chroma_apart(chroma: npt.NDArray[np.floating], value: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(…,) the square of how far chroma (…, 2) is from one value (2,)."""
    x, y = chroma.dtype.type(value[0]), chroma.dtype.type(value[1])
    return np.asarray((chroma[..., 0] - x) ** 2 + (chroma[..., 1] - y) ** 2)


def brightest(rgb: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """(…,) the brightest channel."""
    most: npt.NDArray[np.floating] = np.maximum(np.maximum(rgb[..., 0], rgb[..., 1]), rgb[..., 2])
    return most
