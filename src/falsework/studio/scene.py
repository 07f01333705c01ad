"""The scene: everything a page, a picture or a film shows of one answer. Frozen data, testable without a browser.

Lengths are metres in world axes, z up. Parts are columns, not objects: an assembly may have 10⁵ of them. Names and
labels are data wherever they came from; only `encoding` and the page decide how they are written, never as HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Bools, Ints, freeze, freeze_ints, frozen

Role = Literal["free", "fixed", "held", "absent", "ground"]
ROLES: tuple[Role, ...] = ("free", "fixed", "held", "absent", "ground")
Tone = Literal["yes", "no", "open", "plain"]
Push = Literal["press", "pull", "load"]
PUSHES: tuple[Push, ...] = ("press", "pull", "load")
Kind = Literal["info", "check", "collapse", "simulate", "plan"]  # what can be seen and done in the page
EventKind = Literal["break", "join", "note"]


@dataclass(frozen=True, slots=True, eq=False)
class SceneMesh:
    """A surface that any number of parts share, in the part's frame."""

    vertices: Array  # (n, 3) m
    triangles: Ints  # (m, 3)

    def __post_init__(self) -> None:
        freeze(self, vertices=(None, 3))
        freeze_ints(self, triangles=(None, 3))
        _refuse_not_finite("mesh", self.vertices)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """All bodies in the assembly's order, the ground last where there is one."""

    names: tuple[str, ...]
    labels: tuple[str, ...]  # what each is: "brick_2x4", "polyhedron"
    mesh: Ints  # (n,) index into Scene.meshes
    T_world_part: Array  # (n, 4, 4)
    com_world_m: Array  # (n, 3)
    mass_kg: Array  # (n,)
    color: tuple[str, ...]  # "#rrggbb"
    role: tuple[Role, ...]
    falling: Bools  # (n,)

    def __post_init__(self) -> None:
        freeze_ints(self, mesh=(None,))
        freeze(self, T_world_part=(None, 4, 4), com_world_m=(None, 3), mass_kg=(None,))
        object.__setattr__(self, "falling", frozen(self.falling, (None,), np.bool_))
        columns = (self.labels, self.mesh, self.T_world_part, self.com_world_m, self.mass_kg, self.color, self.role)
        if any(len(column) != len(self.names) for column in (*columns, self.falling)):
            raise ValueError("columns of parts of unequal length")
        _refuse_not_finite("parts", self.T_world_part, self.com_world_m, self.mass_kg)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Forces at points. Each is the force on `second`; `first` feels its opposite and is −1 for an applied load."""

    points_m: Array  # (k, 3)
    forces_n: Array  # (k, 3)
    first: Ints  # (k,)
    second: Ints  # (k,)
    push: tuple[Push, ...]

    def __post_init__(self) -> None:
        freeze(self, points_m=(None, 3), forces_n=(None, 3))
        freeze_ints(self, first=(None,), second=(None,))
        columns = (self.forces_n, self.first, self.second, self.push)
        if any(len(column) != len(self.points_m) for column in columns):
            raise ValueError("columns of arrows of unequal length")
        _refuse_not_finite("arrows", self.points_m, self.forces_n)

    def __len__(self) -> int:
        return len(self.points_m)


@dataclass(frozen=True, slots=True, eq=False)
class FirstMotion:
    """How every part starts to move; the page plays it as a short loop, exaggerated."""

    twists: Array  # (n, 6) acceleration of the centre of mass, m/s², and angular, rad/s²; world axes
    note: str = ""

    def __post_init__(self) -> None:
        freeze(self, twists=(None, 6))
        _refuse_not_finite("motion", self.twists)


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One number per part, to colour by; NaN where a part has none."""

    label: str
    unit: str  # "%" shows a share of 1 as 100 %
    values: Array  # (n,)
    low: float
    high: float

    def __post_init__(self) -> None:
        freeze(self, values=(None,))
        if not self.low < self.high:  # rejects NaN too
            raise ValueError(f"{self.label}: expected a range, found {self.low} to {self.high}")


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Where parts are joined, and how near each joint is to its limit; NaN where that is not known."""

    bodies: Ints  # (k, 2)
    points_m: Array  # (k, 3)
    utilization: Array  # (k,)
    breaking: Bools  # (k,)

    def __post_init__(self) -> None:
        freeze_ints(self, bodies=(None, 2))
        freeze(self, points_m=(None, 3), utilization=(None,))
        object.__setattr__(self, "breaking", frozen(self.breaking, (None,), np.bool_))
        _refuse_not_finite("joints", self.points_m)

    def __len__(self) -> int:
        return len(self.bodies)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens on the time line: a joint breaks, two parts meet."""

    time_s: float
    label: str
    parts: tuple[int, ...] = ()
    kind: EventKind = "break"

    def __post_init__(self) -> None:
        if not np.isfinite(self.time_s):
            raise ValueError(f"event {self.label!r}: expected a finite time, found {self.time_s}")


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """A motion in time: of `collapse` and `simulate`."""

    times_s: Array  # (t,)
    T_world_part: Array  # (t, n, 4, 4)
    events: tuple[Event, ...] = ()
    poster_s: float | None = None  # the moment that a picture shows; the end unless told

    def __post_init__(self) -> None:
        freeze(self, times_s=(None,), T_world_part=(None, None, 4, 4))
        if len(self.times_s) < 2 or not (np.diff(self.times_s) > 0).all():
            raise ValueError("expected two times or more, growing")
        if len(self.times_s) != len(self.T_world_part):
            raise ValueError(f"{len(self.times_s)} times for {len(self.T_world_part)} frames")
        _refuse_not_finite("frames", self.times_s, self.T_world_part)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A number in time, to be plotted: energy, penetration, force; NaN where it is not known.

    Curves of one unit whose `plot` is the same text share their axes.
    """

    label: str
    unit: str
    times_s: Array  # (t,) growing
    values: Array  # (t,)
    plot: str = ""  # the title of the plot; the label unless told

    def __post_init__(self) -> None:
        freeze(self, times_s=(None,), values=(None,))
        if len(self.times_s) != len(self.values):
            raise ValueError(f"curve {self.label!r}: {len(self.times_s)} times for {len(self.values)} values")
        _refuse_not_finite(f"curve {self.label!r}", self.times_s)
        if len(self.times_s) == 0 or not (np.diff(self.times_s) >= 0).all():
            raise ValueError(f"curve {self.label!r}: expected one time or more, not falling")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a camera showed at a time, with what was made of it drawn in: shown until the next one of that camera."""

    time_s: float
    camera: str
    jpeg: bytes
    caption: str = ""

    def __post_init__(self) -> None:
        if not np.isfinite(self.time_s):
            raise ValueError(f"a picture of {self.camera!r}: expected a finite time, found {self.time_s}")


