"""Does it look like step seven? What is in place of a structure, what is missing, wrong or off, what is not seen.

Everything that should be there is drawn, and compared pixel by pixel. A brick that explains its own pixels is in
place, once its outline and the height of its top agree as well. One that does not is drawn as it might be instead:
missing, a stud aside, of another colour or kind; the picture says which.
"""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.kernels.casting import NOTHING, STUD_TOP, TOP, draw
from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, BrickState, StructureSight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS
from falsework.perception.locator.aligning import aligned
from falsework.perception.locator.heights_known import mean_depth_spread
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.locating import known_kinds, prepared
from falsework.perception.locator.packing import footprints_overlap
from falsework.perception.locator.solids import footprint, solid_of
from falsework.perception.locator.views import View

LEAST_SEEN = 0.4  # of a brick's pixels that should be visible
LEAST_PIXELS = 40
FINE = 0.12  # of a brick's pixels may disagree
LEANS = 0.25  # of them disagree: it is not in place, though no guess explains more (rightly placed ones: up to 0.18)
UNLIKE = 0.3  # of the pixels about a brick disagree with every guess: something else is there
OFF_PITCH = 0.12  # of the pitch: a brick that is farther from its place is off
LIFT_M = 0.001  # a brick that stands off by so much is not pressed in
_BENEFIT_PX = 15  # so many pixels must say that a brick which explains its own is something else
WINDOW_PX = 5  # stereo cameras take depth over a window of so many pixels


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    """What should be seen: depth (h, w), which brick (h, w; −1: plate, −2: nothing drawn) and which face."""

    depth: Array
    ids: npt.NDArray[np.int32]
    faces: npt.NDArray[np.int8]


def check_structure(
    frames: Sequence[Frame],
    place: Workplace,
    expected: Sequence[tuple[str, Brick]],
    kinds: Sequence[BrickType | str] = (),
    colors: Sequence[str] = SIX_COLORS,
    lift_m: float | None = LIFT_M,
) -> StructureSight:
    """What became of bricks that should be there by now, by frames of one moment.

    `expected` are names and bricks in the base's frame; `kinds`: which others may have been taken by mistake.
    `lift_m`: a brick that stands off by so much is not pressed in; where depth has too much noise to tell, it is said
    to be not seen. None: heights are not judged so finely. Several frames of one camera have less noise than one.
    """
    if not expected:
        raise BadInput("expected: found no bricks, expected those that should be there by now")
    own = [brick.kind for _, brick in expected]
    wanted = known_kinds([*own, *kinds])
    names = tuple(dict.fromkeys([*colors, *(brick.color for _, brick in expected)]))
    labels = Labels.of(names)
    views = prepared(frames, place, wanted, labels)
    checking = _Checking(views, place, [brick for _, brick in expected], wanted, labels, lift_m)
    states = [checking.state(number, name) for number, (name, _) in enumerate(expected)]
    if any(one.state in ("missing", "off", "wrong") for one in states):
        states = _seen_past_faults(checking, expected, states)
    return StructureSight(
        tuple(states), np.array([view.T_base_cam for view in views]), tuple(view.registered for view in views)
    )


def _seen_past_faults(
    checking: _Checking, expected: Sequence[tuple[str, Brick]], states: Sequence[BrickState]
) -> list[BrickState]:
    """Bricks that only what is not there hides are looked at again, with what is there drawn instead."""
    there = [
        (one.name, brick if one.state in ("in place", "not seen") else one.instead)
        for one, (_, brick) in zip(states, expected, strict=True)
    ]
    left = [(name, brick) for name, brick in there if brick is not None]
    if len(left) == 0:
        return list(states)
    again = checking.among([brick for _, brick in left])
    numbers = {name: number for number, (name, _) in enumerate(left)}
    return [again.state(numbers[one.name], one.name) if one.state == "not seen" else one for one in states]


