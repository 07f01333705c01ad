"""The order in which a file builds its model, judged: does what is there stand after every step?

Parts of a submodel come in the step that it comes in, as one: it is put together in the hand. Nothing is held between
steps, and how parts get to their places is not looked at: a file does not say.
"""

from __future__ import annotations

from collections.abc import Callable

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.as_filed import FileStep
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.planning.verification.failures import Failure, Verification, outcome
from falsework.verdicts.oracle import Oracle

Progress = Callable[[int, int], None]


def verify_steps(assembly: Assembly, progress: Progress | None = None) -> Verification:
    """Which steps of a file's own order do not stand; steps are counted from 1.

    >>> from falsework import load
    >>> verify_steps(load("examples/guitar.ldr")).valid
    True
    """
    if not assembly.steps:
        raise BadInput("the file says nothing of steps (0 STEP); falsework plan finds an order")
    assembly.require_ground()
    return judged_steps(assembly, assembly.steps, progress)


def judged_steps(
    assembly: Assembly, steps: tuple[FileStep, ...], progress: Progress | None = None, oracle: Oracle | None = None
) -> Verification:
    """The same of any steps."""
    judge = Oracle(assembly, interfaces(assembly)) if oracle is None else oracle
    installed = assembly.fixed_mask()
    failures = []
    for number, step in enumerate(steps, start=1):
        if progress is not None:
            progress(number, len(steps))
        installed |= assembly.mask(step.parts)
        state = State(installed, 0)
        if judge.answer(state) != "stable":
            verdict = judge.assess(state)
            failures.append(
                Failure(number, f"the structure {outcome(assembly, verdict)}", verdict.answer == "undecided")
            )
    missing = assembly.mask(assembly.names) & ~installed
    if missing:
        failures.append(Failure(0, f"its steps never place {', '.join(assembly.named(missing)[:5])}"))
    return Verification(tuple(failures), len(steps))
