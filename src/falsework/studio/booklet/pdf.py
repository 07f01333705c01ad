"""Instructions on paper: A4 across. Needs reportlab, the extra `instruct`.

Why reportlab: one wheel without compiled parts, kept up since 2000, under a BSD licence; what is needed of it (text,
lines, JPEG as it is) has not changed in twenty years. Text stays text, so that parts lists can be searched and copied.
"""

from __future__ import annotations

import io
from typing import Any

from falsework.model.extras import library
from falsework.studio.booklet.booklet import Booklet, CallOutPage, PartCount, StepPage
from falsework.studio.booklet.pages import MOST_PARTS_BESIDE, Page, pages_of

WIDTH, HEIGHT = 841.89, 595.28  # points
MARGIN, FOOT = 30.0, 34.0
BOX = (0.90, 0.94, 0.98)
INK = (0.10, 0.12, 0.15)
ICON, PART_WIDE = (62.0, 46.0), 92.0
FONT, BOLD = "Helvetica", "Helvetica-Bold"


def pdf_of(book: Booklet) -> bytes:
    """The booklet as a PDF; the same booklet gives the same bytes."""
    canvas_room = library("reportlab.pdfgen.canvas")
    stream = io.BytesIO()
    canvas = canvas_room.Canvas(stream, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1)
    canvas.setTitle(_plain(book.title))
    canvas.setCreator("falsework instruct")
    paper = _Paper(canvas, book)
    pages = pages_of(book)
    for page in pages:
        paper.page(page, len(pages))
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _plain(text: str) -> str:
    """What the fonts of every reader can show."""
    return text.encode("cp1252", errors="replace").decode("cp1252")


