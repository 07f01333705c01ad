"""Frozen data that travels: between processes and machines by pickle, and into copies by `copy.deepcopy`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

STAYS = {"travels": False}  # metadata of a field that is left behind: the copy has its default


class MadeAnew:
    """Base of frozen dataclasses that pickle as what they were made of.

    Where they arrive they are made anew by their own constructor. So arrays are read-only again, what follows from
    other fields is computed and not sent, and nothing is there that was not validated.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        sent = [one.name for one in fields(self) if one.init and one.metadata.get("travels", True)]  # type: ignore[arg-type]
        return _made, (type(self), {name: getattr(self, name) for name in sent})


def _made(kind: type[Any], given: dict[str, Any]) -> Any:
    for value in given.values():
        if isinstance(value, np.ndarray) and value.base is None:
            value.setflags(write=False)  # nobody else has it, so the constructor need not copy it
    return kind(**given)
