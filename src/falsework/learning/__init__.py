"""Learned policies: what to take apart next, trained by playing and by labels, never believed without proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.learning.nets.policy_file import PolicyFile as PolicyFile
    from falsework.learning.nets.policy_file import Shape as Shape
    from falsework.learning.nets.policy_file import read_policy as read_policy
    from falsework.learning.problems.problem import Problem as Problem
    from falsework.learning.problems.problem import Situation as Situation
    from falsework.learning.training.learn import Trained as Trained
    from falsework.learning.training.seeds import learn_seeds as learn_seeds
    from falsework.learning.training.settings import Settings as Settings
    from falsework.learning.using.advice import Advice as Advice
    from falsework.learning.using.advice import advise as advise
    from falsework.learning.using.environment import make_environment as make_environment
    from falsework.learning.using.policy import Policy as Policy

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "nets.policy_file": "PolicyFile Shape read_policy",
        "problems.problem": "Problem Situation",
        "training.learn": "Trained",
        "training.seeds": "learn_seeds",
        "training.settings": "Settings",
        "using.advice": "Advice advise",
        "using.environment": "make_environment",
        "using.policy": "Policy",
    },
)
