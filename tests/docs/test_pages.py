"""What the pages say is so: commands print what is shown, files and options that are named exist."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import falsework
from falsework.bench.suites import ALL, SUITES
from falsework.cli import VERBS, main, parser
from falsework.model.assembly import Assembly
from falsework.model.verdict import Forces
from tests.docs.shown import PAGES, ROOT, anchors, blocks, prints, sessions
from tests.statics.structures import block

README = ROOT / "README.md"
MAP = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "src" / "falsework"
WIDTH = 120
MOST_WORDS = 1500  # of the map: who needs more is sent to the page of a room


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples in it, as README's reader has."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_of_the_tour_prints_what_is_shown(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour = [session for session in sessions(README) if session.words[0] != "view"]  # view ends by Ctrl-C only
    assert {session.words[0] for session in tour} >= {"info", "check", "collapse", "margins", "plan", "simulate"}
    for session in tour:
        assert main(session.words) in (0, 1), session.words
        printed = capsys.readouterr().out
        assert prints(session.lines, printed.splitlines()), f"{' '.join(session.words)} prints\n{printed}"


def test_what_a_page_shows_is_told_from_what_a_command_printed() -> None:
    printed = ["a: stands", "  proof 1.7e-14", "  joint 2.3%  1 - 2", "  took 4 ms"]
    assert prints(("a: stands", "  proof 1.9e-15", "  …"), printed)
    assert prints(("a: stands", "  …", "  joint 2.3%  1 - 2", "  took 4 ms"), printed)
    assert not prints(("a: stands", "  joint 2.3%  1 - 2", "  …"), printed)  # a line was left out unsaid
    assert not prints(("a: falls", "  …"), printed)
    assert not prints(("a: stands", "  …", "  joint 2.4%  1 - 2", "  …"), printed)
    assert not prints(tuple(printed[:2]), printed)


def test_the_code_of_the_readme_gives_what_its_comments_say(desk: Path) -> None:
    (code,) = blocks(README, "python")
    names: dict[str, Any] = {}
    exec(code, names)
    verdict = names["verdict"]
    assert f"# {verdict.answer!r}" in code
    assert f"# {verdict.utilization:.3f}" in code
    assert isinstance(verdict.certificate, Forces)


def test_the_code_of_the_brick_world_breaks_the_bridge(desk: Path) -> None:
    code, _ = blocks(ROOT / "docs" / "brickworld.md", "python")  # the other is about somebody's robot
    names: dict[str, Any] = {}
    exec(code, names)
    world = names["world"]
    assert world.time_s == pytest.approx(1 / 60)
    assert len(world.components) == 2  # the drag tears brick 7 off its pier
    assert (desk / "break.npz").exists()


def test_the_check_of_the_recipe_keeps_the_lid_for_last() -> None:
    (code,) = blocks(ROOT / "CONTRIBUTING.md", "python")
    floor = block("floor", (0, 0, 0), (3, 1, 0.1))
    loose = [block(name, (x, 0, 0.1), (0.5, 1, 0.5)) for name, x in (("lid", 0.0), ("red", 1.0), ("blue", 2.0))]
    names: dict[str, Any] = {"assembly": Assembly((floor, *loose), fixed=frozenset({"floor"})), "falsework": falsework}
    exec(code, names)
    placed = [step.parts[0] for step in names["planned"].plan.steps if step.action == "place"]
    assert placed[-1] == "lid" and names["planned"].plan.rules.checks == ("wiring",)


def test_the_table_of_verbs_has_every_verb_and_only_options_that_it_takes() -> None:
    rows = {row[1]: row[0] for row in re.findall(r"^(\| `(\w+)[^|]*?(?:\\\|[^|]*)*\|.*)$", README.read_text(), re.M)}
    assert set(rows) == set(VERBS)
    for verb, row in rows.items():
        taken = _options(verb)
        assert set(re.findall(r"--[a-z-]+", row)) <= taken, verb
    assert set(re.findall(r"`(\w+)`", rows["bench"].split(":", 1)[1])) == {*SUITES, ALL}


def _options(verb: str) -> set[str]:
    (verbs,) = (action for action in parser()._actions if action.dest == "verb")
    assert isinstance(verbs.choices, dict)
    return {name for action in verbs.choices[verb]._actions for name in action.option_strings}


def test_the_map_of_the_house_stays_short() -> None:
    assert len(MAP.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_the_map_names_every_room_and_every_room_within_one() -> None:
    rooms = [folder.parent for folder in PACKAGE.glob("*/__init__.py")]
    inner = [folder.parent for room in rooms for folder in room.glob("*/__init__.py")]
    assert {room.name for room in rooms} >= {"kernels", "statics", "verdicts", "planning", "geometry", "formats"}
    assert {room.name for room in inner} >= {"proofs", "limits", "nodes", "ways", "basics"}
    named = set(re.findall(r"`(\w+)`", MAP.read_text(encoding="utf-8")))
    assert {room.name for room in [*rooms, *inner]} <= named


def test_the_map_leads_to_every_page() -> None:
    links = set(re.findall(r"\]\(([^)#:]+)", MAP.read_text(encoding="utf-8")))
    linked = {(MAP.parent / link).resolve() for link in links} | {MAP}
    assert {ROOT / page for page in PAGES} <= linked


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for link, _, place in (found.partition("#") for found in re.findall(r"\]\(([^):]+)\)", text)):
        target = (ROOT / page).parent / link if link else ROOT / page
        assert target.exists(), link
        assert not place or place in anchors(target), f"{link}#{place}"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    sources = {path.name for path in PACKAGE.rglob("*.py")}
    for named in re.findall(r"`([\w/*]+\.(?:py|toml))`", text):
        assert named in sources or any(any(folder.glob(named)) for folder in (ROOT, PACKAGE)), named


@pytest.mark.parametrize("page", PAGES)
def test_folders_that_a_page_names_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    rooms = {room.parent.name for room in PACKAGE.glob("*/__init__.py")} | {"tests", "src", "docs"}
    for named in re.findall(r"`(\w+(?:/\w+)+)/?`", text):
        if named.split("/")[0] in rooms:
            assert (ROOT / named).is_dir() or (PACKAGE / named).is_dir(), named


@pytest.mark.parametrize("page", PAGES)
def test_pages_speak_only_of_documents_that_the_project_has(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for named in re.findall(r"[\w./-]*\w\.md\b", text):
        assert (ROOT / named).exists() or ((ROOT / page).parent / named).exists(), named


@pytest.mark.parametrize("page", PAGES)
def test_prose_is_wrapped_at_the_width_of_the_code(page: str) -> None:
    prose = [line for line in (ROOT / page).read_text(encoding="utf-8").splitlines() if line[:1] not in ("|", "!")]
    assert [line for line in prose if len(line) > WIDTH] == []
