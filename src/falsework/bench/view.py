"""`bench view`: how soon a live page follows a change, and how soon a report shows its first frame.

`ours` is a question to the running server and its answer over HTTP, the median over removals of different parts; the
reference is what a page without a server would need: `check` from scratch and the whole scene again. In the browser
(headless Chromium, software rendering): from the press of the button to the pixels.
"""

from __future__ import annotations

import http.client
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from falsework.bench.rows import Row, best_ms
from falsework.bench.samples import brick_wall
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.studio.browser import Browser, NoBrowser, Page
from falsework.studio.check_page import check_scene
from falsework.studio.desk import Desk
from falsework.studio.encoding import scene_json
from falsework.studio.report import write_report
from falsework.studio.server import LiveServer
from falsework.verdicts.check import check

SIZES = (30, 100, 300, 1000)  # bricks
CHANGES = 9  # parts removed, one after the other
_PRESS = """(async () => {
  const told = document.documentElement.dataset;
  const pause = (ms = 0) => new Promise((done) => setTimeout(done, ms));
  await pause(REST_MS);
  delete told.answerMs;
  const begun = performance.now();
  document.querySelector("#remove").click();
  while (!told.answerMs) await pause();
  await new Promise((done) => requestAnimationFrame(done));
  await pause();
  const context = document.querySelector("#view canvas").getContext("webgl2");
  context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
  return performance.now() - begun;
})()""".replace("REST_MS", "900")  # by then the margin has been asked for too, and nothing is on its way


def run() -> Iterator[Row]:
    """One row per size for the live page, then one a size for the report."""
    walls = {size: brick_wall(size) for size in SIZES}
    for size, wall in walls.items():
        yield _live(size, wall)
    for size, wall in walls.items():
        yield from _report(size, wall)


def _live(size: int, wall: Assembly) -> Row:
    with _served(wall) as server:
        removed = _spread(len(wall.parts))
        times = [_asked_ms(server, part) for part in [removed[0], *removed]][1:]  # the first loads the solver
        notes = {"parts": len(wall.parts), "worst_ms": max(times), **_in_browser(server)}
    joints = interfaces(wall)
    absent = [wall.parts[removed[0]].name]

    def from_scratch() -> None:
        verdict = check(wall, absent=absent, also=False, joints=joints)
        scene_json(check_scene(wall, joints, verdict, "wall", absent=tuple(absent)))

    return Row(f"live {size}", statistics.median(times), best_ms(from_scratch, 2), "check from scratch", notes)


def _report(size: int, wall: Assembly) -> Iterator[Row]:
    joints = interfaces(wall)
    scene = check_scene(wall, joints, check(wall, joints=joints), "wall")
    with tempfile.TemporaryDirectory(prefix="falsework-bench-") as folder:
        path = write_report(scene, folder)
        megabytes = path.stat().st_size / 1e6
        try:
            first = min(_first_frame_ms(path) for _ in range(2))
        except NoBrowser:
            return
    yield Row(f"report {size}", first, None, "", {"what": "first frame, software rendering", "megabytes": megabytes})


@contextmanager
def _served(wall: Assembly) -> Iterator[LiveServer]:
    with LiveServer(Desk("wall", lambda _: wall)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _asked_ms(server: LiveServer, part: int) -> float:
    line = http.client.HTTPConnection(*server.server_address[:2])  # type: ignore[arg-type]
    body = json.dumps({"version": 1, "absent": [part]})
    begun = time.perf_counter()
    line.request("POST", f"/{server.token}/ask", body, {"Content-Type": "application/json"})
    response = line.getresponse()
    response.read()
    spent = 1e3 * (time.perf_counter() - begun)
    line.close()
    if response.status != 200:
        raise RuntimeError(f"the server answered {response.status}")
    return spent


def _in_browser(server: LiveServer) -> dict[str, float]:
    """From the button to the pixels, where there is a browser."""
    try:
        with Browser() as browser:
            page = _opened(browser, server.address)
            page.evaluate("document.querySelector('#view').focus()")
            page.call("Input.dispatchKeyEvent", type="keyDown", key="]", text="]")
            times = [float(page.evaluate(_PRESS)) for _ in range(CHANGES)]
            return {"in_browser_ms": statistics.median(times)}
    except NoBrowser:
        return {}


def _first_frame_ms(path: Path) -> float:
    with Browser() as browser:
        page = _opened(browser, path.as_uri())
        return float(page.evaluate("Number(document.documentElement.dataset.firstFrameMs)"))


def _opened(browser: Browser, address: str) -> Page:
    page = browser.page()
    page.size(1280, 800)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    page.open(address)
    page.wait_for("document.documentElement.dataset.firstFrameMs", 120)
    return page


def _spread(parts: int) -> list[int]:
    """Parts to remove, from all over the assembly."""
    return sorted({round(k * (parts - 1) / (CHANGES - 1)) for k in range(CHANGES)})
