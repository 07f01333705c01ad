"""Where machine code is kept on disk, and whether it is there; needs no compiler.

Machine code contains what it calls, so it is kept for exactly the sources it was made from: numba itself only looks at
the file of the outermost function, and would go on running yesterday's callees.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from falsework.model.interfaces import Interfaces

log = logging.getLogger(__name__)

_HOUSE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from falsework\.(statics|collapse)\.(\w+) import", re.MULTILINE)  # rooms that compile
PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")  # where these are not set, the one that this runs on
CONES, CLUTCHES = "falsework.statics.cone_proofs", "falsework.statics.clutch_newton"  # what is compiled last

FEW = 60  # interfaces: below, many questions are soon answered by the plain program


@cache
def folder(module: str) -> Path:
    """For a module like `falsework.statics.cone_state`: a folder named for all the sources it is made from.

    And for where they are: numba makes machine code anew for a copy of them in another place. And for the processor
    that was asked for: processes that compile for two of them would overwrite each other's list of what is there. It
    lies beside the sources, or where `NUMBA_CACHE_DIR` says.
    """
    _, room, name = module.split(".")
    sources: dict[tuple[str, str], str] = {}
    wanted = [(room, name)]
    while wanted:
        place = wanted.pop()
        if place not in sources:
            sources[place] = (_HOUSE / place[0] / f"{place[1]}.py").read_text(encoding="utf-8")
            wanted += _IMPORT.findall(sources[place])
    made_for = [str(_HOUSE), *(f"{variable}={os.environ.get(variable)}" for variable in PROCESSOR)]
    text = "".join(made_for + [sources[place] for place in sorted(sources)])
    elsewhere = os.environ.get("NUMBA_CACHE_DIR")
    return Path(elsewhere or _HOUSE / room / "__pycache__") / f"{name}-{sha256(text.encode()).hexdigest()[:16]}"


def pays_off(found: Interfaces, worthwhile: bool | None = None) -> bool:
    """Whether to ask compiled solvers: where they are ready, or the work is worth the wait, which is then told.

    What is on disk loads in a second; what is not takes minutes, once. Unless the caller knows better, it is worth
    it for more than a FEW interfaces.
    """
    if worthwhile is None:
        worthwhile = len(found.patches) + len(found.clutches) > FEW
    if importlib.util.find_spec("numba") is None:
        return False
    ready = any(folder(CLUTCHES if len(found.clutches) else CONES).rglob("*.nbi"))
    if worthwhile and not ready:
        log.warning("compiling the fast solvers: this takes a few minutes, once")
    return ready or worthwhile
