"""Scenes of MJCF files that bricks are put into: what such a file asks of the engine is granted, or refused aloud.

What a file states and the brick world needs otherwise is an error that says what to do; what it does not state is ours
to choose. Everything that we do not touch (wind, jacobian, ccd…) is the engine's to respect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.model.arrays import Array
from falsework.model.errors import BadFile

SAME = 1e-9  # relative: steps and gravities that are taken for the same
INTEGRATORS = ("euler", "implicitfast")  # of loose bodies they are one; the others lose angular momentum or contacts
SOLVERS = ("newton", "cg")
KEPT = ("impratio", "iterations", "tolerance")
# What would make bricks pass through each other, hide that they do, or make contacts other than they are calibrated.
NEEDED = {
    **dict.fromkeys(("contact", "constraint", "gravity"), "enable"),
    **dict.fromkeys(("autoreset", "override", "speculative", "ipc"), "disable"),
}


@dataclass(frozen=True, slots=True)
class SceneFile:
    """An MJCF file as it is, and what its option elements state."""

    spec: Any
    path: str = ""
    stated: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(path: str | Path | None) -> SceneFile:
        """None is an empty scene."""
        if path is None:
            return SceneFile(mujoco().MjSpec())
        if not Path(path).is_file():
            raise BadFile(path, "", "there is no such file; expected an MJCF scene")
        try:
            spec = mujoco().MjSpec.from_file(str(path))
        except ValueError as why:
            raise BadFile(path, "", f"MuJoCo cannot read it: {why}") from why
        return SceneFile(spec, str(path), *_stated(_options(Path(path))))

    @staticmethod
    def parsed(text: str, name: str) -> SceneFile:
        """A scene that was written by the house itself; `name` is what messages call it."""
        return SceneFile(mujoco().MjSpec.from_string(text), name, *_stated(ElementTree.fromstring(text).iter("option")))

    @property
    def timestep_s(self) -> float | None:
        """As it is stated."""
        return float(self.stated["timestep"]) if "timestep" in self.stated else None

    def prepare(self, settings: ContactSettings, gravity: Array) -> Any:
        """The scene with our options where it states none; BadFile where the two cannot go together."""
        self._refuse(settings, gravity)
        option = self.spec.option
        own = {name: getattr(option, name) for name in (*KEPT, "integrator", "solver", "disableflags")}
        settings.options(self.spec)
        option.gravity = gravity
        for name in (*KEPT, "integrator", "solver"):
            if name in self.stated:
                setattr(option, name, own[name])
        option.disableflags |= own["disableflags"]
        return self.spec

    def _refuse(self, settings: ContactSettings, gravity: Array) -> None:
        step = self.timestep_s
        if step is not None and abs(step - settings.step_s) > SAME * settings.step_s:
            frame = f"Settings(frame_s={round(settings.frame_steps * step, 12):g}, substeps={settings.frame_steps})"
            self._fail("timestep", f"{step:g} s", f"{settings.step_s:g} s, the world's own; or give it {frame}")
        if "gravity" in self.stated:
            found = np.array([float(one) for one in self.stated["gravity"].split()])
            if found.shape != (3,) or np.abs(found - gravity).max() > SAME * max(1.0, float(np.abs(gravity).max())):
                self._fail("gravity", self.stated["gravity"], f"that of the assembly, {np.array(gravity).tolist()}")
        for name, allowed in (("integrator", INTEGRATORS), ("solver", SOLVERS), ("cone", ("elliptic",))):
            value = self.stated.get(name)
            if value is not None and value.lower() not in allowed:
                self._fail(name, value, " or ".join(allowed))
        for name, needed in NEEDED.items():
            if self.flags.get(name, needed) != needed:
                self._fail(f"flag {name}", self.flags[name], needed)

    def _fail(self, where: str, found: str, expected: str) -> None:
        raise BadFile(self.path, f"option {where}", f"found {found}, expected {expected}")


def _stated(options: Iterable[ElementTree.Element]) -> tuple[dict[str, str], dict[str, str]]:
    """What option elements state, and their flags; later ones over earlier ones."""
    stated: dict[str, str] = {}
    flags: dict[str, str] = {}
    for option in options:
        stated.update(option.attrib)
        for flag in option.iter("flag"):
            flags.update(flag.attrib)
    return stated, flags


def _options(path: Path, seen: frozenset[Path] = frozenset()) -> Iterator[ElementTree.Element]:
    """Option elements of a file and of those that it includes, in order; what is no XML states nothing."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError):
        return
    for element in root.iter():
        if element.tag == "option":
            yield element
        included = path.parent / element.get("file", "") if element.tag == "include" else None
        if included is not None and included not in seen:
            yield from _options(included, seen | {path})


# What a state has of our own bodies at its end, free joints and all bodies: the rest is of others.
_OWN = {
    "mjSTATE_QPOS": (7, 0),
    "mjSTATE_QVEL": (6, 0),
    "mjSTATE_WARMSTART": (6, 0),
    "mjSTATE_QFRC_APPLIED": (6, 0),
    "mjSTATE_XFRC_APPLIED": (0, 6),
}


def carry_over(old: tuple[Any, Any], new: tuple[Any, Any], free: int, bodies: int) -> None:
    """The whole state of everything that is not ours from one model and its data to another, in which ours are others.

    `free` and `bodies` are how many of ours there are now: they come last in every array.
    """
    library = mujoco()
    for name, kind in library.mjtState.__members__.items():
        bit = int(kind)
        if not name.startswith("mjSTATE_") or bit & (bit - 1):
            continue  # several at once
        joints, all_bodies = _OWN.get(name, (0, 0))
        there, here = (np.zeros(library.mj_stateSize(model, bit)) for model, _ in (old, new))
        library.mj_getState(*old, there, bit)
        library.mj_getState(*new, here, bit)
        kept = min(len(there), len(here) - joints * free - all_bodies * bodies)  # welds of ours may be more than before
        here[:kept] = there[:kept]
        library.mj_setState(*new, here, bit)
