"""Statements: duckdb over Parquet and JSON lines, pyspark over JSON lines, and tfx-bsl with pyarrow over TFRecord.

Each run opens the file again, as a user of a command does; the session exists before.
"""

import json

import data_sets
import framing
import sql_data
from measuring import Work
from peer_decode import tfmd_schema


def work(case, data, answer):
    """The work of a statement, whose answer is looked at in every run."""
    name = case.set.partition(".")[2]
    expected = json.loads((data / "sql.json").read_text(encoding="utf-8"))[name]
    records, size = framing.count(data / "criteo.tfrecord")
    run = answer(name)

    def checked():
        found = run()
        if not sql_data.same(found, expected):
            raise RuntimeError(f"{case.name}: {found}, not {expected}")
        return records, None

    return Work(checked, records, size)


def duckdb(case, data, _batch, cores):
    import duckdb

    file = data / ("sql.parquet" if case.peer == "duckdb-parquet" else "sql.jsonl")
    connection = duckdb.connect(config={"threads": cores})

    def answer(name):
        statement = sql_data.STATEMENTS[name].replace("from t", f"from '{file}'")
        return lambda: [list(row) for row in connection.execute(statement).fetchall()]

    return work(case, data, answer)


def pyspark(case, data, _batch, cores):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def answer(name):
        statement = sql_data.STATEMENTS[name].replace('"', "`").replace("from t", f"from json.`{data / 'sql.jsonl'}`")
        return lambda: [list(row) for row in session.sql(statement).collect()]

    return work(case, data, answer)


def tfx_bsl(case, data, batch, _cores):
    """TensorFlow reads the records, tfx-bsl decodes the columns that are needed, and pyarrow computes."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import tensorflow as tf
    from tfx_bsl.coders import example_coder

    columns = {"count": ["label"], "sum": ["I1"], "group": ["label", "I2"], "filter": ["I1", "I2", "C1", "C26"]}
    records = tf.data.TFRecordDataset(str(data / "criteo.tfrecord"), buffer_size=4 << 20).batch(batch).prefetch(4)

    def read(name):
        wanted = {column: data_sets.CRITEO[column] for column in columns[name]}
        decoder = example_coder.ExamplesToRecordBatchDecoder(tfmd_schema(wanted))
        for one in records.as_numpy_iterator():
            decoded = decoder.DecodeBatch(one.tolist())
            yield pa.table({column: pc.list_element(decoded[column], 0) for column in wanted})

    def answer(name):
        return lambda: of_table(name)

    def of_table(name):
        rows = pa.concat_tables(read(name))
        if name == "count":
            return [[rows.num_rows]]
        if name == "sum":
            return [[pc.sum(rows["I1"]).as_py()]]
        if name == "group":
            labels = rows.group_by("label").aggregate([([], "count_all"), ("I2", "mean")]).sort_by("label")
            return [list(row.values()) for row in labels.select(["label", "count_all", "I2_mean"]).to_pylist()]
        kept = rows.filter(pc.greater(rows["I1"], sql_data.FILTERED))
        words = [pc.min(kept["C1"]).as_py(), pc.max(kept["C26"]).as_py()]
        return [[kept.num_rows, pc.sum(kept["I2"]).as_py(), *(word.decode() for word in words)]]

    return work(case, data, answer)


PEERS = {"duckdb-parquet": duckdb, "duckdb-jsonl": duckdb, "pyspark-jsonl": pyspark, "tfx-bsl": tfx_bsl}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
