"""What existing implementations answer to recorded cases, and Python must. `golden.py` says where the cases are.

`pytest tests/conformance` prints a line for each file, and the cases that Python does not reach, with the reason.
"""

from __future__ import annotations

import pytest

from conftest import RECORDED

pytest.importorskip("pyarrow")

import avro
import coders
import data_sets
import golden
import loading
import sketches
import standins
import utilities

JUDGES: dict[str, golden.Judge] = {
    "append_raw_record_column": standins.append_raw_record_column,
    "array_util": utilities.function,
    "column_path": utilities.column_path,
    "csv_arrow_schema": data_sets.csv_arrow_schema,
    "csv_decode": data_sets.csv_decode,
    "decode_examples": coders.decode,
    "decode_examples_arrow_schema": coders.arrow_schema,
    "decode_examples_reuse": coders.reuse,
    "decode_sequence_examples": coders.decode,
    "decode_sequence_examples_arrow_schema": coders.arrow_schema,
    "encode_examples": coders.encode,
    "example_to_numpy_dict": coders.numpy_dict,
    "kmv_sketch": sketches.sketch,
    "loader": loading.judge,
    "loader-doc": loading.judge,
    "merge_statistics": sketches.merge_statistics,
    "misra_gries_sketch": sketches.sketch,
    "quantiles_sketch": sketches.sketch,
    "raw_records_to_record_batch": coders.raw_records,
    "rfc": avro.judge,
    "table_util": utilities.function,
    "tensor_adapter": data_sets.tensor_adapter,
    "tensor_representation_util": standins.representations,
    "tensors_to_record_batch": standins.tensors_to_record_batch,
    "tfio-extra": avro.judge,
    "tfio-extra-hand": avro.judge,
    "tfio-test": avro.judge,
    "tfxio_dataset": data_sets.dataset,
    "tfxio_describe": data_sets.describe,
}


def test_every_kind_has_a_judge() -> None:
    binding = {kind for kind, owner in golden.owners().items() if owner not in ("compare", "later")}
    assert binding == set(JUDGES)
    assert set(golden.cases()) <= set(golden.owners())


@pytest.mark.parametrize("kind", JUDGES)
def test_recorded_cases(kind: str, request: pytest.FixtureRequest) -> None:
    if not golden.cases()[kind]:
        pytest.skip("the repository has no case of this kind: set TFXIO_GOLDEN_DIR to a folder that has")
    tallies = golden.run(kind, JUDGES[kind])
    lines = request.config.stash.setdefault(RECORDED, [])
    lines.extend(line for tally in tallies for line in tally.lines())
    assert not [failed for tally in tallies for failed in tally.failed]
