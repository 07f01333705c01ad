"""From frames to bricks: a pose with covariance, kind and colour for each, or a refusal; never a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Sight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.locator.absent import refuse_absent
from falsework.perception.locator.by_studs import on_its_colour
from falsework.perception.locator.explained import without_bricks
from falsework.perception.locator.grey import refused_for_grey
from falsework.perception.locator.heights_known import mean_depth_spread, resting_spread
from falsework.perception.locator.in_two import refused_as_two
from falsework.perception.locator.judging import judged
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.leftovers import doubt, leftovers
from falsework.perception.locator.registering import registered
from falsework.perception.locator.settings import LocatorSettings
from falsework.perception.locator.supposing import Supposing
from falsework.perception.locator.views import View, labelled, levelled, view_of


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
    if not colors:
        raise BadInput("colors: found none, expected those that bricks may have, such as red")
    labels = Labels.of(colors)
    views = [without_bricks(view, standing) for view in prepared(frames, place, wanted, labels)]
    supposing = Supposing(views, place, wanted, told)
    found, refused = refused_as_two(*refused_for_grey(judged(supposing, labels), views, labels), supposing)
    explained = [one for one, _ in found] + [one for group, _ in refused for one in group]
    left, *more = (group for view in views for group in leftovers(view, place, wanted, explained))
    told_once = list(left)
    for one in (one for group in more for one in group):
        if not one.is_among(told_once):
            told_once.append(one)
    whys = (doubt(one, left, on_its_colour(one, views)) for one, _ in found)
    doubted = {at: why for at, why in enumerate(whys) if why is not None}
    spreads = [mean_depth_spread(view, place) for view in views]
    return Sight(
        tuple(
            replace(located, resting=resting_spread(one, views, spreads))
            for at, (one, located) in enumerate(found)
            if at not in doubted
        ),
        (*(one for _, one in refused), *doubted.values(), *(one.refused for one in told_once)),
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
    view = levelled(view_of(frame), place)
    for plate in place.plates:
        better = registered(view, plate)
        if better is not None:
            view = better
            break
    for plate in place.plates:
        refuse_absent(view, plate, place)
    return labelled(view, place, labels, lowest_m)
