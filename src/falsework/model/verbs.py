"""The verbs as Python calls them: an option that a verb does not have is answered with the one that was meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from falsework.model.errors import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")
ALSO_SAID = {  # words that people try first, and that look like none of ours
    "friction": "mu",
    "without": "absent",
    "removed": "absent",
    "units": "scale",
    "duration": "seconds",
    "time_limit": "timeout_s",
    "hands": "robots",
    "rng": "seed",
    "format": "to",
}


def verb(*shared: inspect.Parameter) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function teach which options it has; `shared` are those that it takes as `**reading`, spelled out."""

    def taught(function: Callable[P, R]) -> Callable[P, R]:
        signature = _spelled_out(inspect.signature(function), shared)
        known = signature.parameters
        unnamed = [one.name for one in known.values() if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]

        @functools.wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> R:
            if len(args) > len(unnamed):
                raise TypeError(
                    f"{function.__name__}() takes {' and '.join(unnamed)} without a name; options are named, "
                    f"one of: {', '.join(_optional(signature))}"
                )
            for name in options:
                if name not in known:
                    meant = ALSO_SAID.get(name)
                    hint = f"did you mean {meant!r}?" if meant in known else did_you_mean(name, _optional(signature))
                    raise TypeError(f"{function.__name__}() has no option {name!r}; {hint}")
            return function(*args, **options)

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return taught


def _spelled_out(signature: inspect.Signature, shared: tuple[inspect.Parameter, ...]) -> inspect.Signature:
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    return signature.replace(parameters=[*own, *shared])


def _optional(signature: inspect.Signature) -> list[str]:
    return [one.name for one in signature.parameters.values() if one.kind is inspect.Parameter.KEYWORD_ONLY]
