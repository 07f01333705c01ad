"""`check_many`: the verdicts on many assemblies, or on many states of one, which is made ready only once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from falsework.formats.opening import READING, Reading, Source, opened
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Loads
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.given import Names
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verbs import verb
from falsework.model.verdict import Verdict
from falsework.statics.clutches.capacities import capacities
from falsework.statics.core.ambiguity import settled
from falsework.statics.core.friction_cones import Cone
from falsework.statics.core.worth_compiling import pays_off
from falsework.verdicts.check import LARGE, Question, answer, answer_on, answer_state, asked, question_of
from falsework.verdicts.registry import AUTO, Terms, model_for
from falsework.verdicts.searching import search_oracle

STATE_WORDS = ("held", "absent", "loads", "gravity")
MOST_AT_ONCE = 1000  # states between two words about progress
WORTH_LOADING, WORTH_COMPILING = 20, 1000  # states, for which machine code is loaded that is there, or made
Progress = Callable[[int, int], None]


@verb(*READING)
def check_many(
    sources: Source | Iterable[Source],
    states: Iterable[State | Mapping[str, Any]] | None = None,
    *,
    model: str = AUTO,
    cone: Cone = "exact",
    held: Names = (),
    absent: Names = (),
    loads: Loads | None = None,
    gravity: Iterable[float] | None = None,
    timeout_s: float | None = None,
    also: bool = True,
    proofs: bool = True,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> list[Verdict]:
    """What `check` says of many assemblies, or of many states of one, in their order.

    sources   assemblies and files; or one of them, and `states` of it
    states    each a `State`, or what is special about it: {"absent": "keystone"}, {"held": ["a", "b"]}, with "loads"
              and "gravity" as `check` takes them. What one does not say is as the options say
    proofs    False: answers only, without certificates, margins and what falls. States of one assembly are then solved
              side by side by the oracle of searches
    progress  is told how many are done, and of how many

    The other options are those of `check`, for all alike. Contacts are found once an assembly, not once a state. An
    answer is never less decided than that of `check`, and never the opposite: both are proved.

    >>> [verdict.answer for verdict in check_many(["examples/arch.yaml", "examples/stairs.txt"])]
    ['stable', 'unstable']
    >>> gone = [{"absent": "keystone"}, {"absent": "keystone", "held": ["stone-5", "stone-7"]}]
    >>> [verdict.stands for verdict in check_many("examples/arch.yaml", gone)]
    [False, True]
    """
    usual = question_of(
        model=model, cone=cone, held=held, absent=absent, loads=loads, gravity=gravity, timeout_s=timeout_s, also=also
    )
    if isinstance(sources, str | os.PathLike | Assembly):
        if states is None:
            raise TypeError("check_many() takes several assemblies, or states of one; falsework.check takes one")
        assembly = opened(sources, reading)
        assembly.require_ground()
        wanted = [_state(assembly, usual, given) for given in states]
        return (
            _with_proofs(assembly, usual, wanted, progress) if proofs else _answers(assembly, usual, wanted, progress)
        )
    if states is not None:
        raise TypeError("check_many() takes states of one assembly only; ask about each assembly in turn")
    return _one_by_one(list(sources), usual, reading, progress)


def _one_by_one(
    sources: list[Source], question: Question, reading: Reading, progress: Progress | None
) -> list[Verdict]:
    verdicts = []
    for done, source in enumerate(sources, start=1):
        checkpoint()
        verdicts.append(answer(opened(source, reading), question))
        if progress is not None:
            progress(done, len(sources))
    return verdicts


def _state(assembly: Assembly, usual: Question, given: State | Mapping[str, Any]) -> State:
    if isinstance(given, State):
        return given
    if not isinstance(given, Mapping):
        raise BadInput(f"states: found {shown(given)}, expected a State, or a mapping like {{'absent': 'keystone'}}")
    for word in given:
        if word not in STATE_WORDS:
            raise BadInput(f"states: found {shown(word)}; {did_you_mean(word, STATE_WORDS)}")
    own = question_of(**given)
    changed = replace(usual, **{word: getattr(own, word) for word in given})
    return changed.state_of(assembly)


def _with_proofs(
    assembly: Assembly, question: Question, states: Sequence[State], progress: Progress | None
) -> list[Verdict]:
    """As `check` would, by one oracle that is made ready for many questions."""
    touching = interfaces(assembly)
    model = model_for(question.model, assembly, touching)
    compiled = len(touching.clutches) >= LARGE and pays_off(touching, worthwhile=True)
    compiled = compiled or (len(states) >= WORTH_LOADING and pays_off(touching, len(states) >= WORTH_COMPILING))
    terms = Terms(question.cone, question.timeout_s, model.is_core and compiled, question.mortar)
    oracle = model.oracle(assembly, touching, terms)
    verdicts = []
    for done, state in enumerate(states, start=1):
        checkpoint()
        verdict = asked(model, oracle, assembly, touching, question, state, time.perf_counter())
        if not verdict.stands:
            verdict = _settled(assembly, touching, question, state, verdict)
        verdicts.append(verdict)
        if progress is not None:
            progress(done, len(states))
    return verdicts


def _settled(assembly: Assembly, touching: Interfaces, question: Question, state: State, verdict: Verdict) -> Verdict:
    """What ambiguous contacts make of it; undecided only where `check` itself is."""
    if verdict.answer == "undecided":
        return answer_state(assembly, question, state, touching)
    return settled(assembly, touching, state, verdict, lambda more: answer_on(more, assembly, question, state))


def _answers(
    assembly: Assembly, question: Question, states: Sequence[State], progress: Progress | None
) -> list[Verdict]:
    """The answers alone, side by side; one by one where contacts are ambiguous or nothing was decided."""
    touching = interfaces(assembly)
    model = model_for(question.model, assembly, touching)
    if question.cone != "exact" or question.timeout_s is not None:
        raise BadInput("check_many: without proofs cones are exact and there is no time limit; leave these options out")
    oracle = search_oracle(model, assembly, touching)
    calibrated = all(capacities()[kind.system, kind.narrow].calibrated for kind in touching.clutches.kinds)
    verdicts: list[Verdict] = []
    for first in range(0, len(states), MOST_AT_ONCE):
        some = states[first : first + MOST_AT_ONCE]
        for state, said in zip(some, oracle.answers(some), strict=True):
            if said == "undecided" or (said == "unstable" and len(touching.ambiguous)):
                said = answer_state(assembly, replace(question, also=False), state, touching).answer
            verdicts.append(Verdict(said, model.name, None, None, calibrated=calibrated))
        if progress is not None:
            progress(len(verdicts), len(states))
    return verdicts
