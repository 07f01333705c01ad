"""The same answers live: an assembly in memory, a desk of files, a server that lets only its own page in."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.cli import main
from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.errors import BadFile, BadInput
from falsework.studio.browser import Browser
from falsework.studio.desk import Desk
from falsework.studio.live import Change, LiveCheck
from falsework.studio.server import LiveServer
from falsework.verdicts.check import check
from tests.statics.structures import arch, block, stack
from tests.studio.looking import Look
from tests.studio.scenes import hostile, overhang

# Two piers, a lintel, and a brick on top.
GATE = "2x2 (0,0,0)\n2x2 (6,0,0)\n2x8 (0,0,1)\n2x2 (3,0,2)\n".replace("2x8", "8x2")


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    path = tmp_path / "gate.txt"
    path.write_text(GATE)
    return path


@contextmanager
def serving(desk: Desk) -> Iterator[LiveServer]:
    with LiveServer(desk) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def asked(
    server: LiveServer, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, bytes]:
    """Status and body of a raw request; underscores in header names stand for dashes."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    line.putrequest(method, path, skip_host=True)
    words = {"Host": f"127.0.0.1:{server.server_port}"} | {key.replace("_", "-"): text for key, text in headers.items()}
    if body is not None:
        words.setdefault("Content-Length", str(len(body)))
    for key, text in words.items():
        line.putheader(key, text)
    line.endheaders(body)
    response = line.getresponse()
    found = response.status, response.read()
    line.close()
    return found


def question(server: LiveServer, **words: Any) -> tuple[int, dict[str, Any]]:
    body = json.dumps({"version": 1, **words}).encode()
    status, text = asked(server, f"/{server.token}/ask", "POST", body, Content_Type="application/json")
    return status, json.loads(text) if text.startswith(b"{") else {}


@pytest.mark.parametrize("assembly", [overhang(), arch(9, 0.2, 0.6), stack([0.1, 0.9])])
def test_live_answers_are_those_of_check(assembly: Any) -> None:
    live = LiveCheck(assembly, "x")
    joints = interfaces(assembly)
    for number, part in enumerate(assembly.parts):
        if part.name in assembly.fixed:
            continue
        plain = check(assembly, absent=[part.name], joints=joints)
        for depth in ("verdict", "margin"):
            scene = live.scene(Change.read(assembly, {"absent": [number]}), depth)
            assert scene.headline.tone == {"stable": "yes", "unstable": "no"}[plain.answer]
            names = {name for name, falls in zip(scene.parts.names, scene.parts.falling, strict=True) if falls}
            assert bool(names) == (plain.answer == "unstable")
            if depth == "margin":
                assert names == set(plain.falling)


def test_holding_and_loading_change_the_answer() -> None:
    assembly = stack([0.9])
    live = LiveCheck(assembly, "x")
    assert live.scene().headline.word == "Falls"
    assert live.scene(Change.read(assembly, {"held": [1]})).headline.word == "Stands"
    level = stack([0.1])
    pushed = Change.read(level, {"loads": [[1, [1e6, 0, 0]]]})
    assert LiveCheck(level, "x").scene(pushed).headline.word == "Falls"


