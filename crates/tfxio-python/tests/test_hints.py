"""Errors say to do what can be done where they are read: in Python by its functions and keywords, in a configuration by its keys."""

from __future__ import annotations

import pickle
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tfxio
from tfxio._hints import BY_KEYWORDS, _translated, in_python

from conftest import DIGITS, FIXTURES

PEOPLE = FIXTURES / "avro" / "people.avro"
CRATES = Path(__file__).parents[2]
#: The crates whose errors are read in Python.
ENGINE = "avro-path batch-loader example-codec message-codec tensor-repr tfrecord-io tfxio-base tfxio-core tfxio-formats tfxio-stats".split()

#: Words of the API of Rust and of the command line.
FOREIGN = re.compile(
    r"[sS]alvage|Limits::|::\w+|\bon the command line\b|(?<![\w-])--(?!include_imports|descriptor_set_out)[a-z][a-z-]+|`?tfxio (?:index|load|convert)\b|Vec<|OpenOptions|[rR]aise (?:the limit|`record_bytes`)"
)
#: Literals that are no text of an error, or one of the command alone.
NOT_SAID = re.compile(r"^[\w:]+$|^Limits::$|^BatchLoader::|::from_|tfxio loader state|SchemaLimits::\{|`T` is the value|^--x-s3")

#: Texts, and what looks like their quotes: raw texts and characters.
LITERAL = re.compile(r'''r(#+)".*?"\1|'(?:[^'\\\n]|\\[^'\n]+|\\')'|"((?:[^"\\]|\\.)*)"''', re.DOTALL)


def literals() -> Iterator[tuple[str, str]]:
    """Yields the texts of the engine, with the names of their files."""
    for crate in ENGINE:
        for path in sorted((CRATES / crate / "src").rglob("*.rs")):
            if "tests" in path.parts or path.name == "tests.rs":
                continue
            lines = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0].split("\n")
            code = "\n".join("" if re.match(r"\s*(//|#!?\[)", line) else line for line in lines)
            for _, literal in LITERAL.findall(code):
                yield path.name, re.sub(r"\\\n\s*", "", literal).replace('\\"', '"')


@pytest.mark.skipif(not (CRATES / "tfxio-core").is_dir(), reason="the sources of the engine are not here")
def test_no_hint_has_words_of_rust_or_of_the_command() -> None:
    said = [(name, text) for name, text in literals() if FOREIGN.search(text) and not NOT_SAID.search(text)]
    assert len(said) > 30, "the texts are found"
    foreign = [f"{name}: {text!r} is {found!r}" for name, text in said if FOREIGN.search(found := in_python(text))]
    assert not foreign, "\n".join(foreign)


@pytest.mark.skipif(not (CRATES / "batch-loader").is_dir(), reason="the sources of the engine are not here")
def test_no_hint_of_a_loader_by_keywords_has_keys_that_are_none() -> None:
    keys = re.compile(r"`(padding|target_batch_size|defaults|on_error|too_long|filter|seed|epochs)`")
    # Of what no keyword can ask for.
    beyond = re.compile(r"`even`|\{key\}|pack|split|`\{what\}`|`stride`|window|`sloppy_interleave`|`buckets`")
    said = [(name, text) for name, text in literals() if keys.search(text) and not beyond.search(text)]
    foreign = [f"{name}: {text!r} is {found!r}" for name, text in said if keys.search(found := _translated(text, BY_KEYWORDS))]
    assert not foreign, "\n".join(foreign)


def ragged(**how: Any) -> Callable[[tfxio.Dataset], Any]:
    """Returns what loads rows of different lengths, and lacks some."""

    def call(_: tfxio.Dataset) -> Any:
        import pyarrow as pa

        class Rows(tfxio.Dataset):
            schema = pa.schema({"a": pa.list_(pa.int64()), "b": pa.int64()})

            def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
                return [tfxio.Partition("rows", first_record=0, records=2)]

            def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Any:
                yield pa.record_batch({"a": [[1], [2, 3]], "b": [None, 1]}, self.schema)

        return list(Rows().loader(**how))

    return call


def deep(_: tfxio.Dataset) -> Any:
    """Loads lists of lists of lists."""
    import pyarrow as pa

    class Rows(tfxio.Dataset):
        schema = pa.schema({"a": pa.list_(pa.list_(pa.list_(pa.int64())))})

        def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
            return [tfxio.Partition("rows", first_record=0, records=1)]

    return Rows().loader(inputs=["a"], batch_size=2)


