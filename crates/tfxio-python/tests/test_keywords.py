"""Keywords of loaders: the configuration that they make, the batches of it, and what is refused."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfxio
from tfxio._loader_keywords import KEYS, Keywords, Window

MADE: dict[str, Any] = {"type": "independent", "dataset": None, "primary_features": [], "target_batch_size": 2, "epochs": 1}

#: Keywords, and what they make of that.
CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"shuffle": "global", "epochs": None}, {"shuffle": "global", "epochs": None}),
    ({"shuffle": True}, {"shuffle": "auto"}),
    ({"shuffle": "blocks", "shuffle_bytes": 1 << 20, "shuffle_streams": 4}, {"shuffle": "blocks", "shuffle_bytes": 1 << 20, "shuffle_streams": 4}),
    ({"shuffle": "buffer", "shuffle_buffer": 7}, {"shuffle": True, "num_shuffle_buffer_elements": 7}),
    ({"features": {"x": "image"}}, {"primary_features": [{"from_name": "image", "to_name": "x"}]}),
    (
        {"constants": {"mask": {"shape": "image", "dtype": "float32", "value": float("-inf")}}},
        {"secondary_features": [{"to_name": "mask", "type": "const", "args": {"shape": "image", "dtype": "float32", "value": "-Infinity"}}]},
    ),
    (
        {"steps": [("image", "slice", "[2:]"), {"tensor": "a", "type": "reshape", "args": {"shape": (1, 2)}}], "one_hot": {"label": 10}},
        {
            "processing_steps": [
                {"tensor": "image", "type": "slice", "args": {"slice": "[2:]"}},
                {"tensor": "a", "type": "reshape", "args": {"shape": [1, 2]}},
                {"tensor": "label", "type": "onehot", "args": {"depth": 10}},
            ]
        },
    ),
    ({"window": 5}, {"type": "continuous_sequence", "min_window": 5, "max_window": 5}),
    (
        {"window": {"size": (2, 3), "stride": 1, "steps": [("a", "slice", "[:-1]")]}},
        {
            "type": "continuous_sequence",
            "min_window": 2,
            "max_window": 3,
            "min_stride": 1,
            "max_stride": 1,
            "window_steps": [{"tensor": "a", "type": "slice", "args": {"slice": "[:-1]"}}],
        },
    ),
    ({"window": {"size": 4, "of": "records"}}, {"type": "discrete_sequence", "min_window": 4, "max_window": 4}),
    ({"defaults": {"a": np.float32(1.5), "b": ["x"]}}, {"defaults": [{"tensor": "a", "value": 1.5}, {"tensor": "b", "value": ["x"]}]}),
    (
        {"truncate": {"a": 3, "b": (4, "tail")}},
        {"truncate": [{"tensor": "a", "length": 3}, {"tensor": "b", "length": 4, "keep": "tail"}]},
    ),
    ({"pad": True}, {"padding": True}),
    (
        {"pad": {"a": 3, "b": [None, 4], "c": {"shape": [2], "value": -1}, "d": {"value": "x"}}},
        {
            "padding": [
                {"tensor": "a", "shape": [3]},
                {"tensor": "b", "shape": [-1, 4]},
                {"tensor": "c", "value": -1, "shape": [2]},
                {"tensor": "d", "value": "x"},
            ]
        },
    ),
    ({"normalize": {"a": -1}}, {"normalization": [{"tensor": "a", "axis": -1}]}),
    (
        {"buckets": {"tensor": "a", "boundaries": (1, 2), "batch_sizes": [3, 2, 1]}},
        {"bucket_by_length": {"tensor": "a", "boundaries": [1, 2], "batch_sizes": [3, 2, 1]}, "padding": True},
    ),
    ({"max_tokens": {"tokens": 9, "too_long": "drop"}, "pad": {"a": 2}}, {"max_tokens": {"tokens": 9, "too_long": "drop"}, "padding": [{"tensor": "a", "shape": [2]}]}),
    ({"pack": {"length": 8, "split": True}}, {"pack": {"length": 8, "split": True}}),
    ({"filter": "label = 3", "on_error": "skip", "prefetch": 0}, {"filter": "label = 3", "on_error": "skip", "num_prefetch": 0}),
    ({"even": "drop", "index": "cache", "index_dir": "x"}, {"even": "drop", "index": "cache", "index_dir": "x"}),
]


@pytest.mark.parametrize(("given", "made"), CASES)
def test_what_keywords_make(given: dict[str, Any], made: dict[str, Any]) -> None:
    from tfxio._loader_keywords import configuration

    defaults = {name: default for name, (default, _) in KEYS.items()}
    assert configuration({**defaults, "batch_size": 2, **given}) == {**MADE, **made}


def test_keywords_of_the_signature_are_those_of_the_type() -> None:
    parameters = list(inspect.signature(tfxio.BatchLoader).parameters)[2:]
    assert sorted(Keywords.__annotations__) == sorted(parameters)
    hints = typing.get_type_hints(Keywords)
    assert set(KEYS) <= set(hints)


def test_a_configuration_of_keywords_is_a_loader_too(digits: tfxio.Dataset) -> None:
    how: dict[str, Any] = {"inputs": ["x"], "targets": ["label", "mask"], "seed": 5}
    loader = digits.loader(
        **how,
        batch_size=32,
        shuffle=True,
        features={"x": "image"},
        constants={"mask": {"shape": [2], "dtype": "int64", "value": 7}},
        steps=[("x", "reshape", [8, 8]), ("x", "slice", "[::2]")],
        one_hot={"label": 10},
        filter="label > 4",
    )
    batch = next(loader)
    assert batch["x"].shape == (32, 4, 8) and batch["label"].shape == (32, 1, 10)
    assert set(batch["mask"].numpy().ravel()) == {7} and (batch["label"].numpy().argmax(-1) > 4).all()
    again = digits.loader(json.loads(json.dumps(loader.config())), **how)
    assert again.config() == loader.config()
    assert (next(again)["x"].numpy() == batch["x"].numpy()).all()
    # A state fits either.
    assert (next(digits.loader(again.config(), **how, state=loader.state_dict()))["x"].numpy() == next(loader)["x"].numpy()).all()


class Rows(tfxio.Dataset):
    """Rows of lists of numbers of one to five, and of numbers of which the first is missing."""

    rows = [[number] * (1 + number % 5) for number in range(40)]

    @property
    def schema(self) -> Any:
        pa = pytest.importorskip("pyarrow")
        return pa.schema({"words": pa.list_(pa.float32()), "id": pa.int64()})

    def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
        return [tfxio.Partition("rows", first_record=0, records=40)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Any:
        pa = pytest.importorskip("pyarrow")
        yield pa.record_batch({"words": self.rows, "id": [None, *range(1, 40)]}, self.schema)


def test_sequences_by_keywords() -> None:
    steps = [float(value) for row in Rows.rows for value in row]
    windows = [row for batch in Rows().loader(inputs=["words"], batch_size=4, window={"size": 6, "stride": 3}) for row in batch["words"].tolist()]
    assert windows == [steps[at : at + 6] for at in range(0, len(steps) - 5, 3)]
    following: Window = {"size": 3, "of": "records", "steps": [("words", "slice", "[:-1]"), ("next", "slice", "[1:]")]}
    features = {"words": "words", "next": "words"}
    loader = Rows().loader(inputs=["words"], targets=["next"], batch_size=1, features=features, window=following, pad=True)
    batches = [(batch["words"].tolist()[0], batch["next"].tolist()[0]) for batch in loader]
    records = [[float(value) for row in Rows.rows[at : at + 3] for value in row] for at in range(0, 39, 3)]
    assert batches == [(record[:-1], record[1:]) for record in records]
    normal = next(Rows().loader(inputs=["words"], batch_size=2, window=(20, 20), normalize={"words": 0}))["words"].numpy()
    assert abs(normal.mean(axis=1)).max() < 1e-3 and normal.shape == (2, 20)


def test_lengths_by_keywords() -> None:
    ds = Rows()
    shapes = [batch["words"].shape for batch in ds.loader(inputs=["words"], batch_size=8, buckets={"tensor": "words", "boundaries": [3], "batch_sizes": [8, 4]})]
    assert {shape[0] for shape in shapes} == {8, 4} and max(shape[1] for shape in shapes) == 5
    packed = next(ds.loader(inputs=["words", "segment_ids"], batch_size=2, pack=8))
    assert packed["words"].shape == packed["segment_ids"].shape == (2, 8)
    tail = next(ds.loader(inputs=["words"], batch_size=40, truncate={"words": (2, "tail")}, pad={"words": {"value": -1}}))
    assert tail["words"].shape == (40, 2) and tail["words"].numpy()[0].tolist() == [0, -1]
    ids = next(ds.loader(inputs=["id"], batch_size=3, defaults={"id": -7}))
    assert ids["id"].tolist() == [-7, 1, 2]
    tokens = [batch["words"].shape for batch in ds.loader(inputs=["words"], max_tokens=20)]
    assert all(rows * longest <= 20 for rows, longest in tokens)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"shuffle": "blocks!"}, 'shuffle is "blocks!": give True, False, "blocks", "global" or "buffer"'),
    ({"shuffle_bytes": 1 << 20}, "shuffle_bytes is what a shuffle of blocks holds: give shuffle=True, too"),
    ({"shuffle": True, "shuffle_streams": 2}, 'shuffle_streams are those of a shuffle of blocks: give shuffle="blocks", too'),
    ({"shuffle_buffer": 3}, 'shuffle_buffer is the size of a buffer: give shuffle="buffer", too'),
    ({"steps": [("image", "slize", "[1]")]}, r"a step in steps is \(tensor, what, how\), where what is slice"),
    ({"steps": [("image", "slice", "[a]")]}, "^steps: "),
    ({"window": {"stride": 2}}, 'window has no "size"'),
    ({"window": {"size": 2, "of": "words"}}, r'window\["of"\] is \'words\': give "steps" or "records"'),
    ({"window": {"size": 2, "of": "records", "stride": 1}}, r'window\["stride"\] is of windows of steps'),
    ({"window": (3, 2)}, "^window: 2 is less than"),
    ({"pad": {"image": {"size": 3}}}, r"pad\['image'\] has no 'size': it takes shape, value"),
    ({"pad": {"imag": 3}}, '^pad: there is no tensor "imag"; did you mean "image"'),
    ({"truncate": {"image": (3, "middle")}}, r"truncate\['image'\] is a length, or"),
    ({"truncate": {"image": 0}}, "^truncate: 0 is out of range"),
    ({"normalize": {"label": 5}}, "^normalize: "),
    ({"one_hot": {"image": 3}}, "image"),
    ({"buckets": {"tensor": "image", "boundaries": [3, 2]}}, "^buckets: "),
    ({"pack": {"size": 3}}, "pack has no 'size': it takes length, open_rows"),
    ({"max_tokens": {"tokens": 5, "too_long": "never"}}, "^max_tokens: "),
    ({"even": "perhaps"}, "^even: "),
    ({"index_dir": "x"}, "^index_dir: "),
    ({"defaults": {"label": b"x"}}, r"defaults\['label'\] is a bool, int, float or str"),
    ({"constants": {"mask": {"dtype": "int64"}}}, "^constants: "),
    ({"features": {"x": "imag"}}, '"imag"'),
]


@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_what_is_refused(given: dict[str, Any], said: str, digits: tfxio.Dataset) -> None:
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        list(digits.loader(inputs=["x" if "features" in given else "image"], targets=["label"], batch_size=4, **given))
    text = str(raised.value)
    assert "line 1" not in text and "`" not in text, text


def test_several_mistakes_are_said_at_once(digits: tfxio.Dataset) -> None:
    how: dict[str, Any] = {"steps": [("image", "slice", "[a]")], "even": "perhaps", "truncate": {"image": 0}}
    with pytest.raises(ValueError) as raised:
        digits.loader(inputs=["image"], batch_size=4, **how)
    lines = str(raised.value).split("\n")
    assert {line.split(":")[0].removeprefix("and ") for line in lines} == set(how), lines


@pytest.mark.parametrize("name", sorted(KEYS))
def test_keywords_do_not_stand_beside_a_configuration(name: str, digits: tfxio.Dataset) -> None:
    values: dict[str, Any] = {
        "epochs": 3,
        "steps": [("image", "slice", "[1]")],
        "window": 3,
        "shuffle_bytes": 1 << 20,
        "shuffle_streams": 2,
        "shuffle_buffer": 3,
        "max_tokens": 3,
        "pack": 3,
        "prefetch": 3,
        "filter": "label = 1",
    }
    value = values.get(name, "x")
    call: Callable[..., Any] = digits.loader
    with pytest.raises(ValueError, match=f"{name} cannot be given beside a configuration"):
        call(MADE, inputs=["image"], **{name: value})
