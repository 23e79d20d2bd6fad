"""The same rows for all that answers statements: `sql.parquet` and `sql.jsonl` beside `criteo.tfrecord`, made of it. `sql.json` has
what the statements answer, by pyarrow."""

import json

import data_sets
import framing
from peer_decode import tfmd_schema

# Statement -> SQL. The filter holds for about 1 % of the rows.
STATEMENTS = {
    "count": "select count(*) from t",
    "sum": 'select sum("I1") from t',
    "group": 'select label, count(*), avg("I2") from t group by label order by label',
    "filter": 'select count(*), sum("I2"), min("C1"), max("C26") from t where "I1" > 6734',
}
FILTERED = 6734


def table(path):
    """The rows of a file of Examples, each feature a plain column."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from tfx_bsl.coders import example_coder

    decoder = example_coder.ExamplesToRecordBatchDecoder(tfmd_schema(data_sets.CRITEO))
    parts = []
    for records in framing.batches(framing.payloads(path), 8192):
        batch = decoder.DecodeBatch(records)
        columns = {}
        for name, column in zip(batch.schema.names, batch.columns):
            first = pc.list_element(column, 0)
            columns[name] = first.cast(pa.string()) if data_sets.CRITEO[name].kind == data_sets.BYTES else first
        parts.append(pa.table(columns))
    return pa.concat_tables(parts).select(list(data_sets.CRITEO))


def answers(rows):
    """What the statements answer, as lists of rows."""
    import pyarrow.compute as pc

    labels = rows.group_by("label").aggregate([([], "count_all"), ("I2", "mean")]).sort_by("label")
    kept = rows.filter(pc.greater(rows["I1"], FILTERED))
    return {
        "count": [[rows.num_rows]],
        "sum": [[pc.sum(rows["I1"]).as_py()]],
        "group": [list(row.values()) for row in labels.select(["label", "count_all", "I2_mean"]).to_pylist()],
        "filter": [[kept.num_rows, pc.sum(kept["I2"]).as_py(), pc.min(kept["C1"]).as_py(), pc.max(kept["C26"]).as_py()]],
    }


def same(found, expected):
    """Whether rows are those that are expected; means may differ in their last digits."""
    close = lambda one, other: abs(one - other) <= 1e-9 * abs(other) if isinstance(other, float) else one == other
    return len(found) == len(expected) and all(
        len(row) == len(of) and all(map(close, row, of)) for row, of in zip(found, expected)
    )


def write(folder):
    """Writes the files; returns (records, bytes of the lines)."""
    import pyarrow.parquet

    rows = table(folder / "criteo.tfrecord")
    pyarrow.parquet.write_table(rows, folder / "sql.parquet")
    with open(folder / "sql.jsonl", "w", encoding="utf-8") as file:
        for batch in rows.to_batches():
            for row in batch.to_pylist():
                file.write(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n")
    (folder / "sql.json").write_text(json.dumps(answers(rows)), encoding="utf-8")
    return rows.num_rows, (folder / "sql.jsonl").stat().st_size
