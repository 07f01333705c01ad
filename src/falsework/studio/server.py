"""The local server behind `falsework view`: one desk, one page, one reader.

It listens on 127.0.0.1 only. Every request must carry the random token in its path and name this very server as its
host, and must not come from another origin: other pages in the same browser can neither guess the first nor forge the
rest. What can be asked for is a fixed list of addresses and the names on the desk; no path of a request ever reaches
the file system.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from falsework.model.errors import FalseworkError, one_line
from falsework.studio.desk import Desk
from falsework.studio.encoding import changes, encoded
from falsework.studio.live import Change, Depth
from falsework.studio.report import LivePage, page_policy, report_html

ADDRESS = "127.0.0.1"
LONGEST_REQUEST = 1_000_000  # bytes
LOOK_EVERY_S = 0.15  # at the file, for changes
STILL_HERE_S = 10.0  # between two signs of life on a quiet line
QUIET_S = 15.0  # for a request to arrive whole


class LiveServer(ThreadingHTTPServer):
    """Serves a desk until it is shut down."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self.desk = desk
        self.token = secrets.token_urlsafe(24)
        self.ended = threading.Event()
        super().__init__((ADDRESS, port), _Handler)

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a browser may call this server."""
        return (f"{ADDRESS}:{self.server_port}", f"localhost:{self.server_port}")

    @property
    def address(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def shutdown(self) -> None:
        self.ended.set()
        super().shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a closed tab is none
            super().handle_error(request, client_address)


class _Refused(Exception):
    """A request that gets no answer but this."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        self.status, self.why = status, why


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    protocol_version = "HTTP/1.1"
    server_version = "Falsework"
    sys_version = ""
    timeout = QUIET_S

    def do_GET(self) -> None:
        self._answer({"": self._page, "scene": self._scene, "events": self._events})

    def do_POST(self) -> None:
        self._answer({"ask": self._ask})

    def log_message(self, format: str, *words: Any) -> None:
        """Nothing: the token would stand in the log."""

    def _answer(self, routes: dict[str, Any]) -> None:
        try:
            routes[self._guarded(routes)]()
        except _Refused as refusal:
            self._send(refusal.status, "text/plain; charset=utf-8", f"{refusal.why}\n".encode())
        except FalseworkError as why:
            self._json({"trouble": one_line(why)}, HTTPStatus.UNPROCESSABLE_ENTITY)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _guarded(self, routes: dict[str, Any]) -> str:
        """The route of a request that may be answered."""
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server answers only to its own address")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in [f"http://{host}" for host in self.server.hosts]:
            raise _Refused(HTTPStatus.FORBIDDEN, "requests from other origins are refused")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _Refused(HTTPStatus.FORBIDDEN, "requests from other sites are refused")
        _, _, rest = urlsplit(self.path).path.partition("/")
        token, slash, route = rest.partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "the address lacks its token; use the one that falsework printed")
        if not slash or route not in routes:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        return route

    def _named(self) -> str:
        """Which model is meant: the first, unless the address names one of the desk."""
        names = self.server.desk.names
        chosen = parse_qs(urlsplit(self.path).query).get("file", [names[0]])[0]
        if chosen not in names:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such file on this desk")
        return chosen

    def _page(self) -> None:
        name = self._named()
        sheet = self.server.desk.sheet(name)
        live = LivePage(name, self.server.desk.names, sheet.version)
        html = report_html(sheet.model.scene(), live)
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", html.encode())

    def _scene(self) -> None:
        sheet = self.server.desk.sheet(self._named())
        self._json({"version": sheet.version, "scene": encoded(sheet.model.scene())})

    def _ask(self) -> None:
        asked = self._body()
        started = time.perf_counter()
        sheet = self.server.desk.sheet(self._named())
        if asked.get("version") != sheet.version:
            self._json({"version": sheet.version})  # the question is about a file that has changed since
            return
        depth: Depth = "margin" if asked.get("depth") == "margin" else "verdict"
        scene = sheet.model.scene(Change.read(sheet.model.assembly, asked), depth)
        answer = changes(scene, tables=depth == "margin")
        self._json({"answer": answer, "ms": 1e3 * (time.perf_counter() - started)})

    def _events(self) -> None:
        """A line that says when the file has changed, for as long as somebody listens."""
        name = self._named()
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Connection", "close")
        self._headers("text/event-stream", None)
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

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST_REQUEST:
            self.close_connection = True
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {LONGEST_REQUEST} bytes")
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return asked

    def _json(self, answer: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, "application/json", json.dumps(answer, allow_nan=False, separators=(",", ":")).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self._headers(kind, len(body))
        self.wfile.write(body)

    def _headers(self, kind: str, length: int | None) -> None:
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Content-Security-Policy", page_policy(live=True) + "; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
