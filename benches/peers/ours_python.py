"""Runs the package `tfxio` of Python, and prints one line of JSON as peers.py does.

    PYTHONPATH=PACKAGE python ours_python.py FILE --from memory|file [--batch 1024] [--repeat 5]

FILE is one that gen_data.py made; its name says the set.
"""

import argparse
import json
import os
import pathlib

import avro_data
import data_sets
import framing
from measuring import Work, measure, peak_rss_mb
from peers import limit_to


def records(path, batch):
    """Lists of records to record batches of pyarrow, by the class that stands in for tfx-bsl's."""
    from peer_decode import tfmd_schema
    from tfxio.compat.tfx_bsl_extension import coders

    _, columns = data_sets.SETS[path.stem]
    payloads = framing.payloads(path)
    batches = framing.batches(payloads, batch)
    decoder = coders.ExamplesToRecordBatchDecoder(tfmd_schema(columns))
    work = lambda: (sum(decoder.DecodeBatch(one).num_rows for one in batches), None)
    return Work(work, len(payloads), framing.framed_size(payloads))


def avro_records(path, batch):
    """Lists of serialised records to tensors, as parse_avro gets them."""
    import peer_avro
    import tfxio

    specs = json.loads(path.with_suffix(".json").read_text())
    first = next(key for key, spec in specs.items() if spec["kind"] == "FixedLen")
    serialised = peer_avro.datums(path.parent, path.stem, peer_avro.PARSED_RECORDS)
    batches = framing.batches(serialised, batch)
    parse = tfxio.AvroFeatures(peer_avro.schema_in(path), specs)
    work = lambda: (sum(len(parse.tensors(one)[first]) for one in batches), None)
    return Work(work, len(serialised), sum(map(len, serialised)))


def of_file(path, batch):
    """A file to record batches of tfxio."""
    import tfxio

    dataset = tfxio.open(str(path))

    def run():
        rows = 0
        for one in dataset.read(batch_size=batch, threads=1):
            rows += one.num_rows
        return rows, None

    return Work(run, *framing.count(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--from", choices=("memory", "file"), required=True, dest="source")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    limit_to(1)
    in_memory = avro_records if args.file.stem in avro_data.SETS else records
    work = (of_file if args.source == "file" else in_memory)(args.file, args.batch)
    print(json.dumps({**measure(work, args.repeat), "peak_rss_mb": peak_rss_mb()}), flush=True)
    # Libraries that were imported for the schema may wait for threads; there is nothing to wait for.
    os._exit(0)


if __name__ == "__main__":
    main()
