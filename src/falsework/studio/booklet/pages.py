"""Which steps share a page, and where things lie on it; the same for paper and for the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from falsework.studio.booklet.booklet import Booklet, PartCount, StepPage

MOST_PARTS_BESIDE = 5  # kinds of parts of a step that shares its page
PARTS_A_PAGE = 40  # kinds, in the list of all


@dataclass(frozen=True, slots=True)
class Page:
    """A cover, one or two steps, or a part of the list of parts."""

    number: int
    steps: tuple[StepPage, ...] = ()
    parts: tuple[PartCount, ...] = ()
    is_cover: bool = False

    @property
    def is_stacked(self) -> bool:
        """Whether its two steps lie one above the other: their pictures are low."""
        return len(self.steps) > 1 and all(step.is_low for step in self.steps)


def pages_of(book: Booklet) -> tuple[Page, ...]:
    """The cover, the steps, the list of all parts."""
    pages = [Page(1, is_cover=True)]
    waiting: list[StepPage] = []
    for step in book.steps:
        if not _is_slim(step):
            pages += _flushed(waiting, len(pages))
            pages.append(Page(len(pages) + 1, (step,)))
            continue
        if waiting and waiting[0].is_low != step.is_low:
            pages += _flushed(waiting, len(pages))
        waiting.append(step)
        if len(waiting) == 2:
            pages += _flushed(waiting, len(pages))
    pages += _flushed(waiting, len(pages))
    for begin in range(0, len(book.parts), PARTS_A_PAGE):
        pages.append(Page(len(pages) + 1, parts=book.parts[begin : begin + PARTS_A_PAGE]))
    return tuple(pages)


def _is_slim(step: StepPage) -> bool:
    return not step.call_outs and len(step.parts) <= MOST_PARTS_BESIDE


def _flushed(waiting: list[StepPage], before: int) -> Sequence[Page]:
    steps = tuple(waiting)
    waiting.clear()
    return [Page(before + 1, steps)] if steps else []
