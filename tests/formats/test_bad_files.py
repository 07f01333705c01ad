"""Every kind of bad file is refused with one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.formats import detect, load
from falsework.model.errors import BadFile, BadInput
from tests.corpus import bad_files


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return dict(bad_files(tmp_path_factory.mktemp("bad")))


def _kinds() -> list[str]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return [kind for kind, _ in bad_files(Path(folder))]


KINDS = _kinds()


def test_the_corpus_has_many_kinds_and_no_kind_twice() -> None:
    assert len(KINDS) == len(set(KINDS)) >= 50


@pytest.mark.parametrize("kind", KINDS)
def test_is_refused_with_one_line_that_names_the_file(kind: str, corpus: dict[str, Path]) -> None:
    path = corpus[kind]
    with pytest.raises(BadFile) as refusal:
        load(path)
    message = str(refusal.value)
    assert message.isprintable()
    assert len(message) < 1000
    assert path.name.replace("\0", "\\x00").partition("#")[0] in message
    assert refusal.value.problem


@pytest.mark.parametrize("kind", KINDS)
def test_detect_answers_or_refuses(kind: str, corpus: dict[str, Path]) -> None:
    try:
        assert detect(corpus[kind])
    except BadInput as refusal:
        assert str(refusal).isprintable()
