"""What falls because it touches nothing, in words: told first, since it is more often the file than the thing."""

from __future__ import annotations

from falsework.geometry.contacts.near_misses import touching_range
from falsework.geometry.shapes.tolerances import GAP
from falsework.model.assembly import Assembly
from falsework.model.lengths import length
from falsework.model.near_misses import NearMiss, NearMisses

MOST_NAMED = 3
SIDES = {"above": "above", "under": "under", "beside": "from"}


def sentence(misses: NearMisses | None) -> str:
    """What is missing and what to set; empty where nothing is.

    >>> sentence(check(assembly).missing)
    'b touches nothing; it is 0.1 mm above a: if they are meant to touch, set --gap 0.0001'
    """
    if not misses:
        return ""
    told = "; ".join(filter(None, (_isolated(misses.isolated), _nearly(misses))))
    if misses.gap_m is None:
        return told
    return f"{told}: if they are meant to touch, set --gap {misses.gap_m:g}"


def _isolated(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"{names[0]} touches nothing"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more} touch nothing"


def _nearly(misses: NearMisses) -> str:
    """The pair that is near, or how many there are and how far apart."""
    if not misses.pairs:
        return ""
    one = misses.pairs[0]
    if len(misses.pairs) == 1:
        return f"it is {_place(one)}" if misses.isolated == (one.part,) else nearness(one)
    return f"{len(misses.pairs)} pairs nearly touch, {_between(one.apart_m, misses.pairs[-1].apart_m)} apart"


def _between(least_m: float, most_m: float) -> str:
    """Two lengths, the unit once if it is the same."""
    least, most = length(least_m), length(most_m)
    if least == most:
        return least
    return f"{least.removesuffix(most[most.index(' ') :])} to {most}"


def nearness(miss: NearMiss) -> str:
    """One near miss as a sentence."""
    return f"{miss.part} is {_place(miss)}"


def _place(miss: NearMiss) -> str:
    if miss.apart_m < 0:
        return f"{length(miss.apart_m)} deep in {miss.other}"
    return f"{length(miss.apart_m)} {SIDES[miss.side]} {miss.other}"


def touching_words(assembly: Assembly) -> str:
    """Up to which distance parts touch, and by whose word; empty where it does not matter."""
    found = touching_range(assembly)
    if found is None:
        return ""
    least, most = map(length, found)
    apart = f"parts up to {least} apart" + ("" if least == most else f", large ones up to {most}")
    if assembly.gap_m is not None:
        less = found[1] < assembly.gap_m
        return f"{apart}, {'half as far as the thinnest is thick; more was asked for' if less else 'as was asked for'}"
    return f"{apart}: {GAP:g} of the smaller one's size; --gap sets it"
