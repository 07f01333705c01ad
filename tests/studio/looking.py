"""Looking at a page as a person does: pixels, clicks, keys."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.studio.browser import Browser, Page

Pixels = npt.NDArray[np.int64]  # (rows, columns, 4)
HALF = 0.5  # pixels of the screen to one of the page: software draws each of them
DRIVER_CHATTER = "GL Driver Message"  # the software renderer tells how quick it is

_DECODE = """new Promise((done) => {
  const image = new Image();
  image.onload = () => {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const data = context.getImageData(0, 0, image.width, image.height).data;
    let text = "";
    for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
    done([image.width, image.height, btoa(text)]);
  };
  image.src = "data:image/png;base64,%s";
})"""

_SETTLED = """(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const context = document.querySelector("#view canvas").getContext("webgl2");
  for (let turn = 0; turn < 2; turn++) {
    await frame();
    await frame();
    context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
  }
  await frame();
})()"""


class Look:
    """One open report."""

    def __init__(self, browser: Browser, page: Page, address: str, scale: float) -> None:
        self.browser, self.page, self.address, self.scale = browser, page, address, scale

    @staticmethod
    def open(browser: Browser, path: Path, width: int, height: int, fragment: str = "", scale: float = HALF) -> Look:
        return Look.visit(browser, path.resolve().as_uri(), width, height, fragment, scale)

    @staticmethod
    def visit(browser: Browser, address: str, width: int, height: int, fragment: str = "", scale: float = HALF) -> Look:
        """At half scale what is drawn may move by a pixel when it is drawn again; at full scale it does not."""
        page = browser.page()
        page.size(width, height, scale)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        page.open(address + fragment)
        page.wait_for("document.documentElement.dataset.firstFrameMs", 120)
        look = Look(browser, page, address, scale)
        look.settle()
        return look

    def close(self) -> None:
        self.page.close()

    @property
    def complaints(self) -> list[str]:
        return [line for line in self.page.complaints if DRIVER_CHATTER not in line]

    @property
    def requests(self) -> list[str]:
        return [address.partition("#")[0] for address in self.page.requests if not address.startswith("data:")]

    def value(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def text(self, selector: str) -> str:
        return str(self.value(f"document.querySelector({json.dumps(selector)}).textContent"))

    def click(self, selector: str) -> None:
        self.value(f"document.querySelector({json.dumps(selector)}).click()")
        self.settle()

    def choose(self, label: str) -> None:
        """Press the choice or button with this text."""
        self.value(
            f"[...document.querySelectorAll('.choice label, button')]"
            f".find((one) => one.textContent.trim() === {json.dumps(label)}).click()"
        )
        self.settle()

    def slide(self, selector: str, value: float) -> None:
        self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.value = {value};"
            f" one.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
        )
        self.settle()

    def press(self, key: str) -> None:
        """A key, with the view in focus."""
        self.value("document.querySelector('#view').focus()")
        for kind in ("keyDown", "keyUp"):
            self.page.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 else "")
        self.settle()

    def click_at(self, x: float, y: float) -> None:
        """A real click at a share of the view's width and height."""
        box = self.box("#view")
        place = {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
        self.settle()

    def settle(self) -> None:
        """Until what was asked for has been drawn, and the software renderer has really done it."""
        self.value(_SETTLED)

    def box(self, selector: str) -> dict[str, float]:
        box: dict[str, float] = self.value(
            f"(({{x, y, width, height}}) => ({{x, y, width, height}}))"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        return box

    def pixels(self, selector: str = "#view") -> Pixels:
        """What the screen shows of an element, at half size."""
        clip = {**self.box(selector), "scale": HALF / self.scale}
        picture = self.page.call("Page.captureScreenshot", format="png", clip=clip)["data"]
        return decoded(self.page, picture)

    def empty_pixels(self) -> Pixels:
        """The view without anything in it."""
        self.value("document.querySelector('#view canvas').style.visibility = 'hidden'")
        self.settle()
        pixels = self.pixels()
        self.value("document.querySelector('#view canvas').style.visibility = ''")
        self.settle()
        return pixels


def decoded(page: Page, png: str | bytes) -> Pixels:
    """A PNG as (rows, columns, 4) numbers; the browser itself reads it."""
    text = png if isinstance(png, str) else base64.b64encode(png).decode()
    width, height, data = page.evaluate(_DECODE % text)
    return np.frombuffer(base64.b64decode(data), dtype=np.uint8).reshape(height, width, 4).astype(np.int64)


def changed(before: Pixels, after: Pixels, by: int = 12) -> float:
    """The share of pixels that differ visibly."""
    assert before.shape == after.shape
    return float((np.abs(before - after).max(axis=2) > by).mean())
