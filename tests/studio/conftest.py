"""A real browser for the tests that look at pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from falsework.studio.browser import Browser, NoBrowser, find_browser
from falsework.studio.report import write_report
from falsework.studio.scene import Scene
from tests.studio.looking import HALF, Look


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium; without it these tests skip, but never in CI."""
    try:
        find_browser()
    except NoBrowser as why:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have a browser: {why}")
        pytest.skip(str(why))
    with Browser() as running:
        yield running


@pytest.fixture
def look(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Look]]:
    """Opens the report of a scene and gives it back drawn; afterwards the page must have kept quiet."""
    opened: list[Look] = []

    def open_scene(scene: Scene, width: int = 920, height: int = 600, fragment: str = "", scale: float = HALF) -> Look:
        path = write_report(scene, tmp_path / f"report-{len(opened)}")
        opened.append(Look.open(browser, path, width, height, fragment, scale))
        return opened[-1]

    yield open_scene
    for one in opened:
        one.close()
        assert one.complaints == []
        assert one.requests == [one.address]
