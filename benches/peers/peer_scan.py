"""The scan peers: every record of a file is read, both checksums checked, the bytes summed."""

import tensorflow as tf

import framing
from measuring import Work

BUFFER = 4 << 20


def summed(path, compression, batch):
    """tf.data, summed inside the graph: one element a batch comes out."""

    def totals(records):
        lengths = tf.strings.length(records, unit="BYTE")
        return tf.stack([tf.size(records, tf.int64), tf.reduce_sum(tf.cast(lengths, tf.int64))])

    data = tf.data.TFRecordDataset(str(path), compression_type=compression, buffer_size=BUFFER)
    data = data.batch(batch).map(totals)

    def run():
        iterator, records, size = iter(data), 0, 0
        for total in iterator:
            total = total.numpy()
            records += int(total[0])
            size += int(total[1])
        return records, size, iterator

    return run


def iterated(path, compression, _batch):
    """TensorFlow's C++ record reader: one Python bytes object a record."""
    options = tf.io.TFRecordOptions(compression_type=compression)

    def run():
        records = size = 0
        for record in tf.compat.v1.io.tf_record_iterator(str(path), options):
            records += 1
            size += len(record)
        return records, size, None

    return run


PEERS = {"tf.data": summed, "tf_record_iterator": iterated}
COMPRESSION = {"": "", "gz": "GZIP", "zlib": "ZLIB"}


def prepare(case, data, batch, _cores):
    tf.get_logger().setLevel("ERROR")
    suffixes = case.file.split(".")[1:-1]
    compression = COMPRESSION[suffixes[0] if suffixes else ""]
    run = PEERS[case.peer](data / case.file, compression, batch)
    records, payload, _ = run()

    def counted():
        got, size, kept = run()
        if size != payload:
            raise RuntimeError(f"{size} payload bytes came out, {payload} before")
        return got, kept

    return Work(counted, records, payload + framing.FRAME * records)
