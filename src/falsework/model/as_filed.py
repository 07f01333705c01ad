"""What a file says of its assembly besides parts and poses: the order it is shown in, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Became = Literal["box", "left out"]


@dataclass(frozen=True, slots=True)
class FileStep:
    """One step of the order in which a file builds: the parts that it adds; a turn of the view, as it is written.

    >>> FileStep(("1", "2")).turn
    ''
    """

    parts: tuple[str, ...]
    turn: str = ""  # what follows ROTSTEP in an LDraw file: degrees about x, y, z, and REL, ABS, ADD or END
    submodels: tuple[tuple[str, tuple[str, ...]], ...] = ()  # name and parts of each that comes as a whole


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Parts of a file that are not in the assembly as they are in reality, so that verdicts are partial.

    >>> Shortfall("3626bp01", 2, "left out", "unknown part").sentence
    '2 of 3626bp01: left out (unknown part)'
    """

    part: str
    count: int
    became: Became
    why: str

    @property
    def sentence(self) -> str:
        return f"{self.count} of {self.part}: {self.became} ({self.why})"

    def as_dict(self) -> dict[str, str | int]:
        """As `--json` prints it."""
        return {"part": self.part, "count": self.count, "became": self.became, "why": self.why}