def test_a_removed_part_is_neither_held_nor_loaded() -> None:
    assembly = stack([0.1, 0.1])
    change = Change.read(assembly, {"absent": [2], "held": [2, 1], "loads": [[2, [0, 0, -1]]]})
    assert (change.absent, change.held, change.loads) == (("2",), ("1",), ())
    assert LiveCheck(assembly, "x").scene(change).parts.role == ("fixed", "held", "absent")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"absent": [9]}, "expected a part number from 0 to 2"),
        ({"absent": [True]}, "expected a part number"),
        ({"held": "12"}, "expected part numbers"),
        ({"loads": [[1, [0, 0]]]}, "expected a force of three numbers"),
        ({"loads": [1]}, "expected .part, .x, y, z.. of each"),
        ({"loads": [[1, [float("inf"), 0, 0]]]}, "finite"),
    ],
)
def test_nonsense_from_the_page_is_refused(words: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Change.read(stack([0.1, 0.1]), words)


def test_what_rests_on_nothing_is_shown_and_said() -> None:
    from falsework.model.assembly import Assembly

    scene = LiveCheck(Assembly((block("a", (0, 0, 0), (1, 1, 1)),)), "x").scene()
    assert scene.kind == "info"
    assert "use --ground or --fixed" in scene.notes[0]


def test_a_desk_holds_the_models_of_a_folder_and_nothing_outside(gate: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(GATE)
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "gate.txt").write_text(GATE)
    (folder / "notes.md").write_text("not a model")
    (folder / "link.txt").symlink_to(outside)
    desk = Desk(str(folder), load)
    assert desk.names == ("gate.txt",)
    with pytest.raises(KeyError):
        desk.sheet("../outside.txt")
    assert Desk(str(gate), load).names == ("gate.txt",)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFile, match="holds nothing to look at"):
        Desk(str(tmp_path / "empty"), load)


def test_a_desk_reads_a_file_again_when_it_has_changed(gate: Path) -> None:
    desk = Desk(str(gate), load)
    first = desk.sheet("gate.txt")
    assert desk.sheet("gate.txt") is first
    changed(gate, GATE.replace("2x2 (6,0,0)\n", ""))
    second = desk.sheet("gate.txt")
    assert (second.version, len(second.model.assembly.parts)) == (2, 3)
    changed(gate, "2x2 (0,0")
    broken = desk.sheet("gate.txt")
    assert (broken.version, broken.model) == (2, second.model)
    assert "gate.txt" in broken.trouble


def changed(path: Path, text: str) -> None:
    """Rewrite a file, as one that was written a while ago."""
    import os

    past = path.stat().st_mtime_ns - 10**9
    path.write_text(text)
    os.utime(path, ns=(past, past - len(text)))


def test_a_plan_file_is_shown_and_followed(gate: Path, tmp_path: Path) -> None:
    assert main(["plan", str(gate), "--out", str(tmp_path / "out"), "--paths", "none", "--json"]) == 0
    sheet = Desk(str(tmp_path / "out" / "plan.json"), load).sheet("plan.json")
    assert sheet.model.scene().kind == "plan"
    assert len(sheet.model.assembly.parts) == 4


def test_the_server_answers_its_own_page_only(gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        home = f"/{server.token}/"
        status, page = asked(server, home)
        assert status == 200
        assert b"connect-src 'self'" in page
        assert asked(server, "/")[0] == 403
        assert asked(server, "/wrong-token/")[0] == 403
        assert asked(server, f"/{server.token[:-1]}/")[0] == 403
        assert asked(server, home, Host=f"evil.example:{server.server_port}")[0] == 421
        assert asked(server, home, Host="127.0.0.1")[0] == 421
        assert asked(server, home, Origin="http://evil.example")[0] == 403
        assert asked(server, home, Origin="null")[0] == 403
        assert asked(server, home, Origin=f"http://127.0.0.1:{server.server_port}")[0] == 200
        assert asked(server, home, Sec_Fetch_Site="cross-site")[0] == 403
        assert asked(server, home, Sec_Fetch_Site="same-site")[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "gate.txt",
        "../gate.txt",
        "..%2f..%2fetc/passwd",
        "%2e%2e/",
        "?file=../gate.txt",
        "?file=/etc/passwd",
        "//etc",
        "a",
    ],
)
def test_no_path_leads_out_of_the_desk(gate: Path, path: str) -> None:
    with serving(Desk(str(gate), load)) as server:
        status, text = asked(server, f"/{server.token}/{path}")
        assert status == 404
        assert b"root:" not in text
        assert b"2x2" not in text