class _Paper:
    """Draws pages; y goes up, as PDF has it."""

    def __init__(self, canvas: Any, book: Booklet) -> None:
        self._canvas, self._book = canvas, book
        self._images: dict[bytes, Any] = {}

    def page(self, page: Page, count: int) -> None:
        if page.is_cover:
            self._cover(count)
        elif page.parts:
            self._all_parts(page.parts)
        elif page.is_stacked:
            high = (HEIGHT - MARGIN - FOOT) / len(page.steps)
            for place, step in enumerate(page.steps):
                self._low_step(step, HEIGHT - MARGIN - place * high, high - 10)
        else:
            wide = (WIDTH - 2 * MARGIN) / len(page.steps)
            for place, step in enumerate(page.steps):
                self._step(step, MARGIN + place * wide, wide - (12 if len(page.steps) > 1 else 0))
        self._text(WIDTH - MARGIN, 14, str(page.number), 10, FONT, "right")

    def _cover(self, count: int) -> None:
        book = self._book
        self._text(MARGIN, HEIGHT - 62, book.title, 34, BOLD)
        self._text(MARGIN, HEIGHT - 86, f"{book.count} parts, {len(book.steps)} steps, {count} pages", 13)
        if book.partial:
            self._text(MARGIN, 30, f"Not in here: {book.partial}"[:150], 8)
        self._image(book.cover, MARGIN, 46, WIDTH - 2 * MARGIN, HEIGHT - 150)

    def _step(self, step: StepPage, left: float, wide: float) -> None:
        top = HEIGHT - MARGIN
        below = self._parts_box(step.parts, left, top, wide)
        self._text(left, below - 34, str(step.number), 34, BOLD)
        if step.turn:
            self._turn_sign(left + 78, below - 24)
        if step.note:
            self._text(left + (180 if step.turn else 60), below - 28, step.note, 11)
        bottom = FOOT
        if step.call_outs:
            bottom += self._call_outs(step.call_outs, left, bottom, wide)
        self._image(step.picture, left, bottom, wide, below - 44 - bottom)

    def _low_step(self, step: StepPage, top: float, high: float) -> None:
        """A step that shares its page with one below or above it: its number beside its parts."""
        left = MARGIN + 64
        self._text(MARGIN, top - 34, str(step.number), 34, BOLD)
        below = self._parts_box(step.parts, left, top, 2 * MOST_PARTS_BESIDE * PART_WIDE)
        beside = left + PART_WIDE * len(step.parts) + 40
        if step.turn:
            self._turn_sign(beside, top - 24)
        if step.note:
            self._text(beside, top - 56, step.note, 11)
        self._image(step.picture, MARGIN, top - high, WIDTH - 2 * MARGIN, below - 4 - (top - high))

    def _parts_box(self, parts: tuple[PartCount, ...], left: float, top: float, wide: float) -> float:
        """The parts of a step, in a box; the height of its lower side."""
        columns = max(1, int((wide - 8) // PART_WIDE))
        rows = -(-len(parts) // columns)
        high = 78.0 * rows + 6
        self._canvas.setFillColorRGB(*BOX)
        self._canvas.roundRect(
            left, top - high, min(wide, PART_WIDE * min(len(parts), columns) + 8), high, 6, stroke=0, fill=1
        )
        for place, one in enumerate(parts):
            x, y = left + 6 + PART_WIDE * (place % columns), top - 6 - 78 * (place // columns)
            self._part(one, x, y)
        return top - high

    def _part(self, one: PartCount, x: float, y: float) -> None:
        """A picture, and in words how many of what; from its upper left corner."""
        self._image(one.picture, x, y - ICON[1] - 2, *ICON, most=0.42)
        self._text(x, y - ICON[1] - 14, f"{one.count}× {one.kind}", 8.5, BOLD, fit=88)
        self._text(x, y - ICON[1] - 24, one.color or " ", 7.5, FONT, fit=88)

    def _call_outs(self, several: tuple[CallOutPage, ...], left: float, bottom: float, wide: float) -> float:
        high = 132.0
        each = wide / len(several)
        for place, one in enumerate(several):
            x = left + place * each
            self._canvas.setStrokeColorRGB(0.45, 0.55, 0.65)
            self._canvas.setLineWidth(1.2)
            self._canvas.roundRect(x, bottom, each - 10, high - 8, 8, stroke=1, fill=0)
            self._text(x + 8, bottom + high - 22, one.title or "apart, then placed as one", 9, BOLD)
            cell = (each - 22) / len(one.pictures)
            for number, picture in enumerate(one.pictures):
                self._image(picture, x + 6 + number * cell, bottom + 4, cell - 4, high - 36)
                if len(one.pictures) > 1:
                    self._text(x + 10 + number * cell, bottom + high - 36, str(number + 1), 11, BOLD)
        return high

    def _all_parts(self, parts: tuple[PartCount, ...]) -> None:
        self._text(MARGIN, HEIGHT - 50, f"Parts: {self._book.count}", 24, BOLD)
        for place, one in enumerate(parts):
            self._part(one, MARGIN + 98 * (place % 8), HEIGHT - 74 - 94 * (place // 8))

    def _turn_sign(self, x: float, y: float) -> None:
        """An arrow about an upright axis."""
        canvas = self._canvas
        canvas.setStrokeColorRGB(0.10, 0.35, 0.70)
        canvas.setFillColorRGB(0.10, 0.35, 0.70)
        canvas.setLineWidth(2.4)
        canvas.arc(x - 20, y - 10, x + 20, y + 10, startAng=200, extent=250)
        head = canvas.beginPath()
        head.moveTo(x + 19, y + 9)
        head.lineTo(x + 8, y + 4)
        head.lineTo(x + 11, y + 15)
        head.close()
        canvas.drawPath(head, stroke=0, fill=1)
        self._text(x + 28, y - 4, "turn the model", 9)

    def _image(self, data: bytes, x: float, y: float, wide: float, high: float, most: float = 1.0) -> None:
        """A picture in the middle of a rectangle, no larger than `most` points a pixel."""
        if data not in self._images:
            self._images[data] = library("reportlab.lib.utils").ImageReader(io.BytesIO(data))
        image = self._images[data]
        pixels = image.getSize()
        scale = min(wide / pixels[0], high / pixels[1], most)
        w, h = pixels[0] * scale, pixels[1] * scale
        self._canvas.drawImage(image, x + (wide - w) / 2, y + (high - h) / 2, w, h, mask="auto")

    def _text(
        self, x: float, y: float, text: str, size: float, font: str = FONT, side: str = "left", fit: float | None = None
    ) -> None:
        canvas, words = self._canvas, _plain(text)
        wide = canvas.stringWidth(words, font, size)
        if fit is not None and wide > fit:
            size *= max(fit / wide, 0.6)
        canvas.setFillColorRGB(*INK)
        canvas.setFont(font, size)
        if side == "right":
            canvas.drawRightString(x, y, words)
        else:
            canvas.drawString(x, y, words)
