"""The same answer on every processor: states asked about here and, in other processes, as if on two other kinds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("numba")

from falsework.bench import targets
from falsework.bench.target_states import ASSEMBLIES, NEAR, Question, answers, answers_on, differences, questions
from falsework.bench.targets import ALL, HASWELL, NATIVE, PLAIN, TARGETS, Target, targets_here
from falsework.kernels import machine_code
from falsework.model.errors import BadInput
from falsework.statics.core import worth_compiling

STATES = 500
everywhere = pytest.mark.skipif(
    targets_here() != TARGETS, reason="this machine cannot run the machine code of all targets"
)


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return questions(STATES)


@everywhere
def test_500_states_have_the_same_answer_on_every_target(asked: list[Question]) -> None:
    told = {target.name: answers_on(target, asked)[0] for target in TARGETS}
    differing = differences(told)
    assert [asked[n] for n in differing.contradictory] == []
    assert [asked[n] for n in differing.partly_undecided] == []  # at most 1 in 1000


def test_states_are_of_many_assemblies_and_some_miss_their_limit_by_little(asked: list[Question]) -> None:
    assert len(asked) == STATES
    assert {question.assembly for question in asked} == set(ASSEMBLIES)
    near = [question for question in asked if question.off]
    assert len(near) > 0.5 * NEAR * STATES
    wrong = {True: "unstable", False: "stable"}  # by whether the state bears what it is asked to; undecided is honest
    told = answers(near)
    assert not [asked for asked, answer in zip(near, told, strict=True) if answer == wrong[asked.off < 0]]
    assert told.count("undecided") < 0.1 * len(near)


def test_differences_tell_contradictions_from_what_only_some_decide() -> None:
    told = {
        "native": ["stable", "unstable", "stable", "undecided", "unstable"],
        "plain": ["stable", "unstable", "unstable", "undecided", "undecided"],
        "haswell": ["stable", "unstable", "undecided", "undecided", "unstable"],
    }
    found = differences(told)  # type: ignore[arg-type]
    assert found.contradictory == [2]
    assert found.partly_undecided == [2, 4]


def test_a_target_changes_what_makes_a_processor_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in targets.VARIED:
        monkeypatch.delenv(name, raising=False)
    assert NATIVE.environment() == dict(os.environ)
    plain = PLAIN.environment()
    assert plain["NUMBA_CPU_NAME"] == "x86-64"
    assert plain["NUMBA_CPU_FEATURES"] == ""  # unset, numba would add this machine's own
    assert {name for name in plain if plain[name] != os.environ.get(name)} == set(targets.VARIED)
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    assert "NUMBA_CPU_NAME" not in NATIVE.environment()


def test_every_target_keeps_its_machine_code_in_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def kept(target: Target) -> Path:
        for name in targets.VARIED:
            monkeypatch.delenv(name, raising=False)
        for name, value in target.environment().items():
            monkeypatch.setenv(name, value)
        folder: Path = machine_code.folder.__wrapped__(worth_compiling.CONES)
        return folder

    assert len({kept(target) for target in TARGETS}) == len(TARGETS)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert {kept(target).parent for target in TARGETS} == {tmp_path}


@everywhere
def test_machine_code_made_for_plain_processors_multiplies_and_adds_in_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fuses.py").write_text(
        "import numba, sys\n"
        "made = numba.njit(fastmath={'contract'})(lambda a, b, c: a * b + c)\n"
        "made(1.0, 2.0, 3.0)\n"
        "sys.exit('vfmadd' not in ''.join(made.inspect_asm().values()))\n"
    )
    monkeypatch.chdir(tmp_path)  # where Python looks for modules first
    fuses = {target.name: targets.run_on(target, "fuses") == 0 for target in (PLAIN, HASWELL)}
    assert fuses == {"plain": False, "haswell": True}


def test_one_command_runs_a_module_on_every_target_until_one_fails(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(targets, "targets_here", lambda: TARGETS)
    ran: list[str] = []
    monkeypatch.setattr(targets, "run_on", lambda target, *_: ran.append(target.name) or int(target is PLAIN))
    assert targets.main(["haswell", "falsework"]) == 0
    assert targets.main([ALL, "falsework", "--help"]) == 1
    assert ran == ["haswell", "native", "plain"]
    assert "falsework on target plain" in capfd.readouterr().err


def test_unknown_targets_are_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match="cannot play a target 'nativ'; did you mean 'native'"):
        targets.main(["nativ", "pytest"])
    with pytest.raises(BadInput, match=r"expected a target .* and a module"):
        targets.main(["native"])