class _Checking:
    def __init__(
        self, views: Sequence[View], place: Workplace, bricks: Sequence[Brick], kinds: Sequence[BrickType],
        labels: Labels, lift_m: float | None,
    ) -> None:  # fmt: skip
        self.views, self.place, self.bricks, self.kinds, self.labels = views, place, list(bricks), kinds, labels
        self.lift_m = lift_m
        self.pictures = [self._drawn(view, self.bricks) for view in views]
        self.spreads = [mean_depth_spread(view, place) for view in views] if lift_m is not None else []

    def among(self, bricks: Sequence[Brick]) -> _Checking:
        """The same views, checked for other bricks."""
        return _Checking(self.views, self.place, bricks, self.kinds, self.labels, self.lift_m)

    def state(self, number: int, name: str) -> BrickState:
        """What became of one brick."""
        brick = self.bricks[number]
        shares, told, against, hidden = [], 0, 0, 0
        for view, picture in zip(self.views, self.pictures, strict=True):
            mine = picture.ids == number
            alone = self._drawn(view, [brick], plates=False).ids == 0
            shares.append(float(mine.sum() / max(alone.sum(), 1)))
            inside = ndimage.binary_erosion(mine)
            agrees, covered = self._agreement(view, picture, inside, brick.color)
            told += int(inside.sum())
            hidden += int(covered.sum())
            against += int((inside & ~agrees & ~covered).sum())
        seen = max(shares)
        if seen < LEAST_SEEN or told - hidden < max(LEAST_PIXELS, 0.5 * told):
            reason = "something stands before it" if hidden > 0.5 * told and seen >= LEAST_SEEN else "it is hidden"
            return BrickState(name, "not seen", f"{reason} in every view; look from another side", seen=seen)
        best = self._likeliest(number, against <= FINE * (told - hidden))
        if best.state == "in place" and against > LEANS * (told - hidden):
            best = BrickState("", "wrong", "it does not stand as it should: it leans, or something else is there")
        if best.state == "in place":
            return self._placed(number, name, seen)
        return replace(best, name=name, seen=seen)

    def _placed(self, number: int, name: str, seen: float) -> BrickState:
        """A brick that explains its pixels: by its outline and the height of its top, in place or off."""
        brick = self.bricks[number]
        pitch = brick.kind.measures.pitch_m
        lies = aligned(self.views, brick.kind, brick.T_base_brick, self.labels.label_of(brick.color))
        shift = np.zeros(3)
        if lies.points >= 20 and lies.miss_px < 0.8:
            moved = replace(brick, T_base_brick=lies.T_base_brick)
            information = lies.information[np.ix_((0, 1, 5), (0, 1, 5))] / 0.5
            sure = np.sqrt(np.diag(np.linalg.inv(information + np.diag([1e4, 1e4, 1.0]))))[:2]
            shift[:2] = (moved.middle_m - brick.middle_m)[:2]
            if np.abs(shift[:2]).max() > OFF_PITCH * pitch and (np.abs(shift[:2]) > 4 * sure).any():
                why = f"it is {np.hypot(*shift[:2]) * 1e3:.1f} mm from its place"
                return BrickState(name, "off", why, shift, replace(moved), seen)
            shift[:] = 0.0
        if self.lift_m is None:
            return BrickState(name, "in place", "", shift, seen=seen)
        lift, spread = self._lift(number)
        if spread > self.lift_m / 5:
            why = f"its height is only known to {spread * 1e3:.1f} mm; look from nearer, or take more frames"
            return BrickState(name, "not seen", why, np.array([0, 0, lift]), seen=seen)
        if abs(lift) > self.lift_m / 2:
            why = (
                f"it stands {lift * 1e3:.1f} mm off: not pressed in" if lift > 0 else f"it is {-lift * 1e3:.1f} mm low"
            )
            return BrickState(name, "off", why, np.array([0, 0, lift]), seen=seen)
        return BrickState(name, "in place", "", np.array([0, 0, lift]), seen=seen)

    def _lift(self, number: int) -> tuple[float, float]:
        """(how much higher than expected its top is, the deviation of that), m."""
        top, weight = 0.0, 0.0
        for view, picture, spread in zip(self.views, self.pictures, self.spreads, strict=True):
            smooth = ndimage.median_filter(np.where(np.isfinite(picture.depth), picture.depth, 9.0), size=WINDOW_PX)
            face = (picture.faces == TOP) | (picture.faces == STUD_TOP)
            inside = ndimage.binary_erosion(picture.ids == number, iterations=2) & face & (view.depth > 0)
            off = view.depth - smooth
            near = 4 * view.noise * picture.depth**2 + 0.003
            with np.errstate(invalid="ignore"):
                inside &= np.abs(off) < near
            count = int(inside.sum())
            if count < LEAST_PIXELS:
                continue
            rise = -float((off[inside] * view.way(2)[inside] * -1.0).mean())
            own = spread(count) * float(np.median(picture.depth[inside])) ** 2
            top += rise / own**2
            weight += 1 / own**2
        return (top / weight, float(np.sqrt(1 / weight))) if weight else (0.0, np.inf)

    def _likeliest(self, number: int, fits: bool) -> BrickState:
        """The guess that disagrees with the fewest pixels about a brick; being in place wins where that fits as well.

        A brick that explains all of its own pixels may still be a larger one: it is asked what is beside it.
        """
        brick = self.bricks[number]
        others = [one for at, one in enumerate(self.bricks) if at != number]
        parts = [self._about(view, number, picture) for view, picture in zip(self.views, self.pictures, strict=True)]
        scored: list[tuple[float, BrickState]] = []
        total = 1
        for guess in self._guesses(brick, colors=not fits):
            if guess.instead is not None and any(_clash(guess.instead, one) for one in others):
                continue  # it would take two mistakes
            scene = others if guess.instead is None else [*others, guess.instead]
            wrong, total = 0, 1
            for view, part in zip(self.views, parts, strict=True):
                miss, many = self._disagreement(view, self._drawn(view, scene, part), scene, part)
                wrong, total = wrong + miss, total + many
            scored.append((wrong - (_BENEFIT_PX if fits and guess.state == "in place" else 0), guess))
        least, best = min(scored, key=lambda one: one[0])
        if least > UNLIKE * total:
            return BrickState("", "wrong", "something else is there")
        return best

    def _guesses(self, brick: Brick, colors: bool) -> Iterator[BrickState]:
        T, pitch = brick.T_base_brick, brick.kind.measures.pitch_m
        yield BrickState("", "in place", "", instead=brick)
        yield BrickState("", "missing", "it is not there")
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            moved = np.array(T)
            moved[:3, 3] += T[:3, :3] @ np.array([x * pitch, y * pitch, 0.0])
            why = f"it is a stud from its place ({x:+d}, {y:+d} along its own axes)"
            yield BrickState("", "off", why, moved[:3, 3] - T[:3, 3], replace(brick, T_base_brick=moved))
        for group in self.labels.groups if colors else ():
            if brick.color not in group:
                other = replace(brick, color=group[0])
                yield BrickState("", "wrong", f"it is {group[0]}, not {brick.color}", instead=other)
        for kind in self.kinds:
            for other in _turns(brick, kind):
                yield BrickState("", "wrong", f"it is a {kind}, not a {brick.kind}", instead=other)

    def _agreement(
        self, view: View, picture: _Picture, inside: npt.NDArray[np.bool_], color: str
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """(where pixels show the brick, where something stands before it)."""
        near = 3 * view.noise * picture.depth**2 + 0.003
        with np.errstate(invalid="ignore"):
            known = view.depth > 0
            closer = known & (view.depth < picture.depth - near)
            deep = known & (np.abs(view.depth - picture.depth) <= near)
        label = view.labels == self.labels.label_of(color)
        return inside & label & (deep | ~known), inside & closer & ~label | inside & ~known & ~label

    def _disagreement(
        self, view: View, drawn: _Picture, scene: Sequence[Brick], part: tuple[slice, slice]
    ) -> tuple[int, int]:
        depth, labels = view.depth[part], view.labels[part]
        labelled = np.array([self.labels.label_of(one.color) for one in scene] + [-3])
        wanted = labelled[np.where(drawn.ids >= 0, drawn.ids, len(scene))]
        known = (depth > 0) & np.isfinite(drawn.depth)
        with np.errstate(invalid="ignore"):
            off = known & (np.abs(depth - drawn.depth) > 3 * view.noise * drawn.depth**2 + 0.004)
        miss = off | ((drawn.ids >= 0) & (labels != wanted))
        rim = ndimage.maximum_filter(drawn.ids, 3) != ndimage.minimum_filter(drawn.ids, 3)
        counts = known & ~rim
        return int((miss & counts).sum()), int(counts.sum())

    def _about(self, view: View, number: int, picture: _Picture) -> tuple[slice, slice]:
        """Rows and columns around a brick, a stud wider."""
        alone = self._drawn(view, [self.bricks[number]], plates=False)
        rows, columns = np.nonzero(alone.ids == 0)
        if not len(rows):
            return slice(0, 1), slice(0, 1)
        pitch = self.bricks[number].kind.measures.pitch_m
        wide = int(np.ceil(1.2 * view.K[0] * pitch / float(alone.depth[rows[0], columns[0]])))
        high, across = picture.ids.shape
        return (
            slice(max(0, int(rows.min()) - wide), min(high, int(rows.max()) + wide + 1)),
            slice(max(0, int(columns.min()) - wide), min(across, int(columns.max()) + wide + 1)),
        )

    def _drawn(
        self, view: View, bricks: Sequence[Brick], part: tuple[slice, slice] | None = None, plates: bool = True
    ) -> _Picture:
        """The bricks, and plates unless told otherwise, as the view would show them."""
        rows, columns = part or (slice(0, view.depth.shape[0]), slice(0, view.depth.shape[1]))
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        K = view.K - np.array([0, 0, columns.start, rows.start])
        depth, ids = np.full(shape, np.inf), np.full(shape, -1, np.int32)
        faces = np.full(shape, NOTHING, np.int8)
        below = self.place.plates if plates else ()
        kinds = [*(brick.kind for brick in bricks), *(plate.kind for plate in below)]
        poses = [*(brick.T_base_brick for brick in bricks), *(plate.T_base_plate for plate in below)]
        if kinds:
            solids = np.array([solid_of(kind) for kind in kinds])
            draw(depth, ids, faces, K, solids, np.ascontiguousarray((view.T_cam_base @ np.array(poses))[:, :3]))
        ids[ids >= len(bricks)] = -1
        return _Picture(depth, ids, faces)


def _clash(one: Brick, other: Brick) -> bool:
    """Whether two bricks share room, by more than a little."""
    low = max(one.T_base_brick[2, 3], other.T_base_brick[2, 3])
    high = min(one.T_base_brick[2, 3] + one.kind.size_m[2], other.T_base_brick[2, 3] + other.kind.size_m[2])
    if high - low < 1e-3:
        return False
    corners = [footprint(brick.kind, brick.T_base_brick) for brick in (one, other)]
    return footprints_overlap(corners[0], corners[1], 0.15 * one.kind.measures.pitch_m)


def _turns(brick: Brick, kind: BrickType) -> Iterator[Brick]:
    """A brick of another kind and the same height that covers a corner of this one, either way round."""
    if kind == brick.kind or kind.plates != brick.kind.plates:
        return
    T, size = brick.T_base_brick, np.array(brick.kind.size_m)
    for along, across, turn in ((kind.length, kind.width, False), (kind.width, kind.length, True)):
        pitch = kind.measures.pitch_m
        for x in sorted({0.0, size[0] - along * pitch}):
            for y in sorted({0.0, size[1] - across * pitch}):
                pose = np.array(T)
                pose[:3, 3] = T[:3, 3] + T[:3, :3] @ np.array([x + (along * pitch if turn else 0.0), y, 0.0])
                if turn:
                    pose[:3, :3] = T[:3, :3] @ np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
                yield replace(brick, kind=kind, T_base_brick=pose)
        if kind.length == kind.width:
            return
