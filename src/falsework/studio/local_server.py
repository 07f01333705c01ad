"""A server for one reader on this machine: what every local page of ours stands on.

It listens on 127.0.0.1 only. Every request must carry the random token in its path and name this very server as its
host, and must not come from another origin: other pages in the same browser can neither guess the first nor forge the
rest. What can be asked for is a fixed list of addresses; no path of a request ever reaches the file system.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from falsework.model.errors import FalseworkError, one_line

ADDRESS = "127.0.0.1"
LONGEST_REQUEST = 1_000_000  # bytes
QUIET_S = 15.0  # for a request to arrive whole


class LocalServer(ThreadingHTTPServer):
    """Answers until it is shut down."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[LocalHandler], port: int = 0) -> None:
        self.token = secrets.token_urlsafe(24)
        self.ended = threading.Event()
        super().__init__((ADDRESS, port), handler)

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


class Refused(Exception):
    """A request that gets no answer but this."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        self.status, self.why = status, why


class LocalHandler(BaseHTTPRequestHandler):
    """Guards, and answers by what `gets` and `posts` name; `policy` is the content policy of its pages."""

    server: LocalServer
    protocol_version = "HTTP/1.1"
    server_version = "Falsework"
    sys_version = ""
    timeout = QUIET_S
    policy = "default-src 'none'"

    def gets(self) -> dict[str, Callable[[], None]]:
        return {}

    def posts(self) -> dict[str, Callable[[], None]]:
        return {}

    def do_GET(self) -> None:
        self._answer(self.gets())

    def do_POST(self) -> None:
        self._answer(self.posts())

    def log_message(self, format: str, *words: Any) -> None:
        """Nothing: the token would stand in the log."""

    def _answer(self, routes: dict[str, Callable[[], None]]) -> None:
        try:
            routes[self._guarded(routes)]()
        except Refused as refusal:
            self.send(refusal.status, "text/plain; charset=utf-8", f"{refusal.why}\n".encode())
        except FalseworkError as why:
            self.json({"trouble": one_line(why)}, HTTPStatus.UNPROCESSABLE_ENTITY)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _guarded(self, routes: dict[str, Callable[[], None]]) -> str:
        """The route of a request that may be answered."""
        if self.headers.get("Host") not in self.server.hosts:
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server answers only to its own address")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in [f"http://{host}" for host in self.server.hosts]:
            raise Refused(HTTPStatus.FORBIDDEN, "requests from other origins are refused")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN, "requests from other sites are refused")
        _, _, rest = urlsplit(self.path).path.partition("/")
        token, slash, route = rest.partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise Refused(HTTPStatus.FORBIDDEN, "the address lacks its token; use the one that falsework printed")
        if not slash or route not in routes:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        return route

    def asked_for(self, name: str, usual: str) -> str:
        """What the address says after its question mark."""
        return parse_qs(urlsplit(self.path).query).get(name, [usual])[0]

    def body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST_REQUEST:
            self.close_connection = True
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {LONGEST_REQUEST} bytes")
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return asked

    def json(self, answer: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send(status, "application/json", json.dumps(answer, allow_nan=False, separators=(",", ":")).encode())

    def send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.headed(kind, len(body))
        self.wfile.write(body)

    def headed(self, kind: str, length: int | None) -> None:
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Content-Security-Policy", f"{self.policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
