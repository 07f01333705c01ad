"""How a camera balances red, green and blue, by what it sees: all colours of a frame are tinted alike.

A camera that takes a little of the green away makes yellow look like orange. One brick alone does not tell which it is;
all that stands there together does, and a plate whose colour is known does best. A picture whose red and blue are
swapped shows colours that no balance explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.perception.locator.labels import Labels, brightest, chroma_of

_BINS, _BIN = 56, 0.05  # of chroma, from −1.4 on
_SEEN = (40.0, 253.0)  # of 255: what is darker has no hue, what is brighter may be cut off
_LEAST_PIXELS = 200
_STEPS = ((0.05, 6), (0.0125, 4))  # of the logarithm of a channel's gain against green's, and how many either way
_USUAL = 0.09  # deviation of that logarithm: of cameras, and of the light
_MOST = 3 * _USUAL  # a balance that is farther off is doubted
_SCATTER, _FAR = 0.07, 0.2  # of pixels about the chroma of their colour; what is farther is no colour that is known
_WORTH = 60.0  # so many pixels that err each by itself say as much as all that stands there
_CARD_SCATTER = 0.03  # of a plate's chroma about that of its colour
_SWAPPED = 12.0  # by how much swapped channels must explain a frame better, in squared deviations,
_WITNESS = 4.0  # and two colours of it, or a colour and a plate: one thing alone may have any colour


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """What is seen: chroma (n, 2) of what stands there, its shares (n,); and of plates (m, 2), with their colours."""

    chroma: Array
    share: Array
    cards: Array
    card_rgb: Array  # (m, 3)


def balanced(
    labels: Labels,
    rgb: npt.NDArray[np.float32],
    chroma: npt.NDArray[np.float32],
    cards: Sequence[tuple[Array, Array]] = (),
) -> tuple[Labels, Labels | None]:
    """The labels as a camera shows them: with the balance of channels that explains the frame best.

    Hardly any camera is balanced as badly as some frames would have it, in which gloss washes colours out. Where no
    plate confirms it, the second are those of a balanced camera: nobody knows of what is of another colour by these.

    `rgb` (n, 3) and `chroma` (n, 2) of pixels that show bricks, or things; `cards`: the colours (3,) that are seen, and
    those that should be, of plates. Where there is too little to tell by, channels are taken to be balanced. BadInput
    where red and blue, swapped, explain the frame, and as they are do not.
    """
    bright = brightest(rgb)
    fine = (bright > _SEEN[0]) & (bright < _SEEN[1])
    if fine.sum() < _LEAST_PIXELS:
        chroma = chroma[:0]
        if not cards:
            return labels, None
    seen = _evidence(chroma[fine] if len(chroma) else chroma, cards)
    gains = _best(labels.rgb, seen)
    better = _better_swapped(labels.rgb, gains, seen)
    if better.sum() > _SWAPPED and (better > _WITNESS).sum() > 1:
        raise BadInput("rgb: the colours fit those of bricks and plates only if red and blue are swapped; is it BGR?")
    if cards or np.abs(np.log(gains)).max() <= _MOST:
        return labels.tinted(gains), None
    return labels.tinted(gains), labels


def _evidence(chroma: npt.NDArray[np.float32], cards: Sequence[tuple[Array, Array]]) -> _Evidence:
    """Pixels by bins of chroma, each with its mean."""
    low = -_BINS * _BIN / 2
    places = np.clip(((chroma - low) / _BIN).astype(np.int64), 0, _BINS - 1) @ (_BINS, 1)
    many = np.bincount(places, minlength=_BINS * _BINS)
    full = np.flatnonzero(many > 0.002 * len(chroma))
    sums = np.column_stack([np.bincount(places, chroma[:, axis], _BINS * _BINS)[full] for axis in range(2)])
    means = np.asarray(sums / many[full, None], dtype=float)
    share = many[full] / max(many[full].sum(), 1)
    shown = np.array([chroma_of(np.asarray(one, dtype=float)) for one, _ in cards]).reshape(-1, 2)
    return _Evidence(means, share, shown, np.array([rgb for _, rgb in cards], dtype=float).reshape(-1, 3))


def _best(rgb: Array, seen: _Evidence) -> Array:
    """(3,) gains of the balance that explains what is seen best, coarse to fine."""
    middle = np.zeros(2)
    for step, reach in _STEPS:
        ways = np.arange(-reach, reach + 1) * step
        tried = middle + np.stack(np.meshgrid(ways, ways, indexing="ij"), axis=-1).reshape(-1, 2)
        middle = tried[int(np.argmin(_misfits(tried, rgb, seen)))]
    return np.exp([middle[0], 0.0, middle[1]])


def _better_swapped(rgb: Array, gains: Array, seen: _Evidence) -> Array:
    """(n + m,) how much better swapped channels explain what they make of each colour, and each plate."""
    backward, other = rgb[:, ::-1], replace(seen, card_rgb=seen.card_rgb[:, ::-1])
    swapped = _best(backward, other)
    apart = _apart(swapped[None, None], backward, seen)[0]  # (n, bins)
    less = _apart(gains[None, None], rgb, seen)[0].min(axis=0) - apart.min(axis=0)
    colours = np.bincount(apart.argmin(axis=0), seen.share * less, len(rgb))
    plates = _cards_apart(gains[None, None], seen) - _cards_apart(swapped[None, None], other)
    return np.concatenate([colours, plates[0]])


def _misfits(tried: Array, rgb: Array, seen: _Evidence) -> Array:
    """(k,) squared deviations, by balances (k, 2): the logarithms of what red and blue gain over green."""
    gains = np.exp(np.column_stack([tried[:, 0], np.zeros(len(tried)), tried[:, 1]]))[:, None]  # (k, 1, 3)
    usual = (tried**2).sum(axis=1) / _USUAL**2
    return np.asarray(usual + _apart(gains, rgb, seen).min(axis=1) @ seen.share + _cards_apart(gains, seen).sum(axis=1))


def _apart(gains: Array, rgb: Array, seen: _Evidence) -> Array:
    """(k, n, bins) how far from each colour, under gains (k, 1, 3), what stands there is, in squared deviations."""
    shown = chroma_of(gains * rgb)[:, :, None]
    square = (shown[..., 0] - seen.chroma[:, 0]) ** 2 + (shown[..., 1] - seen.chroma[:, 1]) ** 2
    return np.asarray(np.minimum(square, _FAR**2) * (_WORTH / _SCATTER**2))


def _cards_apart(gains: Array, seen: _Evidence) -> Array:
    """(k, m) the same of each plate and its own colour."""
    return np.asarray(((chroma_of(gains * seen.card_rgb) - seen.cards) ** 2).sum(axis=2) / _CARD_SCATTER**2)
