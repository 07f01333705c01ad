"""Instructions: every part once, in an order that stands, readable as text, and read back as LDraw."""

from __future__ import annotations

import io
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.formats import load
from falsework.gallery.cad.cad_set import cad_set
from falsework.model.errors import BadInput
from falsework.model.plan import Start
from falsework.studio.booklet.booklet import kind_of
from falsework.studio.booklet.order import steps_of_file, steps_of_plan
from falsework.studio.booklet.pages import pages_of
from falsework.studio.booklet.pictures import Album, colors_of, view_of
from falsework.studio.booklet.raster import Canvas, View
from tests.statics.structures import stack

STILL = "1 0 0 0 1 0 0 0 1"
COLORS = (4, 14, 1, 15, 2)


def wall(rows: int, columns: int) -> str:
    """Bricks 2 x 4 in running bond, a step for each row."""
    lines = ["0 A wall\n"]
    for row in range(rows):
        for column in range(columns):
            x = 80 * column + 40 * (row % 2)
            lines.append(f"1 {COLORS[(row + column) % 5]} {x} {-24 * (row + 1)} 0 {STILL} 3001.dat\n")
        lines.append("0 STEP\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, falsework.Instructions]:
    folder = tmp_path_factory.mktemp("wall")
    (folder / "wall.ldr").write_text(wall(20, 10))
    return folder, falsework.instruct(folder / "wall.ldr", folder / "out", kinds=("pdf", "html", "ldraw"))


def counts_in(text: str) -> list[tuple[int, str]]:
    return [(int(number), kind) for number, kind in re.findall(r"(\d+)× ([a-z][^\n,<]*)", text)]


def test_two_hundred_bricks_make_a_pdf_whose_parts_list_sums_to_the_model(
    made: tuple[Path, falsework.Instructions],
) -> None:
    pypdf = pytest.importorskip("pypdf")
    folder, told = made
    data = (folder / "out" / "instructions.pdf").read_bytes()
    assert len(data) < 10e6
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    assert len(pages) == told.pages
    last = pages[-1]
    assert "Parts: 200" in last
    assert sum(number for number, _ in counts_in(last)) == 200
    stepwise = sum(number for page in pages[1:-1] for number, _ in counts_in(page))
    assert stepwise == 200
    assert [page.split()[-1] for page in pages[1:]] == [str(number) for number in range(2, len(pages) + 1)]
    assert told.order == "file" and told.verified.valid is True


def test_the_page_for_the_screen_says_the_same(made: tuple[Path, falsework.Instructions]) -> None:
    folder, told = made
    text = (folder / "out" / "instructions.html").read_text()
    assert "http" not in text.replace("data:image", "")  # it needs no network
    assert sum(number for number, _ in counts_in(text)) == 400  # in steps, and in all
    assert len(told.booklet.steps) == 20


def test_ldraw_with_steps_is_read_back_equal(made: tuple[Path, falsework.Instructions]) -> None:
    folder, told = made
    model, again = load(folder / "wall.ldr"), load(folder / "out" / "instructions.ldr")
    assert again.steps == model.steps
    assert np.allclose(again.coms_m, model.coms_m) and [p.color for p in again.parts] == [p.color for p in model.parts]
    assert falsework.verify(folder / "out" / "instructions.ldr").valid is True
    assert told.verified.states == 20


def test_a_plan_puts_parts_together_where_their_order_does_not_matter() -> None:
    model = falsework.load("examples/bridge.txt")
    joints = falsework.interfaces(model)
    planned = falsework.plan(model)
    steps = steps_of_plan(planned.plan, model, joints)
    placed = [part for step in steps for part in step.parts]
    assert sorted(placed) == list(range(len(model.parts)))
    assert len(steps) < len(placed)
    clutched = {frozenset(pair) for pair in joints.clutches.bodies.tolist()}
    for step in (step for step in steps if not step.call_outs):
        assert not any(frozenset(pair) in clutched for pair in itertools.combinations(step.parts, 2))
    assert any(step.call_outs for step in steps)  # two bricks of the deck are put together first


def test_bricks_that_lie_side_by_side_in_a_course_share_a_step() -> None:
    wall = falsework.new("brick-wall", columns=3, courses=2)
    steps = steps_of_plan(falsework.plan(wall).plan, wall, falsework.interfaces(wall))
    assert [len(step.parts) for step in steps] == [3, 4]


def test_submodels_are_call_outs_and_turns_are_signs(tmp_path: Path) -> None:
    pair = f"0 FILE pair.ldr\n1 14 -20 0 0 {STILL} 3003.dat\n1 14 20 0 0 {STILL} 3003.dat\n"
    text = (
        f"0 FILE m.ldr\n1 4 0 -24 0 {STILL} 3001.dat\n1 4 100 -24 0 {STILL} 3001.dat\n0 STEP\n"
        f"1 16 0 -48 0 {STILL} pair.ldr\n1 16 100 -48 0 {STILL} pair.ldr\n0 ROTSTEP 0 180 0 REL\n"
        f"1 4 0 -72 0 {STILL} 3001.dat\n{pair}"
    )
    (tmp_path / "m.mpd").write_text(text)
    made = falsework.instruct(tmp_path / "m.mpd", kinds=())
    second, third = made.booklet.steps[1], made.booklet.steps[2]
    assert [one.title for one in second.call_outs] == ["pair 2×"]
    assert (second.turn, third.turn) == (False, True)
    assert steps_of_file(load(tmp_path / "m.mpd"))[1].call_outs[0].times == 2


def test_the_model_is_turned_where_a_new_part_would_not_be_seen(tmp_path: Path) -> None:
    """A small brick behind a high wall."""
    high = "".join(f"1 15 0 {-24 * (k + 1)} 0 {STILL} 3006.dat\n" for k in range(8))
    (tmp_path / "m.ldr").write_text(f"0 wall\n{high}0 STEP\n1 4 0 -24 40 {STILL} 3003.dat\n")
    made = falsework.instruct(tmp_path / "m.ldr", kinds=())
    assert [step.turn for step in made.booklet.steps] == [False, True]


def test_steps_that_are_much_wider_than_high_share_a_page_one_above_the_other(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    for name, rows, columns in (("long", 2, 16), ("high", 12, 2)):
        (tmp_path / f"{name}.ldr").write_text(wall(rows, columns))
    long, high = (falsework.instruct(tmp_path / f"{name}.ldr", tmp_path / name) for name in ("long", "high"))
    assert [step.is_low for step in long.booklet.steps] == [True, True]
    assert [page.is_stacked for page in pages_of(long.booklet)] == [False, True, False]
    assert not any(step.is_low for step in high.booklet.steps[2:])
    assert 'class="stacked"' in (tmp_path / "long" / "instructions.html").read_text()
    words = pypdf.PdfReader(tmp_path / "long" / "instructions.pdf").pages[1].extract_text()
    assert sum(number for number, _ in counts_in(words)) == 32


def test_nearer_triangles_hide_those_behind_them_in_whatever_order_they_come() -> None:
    view = View(0.0, 0.0, np.zeros(3), 10.0, (20, 20), 10.0)
    square = np.array([[[-1, 0, -1], [1, 0, -1], [1, 0, 1]], [[-1, 0, -1], [1, 0, 1], [-1, 0, 1]]], dtype=float)
    near, far = square - (0, 2, 0), 2 * square + (0, 2, 0)
    open_ones = np.zeros(2, dtype=bool)
    pictures = []
    for order in ((near, far), (far, near)):
        canvas = Canvas(view)
        for triangles in order:
            canvas.draw(triangles, np.full(2, 0 if triangles is near else 1), open_ones)
        pictures.append(canvas.owner_of()[canvas.triangles()])
    assert np.array_equal(pictures[0], pictures[1])
    assert pictures[0][10, 10] == 0


def test_pictures_are_the_same_drawn_at_once_or_one_part_after_the_other() -> None:
    model = falsework.load("examples/guitar.ldr")
    view = view_of(model.parts, (120, 90), 30.0, 25.0)
    everything = frozenset(range(len(model.parts)))
    at_once = Album(model.parts, colors_of(model.parts)).picture(view, everything)
    album = Album(model.parts, colors_of(model.parts))
    for number in range(len(model.parts)):
        last = album.picture(view, frozenset(range(number + 1)))
    assert np.array_equal(at_once, last)


def test_the_command_line_writes_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instruct", "examples/guitar.ldr", "--ldraw", "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sum(one["count"] for one in told["parts"]) == 20
    assert told["files"] == [str(tmp_path / "instructions.ldr")] and told["verified"] is True
    assert main(["instruct", "examples/nothing.ldr", "--out", str(tmp_path)]) == 2


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BadInput, match="kind of instructions 'docx': expected one of pdf, html, ldraw"):
        falsework.instruct("examples/guitar.ldr", "out", kinds=("docx",))


def test_cad_parts_are_called_by_their_names_and_drawn_each_for_itself(tmp_path: Path) -> None:
    housing = falsework.gallery.make("housing", facets=12)
    falsework.save(housing, tmp_path / "housing.yaml")
    planned = falsework.plan(tmp_path / "housing.yaml", rules="reorient", robots=3)
    made = falsework.instruct(planned, kinds=())
    assert made.order == "plan" and made.verified.valid
    assert {one.kind: one.count for one in made.booklet.parts} == dict.fromkeys(housing.names, 1)
    icons = {one.kind: one.picture for one in made.booklet.parts}
    assert icons["lid"] != icons["body"] != icons["screw-1"]


def test_a_plan_of_what_is_fixed_to_nothing_is_shown_as_it_lies_and_judged_as_it_is_held(tmp_path: Path) -> None:
    lying = cad_set()[13].make()
    falsework.save(lying, tmp_path / "lying.yaml")
    planned = falsework.plan(tmp_path / "lying.yaml", rules="reorient", robots=3, selector="least-blocked")
    made = falsework.instruct(planned, kinds=())
    assert made.verified.valid and made.verified.states > 0
    assert sorted(one.kind for step in made.booklet.steps for one in step.parts) == sorted(lying.names)
    upright = steps_of_plan(planned.plan, lying, falsework.interfaces(lying))
    turns = [step.T_world_assembly for step in planned.plan.steps if step.action == "reorient"]
    assert len(turns) == 1 and all(np.array_equal(step.T_world_assembly, turns[0]) for step in upright)


def test_parts_that_are_there_at_first_come_in_the_first_step() -> None:
    arch = load("examples/arch.yaml")
    whole = falsework.plan(arch).plan
    done = next(step.parts[0] for step in whole.steps if step.action == "place")
    begun = replace(whole, start=Start((done,)), steps=tuple(step for step in whole.steps if step.parts != (done,)))
    first = steps_of_plan(begun, arch, falsework.interfaces(arch))[0]
    assert {arch.names[part] for part in first.parts} == {*arch.fixed, done}


def test_parts_with_numbers_for_names_are_called_parts() -> None:
    assert kind_of(stack([0.1]).parts[0]) == "part 0"
