"""Nested tensors of the shuffled batches of a loader: the lists of the data, without padding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfxio

torch = pytest.importorskip("torch")

import tfxio.torch as tt  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

HOW: dict[str, Any] = {
    "inputs": ["words", "id"], "targets": ["next"], "batch_size": 8, "shuffle": True, "seed": 3, "jagged": ["words", "next"],
}  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {"id": n, "words": [n * 10.0 + at for at in range(n % 5)], "next": [n + at for at in range(n % 5)], "tags": ["x", "y"][: n % 3]}
    for n in range(50)
]


@pytest.fixture(params=[".parquet", ".tfrecord"])
def lists(request: pytest.FixtureRequest, tmp_path: Path) -> tfxio.Dataset:
    path = tmp_path / f"lists{request.param}"
    tfxio.write(ROWS, path)
    return tfxio.open(path, scalars=True)


def by_id(batches: Any, name: str) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for batch in batches:
        rows = [row.tolist() for row in batch[name].unbind()]
        found |= dict(zip(batch["id"].reshape(-1).tolist(), rows, strict=True))
    return found


@pytest.mark.parametrize("workers", [0, 2])
def test_rows_are_the_lists_of_the_data(lists: tfxio.Dataset, workers: int) -> None:
    batches = list(DataLoader(tt.LoaderDataset(lists, **HOW), batch_size=None, num_workers=workers))
    for name in ("words", "next"):
        assert by_id(batches, name) == {row["id"]: row[name] for row in ROWS}
    for batch in batches:
        assert list(batch) == ["words", "id", "next"]
        assert batch["words"].layout == batch["next"].layout == torch.jagged
        assert batch["words"].values().numel() == sum(int(number) % 5 for number in batch["id"])


def test_tensors_of_the_same_lengths_fit_each_other(lists: tfxio.Dataset) -> None:
    for batch in tt.LoaderDataset(lists, **HOW):
        added = batch["words"] + batch["next"]
        assert added.values().tolist() == (batch["words"].values() + batch["next"].values()).tolist()


@pytest.mark.parametrize(
    ("keywords", "change"),
    [
        ({"truncate": {"words": 2}}, lambda words: words[:2]),
        ({"truncate": {"words": (3, "tail")}}, lambda words: words[-3:]),
        ({"steps": [("words", "slice", "[1:]")]}, lambda words: words[1:]),
        ({"steps": [{"tensor": "words", "type": "slice", "args": {"slice": "[:-2]"}}]}, lambda words: words[:-2]),
        ({"pad": {"words": 9}}, lambda words: words),
        ({"buckets": {"tensor": "words", "boundaries": [2], "batch_sizes": [8, 4]}}, lambda words: words),
        ({"max_tokens": 16}, lambda words: words),
        ({"filter": "id > 10"}, lambda words: words),
    ],
)
def test_what_changes_lengths_changes_rows(lists: tfxio.Dataset, keywords: dict[str, Any], change: Any) -> None:
    found = by_id(tt.LoaderDataset(lists, **HOW, **keywords), "words")
    assert found == {row["id"]: change(row["words"]) for row in ROWS if row["id"] in found}
    assert len(found) == (39 if "filter" in keywords else 50)


def test_windows_of_drawn_lengths(lists: tfxio.Dataset) -> None:
    window: Any = {"size": (2, 4), "steps": [("words", "slice", "[:-1]")]}
    dataset = tt.LoaderDataset(lists, inputs=["words"], targets=["next"], batch_size=8, seed=1, window=window, jagged=["words", "next"])
    words = [row for batch in dataset for row in batch["words"].unbind()]
    following = [row for batch in dataset for row in batch["next"].unbind()]
    assert {len(row) for row in words} == {1, 2, 3} and {len(row) for row in following} == {2, 3, 4}
    dataset.set_epoch(0)
    for batch in dataset:
        for row, longer in zip(batch["words"].unbind(), batch["next"].unbind(), strict=True):
            assert len(row) == len(longer) - 1
    everything = [number for row in ROWS for number in row["next"]]
    dataset.set_epoch(0)
    found = [int(number) for batch in dataset for number in batch["next"].values()]
    assert found == everything[: len(found)] and len(found) > len(everything) - 4


def test_vectors_and_constants(lists: tfxio.Dataset) -> None:
    ones = {"ones": {"shape": "next", "dtype": "float32", "value": 1}}
    how = {**HOW, "jagged": ["next", "ones"], "inputs": ["ones", "id"], "constants": ones}
    batch = next(iter(tt.LoaderDataset(lists, **how, one_hot={"next": 60})))
    assert batch["next"].shape[2] == 60
    lengths = [number % 5 for number in batch["id"].tolist()]
    assert [part.argmax(1).tolist() for part in batch["next"].unbind()] == [[n + at for at in range(n % 5)] for n in batch["id"].tolist()]
    assert [part.tolist() for part in batch["ones"].unbind()] == [[1.0] * length for length in lengths]


def test_strings_are_ragged(lists: tfxio.Dataset) -> None:
    batch = next(iter(tt.LoaderDataset(lists, inputs=["tags", "id"], batch_size=8, jagged=["tags"])))
    assert isinstance(batch["tags"], tt.Ragged)
    words = [word.decode() if isinstance(word, bytes) else word for word in batch["tags"].values.tolist()]
    assert words == [tag for row in ROWS[:8] for tag in row["tags"]]
    assert batch["tags"].row_splits[0].tolist() == [0, 0, 1, 3, 3, 4, 6, 6, 7]


def test_a_state_goes_on(lists: tfxio.Dataset) -> None:
    whole = [batch["id"].tolist() for batch in tt.LoaderDataset(lists, **HOW)]
    batches: Any = iter(tt.LoaderDataset(lists, **HOW))
    assert [next(batches)["id"].tolist() for _ in range(3)] == whole[:3]
    again: Any = iter(tt.LoaderDataset(lists, **HOW))
    again.load_state_dict(batches.state_dict())
    assert [batch["id"].tolist() for batch in again] == whole[3:]


@pytest.mark.parametrize(
    ("keywords", "error", "what"),
    [
        ({"jagged": ["nothing"]}, KeyError, "jagged names 'nothing', which is neither among inputs"),
        ({"jagged": ["id"]}, ValueError, "'id', which is one value in each example"),
        ({"jagged": "words"}, TypeError, "jagged is"),
        ({"pad": False}, ValueError, "leave pad out"),
        ({"pack": 64}, ValueError, "jagged and pack exclude each other"),
        ({"normalize": {"words": 0}}, ValueError, "jagged and normalize exclude each other, for 'words'"),
        ({"config": {"type": "independent"}}, ValueError, "not given beside a configuration"),
    ],
)
def test_what_does_not_go_together_is_refused(lists: tfxio.Dataset, keywords: dict[str, Any], error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        tt.LoaderDataset(lists, **{**HOW, **keywords})


def test_lists_of_different_lengths_say_what_to_do(lists: tfxio.Dataset) -> None:
    what = r"give pad=True, .*jagged=\[…\], which makes nested tensors of them, or batch_size"
    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match=what):
        next(iter(tt.LoaderDataset(lists, **{**HOW, "jagged": []})))


def test_a_step_without_a_value_is_a_step(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    steps = pa.list_(pa.list_(pa.int64()))
    rows = [{"##SEQUENCE##": {"clicks": [[1, 2], [], [3]]}}, {"##SEQUENCE##": {"clicks": [[]]}}, {"##SEQUENCE##": {"clicks": []}}]
    tfxio.write(pa.Table.from_pylist(rows, pa.schema({"##SEQUENCE##": pa.struct({"clicks": steps})})), tmp_path / "steps.tfrecord")
    ds = tfxio.open(tmp_path / "steps.tfrecord")
    [batch] = tt.LoaderDataset(ds, inputs=["clicks"], batch_size=3, jagged=["clicks"])
    assert [row.tolist() for row in batch["clicks"].unbind()] == [[[1, 2], [0, 0], [3, 0]], [[0, 0]], []]
    [batch] = tt.LoaderDataset(ds, inputs=["clicks"], batch_size=3, jagged=["clicks"], steps=[("clicks", "slice", "[1:, :1]")])
    assert [row.tolist() for row in batch["clicks"].unbind()] == [[[0], [3]], [], []]