def sequences(**how: Any) -> Callable[[tfxio.Dataset], Any]:
    """Returns what loads sequences, one of which has the name of a feature of the context."""

    def call(_: tfxio.Dataset) -> Any:
        import pyarrow as pa

        steps = pa.list_(pa.list_(pa.int64()))
        fields = pa.struct({"number": steps, "clicks": steps})
        schema = pa.schema({"user": pa.int64(), "number": pa.list_(pa.int64()), "##SEQUENCE##": fields})
        row = {"number": [[1], [2]], "clicks": [[1], [2, 3]]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sequences.tfrecord"
            tfxio.write(pa.table({"user": [1], "number": [[1]], "##SEQUENCE##": [row]}, schema), path)
            return list(tfxio.open(path, scalars=["user"]).loader(batch_size=2, **how))

    return call


def nulls(_: tfxio.Dataset) -> Any:
    """Loads a list with a null in it."""
    return next(tfxio.open(PEOPLE, keys=["friends[*].age"]).loader(inputs=["friends[*].age"], batch_size=2, pad=True))


SAID: list[tuple[Callable[[tfxio.Dataset], Any], str, str]] = [
    (ragged(inputs=["b"], batch_size=2), 'give defaults={"NAME": VALUE}, or a filter, as "NAME is not null"', "`defaults`"),
    (ragged(inputs=["a"], batch_size=2, pad={"a": 1}), "give it a larger size in pad", "`padding`"),
    (ragged(inputs=["a"], max_tokens=1), "raise max_tokens, or give it as", "`too_long`"),
    (ragged(inputs=["a"], batch_size=2), "which bring the tensors of a batch to one shape, or batch_size=1", "`"),
    (ragged(inputs=["a"], batch_size=2, pack=1), 'raise pack, or give it as {"length": N, "too_long": …} with "drop" or "truncate"', "`"),
    (ragged(inputs=["a", "b"], batch_size=2, window=2), '"b" has one value a record, and windows are cut out of lists', "context"),
    (
        deep,
        'the column "a" has the Arrow type List(List(List(Int64))), of which no tensor is made; load columns of numbers, booleans, strings or binary '
        "values, of lists of these, or of lists of lists of any length; make such a column of it by map",
        "fixed",
    ),
    (sequences(inputs=["number"]), 'two features have the name "number"', "`"),
    (sequences(inputs=["x"], features={"x": "number"}), '"##SEQUENCE##.number" is that of the sequences, "##CONTEXT##.number" that of', "`"),
    (sequences(inputs=["clicks"]), "the step 1 has 2 values, the first in the same batch has 1; give pad=True, or sizes by name", "`"),
    (sequences(inputs=["clicks"], pad={"clicks": [None, 1]}), "the step 1 has 2 values, and its padding has 1; give it a larger size in pad", "`"),
    (sequences(inputs=["clicks"], pad={"clicks": [1, 2, 3]}), "pad, tensor \"clicks\": the shape [1, 2, 3] has 3 dimensions", "`"),
    (sequences(inputs=["clicks"], steps=[("clicks", "reshape", [3])]), "steps: the tensor \"clicks\" of shape [?, ?] has any number of values in each", "`"),
    (sequences(inputs=["clicks"], defaults={"clicks": [1]}), "defaults: the tensor \"clicks\" of shape [?, ?] has any number of values in each", "`"),
    (sequences(inputs=["user", "clicks"], window=2), "windows are cut out of lists; name the others as inputs and targets; for rows of one", "context"),
    (
        sequences(inputs=["clicks"], window={"size": 1, "steps": [("clicks", "slice", "[-1]")]}),
        'one step of a window of "clicks" has any number of values, which are no length of the window; take a range of steps, such as [-1:]',
        "`",
    ),
    (lambda ds: ds.loader(inputs=["image"], batch_size=2, one_hot={"image": 3}), "make such a column by map", "manifest"),
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, one_hot={"lable": 3}), 'one_hot: there is no tensor "lable"', "steps"),
    (
        lambda ds: ds.loader(inputs=["id"], batch_size=2, steps=[("image", "slice", "[:2]")], one_hot={"label": 3}),
        'steps: there is no tensor "image"',
        "steps: there is no tensor \"label\"",
    ),
    (nulls, "an element is null; no tensor has a value for it; fill it by map, or leave the record out by filter", "shortfalls"),
    (lambda ds: tfxio.open(PEOPLE), "give max_depth=N, which says how often a record may stand in itself", "set max_depth"),
    (ragged(inputs=["a"], batch_size=2, pad={"aa": 1}), 'pad: there is no tensor "aa"', "padding"),
    (lambda ds: tfxio.BatchLoader(inputs=["label"], batch_size=2), "there is no data set; give a data set, as tfxio.open", "`"),
    (lambda ds: ds.loader({"type": "independent", "primary_features": []}, inputs=["id"]), 'the key "dataset" is missing', "keyword"),
]


