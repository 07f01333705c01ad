"""What people type first, in the order in which they do: each works, or teaches what would."""

from __future__ import annotations

import io
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadFile, BadInput
from tests.docs.shown import ROOT

ARCH = "examples/arch.yaml"
BRIDGE = "examples/bridge.txt"


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder that README's reader is in."""
    monkeypatch.chdir(ROOT)


def test_1_importing_it_is_quick_and_imports_no_library() -> None:
    code = "import sys, falsework; dir(falsework); print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "scipy", "numba", "mujoco", "trimesh", "shapely", "clarabel", "inspect"} & set(loaded)


def test_2_dir_and_help_show_the_verbs() -> None:
    verbs = {
        "load",
        "save",
        "info",
        "check",
        "check_many",
        "margins",
        "collapse",
        "simulate",
        "plan",
        "replan",
        "verify",
    }
    assert verbs | {"Assembly", "Part", "Load", "State", "Verdict", "Plan", "World", "BadInput"} <= set(dir(falsework))
    told = io.StringIO()
    pydoc.Helper(output=told)(falsework)
    assert all(verb in told.getvalue() for verb in verbs)


def test_3_help_of_a_verb_spells_out_its_options() -> None:
    told = pydoc.plain(pydoc.render_doc(falsework.check))
    for option in ("absent", "held", "loads", "ground", "fixed", "mu", "scale"):
        assert f"{option}:" in told
    assert "N and m in" in told and "m/s²" in told


def test_4_a_path_is_as_good_as_an_assembly() -> None:
    assert falsework.check(ARCH).answer == falsework.check(Path(ARCH)).answer == "stable"
    assert falsework.info(BRIDGE).clutches == 16
    assert falsework.plan(ARCH).status == "complete"


def test_5_one_name_is_one_name() -> None:
    assert falsework.check(ARCH, absent="keystone").falling == falsework.check(ARCH, absent=["keystone"]).falling
    assert falsework.check(ARCH, absent="keystone", held=("stone-5", "stone-7")).stands


def test_6_a_name_with_a_slip_is_answered_with_the_right_one() -> None:
    with pytest.raises(BadInput, match="there is no part 'keystne'; did you mean 'keystone'"):
        falsework.check(ARCH, absent="keystne")
    with pytest.raises(BadInput, match=r"no part 'stone-5,stone-7'; did you mean the 2 parts \['stone-5', 'stone-7'\]"):
        falsework.check(ARCH, held="stone-5,stone-7")
    with pytest.raises(BadInput, match="there is no part 3; did you mean '3'"):
        falsework.check(BRIDGE, absent=3)  # type: ignore[arg-type]


def test_7_a_verdict_is_not_true_or_false() -> None:
    verdict = falsework.check(ARCH, absent="keystone")
    with pytest.raises(TypeError, match=r"neither true nor false; ask verdict.stands, or verdict.answer == 'stable'"):
        assert verdict
    assert not verdict.stands and verdict.answer == "unstable"
    with pytest.raises(TypeError, match=r"neither true nor false; ask verification.valid"):
        assert falsework.verify(falsework.plan(ARCH))


def test_8_the_ground_is_a_word() -> None:
    assert falsework.check(BRIDGE, ground="none", fixed="1").answer in ("stable", "unstable")
    assert falsework.load(ARCH, ground="table:0.4").ground_part is not None
    assert falsework.check(falsework.load(ARCH), ground="table").stands
    with pytest.raises(BadInput, match="found 'tabel', expected baseplate, table, table:MU or none"):
        falsework.load(ARCH, ground="tabel")


def test_9_loads_are_tuples_or_a_mapping_or_arrays() -> None:
    falls = [
        falsework.check(BRIDGE, loads=loads).answer  # type: ignore[arg-type]
        for loads in (
            ("10", (0, 0, -10)),
            [("10", [0, 0, -10])],
            {"10": np.array([0, 0, -10])},
            [("10", 0, 0, -10)],
            [Load("10", (0, 0, -10))],
        )
    ]
    assert falls == ["unstable"] * 5
    with pytest.raises(BadInput, match=r"load on '10': force: found \(0, -10\), expected three finite numbers"):
        falsework.check(BRIDGE, loads=("10", (0, -10)))
    with pytest.raises(BadInput, match=r"loads: found '10', expected \(part, \(fx, fy, fz\)\) in N"):
        falsework.check(BRIDGE, loads="10")  # type: ignore[arg-type]


