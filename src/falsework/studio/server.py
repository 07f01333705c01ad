"""The local server behind `falsework view`: one desk, one page, one reader. Names on the desk are all it serves."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http import HTTPStatus

from falsework.model.errors import FalseworkError, one_line
from falsework.studio.desk import Desk
from falsework.studio.encoding import changes, encoded
from falsework.studio.live import Change, Depth
from falsework.studio.local_server import ADDRESS as ADDRESS
from falsework.studio.local_server import LocalHandler, LocalServer, Refused
from falsework.studio.report import LivePage, page_policy, report_html

LOOK_EVERY_S = 0.15  # at the file, for changes
STILL_HERE_S = 10.0  # between two signs of life on a quiet line


class LiveServer(LocalServer):
    """Serves a desk until it is shut down."""

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self.desk = desk
        super().__init__(_Handler, port)


class _Handler(LocalHandler):
    server: LiveServer
    policy = page_policy(live=True)

    def gets(self) -> dict[str, Callable[[], None]]:
        return {"": self._page, "scene": self._scene, "events": self._events}

    def posts(self) -> dict[str, Callable[[], None]]:
        return {"ask": self._ask}

    def _named(self) -> str:
        """Which model is meant: the first, unless the address names one of the desk."""
        names = self.server.desk.names
        chosen = self.asked_for("file", names[0])
        if chosen not in names:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such file on this desk")
        return chosen

    def _page(self) -> None:
        name = self._named()
        sheet = self.server.desk.sheet(name)
        live = LivePage(name, self.server.desk.names, sheet.version)
        html = report_html(sheet.model.scene(), live)
        self.send(HTTPStatus.OK, "text/html; charset=utf-8", html.encode())

    def _scene(self) -> None:
        sheet = self.server.desk.sheet(self._named())
        self.json({"version": sheet.version, "scene": encoded(sheet.model.scene())})

    def _ask(self) -> None:
        asked = self.body()
        started = time.perf_counter()
        sheet = self.server.desk.sheet(self._named())
        if asked.get("version") != sheet.version:
            self.json({"version": sheet.version})  # the question is about a file that has changed since
            return
        depth: Depth = "margin" if asked.get("depth") == "margin" else "verdict"
        scene = sheet.model.scene(Change.read(sheet.model.assembly, asked), depth)
        answer = changes(scene, tables=depth == "margin")
        self.json({"answer": answer, "ms": 1e3 * (time.perf_counter() - started)})

    def _events(self) -> None:
        """A line that says when the file has changed, for as long as somebody listens."""
        name = self._named()
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Connection", "close")
        self.headed("text/event-stream", None)
        told, spoke = None, 0.0
        while not self.server.ended.wait(LOOK_EVERY_S):
            try:
                sheet = self.server.desk.sheet(name)
                news = {"version": sheet.version, "trouble": sheet.trouble}
            except FalseworkError as why:
                news = {"trouble": one_line(why)}
            if news != told:
                self.wfile.write(f"data: {json.dumps(news)}\n\n".encode())
                told, spoke = news, time.monotonic()
            elif time.monotonic() - spoke > STILL_HERE_S:
                self.wfile.write(b": still here\n\n")
                spoke = time.monotonic()
