"""What the words of a batch stand for: every kind of input, each once, and mistakes that cost only themselves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from falsework.batch.inputs.naming import named
from falsework.batch.inputs.sources import FileSource, MadeSource, PackedSource, Refused, packed, source_hash
from falsework.batch.inputs.sweeps import gallery_sweep, option_sweep, plain
from falsework.model.errors import BadFile, BadInput

EXAMPLES = Path(__file__).parents[2] / "examples"
BRICKS = "2x4 (0,0,0)\n2x4 (0,0,1)\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "more").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "more/c.txt", ".hidden.txt"):
        (tmp_path / "models" / name).write_text(BRICKS)
    return tmp_path


def names(*words: str) -> list[str]:
    return [source.name for source, _ in named(words)]


def test_a_folder_is_every_file_below_it_by_name(desk: Path) -> None:
    assert names("models") == ["models/a.txt", "models/b.txt", "models/more/c.txt"]
    assert names("models/more/c.txt") == ["models/more/c.txt"]


def test_a_folder_of_meshes_is_one_assembly(desk: Path) -> None:
    (desk / "meshes").mkdir()
    (desk / "meshes" / "part.obj").write_text("v 0 0 0\n")
    assert names("meshes") == ["meshes"]


def test_patterns_match_files(desk: Path) -> None:
    assert names("models/*.txt") == ["models/a.txt", "models/b.txt"]
    assert names("models/**/*.txt") == ["models/a.txt", "models/b.txt", "models/more/c.txt"]
    ((nothing, _),) = named(["models/*.zip"])
    assert isinstance(nothing, Refused) and nothing.problem == "no file matches this pattern"


def test_a_list_names_files_as_seen_from_here_or_from_itself(desk: Path) -> None:
    (desk / "models" / "list").write_text("a.txt\n\nmodels/b.txt\nnew:semicircular-arch{stones=5}\nnobody.txt\n")
    told = ["models/a.txt", "models/b.txt", "new:semicircular-arch{stones=5}", "nobody.txt"]
    assert names("@models/list") == told
    assert names("models/list") == told  # its first line names a file


def test_bricks_are_no_list(desk: Path) -> None:
    assert names("models/a.txt") == ["models/a.txt"]


def test_lines_of_json_have_options_of_their_own_and_bad_ones_refuse_only_themselves(desk: Path) -> None:
    good = [{"input": "models/a.txt", "mu": 0.3, "absent": ["1"]}, {"bricks": BRICKS, "structure_name": "lamp"}]
    lines = [
        *map(json.dumps, good),
        "nonsense",
        json.dumps({"mu": 1}),
        json.dumps([1]),
        json.dumps({"input": "x", "mu": {}}),
    ]
    (desk / "list.jsonl").write_text("\n".join(lines))
    first, second, *bad = named(["list.jsonl"])
    assert (first[0].name, first[1]) == ("models/a.txt", {"absent": ["1"], "mu": "0.3"})
    assert second[0].name == "lamp" and len(second[0].assembly().parts) == 2
    assert [source.problem for source, _ in bad if isinstance(source, Refused)] == [
        "line 3: is not JSON",
        'line 4: input: found None, expected the name of a file, or "bricks" with a brick text',
        'line 5: found [1], expected an object like {"input": "a.txt", "mu": 0.3}',
        "line 6: option mu: found {}, expected a number, a word or a list of them",
    ]


def test_every_structure_of_a_file_is_read_once(desk: Path) -> None:
    (desk / "many.json").write_text(json.dumps({"one": {"bricks": BRICKS}, "two": {"bricks": 7}}))
    (one, _), (two, _) = named(["many.json#*"])
    assert one.name == "many.json#one" and len(one.assembly().parts) == 2
    assert isinstance(two, Refused) and two.problem == "found 7, expected a text"
    assert names("models/a.txt#*") == ["models/a.txt"]  # it holds one
    ((missing, _),) = named(["nobody.json#*"])
    with pytest.raises(BadFile, match=r"nobody\.json: there is no such file"):
        missing.assembly()


def test_the_gallery_is_swept_the_last_parameter_fastest() -> None:
    swept = list(gallery_sweep("new:random-bricks{n=2|4,seed=0..2}"))
    assert [dict(one.parameters) for one in swept][:4] == [
        {"bricks": 2, "seed": 0},
        {"bricks": 2, "seed": 1},
        {"bricks": 2, "seed": 2},
        {"bricks": 4, "seed": 0},
    ]
    assert [len(one.assembly().parts) for one in swept] == [2, 2, 2, 4, 4, 4]
    assert len(list(gallery_sweep("new:semicircular-arch{stones=5..13..4}"))) == 3
    assert next(gallery_sweep("new:semicircular-arch")).assembly(mu=0.2).friction == 0.2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("new:semicirclar-arch", "unknown kind 'semicirclar-arch'; did you mean 'semicircular-arch'?"),
        ("new:semicircular-arch{stoness=3}", "unknown parameter 'stoness'; did you mean 'stones'"),
        ("new:semicircular-arch{stones=9..3}", "expected FIRST..LAST or FIRST..LAST..STEP, upwards"),
        ("new:semicircular-arch{stones=x}", "found 'x', expected a number, 3|5 or 3..40"),
        ("new:semicircular-arch{stones}", "found 'stones', expected NAME=VALUE"),
        ("new:semicircular-arch{stones=-5..5}", "stones: found -5, expected a whole number from"),
        ("new:semicircular-archstones=3", "quote it, or the shell takes the braces apart"),
        ("new:random-bricks{seed=-1}", "seed: found -1, expected a whole number that is 0 or more"),
        ("new:random-bricks{seed=0..1e9}", "the limit is 10,000,000"),
        ("new:random-bricks{n=3,bricks=4}", "a parameter is given twice"),
    ],
)
def test_sweeps_that_make_no_sense_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput) as raised:
        list(named([text]))
    assert why in str(raised.value)


def test_standard_input_holds_one_assembly() -> None:
    with pytest.raises(BadInput, match="one a line in a list: @FILE"):
        list(named(["-"]))


def test_options_are_swept_all_together() -> None:
    assert option_sweep(["mu=0.3,0.5", "gravity=0,0,-9.81;0,0,-3.7"]) == [
        {"gravity": "0,0,-9.81", "mu": "0.3"},
        {"gravity": "0,0,-9.81", "mu": "0.5"},
        {"gravity": "0,0,-3.7", "mu": "0.3"},
        {"gravity": "0,0,-3.7", "mu": "0.5"},
    ]
    assert option_sweep({"mu": [0.3], "allow_overlap": 0.001}) == [{"allow-overlap": "0.001", "mu": "0.3"}]
    assert option_sweep([]) == [{}]
    for wrong, why in ((["mu"], "expected NAME=VALUE"), (["mu=1", "mu=2"], "given twice")):
        with pytest.raises(BadInput, match=why):
            option_sweep(wrong)
    with pytest.raises(BadInput, match="option mu: found"):
        plain({"mu": object()})


def test_the_hash_is_of_what_is_inside_not_of_the_name(desk: Path) -> None:
    a, b = FileSource("models/a.txt"), FileSource("models/b.txt")
    assert a.sha256() == b.sha256()
    (desk / "models" / "b.txt").write_text(BRICKS + "2x4 (0,0,2)\n")
    assert a.sha256() != b.sha256()
    assert MadeSource("arch", (("n", 1.0),)).sha256() != MadeSource("arch", (("n", 2.0),)).sha256()


def test_what_is_sent_elsewhere_is_the_same_there_down_to_its_complaints(desk: Path) -> None:
    (desk / "bad.txt").write_text("2x4 (0,0,0)\nnonsense\n")
    (desk / "many.json").write_text(json.dumps({"one": {"bricks": BRICKS}, "two": {"bricks": BRICKS}}))
    sent = [packed(FileSource(name)) for name in ("models/a.txt", "many.json#two", "bad.txt", "nobody.txt")]
    hashes = [source_hash(FileSource(name)) for name in ("models/a.txt", "many.json#two", "bad.txt", "nobody.txt")]
    shutil.rmtree(desk / "models")
    (desk / "bad.txt").unlink()
    assert all(isinstance(one, PackedSource) for one in sent[:3])
    assert [len(one.assembly().parts) for one in sent[:2]] == [2, 2]
    assert [source_hash(one) for one in sent] == hashes
    with pytest.raises(BadFile, match=r"^bad\.txt: line 2: found 'nonsense', expected a brick like"):
        sent[2].assembly()
    with pytest.raises(BadFile, match=r"^nobody\.txt: there is no such file"):
        sent[3].assembly()
