"""Pools by the word that a command has: `serial`, `processes[:N]`, `ray[:ADDRESS]`."""

from __future__ import annotations

from falsework.batch.pools.processes import MOST_WORKERS, Processes, Serial
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.ports import WorkPool

POOLS = ("serial", "processes", "ray")


def pool_named(text: str | WorkPool) -> WorkPool:
    """The pool that a word asks for; a pool is itself.

    >>> pool_named("processes:2").workers
    2
    """
    if not isinstance(text, str):
        return text
    name, colon, rest = text.partition(":")
    if name not in POOLS:
        raise BadInput(f"pool {shown(text)}: {did_you_mean(name, POOLS)}")
    if name == "ray":
        from falsework.batch.pools.ray_pool import Ray

        return Ray(rest or None)
    if name == "serial":
        if colon:
            raise BadInput(f"pool {shown(text)}: serial is one worker; processes:N are several")
        return Serial()
    if colon and not (rest.isascii() and rest.isdigit() and 1 <= int(rest[:9]) <= MOST_WORKERS):
        raise BadInput(f"pool {shown(text)}: expected processes:N with N from 1 to {MOST_WORKERS}")
    return Processes(int(rest) if rest else None)
