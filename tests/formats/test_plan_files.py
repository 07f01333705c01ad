"""Plan files: what is written is read back, and what is wrong is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.formats import write
from falsework.formats.fingerprint import input_sha256
from falsework.formats.meshes.writing import files
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import load_assembly, source_of
from falsework.formats.plans.writing import dumps_plan, write_plan
from falsework.gallery import make
from falsework.model.assembly import Ground
from falsework.model.errors import BadFile, BadInput
from falsework.model.plan import Grasp, Plan, Press, Rules, Step
from falsework.model.provenance import Provenance

Document = dict[str, Any]


def made(folder: Path) -> tuple[Plan, Path]:
    """A plan of a two-brick tower beside its assembly, every field in use."""
    assembly = make("harmonic-tower", bricks=2)
    write(assembly, folder / "things" / "tower.yaml")
    path = np.stack([np.eye(4), np.eye(4)])
    path[0, 2, 3] = 1 / 3
    press = Press([0, 0, -5], [0, 0, 1], 0.5, (("a", "b", 0.5),))
    steps = (
        Step("place", ("brick-1",), ("brick-1",), path, utilization=0.25, robot="left"),
        Step("hold", ("brick-2",), ("brick-1", "brick-2"), grasp=Grasp([0, 0, 0.1], [0, 1, 0], [0, 0, -1], 0.016)),
        Step("reorient", held=("brick-1",), T_world_assembly=np.diag([1.0, -1, -1, 1]), secured="clamped"),
        Step("place", ("brick-1", "brick-2"), (), path, press=press, grasped=("brick-2",)),
        Step("release", ("brick-1",), ()),
    )
    source = replace(source_of(folder / "things" / "tower.yaml", assembly), ground=Ground("table", 0.4))
    rules = Rules("bricks", 3, True, "any", 0.7, "snapfit", "exact", (0.0, 0.0, -1.62), 5.0, "side", True)
    plan = Plan(rules, "complete", steps, Provenance(settings={"beam": 64}, seed=7, wall_s=0.1), source)
    target = folder / "plans" / "plan.json"
    write_plan(plan, target)
    return plan, target


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    plan, file = made(tmp_path)
    again = read_plan(file)
    assert again.rules == plan.rules and again.provenance == plan.provenance and again.status == "complete"
    assert again.source is not None and plan.source is not None
    assert again.source.ground == Ground("table", 0.4) and again.source.sha256 == plan.source.sha256
    assert dumps_plan(again, file.parent) == file.read_text()
    for one, other in zip(plan.steps, again.steps, strict=True):
        assert (one.action, one.parts, one.held, one.robot, one.secured, one.grasped) == (
            other.action, other.parts, other.held, other.robot, other.secured, other.grasped,
        )  # fmt: skip
        assert (one.path is None) == (other.path is None)
        if one.path is not None and other.path is not None:
            assert np.array_equal(one.path, other.path)


def test_the_assembly_is_found_relative_to_the_plan(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    assert json.loads(file.read_text())["assembly"]["path"] == "../things/tower.yaml"
    moved = tmp_path / "elsewhere"
    tmp_path.joinpath("things").rename(tmp_path / "kept")
    moved.mkdir()
    tmp_path.joinpath("kept").rename(moved / "things")
    tmp_path.joinpath("plans").rename(moved / "plans")
    assembly = load_assembly(read_plan(moved / "plans" / "plan.json"))
    assert assembly.friction == 0.7 and "brick-2" in assembly.names


def test_a_changed_assembly_is_refused(tmp_path: Path) -> None:
    _, file = made(tmp_path)
    tower = tmp_path / "things" / "tower.yaml"
    tower.write_text(tower.read_text().replace("0.55", "0.56"))
    with pytest.raises(BadFile, match="has changed since the plan was made"):
        load_assembly(read_plan(file))


def test_a_folder_is_known_by_the_names_and_bytes_of_its_meshes(tmp_path: Path) -> None:
    folder = tmp_path / "meshes"
    folder.mkdir()
    for name, text in files(make("harmonic-tower", bricks=2)).items():
        (folder / name).write_text(text)
    before = input_sha256(folder)
    (folder / "notes.txt").write_text("not a mesh")
    assert input_sha256(folder) == before
    first = sorted(folder.glob("*.obj"))[0]
    first.rename(folder / "renamed.obj")
    assert input_sha256(folder) != before


def test_a_plan_without_its_assembly_is_not_written() -> None:
    with pytest.raises(BadInput, match="give it a source"):
        dumps_plan(Plan(Rules(), "complete", ()))


def _set(*keys: str | int, value: Any) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        node: Any = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return change


def _drop(*keys: str | int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        node: Any = document
        for key in keys[:-1]:
            node = node[key]
        del node[keys[-1]]

    return change


BROKEN: list[tuple[Callable[[Document], None], str]] = [
    (_set("format", value="falsework-plan/2"), r"format: found 'falsework-plan/2', expected 'falsework-plan/1'"),
    (_set("format", value=None), "there is no 'format'"),
    (_set("stepz", value=[]), "unknown key 'stepz'; did you mean 'steps'"),
    (_drop("assembly"), "there is no 'assembly'"),
    (_set("assembly", value=[]), "assembly: found a list of 0, expected a mapping"),
    (_set("assembly", "path", value="/etc/passwd"), "assembly.path: .*relative to this file"),
    (_set("assembly", "path", value="a\nb"), "assembly.path: .*relative to this file"),
    (_set("assembly", "sha256", value="abc"), "assembly.sha256: .*64 hexadecimal digits"),
    (_set("assembly", "fixed", value=["a", "a"]), "assembly.fixed: names a part twice"),
    (_set("assembly", "ground", value="sky"), "assembly.ground: .*expected baseplate"),
    (_set("assembly", "ground", value="table:-1"), "assembly.ground: .*0 or more"),
    (_set("assembly", "scale", value=0), "assembly.scale: found 0"),
    (_set("rules", "robots", value=0), "rules.robots: found 0, expected a whole number from 1"),
    (_set("rules", "robots", value=1.5), "rules.robots: found 1.5"),
    (_set("rules", "regrasp", value=1), "rules.regrasp: found 1, expected true or false"),
    (_set("rules", "paths", value="curved"), "rules.paths: found 'curved'"),
    (_set("rules", "gravity", value=[0, 0]), "rules.gravity: found a list of 2, expected 3 numbers"),
    (_set("rules", "press_n", value=-3), "rules.press_n: found -3"),
    (_set("rules", "require_connected", value="yes"), "rules.require_connected: found .yes., expected true or false"),
    (_set("rules", "model", value=7), "rules.model: found 7"),
    (_set("status", value="done"), "status: found 'done'"),
    (_set("steps", value={}), "steps: found a mapping, expected a list"),
    (_set("steps", 0, value="place"), r"steps\[0\]: found 'place', expected a mapping"),
    (_set("steps", 0, "action", value="throw"), r"steps\[0\].action: found 'throw'"),
    (_drop("steps", 0, "part"), r"steps\[0\]: step: place names no part"),
    (_drop("steps", 0, "held"), r"steps\[0\]: there is no 'held'"),
    (_set("steps", 0, "held", value="brick-1"), r"steps\[0\].held: found 'brick-1', expected a list"),
    (_set("steps", 0, "path", value=[]), r"steps\[0\].path: found a list of 0, expected one pose or more"),
    (_set("steps", 0, "path", 0, value=[[1, 0, 0, 0]] * 3), r"steps\[0\].path\[0\]: .*four rows"),
    (_set("steps", 0, "path", 0, 0, 0, value=2), r"steps\[0\].path\[0\]: expected a rotation"),
    (_set("steps", 0, "path", 0, 0, 3, value="far"), r"steps\[0\].path\[0\]\[0\]\[3\]: found 'far'"),
    (_set("steps", 0, "path", 0, 0, 3, value=1e300), r"steps\[0\].path\[0\]\[0\]\[3\]: found 1e\+300"),
    (_set("steps", 1, "grasp", "width", value=-1), r"steps\[1\].grasp.width"),
    (_set("steps", 2, "secured", value="glued"), r"steps\[2\].secured: found 'glued'"),
    (_set("steps", 3, "grasped", value=["brick-3"]), r"steps\[3\]: step: grasped names .brick-3., expected parts"),
    (_drop("steps", 2, "T_world_assembly"), r"steps\[2\]: step: reorient has no T_world_assembly"),
    (_set("steps", 3, "part", value="brick-2"), r"steps\[3\].part: .*expected the first of parts"),
    (_set("steps", 4, "parts", value=["brick-1", "brick-2"]), r"steps\[4\]: step: release names 2 parts"),
    (
        _set("steps", 3, "press", "joints", value=[{"parts": ["a"], "utilization": 1}]),
        r"joints\[0\].parts: .*two names",
    ),
    (_set("provenance", "wall_s", value="soon"), "provenance.wall_s: found 'soon'"),
]


@pytest.mark.parametrize(("change", "complaint"), BROKEN, ids=[match for _, match in BROKEN])
def test_a_broken_plan_is_refused_with_its_place(
    tmp_path: Path, change: Callable[[Document], None], complaint: str
) -> None:
    _, file = made(tmp_path)
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    with pytest.raises(BadFile, match=complaint) as refused:
        read_plan(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[", "null", "3", "{}", '{"format": NaN}', '{"steps": ' + "[" * 100_000, "\0"])
def test_what_is_no_plan_at_all_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(BadFile):
        read_plan(file)
