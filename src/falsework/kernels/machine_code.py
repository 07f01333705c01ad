"""Where machine code is kept on disk; needs no compiler.

Machine code contains what it calls, so it is kept for exactly the sources it was made from: numba itself only looks at
the file of the outermost function, and would go on running yesterday's callees.
"""

from __future__ import annotations

import os
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

_HOUSE = Path(__file__).parents[1]
_ROOMS = r"kernels|geometry\.(?:distance|surfaces|ways)|statics|collapse|robots|perception\.locator"  # that compile
_IMPORT = re.compile(rf"^from falsework\.((?:{_ROOMS})\.[\w.]+) import", re.MULTILINE)
PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")  # where these are not set, the one that this runs on


@cache
def folder(module: str) -> Path:
    """For a module like `falsework.statics.cones.one_state`: a folder named for all the sources it is made from.

    And for where they are: numba makes machine code anew for a copy of them in another place. And for the processor
    that was asked for: processes that compile for two of them would overwrite each other's list of what is there. It
    lies beside the sources, or where `NUMBA_CACHE_DIR` says.

    >>> folder("falsework.statics.cones.one_state").name.partition("-")[0]
    'one_state'
    """
    own = module.removeprefix("falsework.")
    sources: dict[str, str] = {}
    wanted = [own]
    while wanted:
        place = wanted.pop()
        if place not in sources:
            sources[place], imported = _read(place)
            wanted += imported
    made_for = [str(_HOUSE), *(f"{variable}={os.environ.get(variable)}" for variable in PROCESSOR)]
    text = "".join(made_for + [sources[place] for place in sorted(sources)])
    elsewhere = os.environ.get("NUMBA_CACHE_DIR")
    source = _source(own)
    return Path(elsewhere or source.parent / "__pycache__") / f"{source.stem}-{sha256(text.encode()).hexdigest()[:16]}"


@cache
def _read(place: str) -> tuple[str, list[str]]:
    """The text of a module, and the rooms that compile from which it imports."""
    text = _source(place).read_text(encoding="utf-8")
    return text, _IMPORT.findall(text)


def _source(place: str) -> Path:
    room = _HOUSE / place.replace(".", "/")
    return room / "__init__.py" if room.is_dir() else room.with_suffix(".py")
