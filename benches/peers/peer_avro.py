"""The Avro peers: fastavro to Python objects, and tensorflow-io to tensors, by parse_avro or by its ATDSDataset.

Throughput counts the bytes of the records, without what blocks and compression add or take. All but ATDS take the first
records of a file only: more would not change the figure, and they are slow.
"""

import json

import avro_data
import avro_framing
from measuring import Work

FASTAVRO_RECORDS = 100_000
PARSED_RECORDS = 51_200


def fastavro(case, data, _batch, _cores):
    """From the file to dicts. Two fields: with a reader's schema that has no others."""
    import itertools

    import fastavro as package

    name, path = stem(case), data / case.file
    wanted = None
    if case.set.endswith("2"):
        schema, _, two, *_ = avro_data.SETS[name]
        wanted = schema | {"fields": [field for field in schema["fields"] if field["name"] in two]}

    def run():
        with open(path, "rb", 1 << 20) as file:
            records = itertools.islice(package.reader(file, reader_schema=wanted), FASTAVRO_RECORDS)
            return sum(1 for _ in records), None

    return Work(run, *part(data, name, FASTAVRO_RECORDS))


def parse_avro(case, data, batch, _cores):
    """Serialised records in memory to tensors."""
    import tensorflow as tf
    import tensorflow_io as tfio

    name, schema = stem(case), schema_of(case, data)
    records = datums(data, name, PARSED_RECORDS)
    size, total = sum(map(len, records)), len(records)
    batches = [tf.constant(records[at : at + batch]) for at in range(0, total, batch)]
    specs = features(case, data)
    wanted = {key: feature(tf, tfio, spec) for key, spec in specs.items()}
    first = next(key for key, spec in specs.items() if spec["kind"] == "FixedLen")
    parse = tf.function(
        lambda one: tfio.experimental.columnar.parse_avro(one, reader_schema=schema, features=wanted),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    return Work(lambda: (sum(int(parse(one)[first].shape[0]) for one in batches), None), total, size)


def atds(case, data, batch, _cores):
    """From the file to dense tensors. It knows neither maps nor records in arrays, so that it reads flat records."""
    import tensorflow as tf
    from tensorflow_io.python.experimental.atds.dataset import ATDSDataset
    from tensorflow_io.python.experimental.atds.features import DenseFeature

    wanted = {key: DenseFeature([], tf.as_dtype(spec["dtype"])) for key, spec in features(case, data).items()}
    first = next(iter(wanted))
    dataset = ATDSDataset(
        [str(data / case.file)], batch_size=batch, features=wanted, num_parallel_calls=1, reader_buffer_size=1 << 20
    )

    def run():
        iterator = iter(dataset)
        return sum(int(one[first].shape[0]) for one in iterator), iterator

    return Work(run, *avro_framing.count(data / case.file))


def stem(case):
    return case.set.split(".")[0].removesuffix("2")


def schema_of(case, data):
    return schema_in(data / case.file)


def schema_in(path):
    with open(path, "rb") as file:
        return avro_framing.header(file.read(1 << 16))[0]["avro.schema"].decode()


def features(case, data):
    return json.loads((data / f"{case.set}.json").read_text())


def feature(tf, tfio, spec):
    dtype = tf.as_dtype(spec["dtype"])
    if spec["kind"] == "VarLen":
        return tfio.experimental.columnar.VarLenFeatureWithRank(dtype, spec["rank"])
    return tf.io.FixedLenFeature(spec["shape"], dtype, default_value=spec.get("default"))


def datums(data, name, limit):
    """The first records of a set, each serialised by itself."""
    import io
    import itertools

    import fastavro as package

    out = []
    with open(data / avro_data.file_of(name), "rb") as file:
        reader = package.reader(file)
        for record in itertools.islice(reader, limit):
            buffer = io.BytesIO()
            package.schemaless_writer(buffer, reader.writer_schema, record)
            out.append(buffer.getvalue())
    return out


def part(data, name, limit):
    """(records, their bytes) of the first so many records, by the mean of all."""
    records, size = avro_framing.count(data / avro_data.file_of(name))
    taken = min(records, limit)
    return taken, size * taken // records


PEERS = {"fastavro": fastavro, "parse_avro": parse_avro, "atds": atds}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
