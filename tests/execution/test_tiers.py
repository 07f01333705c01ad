"""Products of the tiers, and the models."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.execution.control.belief import box
from falsework.execution.tiers import products, tasks
from falsework.execution.tiers.chances import Chances
from falsework.execution.tiers.models import MODELS, model
from falsework.execution.tiers.products import product
from falsework.execution.tiers.settings import load_tiers, usual_tiers
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import BadFile, BadInput
from falsework.perception.scenes.scene import Light


@pytest.mark.parametrize("tier", usual_tiers().bricks)
def test_products_of_a_tier_have_as_many_bricks_as_it_says_and_stand(tier: int) -> None:
    least, most = usual_tiers().bricks[tier]
    for seed in range(6):
        made = product(tier, np.random.default_rng(seed))
        assert least <= len(made.parts) <= most
        assert falsework.check(made, also=False).stands
        assert {str(part.shape.kind) for part in made.parts} <= {"duplo:brick_2x2", "duplo:brick_4x2"}


def test_half_of_the_bricks_of_tier_4_lie_on_two_others() -> None:
    for seed in range(6):
        made = product(4, np.random.default_rng(seed))
        below: dict[int, set[int]] = {}
        for a, b in falsework.interfaces(made).clutches.bodies.tolist():
            low, high = sorted((a, b), key=lambda n: made.bodies[n].T_world_part[2, 3])
            below.setdefault(high, set()).add(low)
        plate = len(made.parts)
        assert 2 * sum(len(ones - {plate}) >= 2 for ones in below.values()) >= len(made.parts)


def test_the_same_seed_gives_the_same_product() -> None:
    first, second = (product(4, np.random.default_rng(7)) for _ in range(2))
    assert [part.color for part in first.parts] == [part.color for part in second.parts]
    assert all(np.array_equal(a.T_world_part, b.T_world_part) for a, b in zip(first.parts, second.parts, strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_models_are_those_of_the_examples(name: str) -> None:
    examples = Path(__file__).parents[2] / "examples"
    made, read = model(name), falsework.load(examples / f"duplo-{name}.yaml")
    bricks, same = (
        sorted((*np.concatenate(box(part)).round(6).tolist(), part.color or "") for part in one.parts)
        for one in (made, read)
    )
    assert bricks == same


def settings_with(folder: Path, old: str, new: str) -> Path:
    """The usual file with one thing changed."""
    usual = resources.files("falsework.execution.tiers").joinpath("usual.toml").read_text("utf-8")
    assert old in usual
    path = folder / "mine.toml"
    path.write_text(usual.replace(old, new), encoding="utf-8")
    return path


def test_tasks_are_drawn_from_what_a_file_says(tmp_path: Path) -> None:
    mine = load_tiers(settings_with(tmp_path, 'colors = ["red", "blue", "yellow", "green"]', 'colors = ["white"]'))
    other = tmp_path / "other"
    other.mkdir()
    task, usual = build_task(2, 0, settings=mine), build_task(2, 0)
    assert {part.color for part in task.product.parts} == {"white"}
    assert {part.color for part in usual.product.parts} <= set(usual_tiers().colors)
    dark = load_tiers(settings_with(other, "strength = [0.85, 1.15]", "strength = [0.5, 0.5]"))
    sun = Chances.of(build_task(1, 0, settings=dark)).light.sun
    assert sun == pytest.approx(tuple(0.5 * one for one in Light().sun))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[light]", "[lights]", r"unknown key 'lights'; did you mean 'light'\?"),
        ("tilt_deg = 30.0", "tilt_deg = 300.0", "light.tilt_deg: found 300.0, expected a number from 0 to 80"),
        (
            "strength = [0.85, 1.15]",
            "strength = [1.15, 0.85]",
            r"light.strength: found \[1.15, 0.85\], expected the least",
        ),
        (
            "bricks_2 = [3, 5]",
            "bricks_2 = [5, 3]",
            r"products.bricks_2: found \[5, 3\], expected the fewest bricks first",
        ),
        ('"green"]', '"gren"]', r"products.colors\[3\]: found 'gren'; did you mean 'green'\?"),
        ("bricks_4 = [8, 12]", "bricks_4 = [8, 400]", r"products.bricks_4\[1\]: found 400, expected .* from 1 to 12"),
        (
            "strength = [0.85, 1.15]",
            "strength = [nan, 1]",
            r"strength\[0\]: found nan, expected .* from 0.1 to 2",
        ),
        (
            "clutch = [0.8, 1.2]",
            "clutch = [0.8]",
            r"bricks.clutch: found .*, expected 2 numbers, the least",
        ),
        ("noise = 1.0", "noise = " + 3000 * "[", "not valid TOML|nested too deep"),
        ("noise = 1.0", "noise = " + 5000 * "1", "not valid TOML"),
        ("[poses]", "[poses", "not valid TOML"),
        ("clutch = [0.8, 1.2]", "", "there is no 'clutch', which is needed here"),
    ],
)
def test_settings_that_nothing_can_be_drawn_from_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        load_tiers(settings_with(tmp_path, old, new))


def test_a_tier_that_never_has_as_many_bricks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "DRAWS", 50)
    mine = load_tiers(settings_with(tmp_path, "bricks_1 = [1, 1]", "bricks_1 = [2, 2]"))
    with pytest.raises(BadInput, match="bricks_1: none of 50 products of tier 1 had 2 to 2 bricks"):
        product(1, np.random.default_rng(0), mine)


def test_a_tier_that_no_arm_can_build_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PRODUCTS", 2)
    monkeypatch.setattr(tasks, "_goes_one_by_one", lambda made, cell: False)
    with pytest.raises(BadInput, match="bricks_3: none of 2 products of tier 3 can be built by this arm"):
        build_task(3, 0)
