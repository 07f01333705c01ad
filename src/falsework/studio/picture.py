"""A picture of a scene: the page in a headless browser, without its panels, from the camera's home."""

from __future__ import annotations

import tempfile
from pathlib import Path

from falsework.formats.basics.atomic import write_whole
from falsework.model.scratch import scratch_prefix
from falsework.studio.browser import opened
from falsework.studio.report import write_report
from falsework.studio.scene import Scene

SIZE = (1600, 1200)  # pixels
PICTURE = "#picture"  # the page leaves its panels out and stands still


def picture(scene: Scene, size: tuple[int, int] | None = None, moment: float | None = None) -> bytes:
    """PNG with a transparent background, SIZE unless told; of a motion or a plan at a share of its time."""
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        path = write_report(scene, folder)
        with opened(path, *(size or SIZE), PICTURE) as page:
            if moment is not None:
                page.seek(moment)
            return page.screenshot(transparent=True)


def page_picture(scene: Scene, size: tuple[int, int]) -> bytes:
    """PNG of the whole page, as it opens in a window of that size."""
    with (
        tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder,
        opened(write_report(scene, folder), *size) as page,
    ):
        return page.screenshot()


def write_picture(scene: Scene, path: str | Path) -> None:
    """The same into a file, whole or not at all."""
    write_whole(path, picture(scene))
