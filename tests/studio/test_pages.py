"""Every report in a real browser: it is drawn, it answers, it keeps quiet and asks nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.model.figures import percent
from falsework.studio.browser import Browser
from falsework.studio.report import write_report
from falsework.studio.scene import Column, Scene, Table
from tests.statics.structures import arch, harmonic
from tests.studio.looking import Look, changed
from tests.studio.scenes import (
    EVERY_KIND,
    HOSTILE,
    building_stack,
    checked,
    falling_stack,
    hostile,
    overhang,
    plain,
    undecided,
)

Open = Callable[..., Look]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_of_report_is_drawn(look: Open, kind: str) -> None:
    scene: Scene = EVERY_KIND[kind]()
    page = look(scene)
    assert changed(page.empty_pixels(), page.pixels()) > 0.02
    assert scene.headline.word in page.text("#verdict")


def test_colours_follow_the_choice(look: Open) -> None:
    page = look(checked(overhang(), "bricks"), scale=1)
    page.choose("Part")
    seen = [page.pixels()]
    for choice in ("State", "Order", "Utilisation", "Contact force"):
        page.choose(choice)
        seen.append(page.pixels())
        assert changed(seen[-2], seen[-1]) > 0.01, choice
    page.choose("Part")
    assert changed(seen[0], page.pixels()) == 0


def test_forces_joints_and_edges_can_be_switched(look: Open) -> None:
    page = look(checked(overhang(), "bricks"), scale=1)
    before = page.pixels()
    for switch in ("#show-forces", "#show-joints", "#show-edges"):
        page.click(switch)
        shown = page.pixels()
        assert changed(before, shown) > 1e-4, switch
        page.click(switch)
        assert changed(before, page.pixels()) == 0, switch


def test_stones_show_their_forces_from_the_start(look: Open) -> None:
    page = look(checked(arch(9, 0.2, 0.6), "arch"))
    assert page.value("document.querySelector('#show-forces').checked")
    assert "longest" in page.text(".keys")


def test_sliders_explode_and_cut(look: Open) -> None:
    page = look(plain(overhang(), "bricks"))
    before = page.pixels()
    page.slide("#explode", 0.6)
    assert changed(before, page.pixels()) > 0.02
    page.slide("#explode", 0)
    page.slide("#section", 0.5)
    cut = page.pixels()
    assert changed(before, cut) > 0.01
    assert changed(page.empty_pixels(), cut) < changed(page.empty_pixels(), before)


def test_a_click_tells_about_the_part(look: Open) -> None:
    page = look(checked(harmonic(4, 0.5), "harmonic"))
    assert "Click a part" in page.text("#selection")
    page.click_at(0.5, 0.5)
    assert "Mass" in page.text("#selection")
    assert "kg" in page.text("#selection")
    assert "Touches" in page.text("#selection")
    page.click_at(0.02, 0.98)
    assert "Click a part" in page.text("#selection")


def test_keys_turn_and_walk_through_the_parts(look: Open) -> None:
    page = look(plain(overhang(), "bricks"), scale=1)
    page.press("Escape")  # the ring around what has the focus is part of the picture
    before = page.pixels()
    page.press("ArrowLeft")
    assert changed(before, page.pixels()) > 0.01
    page.press("0")
    assert changed(before, page.pixels()) < 1e-3
    page.press("]")
    assert "step-0" in page.text("#selection")
    page.press("]")
    assert "step-1" in page.text("#selection")
    page.press("Escape")
    assert "Click a part" in page.text("#selection")


def test_falling_parts_are_marked_and_move(look: Open) -> None:
    page = look(checked(harmonic(5, 1.2), "harmonic"))
    assert "falls" in page.text(".keys")
    with_arrows = page.pixels()
    page.click("#show-motion")
    assert changed(with_arrows, page.pixels()) > 1e-4
    page.page.call("Emulation.setEmulatedMedia", features=[])
    page.click("#show-motion")
    first = page.pixels()
    assert any(changed(first, page.pixels()) > 1e-3 for _ in range(30))  # the loop stands still for a while at its end
    page.click("#show-motion")


def test_the_scrubber_moves_the_frames(look: Open) -> None:
    page = look(falling_stack())
    end = page.pixels()
    page.slide("#time", 0)
    start = page.pixels()
    assert changed(start, end) > 0.02
    assert "0.00 s of 1.00 s" in page.text(".caption")
    page.slide("#time", 0.5)
    assert changed(start, page.pixels()) > 0.01
    page.click(".step")
    assert "0.40 s" in page.text(".caption")
    assert page.value("document.querySelector('.step').hasAttribute('aria-current')")


def test_the_plan_builds_up(look: Open) -> None:
    page = look(building_stack())
    empty = page.empty_pixels()
    shares = []
    for time in (0, 1, 2, 4):
        page.slide("#time", time)
        shares.append(changed(empty, page.pixels()))
    assert shares == sorted(shares)
    assert shares[-1] > 1.5 * shares[0]
    page.slide("#time", 1.5)
    on_the_way = page.pixels()
    page.slide("#time", 2)
    assert changed(on_the_way, page.pixels()) > 0.005
    page.choose("State")
    assert "held" in page.text(".keys")
    page.press(".")
    assert "step 3 of 4: Let go of 1" in page.text(".caption")


def test_alternatives_can_be_chosen_and_compared(look: Open) -> None:
    page = look(building_stack(1))
    assert "In 4 steps" in page.text("header")
    page.slide("#time", 2)
    first = page.pixels()
    page.choose("Plan 2")
    assert page.value("Number(document.querySelector('#time').max)") == 5
    assert changed(first, page.pixels()) > 0.01
    page.click("#show-compare")
    assert page.text(".panes") == "Plan 1Plan 2"
    both = page.pixels()
    assert changed(page.empty_pixels()[:, : both.shape[1] // 2], both[:, : both.shape[1] // 2]) > 0.02
    assert changed(page.empty_pixels()[:, both.shape[1] // 2 :], both[:, both.shape[1] // 2 :]) > 0.02


def test_a_reorient_turns_the_model_and_stands_it_on_the_floor(look: Open) -> None:
    page = look(building_stack(1))
    page.choose("Plan 2")
    page.slide("#time", 2)
    lying = page.pixels()
    page.slide("#time", 2.5)
    turning = page.pixels()
    page.slide("#time", 3)
    assert "Turn the model" in page.text(".caption")
    assert changed(lying, turning) > 0.05
    assert changed(turning, page.pixels()) > 0.05


def test_held_parts_carry_a_pin(look: Open) -> None:
    page = look(building_stack())
    page.slide("#time", 2)
    held = (np.abs(page.pixels()[..., :3] - (0, 0x72, 0xB2)).max(axis=2) < 24).sum()
    page.slide("#time", 4)
    free = (np.abs(page.pixels()[..., :3] - (0, 0x72, 0xB2)).max(axis=2) < 24).sum()
    assert held > free + 20


def test_plots_follow_the_time_and_can_be_copied(look: Open) -> None:
    page = look(falling_stack())
    assert page.value("document.querySelectorAll('.plot').length") == 2
    page.slide("#time", 0.5)
    assert page.text(".reading") == "0.25 J"
    page.value("document.querySelector('.plot').scrollIntoView()")
    box = page.box(".plot > svg")
    place = {"x": box["x"] + 0.999 * box["width"], "y": box["y"] + 20}
    for kind in ("mousePressed", "mouseReleased"):
        page.page.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
    assert page.value("Number(document.querySelector('#time').value)") == 1
    page.value("navigator.clipboard.writeText = async (text) => { (window.copied ??= []).push(text); }")
    page.value("document.querySelectorAll('.plot .copy').forEach((one) => one.click())")
    energy, penetration = (text.split("\r\n") for text in page.value("window.copied"))
    assert energy[:2] == ["Time (s),kinetic (J),potential (J)", "0,0,1"]
    assert len(energy) == 1 + 21
    assert penetration[:2] == ["Time (s),'=penetration (m)", "0,"]


def test_build_steps_are_printed_with_a_picture_each(look: Open) -> None:
    page = look(building_stack())
    assert page.value("document.querySelectorAll('.build-step').length") == 0
    assert len(page.page.call("Page.printToPDF", printBackground=True)["data"]) > 10_000
    assert page.value("document.querySelectorAll('.build-step canvas').length") == 4
    assert "held: 1 and 2" in page.text(".build-steps")
    drawn = page.value(
        "[...document.querySelectorAll('.build-step canvas')].map((one) => one.getContext('2d')"
        ".getImageData(0, 0, one.width, one.height).data.filter((value, i) => i % 4 === 3 && value > 200).length)"
    )
    assert 0 < drawn[0] < drawn[1] < drawn[3]
    assert drawn[2] == pytest.approx(drawn[1], rel=0.02)  # letting go takes a pin away


def test_play_runs_to_the_end(look: Open) -> None:
    page = look(falling_stack())
    page.click(".play")
    assert page.text(".play") == "Pause"
    page.page.wait_for("document.querySelector('.play').textContent === 'Play'", 60)
    assert page.value("Number(document.querySelector('#time').value)") == 1


def test_held_and_absent_parts_look_different(look: Open) -> None:
    page = look(undecided())
    page.choose("State")
    assert "held" in page.text(".keys")
    page.press("[")
    assert "absent" in page.text("#selection")


def test_hostile_names_stay_text(look: Open) -> None:
    page = look(plain(hostile(), HOSTILE[1]))
    assert page.value("window.pwned") is None
    assert page.text("h1") == HOSTILE[1]
    cells = page.value("[...document.querySelectorAll('td.part')].map((cell) => cell.textContent)")
    assert cells[:4] == list(HOSTILE[:4])
    page.press("]")
    assert HOSTILE[0] in page.text("#selection")
    assert page.value("document.querySelectorAll('img, svg').length") == 0
    assert page.value("window.pwned") is None


def test_tables_sort_and_copy_without_formulas(look: Open) -> None:
    page = look(plain(hostile(), "hostile"))
    first = "document.querySelector('td.part').textContent"
    before = page.value(first)
    page.click("th button")
    page.click("th button")
    assert page.value(first) != before
    page.value("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(".copy")
    lines = page.value("window.copied").split("\r\n")
    assert lines[0] == "Part,Kind,Role,Mass (kg)"
    assert len(lines) == 1 + len(HOSTILE)
    assert not any(line.startswith("=") for line in lines)


def test_the_page_writes_shares_as_the_terminal_does(look: Open) -> None:
    shares = (0.0, 8.04e-16, 1e-6, 0.0129, 0.0005, 0.5, 0.9996, 1.0, 1.0004, 1.332, 12.5)
    page = look(replace(plain(hostile(), "shares"), tables=(Table("Shares", (Column("Used", "share", shares),)),)))
    cells = page.value("[...document.querySelectorAll('td.share')].map((cell) => cell.textContent)")
    assert cells == [percent(share) for share in shares]


def test_dark_follows_the_system_and_the_button(look: Open) -> None:
    page = look(plain(overhang(), "bricks"))
    light = page.empty_pixels().mean()
    page.page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.settle()
    dark = page.empty_pixels().mean()
    assert dark < light - 80
    page.click("#theme")
    assert page.empty_pixels().mean() == pytest.approx(light, abs=2)


@pytest.mark.parametrize("kind", ["check of bricks", "plan with alternatives", "collapse", "hostile names"])
def test_a_phone_shows_it_without_scrolling_sideways(look: Open, kind: str) -> None:
    page = look(EVERY_KIND[kind](), width=390, height=844)
    assert page.value("document.documentElement.scrollWidth") <= 390
    assert changed(page.empty_pixels(), page.pixels()) > 0.02


@pytest.mark.parametrize("kind", ["check of bricks", "plan with alternatives", "collapse"])
def test_everything_that_acts_can_be_reached_by_keyboard(look: Open, kind: str) -> None:
    page = look(EVERY_KIND[kind]())
    names = page.value(
        "[...document.querySelectorAll('button, input, select, [tabindex]')].filter((one) => one.tabIndex < 0).length"
    )
    assert names == 0
    unnamed = page.value(
        "[...document.querySelectorAll('input, select')].filter((one) => !one.labels.length && !one.ariaLabel).length"
    )
    assert unnamed == 0


def test_the_policy_stops_scripts_and_connections(look: Open) -> None:
    page = look(plain(overhang(), "bricks"))
    policy = page.value("document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    page.value(
        "(() => { const one = document.createElement('script');"
        " one.textContent = 'window.injected = 1'; document.head.append(one); })()"
    )
    assert page.value("window.injected") is None
    assert page.value("fetch('data:,x').then(() => 'went', () => 'refused')") == "refused"
    refused = [line for line in page.page.complaints if "Content Security Policy" in line]
    assert len(refused) >= 2
    page.page.complaints.clear()
    page.page.requests[:] = [page.address]


def test_it_prints(look: Open) -> None:
    page = look(checked(overhang(), "bricks"))
    assert len(page.page.call("Page.printToPDF", printBackground=True)["data"]) > 10_000


def test_without_webgl_the_answer_is_still_there(browser: Browser, tmp_path: Path) -> None:
    del browser
    path = write_report(checked(overhang(), "bricks"), tmp_path)
    with Browser(("--disable-3d-apis",)) as blind:
        page = blind.page()
        page.open(path.as_uri())
        page.wait_for("document.documentElement.dataset.failed")
        assert "Stands" in page.evaluate("document.querySelector('#verdict').textContent")
        assert "needs WebGL 2" in page.evaluate("document.body.textContent")
        assert page.evaluate("document.querySelectorAll('td').length") > 0
