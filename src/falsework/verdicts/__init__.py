"""Verdicts: the registry of stability models, and the verbs that ask one of them, `check` and `margins`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.verdicts.check import Question as Question
    from falsework.verdicts.limits.bracket import Bracket as Bracket
    from falsework.verdicts.limits.strength import Strength as Strength
    from falsework.verdicts.margins import Margins as Margins
    from falsework.verdicts.registry import StabilityModel as StabilityModel
    from falsework.verdicts.registry import Terms as Terms
    from falsework.verdicts.registry import model_named as model_named
    from falsework.verdicts.registry import models as models
    from falsework.verdicts.registry import register as register
    from falsework.verdicts.registry import unregister as unregister

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "check": "Question",
        "limits.bracket": "Bracket",
        "limits.strength": "Strength",
        "margins": "Margins",
        "registry": "StabilityModel Terms model_named models register unregister",
    },
)