@pytest.mark.parametrize(("call", "said", "not_said"), SAID)
def test_what_a_loader_says_to_do(call: Callable[[tfxio.Dataset], Any], said: str, not_said: str, digits: tfxio.Dataset) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(tfxio.TfxioError) as raised:
        call(digits)
    assert said in str(raised.value) and not_said not in str(raised.value), str(raised.value)
    hint = raised.value.hint
    assert hint is None or hint in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.hint) == (str(raised.value), hint)


def test_a_configuration_keeps_its_keys() -> None:
    pytest.importorskip("pyarrow")
    config: dict[str, Any] = {"type": "independent", "dataset": None, "primary_features": [], "target_batch_size": 2}
    with pytest.raises(ValueError, match="or set `defaults`"):
        ragged(config=config, inputs=["b"])(None)  # type: ignore[arg-type]


def test_damage(tmp_path: Path) -> None:
    first = Path(DIGITS.replace("@3", "-00000-of-00003")).read_bytes()
    path = tmp_path / "cut.tfrecord"
    path.write_bytes(first[:-20])
    with pytest.raises(ValueError, match=r'or read the rest by tfxio.open\(…, on_error="skip"\)') as raised:
        tfxio.open(path)
    assert "salvage" not in str(raised.value)
    ds = tfxio.open(path, infer_records=100)
    with pytest.raises(ValueError, match=r'or read the rest by Dataset.read\(on_error="skip"\)'):
        list(ds.read())
    with pytest.raises(ValueError, match='or read the rest by on_error="skip"$'):
        list(ds.loader(inputs=["label"], batch_size=100))
    config: dict[str, Any] = {"type": "independent", "dataset": None, "primary_features": [], "target_batch_size": 100}
    with pytest.raises(ValueError, match='a configuration with "on_error": "skip"'):
        list(ds.loader(config, inputs=["label"]))
    for look in (tfxio.verify, tfxio.inspect):
        [error] = look(path)[0]["errors"]
        assert error.endswith('or read the rest by tfxio.open(…, on_error="skip"), or copy what is whole by tfxio.repair')
    with pytest.warns(UserWarning, match="skipped 1 damaged range"):
        assert sum(batch.num_rows for batch in ds.read(on_error="skip")) == 598


EMPTY = {
    "a.avro": "a.avro: the file is empty",
    "a.parquet": "a.parquet: the file has 0 bytes",
    "a.arrow": "a.arrow: the file has 0 bytes",
    "a.csv": "a.csv: the file is empty",
    "a.tfrecord.gz": "a.tfrecord.gz: the file has 0 bytes",
    "a": "a: the file is empty, and its name says no format",
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_files_that_are_none(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=re.escape(EMPTY[name])):
        tfxio.open(tmp_path / name)


@pytest.mark.parametrize("name", ["a.tfrecord", "a.jsonl"])
def test_empty_files_without_records(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    ds = tfxio.open(tmp_path / name)
    assert repr(ds) == f"Dataset without columns: {tmp_path / name} has no records"
    assert "has no records" in ds._repr_html_()
    assert (len(ds), ds.head(), list(ds.read())) == (0, [], [])
    with pytest.raises(ValueError, match='no column "x"; there are no columns: .* has no records'):
        ds.loader(inputs=["x"], batch_size=2)
    with pytest.raises(IndexError, match="row 0 of 0 rows"):
        ds[0]


def test_one_column_is_no_columns(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    assert repr(tfxio.open(tmp_path / "a.jsonl")).startswith("Dataset of 1 column\n  a")
