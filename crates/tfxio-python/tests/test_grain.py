"""Rows for Grain: by number, pickled, and the position of a pipeline."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tfxio
import tfxio.grain

TENSORS = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")}


@pytest.fixture
def rows(digits: tfxio.Dataset) -> tfxio.grain.RowSource:
    return tfxio.grain.RowSource(digits, TENSORS)


def test_rows(rows: tfxio.grain.RowSource, digits: tfxio.Dataset) -> None:
    assert len(rows) == len(digits)
    wanted = digits[1000]
    for row in (rows[1000], rows[1000 - len(rows)], pickle.loads(pickle.dumps(rows))[np.int64(1000)]):
        assert row["image"].reshape(-1).tolist() == wanted["image"]
        assert [int(row["label"])] == wanted["label"]
        row["image"][0, 0] = 7.0
    assert [int(row["label"]) for row in rows.__getitems__([3, 1, 3])] == [3, 1, 3]
    with pytest.raises(IndexError, match="row 1797 of 1797 rows"):
        rows[1797]


def test_the_text_tells_sources_apart(rows: tfxio.grain.RowSource, digits: tfxio.Dataset) -> None:
    assert repr(rows) == repr(pickle.loads(pickle.dumps(rows))) == repr(tfxio.grain.RowSource(digits, TENSORS))
    assert repr(rows) != repr(tfxio.grain.RowSource(digits, {"label": TENSORS["label"]}))


@pytest.mark.filterwarnings("ignore")
def test_a_pipeline_goes_on(rows: tfxio.grain.RowSource) -> None:
    grain = pytest.importorskip("grain")
    pipeline = grain.MapDataset.source(rows).shuffle(seed=3).batch(64)
    labels = [batch["label"].tolist() for batch in pipeline]
    assert sorted(sum(labels, [])) == sorted(int(row["label"]) for row in rows.__getitems__(range(len(rows))))
    iterator = iter(pipeline.to_iter_dataset())
    for _ in range(5):
        next(iterator)
    state = iterator.get_state()
    after = iter(pipeline.to_iter_dataset())
    after.set_state(state)
    assert next(after)["label"].tolist() == next(iterator)["label"].tolist() == labels[5]
