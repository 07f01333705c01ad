"""What falls if a part is taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.outcome import Wanted
from falsework.statics.core.speeds import falling


def falls_without(
    equilibrium: Equilibrium, state: State, progress: Callable[[int, int], None] | None = None
) -> dict[str, tuple[str, ...] | None]:
    """For every part that can be taken away: the parts that fall then, none where it stands, None where undecided."""
    assembly = equilibrium.assembly
    bits = state.installed & ~assembly.fixed_mask()
    parts = [number for number in range(len(assembly.parts)) if bits >> number & 1]
    fallen: dict[str, tuple[str, ...] | None] = {}
    for done, number in enumerate(parts):
        gone = ~(1 << number)
        rest = replace(state, installed=state.installed & gone, held=state.held & gone)
        fallen[assembly.parts[number].name] = _falling(equilibrium, rest)
        if progress is not None:
            progress(done + 1, len(parts))
    return fallen


def _falling(equilibrium: Equilibrium, state: State) -> tuple[str, ...] | None:
    """The parts that fall; the quick verdict first, accelerations only where they are needed."""
    verdict = equilibrium.assess(state)
    if verdict.answer != "unstable":
        return () if verdict.stands else None
    ruling = equilibrium.rule(state, Wanted(accelerations=True))
    if not isinstance(ruling.certificate, Motion):
        return () if ruling.answer == "stable" else None
    return falling(equilibrium.assembly, state, ruling.certificate.twists)
