"""Answers are asked, not taken for true or false: `undecided` is neither."""

from __future__ import annotations

from typing import ClassVar, NoReturn


class NotTrueOrFalse:
    """Base of answers that `if` would misread."""

    __slots__ = ()
    ASK_INSTEAD: ClassVar[str]

    def __bool__(self) -> NoReturn:
        kind = type(self).__name__
        raise TypeError(f"a {kind} is neither true nor false; ask {self.ASK_INSTEAD}")
