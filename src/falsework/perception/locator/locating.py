"""From frames to bricks: a pose with covariance, kind and colour for each, or a refusal; never a guess."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Refused, Sight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.locator.explained import without_bricks
from falsework.perception.locator.judging import judged
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.registering import registered
from falsework.perception.locator.settings import LocatorSettings
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.supposed import Supposed
from falsework.perception.locator.supposing import Supposing
from falsework.perception.locator.views import View, levelled, view_of, without_background
from falsework.perception.locator.weighing import weigh


def locate(
    frames: Sequence[Frame],
    place: Workplace,
    kinds: Sequence[BrickType | str],
    colors: Sequence[str] = SIX_COLORS,
    settings: LocatorSettings | None = None,
    standing: Sequence[Brick] = (),
) -> Sight:
    """The bricks that frames of one moment show, in the base's frame.

    `place` says what they lie on; `kinds` which kinds of one system they may be (names or types); `colors` which
    colours of the palette. Bricks that lie flush, have one colour and together look like one of `kinds` count as it.
    What shows `standing` bricks, which are known, is left out: they are neither found nor refused.
    """
    told = settings or LocatorSettings()
    wanted = known_kinds(kinds)
    labels = Labels.of(colors)
    views = [without_bricks(view, standing) for view in prepared(frames, place, wanted, labels)]
    supposing = Supposing(views, place, wanted, told)
    found, refused = judged(supposing, labels)
    explained = [one for one, _ in found] + [one for group, _ in refused for one in group]
    unknown = _unexplained(views, place, wanted, explained)
    return Sight(
        tuple(located for _, located in found),
        (*(one for _, one in refused), *unknown),
        np.array([view.T_base_cam for view in views]),
        tuple(view.registered for view in views),
    )


def known_kinds(kinds: Sequence[BrickType | str]) -> tuple[BrickType, ...]:
    """Each kind once, lying along one way; BadInput where there is none, or of several systems."""
    types = [brick_type(kind) if isinstance(kind, str) else kind for kind in kinds]
    once: dict[tuple[object, ...], BrickType] = {}
    for kind in types:
        sides = (kind.length, kind.width) if kind.family == "slope" else tuple(sorted((kind.length, kind.width)))
        once.setdefault(
            (kind.system, kind.family, kind.plates, kind.flat if kind.family == "slope" else 0, *sides), kind
        )
    if not once:
        raise BadInput("kinds: found none, expected kinds of bricks to look for, such as duplo:brick_2x4")
    systems = sorted({kind.system for kind in types})
    if len(systems) > 1:
        raise BadInput(f"kinds: found those of {' and '.join(systems)}, expected one system at a time")
    if any(kind.family == "baseplate" for kind in types):
        raise BadInput("kinds: found a baseplate; plates are part of the workplace, say where they lie")
    return tuple(once.values())


def prepared(frames: Sequence[Frame], place: Workplace, kinds: Sequence[BrickType], labels: Labels) -> list[View]:
    """Frames levelled, registered on the plates that they show, and labelled; what was done just before is kept."""
    if not frames:
        raise BadInput("frames: found none, expected one or more")
    lowest = min(kind.size_m[2] for kind in kinds)
    return [_prepared(frame, place, lowest, labels) for frame in frames]


@lru_cache(maxsize=4)
def _prepared(frame: Frame, place: Workplace, lowest_m: float, labels: Labels) -> View:
    """Frames, places and labels never change: two questions about one moment share the work."""
    view = levelled(view_of(frame, labels), place)
    for plate in place.plates:
        better = registered(view, plate)
        if better is not None:
            view = better
            break
    return without_background(view, place, labels, lowest_m)


def _unexplained(
    views: Sequence[View], place: Workplace, kinds: Sequence[BrickType], explained: Sequence[Supposed]
) -> list[Refused]:
    """What stands higher than any floor, in the first view, and is part of no brick that was found or refused."""
    view = views[0]
    heights = view.heights()
    floor = _floor(view, place)
    lowest = min(kind.size_m[2] for kind in kinds)
    stands = ndimage.minimum_filter(np.nan_to_num(heights, nan=-1.0) > floor + 0.4 * lowest, size=5)
    said = np.zeros(view.depth.shape, np.int8)
    for one in explained:
        T = np.ascontiguousarray((view.T_cam_base @ one.T_base_brick)[:3])
        weigh(view.depth, view.labels, view.K, T, solid_of(one.kind), one.label, one.label, view.noise, 0.002, said)
    left = stands & ~ndimage.binary_dilation(said > 0, iterations=4)
    left = ndimage.binary_opening(left, iterations=1)
    patches, count = ndimage.label(left)
    pitch_px = view.K[0] * kinds[0].measures.pitch_m / max(float(np.median(view.depth[view.depth > 0])), 0.05)
    out = []
    for number in range(1, count + 1):
        mask = patches == number
        if mask.sum() > 0.5 * pitch_px**2:
            out.append(
                Refused(
                    "something stands here that is no brick of these kinds and colours that could be told",
                    _middle(view, mask),
                    (),
                    "a view from another side, or taking it away",
                )
            )
    return out


def _floor(view: View, place: Workplace) -> Array:
    """(h, w) the height of the table, or of a plate's studs, where each pixel looks."""
    floor = np.full(view.depth.shape, np.inf)
    for height, where, stud in view.floors(place, beyond_m=0.004):
        floor = np.where(where, height + stud, floor)
    return floor


def _middle(view: View, mask: npt.NDArray[np.bool_]) -> Array:
    rows, columns = np.nonzero(mask)
    z = view.depth[rows, columns]
    points = np.column_stack([(columns - view.K[2]) / view.K[0] * z, (rows - view.K[3]) / view.K[1] * z, z])
    world = points @ view.T_base_cam[:3, :3].T + view.T_base_cam[:3, 3]
    return np.asarray(np.median(world, axis=0))
