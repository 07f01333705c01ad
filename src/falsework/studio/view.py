"""`view`: the page of an assembly, live in the browser, until somebody ends it."""

from __future__ import annotations

import contextlib
import os
import webbrowser
from collections.abc import Callable
from typing import Unpack

from falsework.formats import load
from falsework.formats.opening import READING, Reading, Source, opened
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.verbs import verb
from falsework.studio.desk import Desk
from falsework.studio.server import ADDRESS, LiveServer


@verb(*READING)
def view(
    source: Source,
    *,
    port: int = 0,
    open_browser: bool = True,
    read: Callable[[str], Assembly] | None = None,
    ready: Callable[[LiveServer], None] | None = None,
    **reading: Unpack[Reading],
) -> None:
    """Serve a file, a folder or an assembly on 127.0.0.1, live in the browser, until interrupted.

    port          of 127.0.0.1; 0: any that is free
    open_browser  whether the page is opened
    read          makes an assembly of a file, each time that it has changed; else `load` with the other options
    ready         is told the server, once it listens

    >>> from threading import Timer
    >>> view("examples/arch.yaml", open_browser=False, ready=lambda server: Timer(0.2, server.shutdown).start())
    """
    if isinstance(source, Assembly):
        known = opened(source, reading)
        desk = Desk("assembly", lambda _: known)
    else:
        desk = Desk(os.fspath(source), read or (lambda file: load(file, **reading)))
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