def test_only_small_json_objects_are_questions(gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        path = f"/{server.token}/ask"
        kind = {"Content_Type": "application/json"}
        assert asked(server, path, "POST", b"{}", Content_Type="text/plain")[0] == 415
        assert asked(server, path, "POST", b"[", **kind)[0] == 400
        assert asked(server, path, "POST", b"[" * 100_000, **kind)[0] == 400
        assert asked(server, path, "POST", b"3", **kind)[0] == 400
        assert asked(server, path, "POST", None, **kind, Content_Length="9999999999")[0] == 413
        assert asked(server, path, "POST", None, **kind, Content_Length="-1")[0] == 413
        assert asked(server, path)[0] == 404
        assert asked(server, path, "DELETE")[0] == 501
        assert question(server, version=7) == (200, {"version": 1})
        status, answer = question(server, absent=[77])
        assert (status, "expected a part number" in answer["trouble"]) == (422, True)


def test_an_answer_holds_changes_only(gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        status, quick = question(server, absent=[1])
        assert status == 200
        assert quick["answer"]["headline"]["word"] in ("Stands", "Falls")
        assert not {"meshes", "tables", "names"} & (set(quick["answer"]) | set(quick["answer"]["parts"]))
        _, full = question(server, absent=[1], depth="margin")
        assert full["answer"]["headline"]["tone"] == quick["answer"]["headline"]["tone"]
        assert full["answer"]["tables"]


def test_the_line_of_events_tells_of_a_new_version(gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        line.request("GET", f"/{server.token}/events")
        response = line.getresponse()
        assert response.getheader("Content-Type") == "text/event-stream"
        assert json.loads(response.readline().removeprefix(b"data: ")) == {"version": 1, "trouble": ""}
        response.readline()
        changed(gate, GATE + "2x2 (3,0,3)\n")
        assert json.loads(response.readline().removeprefix(b"data: "))["version"] == 2
        line.close()


def test_a_closed_tab_is_no_error(gate: Path, capfd: pytest.CaptureFixture[str]) -> None:
    abruptly = struct.pack("ii", 1, 0)  # what is on its way is dropped
    with serving(Desk(str(gate), load)) as server:
        line = socket.create_connection(("127.0.0.1", server.server_port))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, abruptly)
        line.sendall(b"GET / HTTP/1.1\r\nHost:")
        line.close()
        assert question(server)[0] == 200
    assert capfd.readouterr().err == ""


@pytest.fixture
def watch(browser: Browser) -> Iterator[Callable[[LiveServer], Look]]:
    """Opens a served page; afterwards it must have kept quiet and spoken to its server only."""
    opened: list[tuple[Look, str]] = []

    def open_page(server: LiveServer) -> Look:
        look = Look.visit(browser, server.address, 920, 600)
        opened.append((look, server.address))
        return look

    yield open_page
    for look, address in opened:
        look.close()
        assert look.complaints == []
        assert all(request.startswith(address) for request in look.requests)


def do(page: Look, button: str) -> None:
    """Press a button of the live page and wait for the answer."""
    page.value("delete document.documentElement.dataset.answerMs")
    page.click(button)
    page.page.wait_for("document.documentElement.dataset.answerMs", 30)
    page.settle()


def test_removing_a_support_turns_the_verdict_red_and_names_what_falls(
    watch: Callable[[LiveServer], Look], tmp_path: Path
) -> None:
    path = tmp_path / "stack.yaml"
    from falsework.formats import save

    save(arch(7, 0.25, 0.6), path)
    with serving(Desk(str(path), load)) as server:
        page = watch(server)
        assert "Stands" in page.text("#verdict")
        before = page.pixels()
        for _ in range(4):
            page.press("]")
        assert page.text("#selection h3") == "3"  # the keystone
        do(page, "#remove")
        assert "Falls" in page.text("#verdict")
        assert page.value("document.querySelector('#verdict').className") == "verdict no"
        color = page.value("getComputedStyle(document.querySelector('#verdict')).backgroundColor")
        red, green, blue = (int(word) for word in color.removeprefix("rgb(").removesuffix(")").split(","))
        assert red > 2 * max(green, blue)
        assert "fall: " in page.text("header p")
        assert "2" in page.text("header p").rpartition("fall: ")[2]
        assert changed_share(before, page.pixels()) > 0.02
        page.page.wait_for(
            "[...document.querySelectorAll('[role=tab]')].some((tab) => tab.textContent === 'Falling')", 30
        )
        do(page, ".chip")
        assert "Stands" in page.text("#verdict")


def test_without_a_graphics_card_an_answer_is_drawn_soon_and_then_well(
    watch: Callable[[LiveServer], Look], gate: Path
) -> None:
    with serving(Desk(str(gate), load)) as server:
        page = watch(server)
        page.press("]")
        usual = page.value("document.querySelector('#view canvas').width")
        page.value("""(window.widths = [], new MutationObserver((all) => widths.push(all[0].target.width))
            .observe(document.querySelector('#view canvas'), { attributeFilter: ["width"] }))""")
        do(page, "#hold")
        page.page.wait_for(f"widths.at(-1) === {usual}", 30)
        assert min(page.value("widths")) == pytest.approx(0.6 * usual, abs=1)


def changed_share(before: Any, after: Any) -> float:
    return float((np.abs(before - after).max(axis=2) > 12).mean())


def test_holding_loading_and_undoing_in_the_page(watch: Callable[[LiveServer], Look], gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        page = watch(server)
        for _ in range(4):
            page.press("]")
        do(page, "#hold")
        assert "held" in page.text(".changes")
        assert page.text("#hold") == "Let go"
        do(page, "#hold")
        page.value("document.querySelector('#load').value = 500; document.querySelector('#load-way').value = 1")
        page.value("delete document.documentElement.dataset.answerMs")
        page.value("document.querySelector('#load').dispatchEvent(new Event('change'))")
        page.page.wait_for("document.documentElement.dataset.answerMs", 30)
        assert "Falls" in page.text("#verdict")
        assert "500 N up" in page.text(".changes")
        do(page, "#undo-all")
        assert "Stands" in page.text("#verdict")


def test_the_page_follows_the_file(watch: Callable[[LiveServer], Look], gate: Path) -> None:
    with serving(Desk(str(gate), load)) as server:
        page = watch(server)
        page.press("]")
        do(page, "#hold")
        changed(gate, GATE + "2x2 (3,0,3)\n")
        page.page.wait_for("document.querySelector('.facts').textContent.includes('Parts5')", 30)
        assert "1 held" in page.text(".changes")
        changed(gate, "2x2 (0,0")
        page.page.wait_for("document.querySelector('#live-status').textContent.includes('gate.txt')", 30)
        assert "Stands" in page.text("#verdict")


def test_hostile_names_stay_text_in_a_live_page(watch: Callable[[LiveServer], Look], tmp_path: Path) -> None:
    desk = Desk(str(tmp_path / "x.yaml"), lambda _: hostile())
    with serving(desk) as server:
        page = watch(server)
        page.press("]")
        page.press("]")
        do(page, "#remove")
        assert "</script>" in page.text(".changes")
        assert page.value("window.pwned") is None
        assert page.value("document.querySelectorAll('img').length") == 0


def test_view_prints_its_address_and_says_what_cannot_be_read(
    gate: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LiveServer, "serve_forever", lambda self: time.sleep(0))
    assert main(["view", str(gate), "--json", "--no-open"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["address"].startswith("http://127.0.0.1:")
    assert len(found["address"].split("/")[3]) >= 32
    assert main(["view", str(tmp_path / "nothing.txt"), "--no-open"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["view", str(gate), "--no-open", "--port", "99999999"]) == 2
    assert "cannot be used" in capsys.readouterr().err
