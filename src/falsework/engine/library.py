"""The one place that imports MuJoCo."""

from __future__ import annotations

import importlib
import logging
from functools import cache
from typing import Any

from falsework.model.errors import MissingExtra

log = logging.getLogger(__name__)


@cache
def mujoco() -> Any:
    """The library, or MissingExtra with the command that installs it. Its warnings go to the log, not to a file."""
    try:
        library = importlib.import_module("mujoco")
    except ImportError as why:
        raise MissingExtra("mujoco", "engine") from why
    library.set_mju_user_warning(log.info)  # what matters of them is raised where it is noticed
    return library
