"""The registry: what there is, what fits what, and models of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, MissingExtra
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Criterion, Verdict
from falsework.planning.plan import plan
from falsework.verdicts import registry
from falsework.verdicts.check import check
from falsework.verdicts.registry import StabilityModel, Terms, model_for, model_named, models, register, unregister
from tests.conftest import brick, on_baseplate
from tests.statics.structures import stack


class Squat:
    """Says that what is no higher than a limit stands."""

    monotone_in_held = False
    convex = False

    def __init__(self, assembly: Assembly, joints: Interfaces, terms: Terms) -> None:
        if len(joints.clutches):
            raise BadInput("model squat knows no bricks")
        self._height = float(assembly.coms_m[:, 2].max())

    def assess(self, state: State) -> Verdict:
        none, nobody = np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64)
        test = Criterion("height", self._height, 1.0, none, none, nobody)
        return Verdict("stable" if test.passes else "unstable", "squat", test, None)


SQUAT = StabilityModel("squat", "is it low?", Squat)


@pytest.fixture
def squat() -> Iterator[StabilityModel]:
    register(SQUAT)
    yield SQUAT
    unregister("squat")


def wall() -> Assembly:
    return on_baseplate(brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 1, 0, 3))


def test_the_core_comes_first_and_every_model_says_what_it_asks() -> None:
    names = [model.name for model in models()]
    assert names[:2] == ["blocks", "snapfit"] and len(set(names)) == len(names)
    assert all(model.asks.endswith("?") for model in models())


def test_auto_is_blocks_for_contacts_and_snapfit_for_clutches() -> None:
    tower = stack([0.1])
    assert model_for("auto", tower, interfaces(tower)).name == "blocks"
    assert model_for("auto", wall(), interfaces(wall())).name == "snapfit"


def test_what_does_not_fit_is_said_in_the_words_of_the_model() -> None:
    bricks, tower = wall(), stack([0.1])
    sentences = {model.name: model.misfit(bricks, interfaces(bricks)) for model in models()}
    assert [name for name, sentence in sentences.items() if not sentence] == ["snapfit", "bricksim", "stablelego"]
    assert sentences["cra"] == "model cra knows contacts only, no clutches or hinges"
    assert "knows bricks only" in model_named("bricksim").misfit(tower, interfaces(tower))
    with pytest.raises(BadInput, match="model cra knows contacts only"):
        check(bricks, model="cra")


@pytest.mark.parametrize("name", ["blocks", "cra", "bricksim", "stablelego", "simulated"])
def test_a_model_that_does_not_fit_sends_you_to_models_that_do(name: str) -> None:
    """Errors that point at each other would be a circle."""
    for assembly in (wall(), stack([0.1])):
        joints = interfaces(assembly)
        if not model_named(name).misfit(assembly, joints):
            continue
        with pytest.raises(BadInput, match=r"; use [\w, ]+$") as refused:
            check(assembly, model=name)
        for other in re.findall(r"\w+", str(refused.value).rpartition("; use ")[2].replace(" or ", ", ")):
            assert check(assembly, model=other).answer == "stable"


def test_planning_bricks_by_a_model_of_contacts_ends_at_the_second_try() -> None:
    with pytest.raises(BadInput, match=r"model cra knows contacts only.*; use snapfit, bricksim or stablelego"):
        plan(wall(), model="cra")
    assert plan(wall(), model="snapfit").status == "complete"


def test_a_model_of_ones_own_is_asked_like_any_other(squat: StabilityModel) -> None:
    verdict = check(stack([0.1, 0.1]), model="squat")
    assert (verdict.answer, verdict.model) == ("stable", "squat")
    with pytest.raises(BadInput, match="squat knows no bricks"):
        check(wall(), model="squat")


def test_names_are_taken_once(squat: StabilityModel) -> None:
    for taken in (squat, StabilityModel("cra", "?", Squat), StabilityModel("auto", "?", Squat)):
        with pytest.raises(BadInput, match="there is one of this name already"):
            register(taken)


def test_only_what_was_registered_is_forgotten() -> None:
    for name in ("cra", "squat"):
        with pytest.raises(BadInput, match="was not registered"):
            unregister(name)


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(BadInput, match="did you mean 'stablelego'"):
        model_named("stablelgo")


def test_a_missing_library_is_named_before_anything_is_made() -> None:
    model = StabilityModel("far", "is it far?", Squat, needs=("no_such_library", "engine"))
    tower = stack([0.1])
    with pytest.raises(MissingExtra, match="this needs no_such_library"):
        model.oracle(tower, interfaces(tower))


def test_models_of_installed_packages_are_found_by_their_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = SimpleNamespace(name="squat", load=lambda: SQUAT)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [offered] if group == registry.PLUGINS else [])
    try:
        assert check(stack([0.1]), model="squat").model == "squat"
        assert model_named("squat") is SQUAT
    finally:
        unregister("squat")


def test_an_entry_point_that_is_no_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = SimpleNamespace(name="odd", load=lambda: Squat)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [offered])
    with pytest.raises(BadInput, match=r"entry point 'odd' of falsework.stability_models.* is not a StabilityModel"):
        model_named("odd")
