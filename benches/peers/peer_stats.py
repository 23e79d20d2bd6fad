"""Statistics as tfx-bsl's users make them: its decoder, its sketches, and numpy, on the same batches."""

import data_sets
import framing
from measuring import Work
from peer_decode import tfmd_schema


class Numbers:
    """What is gathered of a column of numbers."""

    def __init__(self, sketches):
        self.quantiles = sketches.QuantilesSketch(0.01, 1 << 32, 1)
        self.count = self.zeros = self.nans = 0
        self.sum = self.squares = 0.0
        self.least, self.most = float("inf"), float("-inf")

    def add(self, np, values):
        if not len(values):
            return
        of = values.to_numpy(zero_copy_only=False)
        floats = of.astype(np.float64)
        nans = int(np.count_nonzero(np.isnan(floats)))
        self.nans += nans
        self.count += len(of)
        self.zeros += int(np.count_nonzero(of == 0))
        self.sum += float(np.nansum(floats))
        self.squares += float(np.nansum(floats * floats))
        if nans < len(of):
            self.least = min(self.least, float(np.nanmin(floats)))
            self.most = max(self.most, float(np.nanmax(floats)))
        self.quantiles.AddValues(values)


class Words:
    """What is gathered of a column of byte strings."""

    def __init__(self, sketches):
        self.distinct = sketches.KmvSketch(16384)
        self.frequent = sketches.MisraGriesSketch(16384)
        self.count = self.length = 0

    def add(self, np, values):
        self.distinct.AddValues(values)
        self.frequent.AddValues(values)
        self.count += len(values)
        self.length += int(np.sum(np.diff(np.frombuffer(values.buffers()[1], np.int64 if "large" in str(values.type) else np.int32))))


class Column:
    """What is gathered of every column: how many rows have it, and how many values they have."""

    def __init__(self, kind, sketches):
        self.missing = self.rows = self.values = 0
        self.least, self.most = 1 << 62, 0
        self.lengths = sketches.QuantilesSketch(0.01, 1 << 32, 1)
        self.items = Words(sketches) if kind == data_sets.BYTES else Numbers(sketches)

    def add(self, np, pa, column):
        if pa.types.is_null(column.type):
            self.missing += len(column)
            return
        self.rows += len(column)
        self.missing += column.null_count
        lengths = column.drop_null().value_lengths()
        of = lengths.to_numpy(zero_copy_only=False)
        if len(of):
            self.least, self.most = min(self.least, int(of.min())), max(self.most, int(of.max()))
            self.values += int(of.sum())
            self.lengths.AddValues(lengths)
        self.items.add(np, column.flatten())

    def finish(self, np):
        self.lengths.GetQuantiles(10)
        if isinstance(self.items, Words):
            return self.items.distinct.Estimate(), self.items.frequent.Estimate()
        mean = self.items.sum / max(self.items.count, 1)
        return mean, np.sqrt(max(self.items.squares / max(self.items.count, 1) - mean * mean, 0)), self.items.quantiles.GetQuantiles(10)


def tfx_bsl(case, data, batch, _cores):
    """All columns, in one pass over records in memory."""
    import numpy as np
    import pyarrow as pa
    from tfx_bsl import sketches
    from tfx_bsl.coders import example_coder

    file, columns = data_sets.SETS[case.set]
    records = framing.payloads(data / file)
    size, total = framing.framed_size(records), len(records)
    batches = framing.batches(records, batch)
    decoder = example_coder.ExamplesToRecordBatchDecoder(tfmd_schema(columns))

    def run():
        gathered = {name: Column(of.kind, sketches) for name, of in columns.items()}
        rows = 0
        for one in batches:
            decoded = decoder.DecodeBatch(one)
            rows += decoded.num_rows
            for name, column in zip(decoded.schema.names, decoded.columns):
                gathered[name].add(np, pa, column)
        return rows, {name: column.finish(np) for name, column in gathered.items()}

    return Work(run, total, size)


def prepare(case, data, batch, cores):
    return {"tfx-bsl": tfx_bsl}[case.peer](case, data, batch, cores)
