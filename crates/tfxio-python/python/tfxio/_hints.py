"""What errors of the engine say to do, in words of Python.

The engine speaks of its own options and of those of the command line. What is read in Python names what exists there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tfxio.exceptions import TfxioError

#: Patterns, and what stands in the place of each; nothing, where Python has nothing that helps.
Table: TypeAlias = list[tuple[str, str]]

SKIP = 'Dataset.read(on_error="skip")'

#: What is said anywhere.
EVERYWHERE: Table = [
    # Reading what is left of a damaged file.
    (r", or salvage (?:what is there|the (?:other )?(?:records|members)(?: before this)?)", f", or read the rest by {SKIP}"),
    (r"salvage mode finds (?:the next|its) good records?", f"{SKIP} reads the others"),
    (r"(?:the blocks may be whole; )?salvage reads (?:them|what follows)", f"{SKIP} reads what is whole"),
    # The command line.
    (r", on the command line,? `?--?[^;`]*`?(?=;|$)", ""),
    (r"state the format of the records: `example`", 'give records="example"'),
    (r"; on the command line --?[a-z-]+( [A-Z]+)?", ""),
    (r" To leave the index alone: --no-index", " To leave the index alone: index=False"),
    (r"the option `index`, false", "index=False"),
    (r"index it again: tfxio index .*?(?=\. To |$)", "remove the index beside it"),
    (r"`tfxio index [^`]+`", "tfxio.open_index(FILE, build=True, save=True)"),
    (r"convert the column with --cast before, and compare numbers with numbers", "compare numbers with numbers"),
    (r"write one with `tfxio load --init`, or from `Dataset::spec`", "give the data set itself, as tfxio.open returns it"),
    # Columns that were opened as scalars or text.
    (
        r"open it with the option (scalars|text) off, which makes (lists|bytes), or name in it the columns of (one value|text)",
        r"give \1=False, which makes \2, or name the columns of \3: \1=[…]",
    ),
    # The API of Rust.
    (r"give one to `BatchLoader::over`", "give a data set, as tfxio.open returns it"),
    (r"load (?:them|the data set) in a program, by `BatchLoader::over`", "open it by tfxio.open, and give that to the loader"),
    (r", or a store that knows such URLs: `LoaderBuilder::store`", ", or open them by tfxio.open, which knows URLs"),
    (r"those of `OpenOptions::open_spec`", "those of tfxio.open"),
    (r"open it with OpenOptions", "open it by tfxio.open"),
    (r"give it formats that include it: `LoaderBuilder::formats`", "open the data set by tfxio.open, which knows all formats"),
    (r"read it as bytes, into a `Vec<u8>`", "read it as bytes"),
    (r"read it with avro_path::datum::single_object", "write the records to an Avro file"),
    (r", such as by `tfxio convert`", ""),
    (r", mount HDFS, or register a store of the program's own \(`Stores::store`\)", ", or mount HDFS"),
    (r"register one \(`Stores::store`\), or build with the feature `cloud`", "copy the files to a local disk"),
    (r"a default with `Fill::Shortfall`", "a default for shortfalls"),
    (r"read it as a `SequenceExample`", 'read it with records="sequence_example"'),
    # Bounds on what data may claim, which Python cannot raise.
    (r"(?:read fewer rows a batch, or |or )?raise `Limits::batch_bytes`; 32-bit offsets allow 2 GiB", "read fewer rows a batch (batch_size)"),
    (r"flush (?:smaller batches|before),? or raise `?Limits::batch_bytes`?", "read smaller batches (batch_size)"),
    (r"raise `?Limits::columns`? or choose some", "choose some columns"),
    (r",? or raise `?Limits::\w+`?", ""),
    (r", leave out the column, or raise the limit batch_bytes", " (batch_size), or leave out the column"),
    (r",? or raise the limits?(?: of)?(?: `?(?:[a-z]+_[a-z]+|columns|nesting)`?)?", ""),
    (
        r"raise (?:the limits?(?: `?(?:[a-z]+_[a-z]+|columns|nesting)`?)?|`record_bytes`)(?: if (?:this is meant(?: to be)?|the file is to be trusted|such records are real))?",
        "this is above a fixed bound",
    ),
    (r"raise `?(?:Schema)?Limits::\w+`?(?: (?:or read|and) (?:smaller batches|`?Limits::\w+`?))?", "it is above a fixed bound"),
    (r"it is above a fixed bound(?:, or `?Limits::\w+`? and `?Limits::\w+`?)?,? if (?:this is meant|the file can be trusted)", "this is above a fixed bound"),
    (r"`?(?:Schema)?Limits::(\w+)`?", r"the fixed bound \1"),
]

#: What `tfxio.open` says.
OF_OPEN: Table = [
    (re.escape(SKIP), 'tfxio.open(…, on_error="skip")'),
    (
        r"set max_depth to say how often a record may stand in itself, or choose fields without it",
        "give max_depth=N, which says how often a record may stand in itself, or choose columns by fields=[…] or keys=[…]",
    ),
]

#: What functions that look at files say.
OF_LOOKING: Table = [
    (re.escape(SKIP), 'tfxio.open(…, on_error="skip"), or copy what is whole by tfxio.repair'),
]

#: What `tfxio.write` says.
OF_WRITING: Table = [
    (r"leave the columns out, cast them, or allow the losses", "leave the columns out by exclude=[…], cast them by cast={NAME: TYPE}, or allow the losses"),
    (r"leave the column out, or cast it to one of ", "leave it out by exclude=[NAME], or cast it by cast={NAME: TYPE} to one of "),
    (r"leave the column out, or cast it to another type", "leave it out by exclude=[NAME], or cast it by cast={NAME: TYPE}"),
    (r"leave the column out(?=$|;)", "leave it out by exclude=[NAME]"),
    (r"or state the format(?:, on the command line --to FORMAT)?", "or give format=…"),
]

#: What `tfxio.convert` says.
OF_CONVERTING: Table = [
    (r"or state the format(?:, on the command line --to FORMAT)?", "or give to=…"),
    (r"; state the format of the output", "; give to=…"),
    *OF_WRITING,
]

#: What `tfxio.encode_examples` says.
OF_ENCODING: Table = [
    (r"leave the columns out, cast them, or allow the losses", "leave the columns out, cast them before, or allow the losses"),
    (r"leave the column out, or cast it to one of .*?(?=$|;)", "leave the column out, or cast it before"),
]

#: What `tfxio.extract` says.
OF_EXTRACTING: Table = []

#: What a loader says.
OF_LOADER: Table = [
    (re.escape(SKIP), 'a configuration with "on_error": "skip"'),
]

#: Keys of a configuration, and the keywords of a loader that say the same.
KEYS = {
    "target_batch_size": "batch_size",
    "num_shuffle_buffer_elements": "shuffle_buffer",
    "primary_features": "features",
    "secondary_features": "constants",
    "processing_steps": "steps",
    "window_steps": "window",
    "min_window": "window",
    "max_window": "window",
    "stride": "window",
    "min_stride": "window",
    "max_stride": "window",
    "padding": "pad",
    "normalization": "normalize",
    "bucket_by_length": "buckets",
    "num_prefetch": "prefetch",
}

#: What a loader that was made of keywords says.
BY_KEYWORDS: Table = [
    (re.escape(SKIP), 'on_error="skip"'),
    # The text is made of keywords, and nobody sees it.
    (r"line \d+, column \d+, (?=`)", ""),
    (r"`dataset`: the configuration names no data set; set `dataset`, or give", "there is no data set; give"),
    (r"set `dataset`, or give", "give"),
    (r"set `on_error` to \"skip\" to leave out what is damaged", 'give on_error="skip", which leaves out what is damaged'),
    (r"give `padding` a larger shape, or -1 for the largest of the batch", "give it a larger size in pad, or leave it out there for the largest of the batch"),
    (
        r"(?:set|give) `padding`(?:, so that examples of different lengths become one batch)?(?: to bring the tensors of a batch to one shape)?",
        "give pad=True, or sizes by name, which bring the tensors of a batch to one shape",
    ),
    (r"every record needs each feature that is read, or set `defaults`", 'every record needs each feature that is read: give defaults={"NAME": VALUE}, or a filter, as "NAME is not null"'),
    (r"raise `max_tokens\.tokens`, or set `too_long` to (.*)", r'raise max_tokens, or give it as {"tokens": N, "too_long": …} with \1'),
    (r"`max_tokens\.tokens`", "max_tokens"),
    (r"leave such records out with `filter`, or set `on_leave` of `validate` to \"warn\"", 'leave such records out with filter, or give on_leave="warn"'),
    (
        r"raise `pack\.length`, or set `too_long` to \"drop\" or \"truncate\"(?:, or set `split` to true)?",
        'raise pack, or give it as {"length": N, "too_long": …} with "drop" or "truncate", or as {"length": N, "split": True}',
    ),
    (r"`pack\.length`", "pack"),
    (r"or `target_batch_size` to 1", "or batch_size=1"),
    # Data sets that are given have no manifest.
    (r"is a feature of the context, which has no steps to cut windows from", "has one value a record, and windows are cut out of lists"),
    (
        r"choose features with var_len, or a loader of type \"independent\"; for records of one step each, .*",
        'name the others as inputs and targets; for rows of one step each, give steps=[("NAME", "reshape", [1, …])] for each tensor that has several '
        "values a row; otherwise make lists of its values by map",
    ),
    (r"; further lists are of a fixed size", "; make such a column of it by map"),
    (r"the manifest's dtype casts(?: them)?", "make such a column by map"),
    (r"only a dense tensor with a default for shortfalls has a value for it", "no tensor has a value for it"),
    (r"fill it in, or leave the record out", "fill it by map, or leave the record out by filter"),
    (r"set `epochs` to null", "give epochs=None"),
    (r"`epochs` is null", "epochs is None"),
    (r"give \"shuffle\": true", 'give shuffle="buffer"'),
    (r"give \"shuffle\": \"blocks\"", 'give shuffle="blocks"'),
    (r"shuffle through a buffer", 'give shuffle="buffer"'),
    (r"`stride`, .*: ", "window: "),
    (r"set `too_long` to", 'give "too_long" as'),
    *((rf"`{key}(?:\[\d+\])?(?:\.\w+|\[\d+\])*`", keyword) for key, keyword in KEYS.items()),
    (r"`(\w+)(?:\[\d+\])?(?:\.\w+|\[\d+\])*`(?=: )", r"\1"),
    (
        r"`(batch_size|shuffle|shuffle_bytes|shuffle_streams|seed|epochs|drop_remainder|filter|max_tokens|on_error|shard|validate|on_leave|defaults|truncate|pack|even|index)`",
        r"\1",
    ),
]


def in_python(text: str) -> str:
    """Returns a text of the engine with what it says to do in words of Python."""
    return _translated(text, EVERYWHERE)


def translate(error: TfxioError, table: Table) -> None:
    """Gives an error the words of the place where it is read."""
    error.args = (_translated(str(error.args[0]), table), *error.args[1:])
    error.hint = None if error.hint is None else _translated(error.hint, table)


def of_table(text: str, table: Table) -> str:
    """Returns a text in the words of the place where it is read."""
    return _translated(text, table)


def _translated(text: str, table: Table) -> str:
    for pattern, words in table:
        text = re.sub(pattern, words, text)
    return text
