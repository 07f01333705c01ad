"""One job, and the key that its answer is kept under: the hash of what is asked, of what, by which version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b, sha256

from falsework.batch.inputs.sources import JobSource, source_hash
from falsework.batch.inputs.sweeps import Options
from falsework.version import __version__

KEY_DIGITS = 32
PLACE_BYTES = 12  # of a hash by which a job is known among a run's jobs


@dataclass(frozen=True)  # without slots: then pickle needs no help from Python
class Job:
    """A question about a source, with options as the command line has them."""

    verb: str
    source: JobSource
    options: Options

    def key(self) -> str:
        """The hash of the source's bytes, the options and the version: what has one key has one answer."""
        asked = [__version__, self.verb, self.options, source_hash(self.source)]
        return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:KEY_DIGITS]

    def place(self) -> bytes:
        """By what a row is found again: the name of its source and its options, whatever the source holds by now."""
        return place_of(self.source.name, self.options)


def place_of(name: str, options: Options) -> bytes:
    """The same for a row."""
    text = json.dumps([name, options], sort_keys=True)
    return blake2b(text.encode(), digest_size=PLACE_BYTES).digest()
