"""Statistics of data sets, and what follows from them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

import tfxio


@pytest.fixture
def people(tmp_path: Path) -> tfxio.Dataset:
    import pyarrow.parquet

    table = pa.table(
        {
            "age": pa.array([31, None, 44, 28, 90], pa.int64()),
            "score": pa.array([0.5, float("nan"), 1.5, 2.5, float("inf")], pa.float64()),
            "city": ["Paris", "Lyon", "Paris", None, "Nice"],
            "w": [1.0, 1.0, 2.0, 1.0, 5.0],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "people.parquet")
    return tfxio.open(tmp_path / "people.parquet")


def test_numbers_are_those_of_the_rows(people: tfxio.Dataset) -> None:
    stats = people.stats()
    assert stats.num_examples == 5 and [feature["path"] for feature in stats] == [["age"], ["score"], ["city"], ["w"]]
    age = stats["age"]
    assert (age["present"], age["missing"]) == (4, 1)
    assert (age["numeric"]["min"], age["numeric"]["mean"], age["numeric"]["max"]) == (28.0, 48.25, 90.0)
    assert stats["score"]["numeric"]["nan"] == 1
    assert stats["city"]["text"]["unique"] == 3
    assert stats["city"]["text"]["top_values"][0] == ["Paris", 2.0]
    with pytest.raises(KeyError, match="no feature 'agee': there are age, score, city, w"):
        stats["agee"]


def test_columns_filter_limit_and_slices(people: tfxio.Dataset) -> None:
    assert [feature["path"] for feature in people.stats(columns=["city"], filter="age > 30")] == [["city"]]
    assert people.stats(filter="age > 30").num_examples == 3
    assert people.stats(limit=2).num_examples == 2
    assert people.stats(by="city").slices == ["All Examples", "city_Lyon", "city_Nice", "city_Paris"]
    with pytest.raises(ValueError, match="citi"):
        people.stats(by="citi")


def test_weights_and_categories(people: tfxio.Dataset) -> None:
    stats = people.stats(weight="w", categorical=["age"])
    assert stats.datasets[0]["weighted_num_examples"] == 10.0
    assert stats["age"]["text"]["unique"] == 4


def test_threads_make_no_difference(digits: tfxio.Dataset) -> None:
    assert bytes(digits.stats(threads=1)) == bytes(digits.stats(threads=3))


def test_statistics_go_through_files_pickles_and_protos(people: tfxio.Dataset, tmp_path: Path) -> None:
    stats = people.stats()
    for name in ("stats.pb", "stats.tfrecord"):
        stats.save(tmp_path / name)
        assert bytes(tfxio.Statistics.load(tmp_path / name)) == bytes(stats)
    assert bytes(pickle.loads(pickle.dumps(stats))) == bytes(stats)
    with pytest.raises(ValueError, match="DatasetFeatureStatisticsList"):
        tfxio.Statistics(b"\xff\xff")


def test_tensorflow_metadata_reads_them(people: tfxio.Dataset) -> None:
    statistics_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.statistics_pb2")
    proto = statistics_pb2.DatasetFeatureStatisticsList.FromString(bytes(people.stats()))
    assert proto.datasets[0].num_examples == 5
    assert proto.datasets[0].features[0].num_stats.max == 90
    assert bytes(tfxio.Statistics(proto)) == bytes(people.stats())


def test_schemas_are_inferred_and_validated(people: tfxio.Dataset) -> None:
    stats = people.stats(columns=["age", "city"])
    schema = stats.infer_schema()
    assert 'name: "city"' in schema and 'value: "Lyon"' in schema
    assert stats.validate(schema) == []
    broken = schema.replace('value: "Lyon"', 'value: "Metz"')
    (anomaly,) = stats.validate(broken)
    assert anomaly.path == ("city",) and anomaly.kind == "ENUM_TYPE_UNEXPECTED_STRING_VALUES" and anomaly.severity == "ERROR"
    assert "Lyon" in anomaly.text


def test_drift_says_how_far_apart(people: tfxio.Dataset) -> None:
    before, after = people.stats(), people.stats(filter="city = 'Paris'", columns=["age", "city"])
    drifted = {".".join(of["path"]): of for of in before.drift(after)}
    assert drifted["city"]["l_infinity"] == pytest.approx(0.5) and drifted["city"]["drifted"]
    assert drifted["w"]["only_in"] == "this"
    assert all(of.get("l_infinity") in (None, 0.0) for of in before.drift(before))


def test_pages_hold_the_numbers(people: tfxio.Dataset) -> None:
    stats = people.stats()
    page = stats.to_html(title="People <&>")
    assert page.startswith("<!") and "People &lt;&amp;&gt;" in page and "Paris" in page and "http://" not in page.replace("http://www.w3.org", "")
    assert "Metz" not in stats.to_html(other=people.stats(filter="age > 30"))
    assert stats._repr_html_().startswith("<iframe srcdoc=")


def test_zero_rows_have_statistics_and_a_page(people: tfxio.Dataset) -> None:
    stats = people.stats(filter="age > 1000")
    assert stats.num_examples == 0
    assert stats.to_html().startswith("<!")
    assert repr(stats).startswith("Statistics of 0 examples, 4 features")


def test_progress_counts_what_is_read(digits: tfxio.Dataset) -> None:
    seen: list[tfxio.Progress] = []
    plain = digits.stats(threads=2)
    assert repr(digits.stats(threads=2, progress=seen.append)) == repr(plain)
    assert (seen[-1].records, seen[-1].bytes) == (1797, None)

    def stop(at: tfxio.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        digits.stats(progress=stop)
