"""A booklet of instructions: what each step adds, how it looks then, and every part that is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import BrickShape
from falsework.studio.booklet.order import BookStep, CallOut
from falsework.studio.booklet.pictures import Album, colors_of, encoded, icon, view_of
from falsework.studio.booklet.raster import View

STEP_PX, LOW_PX = (720, 540), (1120, 300)
CALL_OUT_PX = (260, 190)
PART_PX = (120, 90)
COVER_PX = (1100, 760)
LOOK_PX = (120, 90)  # for finding out what is seen
YAW_DEG, PITCH_DEG = 32.0, 28.0
OTHER_SIDES_DEG = (180.0, 90.0, -90.0)
HIDDEN, WELL_SEEN = 0.22, 1.6  # of a new part that is seen; how much better another side must be
GROWTH = 1.4  # of the model's size, until which it is shown at one scale

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class PartCount:
    """So many parts of one kind and colour.

    >>> PartCount("plate 1×4", "white", 3, b"").words
    '3× plate 1×4, white'
    """

    kind: str
    color: str
    count: int
    picture: bytes

    @property
    def words(self) -> str:
        return f"{self.count}× {self.kind}{', ' + self.color if self.color else ''}"

    def as_dict(self) -> dict[str, str | int]:
        return {"kind": self.kind, "color": self.color, "count": self.count}


@dataclass(frozen=True, slots=True)
class CallOutPage:
    """A call-out: its title, and a picture of each of its steps."""

    title: str
    pictures: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class StepPage:
    """One step as it is shown."""

    number: int
    parts: tuple[PartCount, ...]
    picture: bytes
    call_outs: tuple[CallOutPage, ...] = ()
    note: str = ""
    turn: bool = False
    is_low: bool = False  # its picture is much wider than high


@dataclass(frozen=True, slots=True)
class Booklet:
    """All that is shown."""

    title: str
    cover: bytes
    steps: tuple[StepPage, ...]
    parts: tuple[PartCount, ...]
    partial: str = ""  # what of the model is not in it

    @property
    def count(self) -> int:
        return sum(one.count for one in self.parts)


def booklet(assembly: Assembly, steps: tuple[BookStep, ...], title: str, progress: Progress | None = None) -> Booklet:
    """The booklet of a model that is built in these steps."""
    made = _Maker(assembly)
    pages = []
    for number, (step, view, turn) in enumerate(_viewed(assembly, steps), start=1):
        if progress is not None:
            progress(number, len(steps))
        pages.append(made.page(number, step, view, turn))
    partial = "; ".join(one.sentence for one in assembly.partial)
    return Booklet(title, made.cover(steps[-1]), tuple(pages), made.counted(range(len(assembly.parts))), partial)


def kind_of(part: Part) -> str:
    """What people call a part: `brick 2×4`, `plate 1×6`; the title of its mould; else its own name."""
    if isinstance(part.shape, BrickShape):
        kind = part.shape.kind
        small, large = sorted((kind.length, kind.width))
        height = (
            ""
            if kind.plates in (1, kind.measures.plates_per_brick)
            else f"×{kind.plates / kind.measures.plates_per_brick:g}"
        )
        make = "" if kind.system == "system" else f"{kind.system} "
        return f"{make}{kind.family} {small}×{large}{height}"
    if part.mould is not None:
        return " ".join(part.mould.title.split()).replace(" x ", "×") or part.mould.number
    return f"part {part.name}" if part.name.isdigit() else part.name  # "1× 6" would be read as a size


class _Maker:
    """Makes pictures of one model; each sort of part is drawn once."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._colors = colors_of(assembly.parts)
        self._albums: dict[bytes, tuple[Album, tuple[Part, ...]]] = {}
        self._icons: dict[tuple[str, str], bytes] = {}
        self._there: frozenset[int] = frozenset()

    def page(self, number: int, step: BookStep, view: View, turn: bool) -> StepPage:
        new = frozenset(step.parts)
        there = self._there | new
        album, _ = self._album(step)
        picture = encoded(album.picture(view, there, new))
        self._there = there
        call_outs = tuple(self._call_out(step, one) for one in step.call_outs)
        low = view.size[0] * STEP_PX[1] > view.size[1] * STEP_PX[0]
        return StepPage(number, self.counted(step.parts), picture, call_outs, step.note, turn, low)

    def _album(self, step: BookStep) -> tuple[Album, tuple[Part, ...]]:
        key = step.T_world_assembly.tobytes()
        if key not in self._albums:
            parts = turned_parts(self._assembly, step)
            self._albums[key] = Album(parts, self._colors), parts
        return self._albums[key]

    def _call_out(self, step: BookStep, one: CallOut) -> CallOutPage:
        _, parts = self._album(step)
        apart = Album(parts, self._colors)
        view = view_of([parts[number] for number in one.parts], CALL_OUT_PX, YAW_DEG, PITCH_DEG)
        there: frozenset[int] = frozenset()
        pictures = []
        for added in one.steps:
            there |= frozenset(added)
            pictures.append(
                encoded(apart.picture(view, there, frozenset(added) if len(one.steps) > 1 else frozenset()))
            )
        title = " ".join(filter(None, (one.name, f"{one.times}×" if one.times > 1 else "")))
        return CallOutPage(title, tuple(pictures))

    def counted(self, numbers: object) -> tuple[PartCount, ...]:
        """Parts by kind and colour, most of them first."""
        parts = [self._assembly.parts[number] for number in numbers]  # type: ignore[attr-defined]
        counts = Counter((kind_of(part), part.color or "") for part in parts)
        samples = {(kind_of(part), part.color or ""): part for part in parts}
        ordered = sorted(counts, key=lambda key: (-counts[key], key))
        return tuple(PartCount(*key, counts[key], self._icon(key, samples[key])) for key in ordered)

    def _icon(self, key: tuple[str, str], part: Part) -> bytes:
        if key not in self._icons:
            alone = replace(part, T_world_part=np.eye(4))
            number = next(k for k, other in enumerate(self._assembly.parts) if other is part)
            album = Album((alone,), self._colors[[number]])
            picture = album.picture(view_of([alone], PART_PX, YAW_DEG, PITCH_DEG), frozenset([0]))
            self._icons[key] = icon(picture)
        return self._icons[key]

    def cover(self, last: BookStep) -> bytes:
        """All of it, as it lies in the end."""
        parts = turned_parts(self._assembly, last)
        view = view_of(parts, COVER_PX, YAW_DEG, PITCH_DEG)
        return encoded(Album(parts, self._colors).picture(view, frozenset(range(len(parts)))))


