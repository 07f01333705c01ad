"""What a Markdown file shows: commands with what they print, and code."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(page.relative_to(ROOT).as_posix() for page in sorted(ROOT.glob("docs/**/*.md"))),
)
LEFT_OUT = "…"  # alone on a line: any number of lines that are not shown
SAME = 0.02  # relative; engines and solvers of other versions differ by that much
ROUNDING = 1e-9  # what is below is rounding, whatever its digits


@dataclass(frozen=True, slots=True)
class Session:
    """A command as typed and the lines that follow it."""

    words: tuple[str, ...]
    lines: tuple[str, ...]


def blocks(page: Path, language: str = "") -> list[str]:
    """The fenced blocks of a page in a language; those without one are what a terminal shows."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> list[Session]:
    """All commands after a `$ falsework` prompt, in order."""
    found: list[Session] = []
    for block in blocks(page):
        _, *typed = re.split(r"^\$ falsework ", block, flags=re.MULTILINE)
        for command, *lines in (text.splitlines() for text in typed):
            found.append(Session(tuple(shlex.split(command)), tuple(lines)))
    return found


def anchors(page: Path) -> set[str]:
    """What links to places of a page may name: its headings, as GitHub spells them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def prints(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether `printed` is what `shown` says, line by line, where nothing is left out."""
    if not shown:
        return not printed
    if shown[0].strip() == LEFT_OUT:
        return any(prints(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and _alike(shown[0], printed[0]) and prints(shown[1:], printed[1:])


def _alike(shown: str, printed: str) -> bool:
    """The same words, and figures that differ by rounding or a little."""
    pairs = list(zip(_tokens(shown), _tokens(printed), strict=False))
    return len(_tokens(shown)) == len(_tokens(printed)) and all(_same(*pair) for pair in pairs)


def _tokens(line: str) -> list[str]:
    return re.findall(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?|[^\s\d]+", line)


def _same(shown: str, printed: str) -> bool:
    try:
        a, b = float(shown), float(printed)
    except ValueError:
        return shown == printed
    return abs(a - b) <= SAME * abs(a) or max(abs(a), abs(b)) <= ROUNDING
