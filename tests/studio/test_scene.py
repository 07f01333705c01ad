"""The scene without a browser: what it holds, what it refuses, how it is written."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Rules, Step
from falsework.model.trajectory import Trajectory
from falsework.model.verdict import Forces, Verdict
from falsework.studio.check_page import check_scene
from falsework.studio.drawing import drawing
from falsework.studio.encoding import encoded, scene_json
from falsework.studio.motion_page import motion_scene
from falsework.studio.packing import packed, unpacked
from falsework.studio.plan_page import plan_scene
from falsework.studio.report import report_html
from falsework.studio.scene import Column as TableColumn
from falsework.studio.scene import Curve, Event, Frames, Headline, Scalar, Scene, SceneMesh, SceneStep, Steps, Table
from falsework.studio.time_encoding import MAX_POINTS
from falsework.verdicts.check import check
from tests.statics.structures import arch, block, harmonic, stack
from tests.studio.scenes import (
    EVERY_KIND,
    HOSTILE,
    building_stack,
    checked,
    falling_stack,
    far_away,
    hostile,
    many,
    margins_of,
    overhang,
    plain,
    unfinished_stack,
    wrong_stack,
)

PLAIN = Headline("plain", "Parts")


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_becomes_json_that_any_parser_reads(kind: str) -> None:
    text = scene_json(EVERY_KIND[kind]())
    assert not set("<>&\n\u2028") & set(text)
    found = json.loads(text, parse_constant=lambda word: pytest.fail(f"found {word}"))
    assert found["format"] == "falsework-scene/1"


def test_packing_is_undone() -> None:
    rng = np.random.default_rng(0)
    for kind, values in (
        ("f32", rng.normal(size=(300, 3)).astype(np.float32)),
        ("u16", np.arange(2000)),
        ("i16", np.array([-5, 5])),
        ("u8", np.zeros(10_000)),
    ):
        entry = packed(values, kind)
        np.testing.assert_array_equal(unpacked(entry), np.ravel(values))
    assert "z" in packed(np.zeros(10_000), "u8")


def test_only_finite_numbers_are_packed() -> None:
    with pytest.raises(ValueError, match="only finite numbers"):
        packed([1.0, np.nan], "f32")
    assert np.isfinite(unpacked(packed([1e300], "f32"))).all()


def test_a_scene_refuses_what_does_not_fit_together() -> None:
    scene = many(3)
    with pytest.raises(ValueError, match="not finite"):
        SceneMesh(np.full((4, 3), np.nan), np.zeros((1, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="load: 2 values for 3 parts"):
        Scene("info", "x", PLAIN, scene.meshes, scene.parts, scalars=(Scalar("load", "N", np.zeros(2), 0, 1),))
    with pytest.raises(ValueError, match="every part a mesh"):
        Scene("info", "x", PLAIN, scene.meshes[:1], scene.parts)
    with pytest.raises(ValueError, match="names a part that is not there"):
        Scene("plan", "x", PLAIN, scene.meshes, scene.parts, timeline=Steps((SceneStep("place", (3,)),)))
    with pytest.raises(ValueError, match="two times or more, growing"):
        Frames(np.array([0.0, 0.0]), np.tile(np.eye(4), (2, 3, 1, 1)))
    with pytest.raises(ValueError, match="expected a range"):
        Scalar("load", "N", np.zeros(3), 1.0, 1.0)
    with pytest.raises(ValueError, match="columns of unequal length"):
        Table("t", (TableColumn("a", "number", (1,)), TableColumn("b", "number", ())))


def test_bricks_of_one_type_share_a_mesh_with_studs() -> None:
    drawn = drawing(overhang())
    steps = [number for number, label in enumerate(drawn.parts.labels) if label == "brick_4x2"]
    assert len(steps) == 4
    assert len(set(drawn.parts.mesh[steps].tolist())) == 1
    mesh = drawn.meshes[drawn.parts.mesh[steps[0]]]
    assert mesh.vertices[:, 2].max() == pytest.approx(0.0096 + 0.0017)
    assert mesh.vertices[:, 2].min() == 0


def test_all_cuboids_are_one_stored_surface() -> None:
    parts = [block(str(k), (0.0, 0.0, float(k)), (1 + 0.1 * k, 1.0, 1.0)) for k in range(20)]
    found = encoded(plain(Assembly(tuple(parts), fixed=frozenset("0")), "boxes"))
    assert len(found["meshes"]["geometries"]) == 1
    assert len(set(unpacked(found["meshes"]["side"]).reshape(-1, 3)[:, 0].tolist())) == 20


def test_far_from_the_origin_nothing_is_lost() -> None:
    found = encoded(plain(far_away(), "far"))
    places = unpacked(found["parts"]["position"]).reshape(-1, 3)
    assert places[1, 2] - places[0, 2] == pytest.approx(0.5, abs=1e-6)
    assert np.abs(places).max() <= 1


def test_a_hundred_thousand_parts_stay_small() -> None:
    scene = many(100_000)
    assert len(scene_json(scene)) < 6e6
    scene_table = encoded(scene)
    assert len(scene_table["parts"]["names"]) == 100_000


def test_a_thousand_different_meshes_become_boxes_beyond_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("falsework.studio.drawing.STORED_TRIANGLES", 50)
    drawn = drawing(arch(9, 0.2, 0.6))
    boxes = [mesh for mesh in drawn.meshes if len(mesh.triangles) == 12]
    assert len(boxes) == len(drawn.meshes)
    assert "drawn as their bounding boxes" in drawn.notes[0]


def test_long_motions_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("falsework.studio.time_encoding.MAX_POSES", 4_000)
    scene = many(50)
    times = np.arange(300) / 100
    poses = np.broadcast_to(np.eye(4), (len(times), 50, 4, 4)).copy()
    poses[:, :, 2, 3] = times[:, None]
    found = encoded(Scene("collapse", "x", PLAIN, scene.meshes, scene.parts, timeline=Frames(times, poses)))["timeline"]
    kept = unpacked(found["times"])
    assert 3_000 <= len(kept) * 50 <= 4_000
    assert (kept[0], kept[-1]) == (0, pytest.approx(times[-1]))


def test_frames_keep_only_what_moves_and_where() -> None:
    scene = falling_stack()
    assert isinstance(scene.timeline, Frames)
    found = encoded(scene)
    line, size = found["timeline"], found["view"]["size"]
    assert unpacked(line["moving"]).tolist() == [1, 2, 3]
    steps = unpacked(line["position"]).reshape(21, 3, 3) / 65535
    low, side = (unpacked(line[key]).reshape(3, 3) for key in ("low", "side"))
    places = (low + side * steps) * size + np.array(found["view"]["origin"])
    np.testing.assert_allclose(places, scene.timeline.T_world_part[:, 1:, :3, 3], atol=1e-4)


def test_a_part_that_flies_away_does_not_blur_the_others() -> None:
    assembly = stack([0.1, 0.1])
    poses = np.repeat(assembly.poses[None], 3, axis=0)
    poses[1:, 1, 0, 3] += 0.01
    poses[1, 2, 2, 3] = 1e12
    poses[2, 2, 2, 3] = -1e300
    found = encoded(motion_scene(assembly, Trajectory(np.arange(3.0), assembly.names, poses), "far"))
    line, size = found["timeline"], found["view"]["size"]
    low, side = (unpacked(line[key]).reshape(2, 3).astype(float) for key in ("low", "side"))
    places = low + side * unpacked(line["position"]).reshape(3, 2, 3) / 65535
    assert (places[1, 0, 0] - places[0, 0, 0]) * size == pytest.approx(0.01, rel=1e-3)
    assert np.abs(places).max() <= 50


def test_steps_say_what_is_placed_and_held() -> None:
    steps = encoded(building_stack())["timeline"]["steps"]
    assert [step["placed"] for step in steps] == [[1], [2], [], [3]]
    assert [step["held"] for step in steps] == [[1], [1, 2], [2], []]
    assert len(unpacked(steps[1]["path"]["position"])) == 9


def test_a_plan_says_what_each_part_is_put_on_and_what_it_needs() -> None:
    scene = building_stack(1)
    assert (scene.headline.word, scene.headline.tone, scene.color_by) == ("Buildable", "yes", "order")
    assert isinstance(scene.timeline, Steps)
    assert scene.timeline.steps[1].detail == "on 1; held: 1 and 2; needs 50 % of the clutch strength"
    assert [step.label for step in scene.alternatives[0].steps] == [
        "Place 3", "Place 2", "Turn the model", "Let go of 3", "Place 1",
    ]  # fmt: skip
    assert scene.alternatives[0].steps[0].detail == "held: 3; needs 20 % of the clutch strength"
    assert scene.scalars[0].values.tolist()[1:3] == [0.2, 0.5]
    assert [table.title for table in scene.tables] == ["Steps", "Alternatives", "Parts"]


def test_an_unfinished_plan_leaves_out_what_it_did_not_place() -> None:
    scene = unfinished_stack()
    assert scene.headline == Headline("open", "Unfinished", "The time ran out: 1 of 3 parts placed.")
    assert scene.parts.role == ("fixed", "free", "absent", "absent")


def test_a_verified_plan_says_where_it_is_wrong_and_what_it_begins_with() -> None:
    scene = wrong_stack()
    assert isinstance(scene.timeline, Steps)
    assert [step.failed for step in scene.timeline.steps] == [False, True]
    assert scene.timeline.steps[1].detail == "the structure falls: '2' would move; on 2"
    assert scene.timeline.held == (1,)
    assert scene.parts.role == ("fixed", "free", "free", "free")
    assert scene.tables[0].title == "Failures"


def test_margins_colour_by_what_falls_without_each_part() -> None:
    scene = margins_of(stack([0.3, 0.1]))
    assert (scene.headline.tone, scene.color_by) == ("yes", "Falls without it")
    assert scene.scalars[-1].values.tolist()[1:] == [1.0, 0.0]  # the upper block lies on the lower alone
    assert [table.title for table in scene.tables][:2] == ["Tilt", "Falls without it"]
    assert "bears a tilt of" in scene.headline.sentence
    falls = margins_of(stack([0.1, 0.7]))
    assert (falls.headline.tone, falls.color_by) == ("no", "state")
    assert falls.parts.falling[2]


def test_an_infeasible_plan_has_no_steps_to_show() -> None:
    assembly = stack([0.1])
    scene = plan_scene(assembly, interfaces(assembly), Plan(Rules(), "infeasible", ()), "stack")
    assert (scene.headline.tone, scene.headline.word, scene.timeline) == ("no", "Not buildable", None)


def test_a_plan_that_names_an_unknown_part_is_refused() -> None:
    assembly = stack([0.1])
    with pytest.raises(BadInput, match="there is no part 'x'"):
        plan_scene(assembly, interfaces(assembly), Plan(Rules(), "complete", (Step("place", ("x",)),)), "stack")


def test_a_motion_tells_what_moved_and_what_broke() -> None:
    scene = falling_stack()
    assert (scene.headline.tone, scene.headline.word) == ("no", "Falls")
    assert scene.headline.sentence == "3 of 4 parts left their place after 1 s."
    assert scene.parts.falling.tolist() == [False, True, True, True]
    assert scene.tables[0].title == "Events"
    assert isinstance(scene.timeline, Frames)
    assert 0 < (scene.timeline.poster_s or 0) < 1


def test_a_simulation_breaks_or_holds() -> None:
    assembly = stack([0.1])
    still = Trajectory(np.array([2.0, 3.0]), ("1",), np.repeat(assembly.poses[None, 1:], 2, axis=0))
    holds = motion_scene(assembly, still, "x", kind="simulate", events=(Event(2.5, "1 meets 0", (1, 0), "join"),))
    breaks = motion_scene(assembly, still, "x", kind="simulate", events=(Event(2.5, "0-1", (0, 1)),))
    assert (holds.headline.word, breaks.headline.word) == ("Holds", "Breaks")
    assert isinstance(breaks.timeline, Frames)
    assert breaks.timeline.times_s.tolist() == [0.0, 1.0]
    assert breaks.timeline.events[0].time_s == 0.5


def test_a_single_moment_has_no_time_line() -> None:
    assembly = stack([0.1])
    scene = motion_scene(assembly, Trajectory(np.zeros(1), assembly.names, assembly.poses[None]), "x")
    assert (scene.timeline, scene.headline.word) == (None, "Stands")


def test_a_motion_of_other_parts_is_refused() -> None:
    assembly = stack([0.1])
    with pytest.raises(BadInput, match="names 1 part that the assembly does not have: 'x'"):
        motion_scene(assembly, Trajectory(np.zeros(1), ("x",), np.eye(4)[None, None]), "x")


def test_long_curves_keep_their_peaks() -> None:
    times = np.arange(100_000) / 1000
    values = np.zeros(len(times))
    values[[777, 50_001]] = (5.0, -3.0)
    values[60_000:60_010] = np.nan
    scene = many(2)
    curve = Curve("force", "N", times, values)
    found = encoded(Scene("simulate", "x", PLAIN, scene.meshes, scene.parts, curves=(curve,)))["curves"][0]
    kept = unpacked(found["values"])
    assert len(kept) <= MAX_POINTS
    assert (kept.max(), kept.min()) == (5.0, -3.0)
    with pytest.raises(ValueError, match="2 times for 1 values"):
        Curve("force", "N", times[:2], values[:1])


def test_the_arrows_of_a_check_balance_every_part() -> None:
    assembly = arch(9, 0.2, 0.6)
    joints = interfaces(assembly)
    loads = (Load("4", np.array([0.0, 0.0, -30.0])),)
    verdict = check(assembly, joints=joints, loads=loads)
    assert isinstance(verdict.certificate, Forces)
    arrows = check_scene(assembly, joints, verdict, "arch", loads=loads).arrows
    assert arrows is not None
    net = np.zeros((len(assembly.parts), 3))
    np.add.at(net, arrows.second, arrows.forces_n)
    between = arrows.first >= 0
    np.add.at(net, arrows.first[between], -arrows.forces_n[between])
    for number, part in enumerate(assembly.parts):
        if part.name not in assembly.fixed:
            np.testing.assert_allclose(net[number], [0, 0, 9.81 * part.mass_kg], atol=1e-3)


def test_clutches_carry_the_weight_above_them() -> None:
    scene = checked(overhang(), "bricks")
    assert scene.arrows is not None
    parts = scene.parts
    ground = parts.role.index("ground")
    onto_ground = scene.arrows.first == ground
    weight = 9.81 * sum(mass for mass, role in zip(parts.mass_kg, parts.role, strict=True) if role != "ground")
    assert scene.arrows.forces_n[onto_ground, 2].sum() == pytest.approx(weight, rel=1e-4)


def test_a_check_that_falls_says_what_and_how() -> None:
    scene = checked(harmonic(5, 1.2), "harmonic")
    assert (scene.headline.tone, scene.headline.word) == ("no", "Falls")
    assert scene.parts.falling.any()
    assert scene.motion is not None
    assert scene.color_by == "state"
    assert [table.title for table in scene.tables] == ["Falling", "Parts"]


def test_an_answer_without_a_proof_does_not_claim_one() -> None:
    assembly = stack([0.1])
    verdict = Verdict("unstable", "stablelego", None, None)
    scene = check_scene(assembly, interfaces(assembly), verdict, "stack")
    assert (scene.headline.tone, scene.headline.word) == ("no", "Falls")
    assert "weaker than a proof" in scene.headline.sentence
    assert "No forces" not in scene.headline.sentence


def test_a_check_of_bricks_colours_by_utilisation() -> None:
    scene = checked(overhang(), "bricks")
    assert scene.color_by == "Utilisation"
    shares = scene.scalars[0].values
    assert np.isnan(shares[scene.parts.role.index("ground")])
    assert np.nanmax(shares) <= scene.scalars[0].high
    assert scene.tables[0].title == "Connections"
    column = [share for share in scene.tables[0].columns[2].values if isinstance(share, float)]
    assert column == sorted(column, reverse=True)


def test_hostile_names_never_become_markup() -> None:
    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.seen.append(tag)

    html = report_html(plain(hostile(), HOSTILE[1]))
    tags = Tags()
    tags.feed(html)
    assert tags.seen.count("script") == 2
    assert "img" not in tags.seen
    assert "svg" not in tags.seen
    start = html.index('id="scene">') + len('id="scene">')
    found = json.loads(html[start : html.index("</script>", start)])
    assert tuple(found["parts"]["names"]) == HOSTILE


def test_the_ground_table_is_drawn_thin() -> None:
    from falsework.geometry.contacts.ground import grounded
    from falsework.model.assembly import Ground

    assembly = grounded(stack([0.1]), Ground("table"))
    drawn = drawing(assembly)
    mesh = drawn.meshes[drawn.parts.mesh[-1]]
    assert np.ptp(mesh.vertices[:, 2]) < 0.1
    assert drawn.parts.role[-1] == "ground"
