"""Names that are looked up when they are first asked for, so that importing a room imports no library.

Here is also the one way by which a room offers what is done in rooms above it: an assembly is made from boxes, or shown
in a notebook, a cell's file names arms that only the engine can read, and the jobs of a batch are answered as the
command line would, by what `UPSTAIRS` names. Rooms below import none of these.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature

UPSTAIRS = {
    "Answering": "falsework.cli.answering",
    "crew_of": "falsework.robots.keyframes.cell_planning",
    "from_boxes": "falsework.geometry.making",
    "from_trimesh": "falsework.geometry.making",
    "grounded": "falsework.geometry.contacts.ground",
    "in_cell": "falsework.robots.keyframes.cell_planning",
    "judge_of": "falsework.robots.keyframes.judging",
    "notebook_html": "falsework.studio.notebook",
    "quickest": "falsework.robots.motions.quickest",
    "read_mjcf_arm": "falsework.engine.arm_file",
}


def upstairs(name: str) -> Any:
    """A function, or a class, of a room above the one that asks."""
    return getattr(importlib.import_module(UPSTAIRS[name]), name)


def exports(room: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a room; `homes` has the names that live in each of its modules.

    A name may get another one on the way: `make:new`.

    >>> everything, look_up, _ = exports("falsework", {"model.part": "Part", "gallery.registry": "make:new"})
    >>> everything, look_up("Part").__name__, look_up("new").__name__
    (['Part', 'new'], 'Part', 'make')
    """
    pairs = [(word.partition(":"), home) for home, words in homes.items() for word in words.split()]
    found_as = {alias or name: (f"{room}.{home}", name) for (name, _, alias), home in pairs}
    everything = sorted(found_as)

    def look_up(name: str) -> Any:
        if name in found_as:
            home, own = found_as[name]
            try:
                return getattr(importlib.import_module(home), own)
            except ModuleNotFoundError as why:
                from falsework.model.extras import missing

                raise missing(why) or why from why
        raise AttributeError(f"module {room!r} has no attribute {name!r}{_nearest(name, everything)}")

    def listed() -> list[str]:
        return sorted({*everything, *(name for name in vars(sys.modules[room]) if name.startswith("__"))})

    return everything, look_up, listed


def _nearest(name: str, choices: list[str]) -> str:
    if name.startswith("_"):  # Python itself asks for these
        return ""
    import difflib

    near = difflib.get_close_matches(name, choices, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class _CallableRoom(ModuleType):
    """A room that has the name of its verb: importing the room must not hide the verb, so the room can be called."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._verb(*arguments, **options)

    @property
    def __signature__(self) -> Signature:
        import inspect

        return inspect.signature(self._verb)

    @property
    def _verb(self) -> Callable[..., Any]:
        verb: Callable[..., Any] = getattr(importlib.import_module(vars(self)["_verb_home"]), vars(self)["_verb_name"])
        return verb


def callable_room(room: str, home: str, verb: str) -> None:
    """Let a room be called like the verb that lives in one of its modules."""
    module = sys.modules[room]
    module.__class__ = _CallableRoom
    vars(module).update(_verb_home=home, _verb_name=verb)
