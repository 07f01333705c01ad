"""Many questions: pools of workers, on this machine or many; what they answer is kept, and never asked twice.

    inputs       what is asked about: files, folders, lists, sweeps of the gallery
    pools        who does the work: `WorkPool`, on this machine and on others
    keys.py      one job and its key; folder.py: one run at a time, and what earlier ones did
    shards.py    rows on disk as they come; table.py, summary.py: what they say in the end
    running.py   the verb

The room has the name of its verb, so it can be called: `falsework.batch("check", "models", out="results")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import callable_room, exports

if TYPE_CHECKING:
    from falsework.batch.pools.processes import Processes as Processes
    from falsework.batch.pools.processes import Serial as Serial
    from falsework.batch.running import Batch as Batch

__all__, __getattr__, __dir__ = exports(__name__, {"pools.processes": "Processes Serial", "running": "Batch"})

callable_room(__name__, "falsework.batch.running", "batch")
