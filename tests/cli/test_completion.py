"""Completion is written from the parser, and shells understand what is written."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from falsework.cli import VERBS, main, parser
from falsework.cli.completion import WRITERS, verbs_of

ASK_BASH = """
source "$1"
COMP_WORDS=(falsework {words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_falsework
echo "${{COMPREPLY[@]}}"
"""


def script(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    with pytest.raises(SystemExit) as ended:
        main(["--completion", shell])
    assert ended.value.code == 0
    file = folder / f"completion.{shell}"
    file.write_text(capsys.readouterr().out)
    return file


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed here")
    return found


def completed(shell: str, file: Path, words: str) -> set[str]:
    asked = [needs(shell), "-c", ASK_BASH.format(words=words), shell, str(file)]
    return set(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("shell", sorted(WRITERS))
def test_every_verb_and_every_option_is_in_the_script(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, tmp_path, capsys).read_text()
    for verb in verbs_of(parser()):
        assert verb.name in text
        for option in verb.options:
            for spelling in option.spellings:
                assert (f"-l {spelling[2:]}" if shell == "fish" and spelling.startswith("--") else spelling) in text


def test_the_words_of_options_are_those_that_their_rooms_know() -> None:
    verbs = {verb.name: verb for verb in verbs_of(parser())}
    assert tuple(verbs) == VERBS
    options = {option.spellings[-1]: option for option in verbs["plan"].options}
    assert "cra" in options["--model"].words and "beam" in options["--planner"].words
    assert (options["--out"].takes, options["--png"].takes, options["--margins"].takes) == ("folder", "file", "nothing")
    assert "dome" in verbs["new"].places[0].words
    assert verbs["check"].places[0].takes == "file"


def test_bash_completes_verbs_options_and_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script("bash", tmp_path, capsys)
    assert completed("bash", file, "''") == set(VERBS)
    assert completed("bash", file, "co") == {"collapse", "convert"}
    assert completed("bash", file, "check a.yaml --he") == {"--held", "--help"}
    assert completed("bash", file, "check a.yaml --model s") == {"snapfit", "stablelego", "simulated"}
    assert completed("bash", file, "new do") == {"dome", "dovetail"}
    assert completed("bash", file, "check exam") == set()  # bash goes on with file names
    assert completed("bash", file, "check a.yaml --mu ''") == set()


def test_fish_completes_verbs_options_and_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fish, file = needs("fish"), script("fish", tmp_path, capsys)

    def asked(line: str) -> set[str]:
        code = f"source {file}; complete -C '{line}'"
        said = subprocess.run(
            [fish, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)}
        )
        return {row.split("\t")[0] for row in said.stdout.splitlines()}

    assert asked("falsework co") == {"collapse", "convert"}
    assert "--held" in asked("falsework check a.yaml --he")
    assert asked("falsework check a.yaml --model s") == {"snapfit", "stablelego", "simulated"}
    assert "dome" in asked("falsework new do")


def test_zsh_reads_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zsh, file = needs("zsh"), script("zsh", tmp_path, capsys)
    subprocess.run([zsh, "-n", str(file)], check=True, capture_output=True)


def test_an_unknown_shell_is_told_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", "powershell"]) == 2
    assert "bash" in capsys.readouterr().err


def test_the_parser_itself_loads_nothing_for_it() -> None:
    (option,) = (action for action in parser()._actions if action.dest == "completion")
    assert isinstance(option, argparse.Action) and tuple(option.choices or ()) == tuple(WRITERS)
