"""`instruct`: building instructions of a model or a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from falsework.formats.basics.atomic import write_whole
from falsework.formats.bricks.ldraw_writing import dumps
from falsework.formats.opening import READING, PlanSource, Reading, Source, opened, opened_plan
from falsework.formats.plans.reading import read_plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.extras import library
from falsework.model.plan import Plan
from falsework.model.verbs import verb
from falsework.planning.plan import plan as planned_for
from falsework.planning.verification.failures import Verification
from falsework.planning.verification.file_steps import judged_steps
from falsework.planning.verification.verify import verify
from falsework.studio.booklet.booklet import Booklet, booklet
from falsework.studio.booklet.html import html_of
from falsework.studio.booklet.order import BookStep, Order, file_steps, steps_by_layer, steps_of_file, steps_of_plan
from falsework.studio.booklet.pages import pages_of
from falsework.studio.booklet.pdf import pdf_of

KINDS = ("pdf", "html", "ldraw")
NAMES = {"pdf": "instructions.pdf", "html": "instructions.html", "ldraw": "instructions.ldr"}
PATIENCE_S = 30.0  # for finding an order where none is given
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Instructions:
    """What was made: the booklet, the files, in whose order, and whether that stands step by step.

    >>> made = instruct("examples/guitar.ldr", kinds=())
    >>> made.pages, made.booklet.parts[0].words
    (11, '8× brick 1×2')
    """

    booklet: Booklet
    pages: int
    files: tuple[str, ...]
    order: Order
    verified: Verification

    def as_dict(self) -> dict[str, object]:
        """As `falsework instruct --json` prints it."""
        return {
            "pages": self.pages,
            "steps": len(self.booklet.steps),
            "parts": [one.as_dict() for one in self.booklet.parts],
            "files": list(self.files),
            "order": self.order,
            "verified": self.verified.valid,
            "failures": [{"step": one.step, "why": one.why} for one in self.verified.failures],
        }


@verb(*READING)
def instruct(
    source: Source | PlanSource,
    out: str | os.PathLike[str] | None = None,
    *,
    kinds: Iterable[str] = ("pdf", "html"),
    title: str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> Instructions:
    """Building instructions as people know them, of a model or of a plan; written to a folder where one is given.

    source    an assembly or its file; or a plan, or its file
    out       a folder for instructions.pdf, .html and .ldr
    kinds     which of "pdf", "html" and "ldraw" (the model in LDraw with its steps)
    title     on the cover; else the name of the file
    progress  is told how many steps were drawn, and of how many

    The order is that of the plan, else the one that the file itself has (LDraw's `0 STEP`), else the one that `plan`
    finds; where it finds none in half a minute, layer by layer. `verified` says whether what is there stands after each
    step, held and turned as a plan has it. The other options are those of `load`.

    >>> made = instruct("examples/guitar.ldr", kinds=())
    >>> made.order, made.verified.valid, made.booklet.count
    ('file', True, 20)
    """
    wanted = tuple(dict.fromkeys(kinds))
    for kind in wanted:
        if kind not in KINDS:
            raise BadInput(f"kind of instructions {shown(kind)}: expected one of {', '.join(KINDS)}")
    if wanted and out is None:
        raise BadInput("say where instructions go: a folder, --out DIR")
    if "pdf" in wanted:
        library("reportlab")  # before minutes are spent
    given, assembly = _opened(source, reading)
    if given is None:
        assembly.require_ground()
    steps, order, plan = _ordered(given, assembly)
    book = booklet(assembly, steps, _title(source) if title is None else title, progress)
    verified = _judged(assembly, steps, plan)
    files = _written(Path(out), wanted, book, assembly, steps) if out is not None else ()
    return Instructions(book, len(pages_of(book)), files, order, verified)


def _opened(source: Source | PlanSource, reading: Reading) -> tuple[Plan | None, Assembly]:
    if isinstance(source, Assembly):
        return None, opened(source, reading)
    if isinstance(source, str | os.PathLike):
        if _is_plan(source):
            return opened_plan(read_plan(source))
        return None, opened(source, reading)
    return opened_plan(source)


def _is_plan(source: str | os.PathLike[str]) -> bool:
    """Whether a file calls itself a plan."""
    try:
        with Path(source).open("rb") as stream:
            return b'"falsework-plan/' in stream.read(4096)
    except (OSError, ValueError):
        return False


def _ordered(plan: Plan | None, assembly: Assembly) -> tuple[tuple[BookStep, ...], Order, Plan | None]:
    """The steps, whose order that is, and the plan that they are of."""
    if plan is not None:
        if plan.status != "complete":
            raise BadInput(f"the plan is not complete ({plan.status}); there is nothing to instruct")
        return steps_of_plan(plan, assembly, interfaces(assembly)), "plan", plan
    if assembly.steps and {name for step in assembly.steps for name in step.parts} == set(assembly.names):
        return steps_of_file(assembly), "file", None
    joints = interfaces(assembly)
    try:
        found = planned_for(assembly, joints=joints, timeout_s=PATIENCE_S, shares=False)
    except BadInput:  # not of a kind that can be planned
        found = None
    if found is not None and found.status == "complete":
        return steps_of_plan(found.plan, assembly, joints), "plan", found.plan
    return steps_by_layer(assembly), "layers", None


def _judged(assembly: Assembly, steps: tuple[BookStep, ...], plan: Plan | None) -> Verification:
    """What is there after every step; of a plan with hands that hold or turn the model, step by step as it has them."""
    if plan is not None and (not assembly.is_grounded or any(step.note or step.turn for step in steps)):
        return verify(plan, assembly)
    return judged_steps(assembly, file_steps(assembly, steps))


def _title(source: object) -> str:
    if isinstance(source, str | os.PathLike):
        path = Path(os.fspath(source).partition("#")[0])
        return path.parent.name if path.name == "plan.json" and path.parent.name else path.stem
    return "Instructions"


def _written(
    folder: Path, wanted: tuple[str, ...], book: Booklet, assembly: Assembly, steps: tuple[BookStep, ...]
) -> tuple[str, ...]:
    made = {}
    for kind in wanted:
        if kind == "pdf":
            made[kind] = pdf_of(book)
        elif kind == "html":
            made[kind] = html_of(book).encode()
        else:
            made[kind] = stepped_ldraw(assembly, steps, book.title).encode()
    for kind, data in made.items():
        write_whole(folder / NAMES[kind], data)
    return tuple(str(folder / NAMES[kind]) for kind in made)


def stepped_ldraw(assembly: Assembly, steps: tuple[BookStep, ...], title: str) -> str:
    """The model in LDraw, its parts in the order of the steps."""
    told = file_steps(assembly, steps)
    order = [name for step in told for name in step.parts]
    parts = tuple(assembly.parts[assembly.index[name]] for name in order)
    return dumps(assembly.changed(parts=parts, steps=told), title)


__all__ = ["Instructions", "instruct", "stepped_ldraw"]