@dataclass(frozen=True, slots=True, eq=False)
class SceneStep:
    """One step of a plan: which parts come, along which path, and what is held once it is done."""

    label: str
    placed: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    detail: str = ""
    path: Array | None = None  # (k, 4, 4) poses of the first placed part, from free to final; others move along
    T_world_assembly: Array | None = None  # (4, 4) how the model lies from this step on, where that changes
    failed: bool = False  # it does not do what it says
    apart: Array | None = (
        None  # (k, 4, 4) poses of the first placed part from its place to its place in the exploded view
    )

    def __post_init__(self) -> None:
        for name, shape in (("path", (None, 4, 4)), ("T_world_assembly", (4, 4)), ("apart", (None, 4, 4))):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), shape))
                _refuse_not_finite(name, getattr(self, name))


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """An order of building. Parts that no step places are there from the start."""

    steps: tuple[SceneStep, ...]
    label: str = ""  # where there are alternatives: which one it is
    held: tuple[int, ...] = ()  # before the first step

    def __post_init__(self) -> None:
        if not self.steps:
            raise ValueError("expected one step or more")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: texts, numbers (None: not known) or part indices (None: no part)."""

    label: str
    kind: Literal["text", "number", "share", "part"]
    values: tuple[str | float | int | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, and what they mean."""

    title: str
    columns: tuple[Column, ...]
    caption: str = ""

    def __post_init__(self) -> None:
        if len({len(column.values) for column in self.columns}) > 1:
            raise ValueError(f"table {self.title!r}: columns of unequal length")


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer in a word and a sentence."""

    tone: Tone
    word: str
    sentence: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One answer, ready to be looked at.

    Lengths are in m, world axes; the page chooses its own units.

    >>> import falsework
    >>> from falsework.studio import info_scene
    >>> arch = falsework.load("examples/arch.yaml")
    >>> len(info_scene(arch, falsework.info(arch), "arch").parts)
    13
    """

    kind: Kind
    title: str
    headline: Headline
    meshes: tuple[SceneMesh, ...]
    parts: Parts
    facts: tuple[tuple[str, str], ...] = ()  # label, value
    notes: tuple[str, ...] = ()
    arrows: Arrows | None = None
    motion: FirstMotion | None = None
    scalars: tuple[Scalar, ...] = ()
    joints: Joints | None = None
    timeline: Frames | Steps | None = None
    alternatives: tuple[Steps, ...] = ()  # other orders of building, beside the one of the time line
    curves: tuple[Curve, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()  # in time, of one camera or several
    tables: tuple[Table, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()
    color_by: str = "part"  # "part", "state", "order" or the label of a scalar

    def __post_init__(self) -> None:
        count = len(self.parts)
        if count == 0 or self.parts.mesh.min() < 0 or self.parts.mesh.max() >= len(self.meshes):
            raise ValueError("a scene needs parts, and every part a mesh")
        for scalar in self.scalars:
            _refuse_wrong_count(scalar.label, len(scalar.values), count)
        if self.motion is not None:
            _refuse_wrong_count("motion", len(self.motion.twists), count)
        if isinstance(self.timeline, Frames):
            _refuse_wrong_count("frames", self.timeline.T_world_part.shape[1], count)
            _refuse_unknown("an event", [part for event in self.timeline.events for part in event.parts], count)
        if self.alternatives and not isinstance(self.timeline, Steps):
            raise ValueError("alternatives need steps to be alternatives to")
        for order in (self.timeline, *self.alternatives):
            if isinstance(order, Steps):
                named = [part for step in order.steps for part in (*step.placed, *step.held)]
                _refuse_unknown("a step", [*order.held, *named], count)


def _refuse_not_finite(what: str, *arrays: Array) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError(f"{what}: a number that is not finite")


def _refuse_unknown(what: str, named: list[int], count: int) -> None:
    if named and not 0 <= min(named) <= max(named) < count:
        raise ValueError(f"{what} names a part that is not there")


def _refuse_wrong_count(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise ValueError(f"{what}: {found} values for {expected} parts")
