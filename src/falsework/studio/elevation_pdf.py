"""An elevation on paper: the SVG of `elevation`, and nothing else, as a PDF. Needs reportlab, the extra `instruct`."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

from falsework.model.extras import library

ACROSS = 841.89 - 2 * 28.35  # points: A4 across, 1 cm of margin
FONT, MARGIN = "Helvetica", 28.35
SVG = "{http://www.w3.org/2000/svg}"
STEP = re.compile(r"([MLVHZ])([^MLVHZ]*)")


def elevation_pdf(svg: str) -> bytes:
    """A page as wide as A4 across, as high as the drawing; the same drawing gives the same bytes.

    >>> import falsework
    >>> from falsework.studio.elevation import elevation
    >>> arch = falsework.load("examples/arch.yaml")
    >>> svg = elevation(arch, falsework.interfaces(arch), falsework.State.complete(arch), "arch")
    >>> elevation_pdf(svg)[:5]
    b'%PDF-'
    """
    canvas_room = library("reportlab.pdfgen.canvas")
    root = ElementTree.fromstring(svg)
    wide, high = float(root.get("width", "0")), float(root.get("height", "0"))
    scale = ACROSS / wide
    stream = io.BytesIO()
    page = wide * scale + 2 * MARGIN, high * scale + 2 * MARGIN
    canvas = canvas_room.Canvas(stream, pagesize=page, invariant=1, pageCompression=1)
    canvas.setCreator("falsework margins")
    canvas.translate(MARGIN, page[1] - MARGIN)
    canvas.scale(scale, scale)
    paper = _Paper(canvas, float(root.get("font-size", "13")))
    for mark in root:
        paper.drawn(mark)
    canvas.showPage()
    canvas.save()
    return stream.getvalue()


class _Paper:
    """A canvas whose y goes up, for marks whose y goes down."""

    def __init__(self, canvas: Any, size: float) -> None:
        self._canvas, self._size = canvas, size

    def drawn(self, mark: ElementTree.Element) -> None:
        kind = mark.tag.removeprefix(SVG)
        if kind == "text":
            self._text(mark)
        elif kind == "g":
            for part in mark:
                self.drawn(part)
        elif kind != "title":
            self._shape(mark, kind)

    def _shape(self, mark: ElementTree.Element, kind: str) -> None:
        path = self._canvas.beginPath()
        if kind == "path":
            _walk(path, mark.get("d", ""))
        elif kind == "line":
            path.moveTo(_of(mark, "x1"), -_of(mark, "y1"))
            path.lineTo(_of(mark, "x2"), -_of(mark, "y2"))
        elif kind == "circle":
            path.circle(_of(mark, "cx"), -_of(mark, "cy"), _of(mark, "r"))
        elif kind == "polygon":
            _walk(path, "M" + "L".join(mark.get("points", "").split()) + "Z")
        fill, stroke = _color(mark.get("fill", "none")), _color(mark.get("stroke", "none"))
        if fill is not None:
            self._canvas.setFillColorRGB(*fill)
        if stroke is not None:
            self._canvas.setStrokeColorRGB(*stroke)
            self._canvas.setLineWidth(_of(mark, "stroke-width"))
        self._canvas.drawPath(path, fill=int(fill is not None), stroke=int(stroke is not None), fillMode=0)

    def _text(self, mark: ElementTree.Element) -> None:
        """One line in one or more colours, from its anchor on."""
        usual = mark.get("fill", "#333")
        spans = [(mark.text or "", usual, 0.0)] if mark.text else []
        spans += [(part.text or "", part.get("fill", usual), float(part.get("dx", "0"))) for part in mark]
        words = [(text.encode("cp1252", errors="replace").decode("cp1252"), color, gap) for text, color, gap in spans]
        long = sum(gap + self._canvas.stringWidth(text, FONT, self._size) for text, _, gap in words)
        x = _of(mark, "x") - long * {"middle": 0.5, "end": 1.0}.get(mark.get("text-anchor", ""), 0.0)
        self._canvas.setFont(FONT, self._size)
        for text, color, gap in words:
            self._canvas.setFillColorRGB(*(_color(color) or (0.0, 0.0, 0.0)))
            self._canvas.drawString(x + gap, -_of(mark, "y"), text)
            x += gap + self._canvas.stringWidth(text, FONT, self._size)


def _of(mark: ElementTree.Element, name: str) -> float:
    return float(mark.get(name, "0"))


def _walk(path: Any, steps: str) -> None:
    """Along the steps of an SVG path that `elevation` draws: M, L, V, H and Z, all absolute."""
    x = y = 0.0
    for step, numbers in STEP.findall(steps):
        given = [float(number) for number in re.split(r"[ ,]+", numbers.strip()) if number]
        match step:
            case "Z":
                path.close()
                continue
            case "V":
                y = given[0]
            case "H":
                x = given[0]
            case _:
                x, y = given
        (path.moveTo if step == "M" else path.lineTo)(x, -y)


def _color(name: str) -> tuple[float, float, float] | None:
    """Red, green and blue of "#rgb", "#rrggbb" or "white"; None for "none"."""
    if name == "none":
        return None
    digits = "ffffff" if name == "white" else name.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    red, green, blue = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    return red, green, blue
