"""The journal of `plan` and `replan`: what a search has found, kept beside the plan so that `--resume` can go on."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.pages import NOT_SETTINGS
from falsework.model.errors import BadFile, BadInput

if TYPE_CHECKING:
    from falsework.planning.nodes.journal import Journals

JOURNAL_FILE = "plan.journal.json"
LIMITS = frozenset(  # more of these is the same question
    ["budget", "timeout", "resume", "alternatives", "margins", "portfolio", "pool", "by_rank"]
)


class Journal:
    """The findings of a run, kept in a file while it goes on if there is a place for it."""

    def __init__(self, file: Path | None, question: str, resume: bool) -> None:
        from falsework.planning.nodes.journal import Saver, read_journal

        self._file, self._question, self.finished = file, question, False
        self.found: Journals = read_journal(file, question) if file is not None and resume else {}
        self._saver = Saver(self.save)

    def tick(self) -> None:
        if self._file is not None:
            self._saver.tick()

    def save(self) -> None:
        from falsework.planning.nodes.journal import write_journal

        if self._file is not None:
            write_journal(self._file, self._question, self.found)

    def close(self) -> None:
        """What is done needs no journal; what was cut off does."""
        if self._file is None:
            return
        if self.finished:
            self._file.unlink(missing_ok=True)
        else:
            self.save()


@contextmanager
def journal_kept(arguments: argparse.Namespace, input_sha256: str) -> Iterator[Journal]:
    """The journal in `--out`; saved even if the work is interrupted, but not where bad input kept it from beginning."""
    from falsework.formats.loading import split_source
    from falsework.planning.nodes.journal import question_hash

    if arguments.resume and arguments.out is None:
        raise BadInput("--resume needs the --out of the run that was cut off")
    options = {name: value for name, value in vars(arguments).items() if name not in NOT_SETTINGS | LIMITS}
    structure = split_source(arguments.input)[1]  # of a file that holds several
    question = question_hash({**options, "seed": arguments.seed, "input": input_sha256, "structure": structure})
    if arguments.out is not None and Path(arguments.out).is_file():
        raise BadFile(arguments.out, "", "is a file, expected a folder to write into, or none yet")
    file = None if arguments.out is None else Path(arguments.out) / JOURNAL_FILE
    journal = Journal(file, question, arguments.resume)
    try:
        yield journal
    except BadInput:
        raise
    except BaseException:
        journal.close()
        raise
    journal.close()
