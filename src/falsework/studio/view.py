"""`view`: the page of an assembly, live in the browser, until somebody ends it."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Callable
from pathlib import Path

from falsework.formats import load
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.studio.desk import Desk
from falsework.studio.server import ADDRESS, LiveServer


def view(
    source: str | Path | Assembly,
    *,
    port: int = 0,
    open_browser: bool = True,
    read: Callable[[str], Assembly] = load,
    ready: Callable[[LiveServer], None] | None = None,
) -> None:
    """Serve a file, a folder or an assembly on 127.0.0.1 until interrupted; `ready` is told the server.

    `read` makes an assembly of a file, each time that it has changed.
    """
    if isinstance(source, Assembly):
        known = source
        desk = Desk("assembly", lambda _: known)
    else:
        desk = Desk(str(source), read)
    if len(desk.names) == 1:
        desk.sheet(desk.names[0])  # what cannot be read is said here, not in the browser
    try:
        server = LiveServer(desk, port)
    except (OSError, OverflowError) as why:
        raise BadInput(f"--port: {ADDRESS}:{port} cannot be used: {why}") from why
    with server:
        if ready is not None:
            ready(server)
        if open_browser:
            webbrowser.open(server.address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
        server.ended.set()