def test_10_an_option_that_there_is_not_is_answered_with_the_one_there_is() -> None:
    for wrong, right in {"friction": "mu", "load": "loads", "hold": "held", "without": "absent"}.items():
        with pytest.raises(TypeError, match=rf"check\(\) has no option '{wrong}'; did you mean '{right}'\?"):
            falsework.check(ARCH, **{wrong: 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"plan\(\) has no option 'timeout'; did you mean 'timeout_s'\?"):
        falsework.plan(ARCH, timeout=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"check\(\) takes source without a name; options are named, one of: .*absent"):
        falsework.check(ARCH, "keystone")  # type: ignore[misc]


def test_11_boxes_make_an_assembly() -> None:
    leaning = Assembly.from_boxes([1, 1, 1], [[0, 0, 0.5], [0.6, 0, 1.5]], names=["foot", "head"], ground="table")
    verdict = falsework.check(leaning)
    assert verdict.falling == ("head",)
    assert falsework.check(leaning, loads=("foot", (0, 0, -1))).answer == "unstable"
    named = Assembly.from_boxes({"foot": ([1, 1, 1], [0, 0, 0.5]), "head": ([1, 1, 1], [0.4, 0, 1.5])}, fixed="foot")
    assert falsework.check(named).stands
    with pytest.raises(BadInput, match=r"sizes_m: found \[1, 1\], expected n x 3 finite numbers, in metres"):
        Assembly.from_boxes([1, 1], [[0, 0, 0.5], [0, 0, 1.5]])
    with pytest.raises(BadInput, match="needs a centre for every box"):
        Assembly.from_boxes([1, 1, 1])


def test_12_meshes_of_trimesh_make_an_assembly() -> None:
    trimesh = pytest.importorskip("trimesh")
    lower, upper = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation((0.3, 0, 1))
    assert falsework.check(Assembly.from_trimesh([lower, upper], names=["a", "b"], fixed="a")).stands
    scene = trimesh.Scene()
    scene.add_geometry(lower, node_name="a")
    scene.add_geometry(lower, node_name="b", transform=trimesh.transformations.translation_matrix((0.7, 0, 1)))
    from_scene = Assembly.from_trimesh(scene, fixed="a", masses_kg={"b": 2.0})
    assert from_scene.mass_kg == pytest.approx(1002.0)
    assert falsework.check(from_scene).falling == ("b",)
    with pytest.raises(BadInput, match=r"from_trimesh: found 'a.obj'.*falsework.load reads files"):
        Assembly.from_trimesh("a.obj")
    with pytest.raises(BadInput, match="something with vertices"):
        Assembly.from_trimesh([1, 2])


def test_13_millimetres_are_told_by_scale() -> None:
    trimesh = pytest.importorskip("trimesh")
    small = Assembly.from_trimesh([trimesh.creation.box((100, 100, 100))], scale=1e-3)
    assert small.mass_kg == pytest.approx(1.0)
    with pytest.raises(BadInput, match="an assembly is in metres already"):
        falsework.check(small, scale=1e-3, fixed="mesh-1")


def test_14_something_that_is_no_assembly_is_told_how_to_become_one() -> None:
    with pytest.raises(TypeError, match=r"expected an Assembly or the path of a file; see falsework.load"):
        falsework.check([1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(BadFile, match=r"nowhere\.yaml: .*no such file"):
        falsework.check("nowhere.yaml")
    with pytest.raises(BadInput, match=r"ground: found 'table'; put the parts on it: Assembly\(…\).on\('table'\)"):
        Assembly(falsework.load(ARCH).parts, ground="table")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"expected a Part; see Assembly.from_boxes, from_trimesh"):
        Assembly(("a", "b"))  # type: ignore[arg-type]


def test_15_nothing_fixed_and_no_ground_says_what_to_do() -> None:
    with pytest.raises(BadInput, match=r"nothing is fixed and there is no ground; .*--fixed.*--ground"):
        falsework.check(Assembly.from_boxes([1, 1, 1], [0, 0, 0]))


def test_16_a_notebook_shows_small_pages() -> None:
    name = "<script>alert(1)</script>"
    nasty, arch = Assembly.from_boxes({name: ([1, 1, 1], [0, 0, 0])}, fixed=name), falsework.load(ARCH)
    planned = falsework.plan(arch)
    for thing in (arch, falsework.check(arch, absent="keystone"), planned, planned.plan, nasty):
        page = thing._repr_html_()
        assert page.startswith("<div") and len(page) < 200_000
        assert "<script" not in page and "http" not in page
    assert "<svg" in arch._repr_html_() and "keystone" in planned._repr_html_()


def test_17_a_prompt_shows_one_line() -> None:
    arch = falsework.load(ARCH)
    assert repr(arch) == "Assembly of 13 parts, 221.9 kg, 2 fixed"
    assert repr(falsework.check(arch)) == "Verdict: stable (model blocks, proved by forces)"


def test_18_many_questions_are_one_call() -> None:
    arch = falsework.load(ARCH)
    free = [name for name in arch.names if name not in arch.fixed]
    told: list[tuple[int, int]] = []
    verdicts = falsework.check_many(
        arch, [{"absent": name} for name in free], progress=lambda done, of: told.append((done, of))
    )
    alone = [falsework.check(arch, absent=name) for name in free]
    assert [(one.answer, one.falling, one.also) for one in verdicts] == [
        (one.answer, one.falling, one.also) for one in alone
    ]
    assert told == [(done, len(free)) for done in range(1, len(free) + 1)]
    assert [one.answer for one in falsework.check_many([ARCH, "examples/stairs.txt", arch])] == [
        "stable",
        "unstable",
        "stable",
    ]
    with pytest.raises(TypeError, match=r"several assemblies, or states of one; falsework.check takes one"):
        falsework.check_many(ARCH)
    with pytest.raises(BadInput, match="states: found 'absnt'; did you mean 'absent'"):
        falsework.check_many(ARCH, [{"absnt": "keystone"}])


def test_19_a_plan_is_made_saved_verified_and_changed(tmp_path: Path) -> None:
    planned = falsework.plan(ARCH, robots=2)
    assert falsework.save(planned, tmp_path / "plan.json") == "falsework-plan/1"
    assert falsework.verify(tmp_path / "plan.json").valid
    assert falsework.verify(planned).valid
    assert falsework.replan(planned, at=6, delayed="stone-3").status == "complete"
    with pytest.raises(BadInput, match="the plan names no file of its assembly; give the assembly too"):
        falsework.verify(falsework.plan(falsework.load(ARCH)))
    with pytest.raises(TypeError, match=r"expected a plan: what falsework.plan answered"):
        falsework.verify(falsework.load(ARCH))  # type: ignore[arg-type]


def test_20_bricks_are_pulled_by_name_and_newtons() -> None:
    pytest.importorskip("mujoco")
    broken, again = (falsework.simulate(BRIDGE, pull=pull, seconds=0.5) for pull in (("10", 12.0), {"10": 12.0}))
    assert broken.broke and broken.breaks[0].as_dict() == again.breaks[0].as_dict()
    with pytest.raises(BadInput, match=r"press: found '10', expected \(part, newtons\)"):
        falsework.simulate(BRIDGE, press="10")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"neither true nor false; ask simulation.broke"):
        assert broken


def test_21_a_wrong_attribute_is_answered_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="module 'falsework' has no attribute 'chek'; did you mean 'check'"):
        _ = falsework.chek  # type: ignore[attr-defined]


def test_22_numbers_of_numpy_are_numbers() -> None:
    gravity, force = np.array([0, 0, -1.62]), np.array([0, 0, -1], dtype=np.float32)
    assert falsework.check(ARCH, gravity=gravity, loads=("keystone", force), mu=np.float64(0.7)).stands
    with pytest.raises(BadInput, match=r"gravity: found \(0, 0\), expected three finite numbers"):
        falsework.check(ARCH, gravity=(0, 0))


@pytest.mark.parametrize("option", ["mu", "gap", "scale", "allow_overlap_m"])
def test_a_word_for_a_number_is_told_to_be_one(option: str) -> None:
    with pytest.raises(falsework.BadInput, match=f"{option}: found 'rough', expected a number"):
        falsework.check(ARCH, **{option: "rough"})  # type: ignore[arg-type]
