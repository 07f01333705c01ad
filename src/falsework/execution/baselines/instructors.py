"""Instructors: the file's own order, and a language model that is asked in words and believed in nothing.

What a model answers is read line by line; bricks that the product does not have, or that come twice, are refused with
the line, so that a policy never gets an instruction about nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.robots.instructing import Instruction
from falsework.model.shapes import BrickShape

_LINE = re.compile(r"^\s*(?:\d+[.)]\s*)?place\s+\[([^\]]+)\]\s*[:,.]?\s*(.*)$", re.IGNORECASE)


class FileOrder:
    """Brick after brick as the file has them.

    >>> import falsework
    >>> bridge = falsework.load("examples/duplo-bridge.yaml")
    >>> FileOrder().instructions(bridge)[0].words
    'Take a red duplo:brick_2x2 and press it onto its place, [1].'
    """

    def instructions(self, product: Assembly) -> Sequence[Instruction]:
        return [Instruction(part.name, _words(part)) for part in product.parts]


class LanguageInstructor:
    """Asks a language model: `complete` takes a prompt and gives its answer, whoever runs the model.

    >>> import falsework
    >>> bridge = falsework.load("examples/duplo-bridge.yaml")
    >>> def model(prompt):  # a stand-in for one
    ...     return "Sure!\\n1. Place [2]: onto the plate.\\n2. Place [1]: beside it."
    >>> [one.brick for one in LanguageInstructor(model).instructions(bridge)]
    ['2', '1']
    """

    def __init__(self, complete: Callable[[str], str]) -> None:
        self._complete = complete

    def instructions(self, product: Assembly) -> Sequence[Instruction]:
        answer = self._complete(prompt(product))
        if not isinstance(answer, str):
            raise BadInput(f"the language model answered {shown(answer)}, expected text")
        found: dict[str, Instruction] = {}
        for number, line in enumerate(answer.splitlines(), start=1):
            match = _LINE.match(line)
            if match is None:
                continue
            name, words = match[1].strip(), match[2].strip()
            if name not in product.index:
                raise BadInput(
                    f"the language model's line {number} places {shown(name)}, which the product does not have"
                )
            if name in found:
                raise BadInput(f"the language model's line {number} places {shown(name)} a second time")
            found[name] = Instruction(name, words)
        if not found:
            raise BadInput("the language model's answer places nothing; expected lines such as: Place [NAME]: how")
        return list(found.values())


def prompt(product: Assembly) -> str:
    """The product in words, and how to answer."""
    lines = ["Bricks of a model that stands on a plate, with the middle of each in mm and the height of its underside:"]
    for part in product.parts:
        x, y, _ = 1e3 * (part.T_world_part[:3, :3] @ part.com_part_m + part.T_world_part[:3, 3])
        lines.append(f"- [{part.name}] {_called(part)} at x {x:.0f}, y {y:.0f}, z {1e3 * part.T_world_part[2, 3]:.1f}")
    lines.append("In which order does one hand build it? Answer with one line for each brick, in that order:")
    lines.append("Place [NAME]: onto what, how it is turned, and where to press.")
    return "\n".join(lines)


def _words(part: Part) -> str:
    return f"Take a {_called(part)} and press it onto its place, [{part.name}]."


def _called(part: Part) -> str:
    kind = str(part.shape.kind) if isinstance(part.shape, BrickShape) else "part"
    return f"{part.color} {kind}" if part.color else kind
