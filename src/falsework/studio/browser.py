"""Headless Chromium, spoken to over a pair of pipes with its own DevTools protocol: no driver, no port, no library.

For pictures (`--png`) and for the tests. One browser, one page, one question at a time.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from falsework.model.errors import FalseworkError, Undecided
from falsework.model.scratch import scratch_prefix

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-pipe",
    "--hide-scrollbars",
)
# Chromium reads commands from descriptor 3 and answers on 4; a fresh process can put them there without a fork hook.
# Where the system can, it ends with the process that it is for, however that ends.
_LAUNCH = """import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except (ImportError, OSError, AttributeError):
    pass
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])"""
_SEEK = """(async () => {
  document.dispatchEvent(new CustomEvent("falsework:seek", {detail: %s}));
  for (let k = 0; k < 2; k++) await new Promise((done) => requestAnimationFrame(done));
})()"""
FIRST_FREE = 10  # descriptors that do not collide with 3 and 4


class NoBrowser(FalseworkError):
    """There is no Chromium here."""

    def __init__(self) -> None:
        super().__init__(
            "this needs a Chromium browser, and none was found; "
            "install Debian's package with: apt-get install chromium (or set FALSEWORK_BROWSER to its path)"
        )


def find_browser() -> str:
    """The path of a Chromium; NoBrowser says which package has one."""
    chosen = os.environ.get("FALSEWORK_BROWSER")
    for name in (chosen,) if chosen else NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise NoBrowser


@dataclass(slots=True)
class Page:
    """One tab, and everything it has said so far."""

    _browser: Browser
    _session: str
    _target: str
    complaints: list[str] = field(default_factory=list)  # console errors and warnings, uncaught exceptions
    requests: list[str] = field(default_factory=list)  # addresses of everything it asked for

    def open(self, address: str, timeout_s: float = 60.0) -> None:
        """Go to an address and wait until it has loaded."""
        self._browser.loaded = False
        self.call("Page.navigate", url=address)
        self._browser.wait(lambda: self._browser.loaded, timeout_s)

    def close(self) -> None:
        self._browser.call("Target.closeTarget", {"targetId": self._target}, None)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, parameters, self._session)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "the page failed"))
        return answer["result"].get("value")

    def wait_for(self, expression: str, timeout_s: float = 60.0) -> None:
        """Until an expression holds in the page."""
        end = time.monotonic() + timeout_s
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise Undecided(f"the page did not come to: {expression}; it said: {self.complaints}")
            time.sleep(0.05)

    def size(self, width: int, height: int, scale: float = 1.0, mobile: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile
        )

    def seek(self, share: float) -> None:
        """Put the motion or the plan of a report to a share of its time, and wait until that is drawn."""
        self.evaluate(_SEEK % json.dumps(share))

    def screenshot(self, transparent: bool = False) -> bytes:
        """What is in the window, as PNG."""
        if transparent:
            self.call("Emulation.setDefaultBackgroundColorOverride", color={"r": 0, "g": 0, "b": 0, "a": 0})
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


class Browser:
    """A running Chromium; use with `with`."""

    def __init__(self, flags: tuple[str, ...] = ()) -> None:
        program = find_browser()
        self._profile = tempfile.mkdtemp(prefix=scratch_prefix())
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        passed = tuple(fcntl.fcntl(end, fcntl.F_DUPFD, FIRST_FREE) for end in (theirs_in, theirs_out))
        words = [program, *FLAGS, *flags, f"--user-data-dir={self._profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *map(str, passed), *words],
            pass_fds=passed,
            start_new_session=True,  # Ctrl-C is for those who asked it; it ends with them
            # What it leaves behind goes with the profile; named from there, as its socket may have a hundred letters.
            cwd=self._profile,
            env={**os.environ, "TMPDIR": "."},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *passed):
            os.close(end)
        self.loaded = False
        self._buffer = b""
        self._asked = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, Exception):  # Ctrl-C: nobody waits for good manners
            self._process.kill()
        self.close()

    def close(self) -> None:
        with suppress(OSError, Undecided):
            self.call("Browser.close", {}, None, timeout_s=5.0)
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for end in (self._to, self._from):
            os.close(end)
        shutil.rmtree(self._profile, ignore_errors=True)

    def page(self) -> Page:
        """A new tab that reports what it says and asks for."""
        target = self.call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True}, None)["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        return page

    def call(
        self, method: str, parameters: dict[str, Any], session: str | None, timeout_s: float = 60.0
    ) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._asked += 1
        asked = self._asked
        message = {"id": asked, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        self.wait(lambda: asked in self._answers, timeout_s, method)
        answer = self._answers.pop(asked)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer.get("result", {})
        return result

    def wait(self, done: Any, timeout_s: float, what: str = "the page") -> None:
        """Read what the browser says until `done()`."""
        end = time.monotonic() + timeout_s
        while not done():
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise Undecided(f"the browser did not answer {what} within {timeout_s:g} s")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise Undecided("the browser ended before it answered")
            *whole, self._buffer = (self._buffer + data).split(b"\0")
            for message in whole:
                self._hear(json.loads(message))

    def _hear(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
            return
        method, said = message.get("method"), message.get("params", {})
        page = self._pages.get(message.get("sessionId", ""))
        if method == "Page.loadEventFired":
            self.loaded = True
        if page is None:
            return
        if method == "Network.requestWillBeSent":
            page.requests.append(said["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            page.complaints.append(details.get("exception", {}).get("description") or details.get("text", ""))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            page.complaints.append(" ".join(str(word.get("value", word.get("description"))) for word in said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            page.complaints.append(said["entry"]["text"])


@contextmanager
def opened(path: Path, width: int, height: int, fragment: str = "") -> Iterator[Page]:
    """A report in a fresh browser, its first frame drawn, nothing moving by itself."""
    with Browser() as browser:
        page = browser.page()
        page.size(width, height)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        page.open(path.resolve().as_uri() + fragment)
        page.wait_for("document.documentElement.dataset.firstFrameMs")
        yield page