def turned_parts(assembly: Assembly, step: BookStep) -> tuple[Part, ...]:
    """The parts as they lie in a step."""
    T = step.T_world_assembly
    if np.array_equal(T, np.eye(4)):
        return assembly.parts
    return tuple(replace(part, T_world_part=T @ part.T_world_part) for part in assembly.parts)


def _viewed(assembly: Assembly, steps: tuple[BookStep, ...]) -> list[tuple[BookStep, View, bool]]:
    """Every step with the view that shows it, and whether the model is turned for it.

    The scale stays while the model does not grow much. The side stays until a step's new parts are hidden from it.
    """
    bare: dict[bytes, Album] = {}
    there: frozenset[int] = frozenset()
    found: list[tuple[BookStep, View, bool]] = []
    yaw, view, until = YAW_DEG, None, -1.0
    states = []
    for step in steps:
        there = there | frozenset(step.parts)
        states.append(there)
    for number, step in enumerate(steps):
        parts = turned_parts(assembly, step)
        turn = step.turn
        if step.yaw_deg is not None:
            turn, yaw, view = True, YAW_DEG + step.yaw_deg, None
        elif not turn:
            key = step.T_world_assembly.tobytes()
            looks = bare.setdefault(key, Album(parts, np.zeros((len(parts), 3)), solid=True))
            chosen = _best_side(looks, parts, states[number], frozenset(step.parts), yaw)
            turn, yaw, view = chosen != yaw, chosen, view if chosen == yaw else None
        if view is None or turn or _size_m(parts, states[number]) > until:
            last = number
            until = GROWTH * _size_m(parts, states[number])
            while last + 1 < len(steps) and _size_m(parts, states[last + 1]) <= until:
                last += 1
            view = view_of([parts[one] for one in states[last]], STEP_PX, yaw, PITCH_DEG, if_low=LOW_PX)
        found.append((step, view, turn and number > 0))
    return found


def _best_side(looks: Album, parts: tuple[Part, ...], there: frozenset[int], new: frozenset[int], yaw: float) -> float:
    """The side that the model is looked at from: the one before, unless that hides what is new and another does not."""

    def seen(degrees: float) -> float:
        return looks.seen_share(
            view_of([parts[one] for one in there], LOOK_PX, degrees, PITCH_DEG, solid=True), there, new
        )

    now = seen(yaw)
    if now >= HIDDEN:
        return yaw
    shares = {yaw + more: seen(yaw + more) for more in OTHER_SIDES_DEG}
    best = max(shares, key=lambda degrees: shares[degrees])
    return best if shares[best] > WELL_SEEN * now else yaw


def _size_m(parts: tuple[Part, ...], there: frozenset[int]) -> float:
    points = np.array([parts[number].com_world_m for number in there])
    reach = max(parts[number].radius_m for number in there)
    return float(np.linalg.norm(np.ptp(points, axis=0))) + 2 * reach
