"""The page of a running build: it tells how it goes, and its buttons act on the controller between commands."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from falsework.execution.controls import Controls
from falsework.execution.running import LOG, BuildDone, run_task
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import BadInput
from falsework.studio.browser import Browser
from falsework.studio.robots import build_live
from falsework.studio.robots.build_film import BuildFilm
from falsework.studio.robots.build_live import BuildServer, served


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_live, "LAST_WORD_S", 0.05)


def post(server: BuildServer, route: str, asked: Any, **headers: str) -> dict[str, Any]:
    data = json.dumps(asked).encode()
    request = urllib.request.Request(server.address + route, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=10) as answer:
        found: dict[str, Any] = json.loads(answer.read())
        return found


def status(server: BuildServer, told: int = 0) -> dict[str, Any]:
    return post(server, "status", {"told": told, "seen": []})


class Running:
    """A build on another thread, and the server that shows it."""

    def __init__(self, server: BuildServer, out: Path) -> None:
        self.server = server
        self.done: list[BuildDone] = []
        self.thread = Thread(target=self._build, args=(out,), daemon=True)
        self.thread.start()

    def _build(self, out: Path) -> None:
        self.done.append(run_task(build_task(1, 0), out=out, watcher=self.server.film, controls=self.server.controls))

    def until(self, seconds: float) -> dict[str, Any]:
        """Of the cell's clock."""
        while self.thread.is_alive() and status(self.server)["time_s"] < seconds:
            self.thread.join(0.02)
        return status(self.server)

    def end(self) -> BuildDone:
        self.thread.join(60)
        return self.done[0]


@pytest.fixture
def server() -> Iterator[BuildServer]:
    with served(BuildFilm(), Controls(), "one <brick>") as running:
        yield running


def test_a_pause_stops_the_clock_a_step_does_one_command_and_the_log_does_not_know(
    server: BuildServer, tmp_path: Path
) -> None:
    run_task(build_task(1, 0), out=tmp_path / "alone")
    running = Running(server, tmp_path / "shown")
    running.until(2.0)
    assert post(server, "act", {"do": "pause"}) == {"doing": "paused"}
    running.thread.join(1.0)  # the command that is under way ends
    before = status(server)
    running.thread.join(0.3)
    assert status(server)["time_s"] == before["time_s"] and before["doing"] == "paused"
    post(server, "act", {"do": "step"})
    running.thread.join(0.7)
    assert running.thread.is_alive()
    post(server, "act", {"do": "go"})
    assert running.end().scores.success
    assert (tmp_path / "shown" / LOG).read_bytes() == (tmp_path / "alone" / LOG).read_bytes()
    told = status(server)
    assert told["placed"] == told["bricks"] == 1
    assert [line["event"] for line in told["lines"]][-1] == "end"
    assert {one["camera"] for one in told["pictures"]} == {"over plate", "over table", "wrist of arm"}
    assert max(told["forces"]["grip"]) > 5.0
    known = [[one["camera"], one["number"]] for one in told["pictures"]]
    again = post(server, "status", {"told": len(told["lines"]), "seen": known})
    assert again["lines"] == [] and all(one["src"] == "" for one in again["pictures"])


def test_the_emergency_stop_answers_while_a_command_is_under_way_and_while_paused(
    server: BuildServer, tmp_path: Path
) -> None:
    running = Running(server, tmp_path)
    running.until(2.0)
    post(server, "act", {"do": "pause"})
    assert post(server, "act", {"do": "stop"}) == {"doing": "stopped"}
    done = running.end()
    assert done.built.failures[-1].words == "the emergency stop was pressed"
    assert status(server)["doing"] == "stopped"
    post(server, "act", {"do": "go"})
    assert server.controls.doing == "stopped", "what is stopped stays so"


def refusal(server: BuildServer, route: str, asked: Any, **headers: str) -> int:
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(server, route, asked, **headers)
    with refused.value as error:
        return error.code


def test_what_makes_no_sense_is_refused(server: BuildServer) -> None:
    assert refusal(server, "act", {"do": "explode"}) == 400
    assert refusal(server, "status", {"told": -1}) == 400
    assert refusal(server, "status", [1]) == 400
    assert refusal(server, "stop", {}) == 404
    assert refusal(server, "act", {"do": "stop"}, Origin="http://elsewhere.example") == 403
    assert server.controls.doing == "running"
    with pytest.raises(BadInput, match="--port: "), served(BuildFilm(), Controls(), "again", server.server_port):
        pass


def test_the_page_follows_the_build_and_its_stop_button_stops_it(
    server: BuildServer, browser: Browser, tmp_path: Path
) -> None:
    server.controls.pause()
    running = Running(server, tmp_path)
    page = browser.page()
    page.open(server.address)
    page.wait_for("document.getElementById('doing').textContent === 'paused'")
    assert page.evaluate("document.querySelector('h1').textContent") == "one <brick>"
    page.evaluate("document.getElementById('go').click()")
    page.wait_for("document.querySelectorAll('#cameras img').length >= 2")
    page.evaluate("document.getElementById('stop').click()")
    page.wait_for("document.getElementById('doing').textContent === 'stopped'")
    assert running.end().built.failures[-1].kind == "stopped"
    page.close()
