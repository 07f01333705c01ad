"""The page of a build that runs: states, pictures, forces, the plan's progress; pause, step, stop.

The build runs on the thread that calls it; the server answers on others, and reads what a `BuildFilm` has gathered. The
buttons act on the `Controls` that the façade obeys, so a pause changes nothing of the log and a stop waits for nobody.
"""

from __future__ import annotations

import base64
import html
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from falsework.execution.controls import Controls
from falsework.model.errors import BadInput
from falsework.studio.local_server import ADDRESS, LocalHandler, LocalServer, Refused
from falsework.studio.report import inline_hash, page_policy, report_html, static
from falsework.studio.robots.build_film import BuildFilm, forces_of
from falsework.studio.robots.build_page import build_scene, line_words

RECENT = 300  # instants of which forces are shown
LAST_WORD_S = 1.5  # for which the server waits at the end, so that a page hears of it
ACTS = ("pause", "go", "step", "stop")
SCRIPT, STYLE = "build_live.js", "build_live.css"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<span id="doing" role="status">…</span>
<button type="button" id="pause">Pause</button>
<button type="button" id="go">Go on</button>
<button type="button" id="step">One command</button>
<button type="button" id="stop">Emergency stop</button>
</header>
<main>
<section aria-label="Cameras"><h2>What the cameras saw</h2><div id="cameras"></div></section>
<aside>
<section><p id="now">…</p><progress id="progress" max="1" value="0"></progress><p id="placed" class="muted"></p>
<a href="replay" target="_blank" rel="noopener">Replay what has happened so far</a></section>
<section><h2>Forces: <span class="key push">on the tool</span>, <span class="key grip">between the fingers</span></h2>
<svg id="forces" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="Forces"></svg>
<p id="most" class="muted"></p></section>
<section><h2>Log</h2><ol id="log"></ol></section>
</aside>
</main>
<script>{script}</script>
</body>
</html>
"""


class BuildServer(LocalServer):
    """Shows one build. `ended` is said once by whoever builds."""

    def __init__(self, film: BuildFilm, controls: Controls, title: str, port: int = 0) -> None:
        self.film, self.controls, self.title = film, controls, title
        self.is_over = False
        super().__init__(_Handler, port)

    def status(self, told: int, seen: dict[str, int]) -> dict[str, Any]:
        """How it goes: new lines of the log, pictures that the page does not have yet, forces of late."""
        film = self.film
        lines, instants = film.lines[:], film.instants[-RECENT:]
        now: dict[str, Any] = next((line for line in reversed(lines) if line["event"] == "state"), {})
        placed = {line["brick"] for line in lines if line["event"] == "placed"}
        doing = "stopped" if self.controls.doing == "stopped" else "ended" if self.is_over else self.controls.doing
        return {
            "doing": doing,
            "time_s": instants[-1].time_s if instants else 0.0,
            "state": now.get("state", ""),
            "brick": now.get("brick", ""),
            "placed": len(placed),
            "bricks": 0 if film.product is None else len(film.product.parts),
            "first": told,
            "lines": [{"t": line["t"], "event": line["event"], "words": line_words(line)} for line in lines[told:]],
            "pictures": self._pictures(seen),
            "forces": self._forces(instants),
        }

    def _pictures(self, seen: dict[str, int]) -> list[dict[str, Any]]:
        """The last one of each camera; its bytes only where the page shows an older one."""
        last = {shot.camera: (number, shot) for number, shot in enumerate(self.film.snapshots[:])}
        found = []
        for camera, (number, shot) in last.items():
            data = "" if seen.get(camera) == number else base64.b64encode(shot.jpeg).decode()
            src = f"data:image/jpeg;base64,{data}" if data else ""
            found.append({"camera": camera, "number": number, "src": src, "caption": shot.caption})
        return found

    def _forces(self, instants: list[Any]) -> dict[str, list[float]]:
        if not instants or self.film.cell is None:
            return {"times": [], "push": [], "grip": []}
        push, grip = forces_of(instants, self.film.cell.arms[0].name)
        times = [round(one.time_s, 3) for one in instants]
        return {"times": times, "push": push.round(3).tolist(), "grip": grip.round(3).tolist()}


@contextmanager
def served(film: BuildFilm, controls: Controls, title: str, port: int = 0) -> Iterator[BuildServer]:
    """A server for as long as a build runs; afterwards it says so for a moment, and is gone."""
    try:
        server = BuildServer(film, controls, title, port)
    except (OSError, OverflowError) as why:
        raise BadInput(f"--port: {ADDRESS}:{port} cannot be used: {why}") from why
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
        server.is_over = True
        server.ended.wait(LAST_WORD_S)
    finally:
        server.shutdown()
        server.server_close()


class _Handler(LocalHandler):
    server: BuildServer
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{inline_hash(static(SCRIPT))}'",
            f"style-src '{inline_hash(static(STYLE))}'",
            "img-src data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )

    def gets(self) -> dict[str, Callable[[], None]]:
        return {"": self._page, "replay": self._replay}

    def posts(self) -> dict[str, Callable[[], None]]:
        return {"status": self._status, "act": self._act}

    def _page(self) -> None:
        page = _PAGE.format(title=html.escape(self.server.title), style=static(STYLE), script=static(SCRIPT))
        self.send(HTTPStatus.OK, "text/html; charset=utf-8", page.encode())

    def _replay(self) -> None:
        """A page like that of the end, of what has happened so far."""
        self.policy = page_policy(live=False)
        page = report_html(build_scene(self.server.film, self.server.title))
        self.send(HTTPStatus.OK, "text/html; charset=utf-8", page.encode())

    def _status(self) -> None:
        asked = self.body()
        told, seen = asked.get("told", 0), asked.get("seen", [])
        if not isinstance(told, int) or isinstance(told, bool) or told < 0:
            raise Refused(HTTPStatus.BAD_REQUEST, "told: expected how many lines are known")
        pairs = [one for one in seen if isinstance(one, list) and len(one) == 2] if isinstance(seen, list) else []
        known = {str(camera): number for camera, number in pairs if isinstance(number, int)}
        self.json(self.server.status(told, known))

    def _act(self) -> None:
        act = self.body().get("do")
        if act not in ACTS:
            raise Refused(HTTPStatus.BAD_REQUEST, f"do: expected {', '.join(ACTS)}")
        {
            "pause": self.server.controls.pause,
            "go": self.server.controls.go,
            "step": self.server.controls.step,
            "stop": self.server.controls.stop,
        }[act]()
        self.json({"doing": self.server.controls.doing})
