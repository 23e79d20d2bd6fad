"""The stand-in for the package `tfrecord`: its own tests, and the same values as it gives where it is installed."""

from __future__ import annotations

import gzip
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio
from tfxio.compat import tfrecord

pytestmark = pytest.mark.filterwarnings("ignore")

EXAMPLES: list[Any] = [
    {"image": ([0.5, 1.5], "float"), "label": (3, "int"), "id": (b"a", "byte")},
    {"image": ([2.5], "float"), "label": ([-1, 2**62], "int"), "id": ([b"b", b"ccc"], "byte")},
    {"image": ([], "float"), "label": (0, "int"), "id": (b"", "byte")},
]
SEQUENCES: list[Any] = [
    ({"n": (1, "int")}, {"words": ([b"x", [b"y", b"z"]], "byte"), "scores": ([[1.5, 2.5], [3.5]], "float")}),
    ({"n": (2, "int")}, {"words": ([b"w"], "byte"), "scores": ([], "float")}),
]


def plain(value: Any) -> Any:
    """Returns arrays as their dtype and their values."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return (str(value.dtype), value.tolist()) if isinstance(value, np.ndarray) else value


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    paths = {name: str(tmp_path / f"{name}.tfrecord") for name in ("examples", "sequences")}
    writers = {name: tfrecord.TFRecordWriter(path) for name, path in paths.items()}
    for example in EXAMPLES:
        writers["examples"].write(example)
    for context, features in SEQUENCES:
        writers["sequences"].write(context, features)
    for writer in writers.values():
        writer.close()
    tfrecord.tools.create_index(paths["examples"], str(tmp_path / "examples.idx"))
    return {**paths, "index": str(tmp_path / "examples.idx")}


def test_values(files: dict[str, str]) -> None:
    found = plain(list(tfrecord.example_loader(files["examples"], None, {"label": "int", "id": "byte", "image": "float"})))
    assert found == [
        {"label": ("int64", [3]), "id": b"a", "image": ("float32", [0.5, 1.5])},
        {"label": ("int64", [-1, 2**62]), "id": ("|S3", [b"b", b"ccc"]), "image": ("float32", [2.5])},
        {"label": ("int64", [0]), "id": b"", "image": ("float32", [])},
    ]
    context, features = plain(list(tfrecord.tfrecord_loader(files["sequences"], None, sequence_description=[])))[0]
    assert (context, list(features)) == ({"n": ("int64", [1])}, ["scores", "words"])
    assert features["words"] == [b"x", ("|S1", [b"y", b"z"])]
    assert features["scores"] == [("float32", [1.5, 2.5]), ("float32", [3.5])]
    next(tfrecord.example_loader(files["examples"], None))["image"][0] = 7.0


def test_the_package_gives_the_same(files: dict[str, str], digits_file: str) -> None:
    theirs = pytest.importorskip("tfrecord")
    if "compat" in theirs.__name__:
        pytest.skip("tfrecord is not installed")
    calls: list[tuple[Any, ...]] = [(digits_file, None), (files["examples"], None), (files["examples"], None, ["id"])]
    calls += [(files["examples"], files["index"], None, (index, 2)) for index in range(2)]
    for call in calls:
        assert plain(list(tfrecord.tfrecord_loader(*call))) == plain(list(theirs.tfrecord_loader(*call)))
    orders = []
    for module in (tfrecord, theirs):
        np.random.seed(5)
        mixed = module.multi_tfrecord_loader("{}", None, {digits_file: 0.7, files["examples"]: 0.3}, ["label"], infinite=False)
        orders.append(plain(list(module.shuffle_iterator(mixed, 50))))
    assert orders[0] == orders[1]
    sequences: dict[str, Any] = {"sequence_description": {"words": "byte"}}
    ours = plain(list(tfrecord.tfrecord_loader(files["sequences"], None, **sequences)))
    assert ours == plain(list(theirs.tfrecord_loader(files["sequences"], None, **sequences)))
    for example in EXAMPLES:
        message = theirs.example_pb2.Example.FromString(tfrecord.TFRecordWriter.serialize_tf_example(example))
        assert message == theirs.example_pb2.Example.FromString(theirs.TFRecordWriter.serialize_tf_example(example))
    assert tfrecord.TFRecordWriter.masked_crc(b"data") == theirs.TFRecordWriter.masked_crc(b"data")


def test_indexes_and_shards(files: dict[str, str], digits_file: str, tmp_path: Path) -> None:
    lines = [list(map(int, line.split())) for line in Path(files["index"]).read_text().splitlines()]
    assert [begin for begin, _ in lines] == [0, lines[0][1], lines[0][1] + lines[1][1]]
    tfrecord.tools.create_index(digits_file, str(tmp_path / "digits.idx"))
    for index_path in (None, str(tmp_path / "digits.idx")):
        parts = [list(tfrecord.tfrecord_iterator(digits_file, index_path, (shard, 4))) for shard in range(4)]
        assert sorted(map(bytes, sum(parts, []))) == sorted(map(bytes, tfrecord.tfrecord_iterator(digits_file)))
    turned = list(map(bytes, tfrecord.tfrecord_iterator(digits_file, str(tmp_path / "digits.idx"))))
    assert len(turned) == 599 and sorted(turned) == sorted(map(bytes, tfrecord.tfrecord_iterator(digits_file)))


def test_gzip(files: dict[str, str], tmp_path: Path) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(Path(files["examples"]).read_bytes()))
    found = list(tfrecord.tfrecord_iterator(str(packed), compression_type="gzip"))
    assert found == list(tfrecord.tfrecord_iterator(files["examples"]))
    with pytest.raises(ValueError, match="either 'gzip' or None"):
        next(tfrecord.tfrecord_iterator(str(packed), compression_type="zlib"))


def test_errors(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="Key lable doesn't exist"):
        next(tfrecord.example_loader(files["examples"], None, ["lable"]))
    with pytest.raises(TypeError, match="Incompatible type 'int' for `id`.*'byte'"):
        next(tfrecord.example_loader(files["examples"], None, {"id": "int"}))
    with pytest.raises(TypeError, match="bytes, not str"):
        tfrecord.TFRecordWriter.serialize_tf_example({"a": ("text", "byte")})
    cut = tmp_path / "cut.tfrecord"
    cut.write_bytes(Path(files["examples"]).read_bytes()[:-3])
    records = tfrecord.tfrecord_iterator(str(cut))
    with pytest.raises(RuntimeError, match="Failed to read the record"):
        list(records)


def test_features_that_differ_between_records(tmp_path: Path) -> None:
    path = str(tmp_path / "mixed.tfrecord")
    writer = tfrecord.TFRecordWriter(path)
    mixed: list[Any] = [{"a": (1, "int")}, {"b": (b"x", "byte")}, {"a": (1.5, "float")}]
    for example in mixed:
        writer.write(example)
    writer.close()
    assert plain(list(tfrecord.example_loader(path, None))) == [{"a": ("int64", [1])}, {"b": b"x"}, {"a": ("float32", [1.5])}]
    records = tfrecord.example_loader(path, None, ["a"])
    next(records)
    with pytest.raises(KeyError, match="Key a"):
        next(records)


def test_features_of_which_no_list_is_set(tmp_path: Path) -> None:
    """They are as if they were not there; the package `tfrecord` ends with an IndexError over the first one."""
    unset = bytes([0x0A, 7, 0x0A, 5, 0x0A, 1, 0x61, 0x12, 0])
    path = str(tmp_path / "unset.tfrecord")
    for others in ([], [{"b": (1, "int")}], [{"a": (1, "int")}]):
        with open(path, "wb") as file:
            writer = tfxio.TFRecordWriter(file)
            writer.write(unset)
            for other in others:
                writer.write(tfxio.Example({name: [value] for name, (value, _) in other.items()}).to_bytes())
            writer.close()
        found = list(tfrecord.tfrecord_loader(path, None))
        assert plain(found) == [{}, *({name: ("int64", [value]) for name, (value, _) in other.items()} for other in others)]
        with pytest.raises(KeyError, match=r"Key a doesn't exist \(select from \[\]\)!"):
            list(tfrecord.tfrecord_loader(path, None, {"a": "int"}))


def test_messages() -> None:
    pytest.importorskip("google.protobuf")
    from tfxio.compat.tfrecord import example_pb2

    record = tfrecord.TFRecordWriter.serialize_tf_sequence_example(*SEQUENCES[0])
    message = example_pb2.SequenceExample.FromString(record)  # type: ignore[attr-defined]
    mapping = {"byte": "bytes_list", "float": "float_list", "int": "int64_list"}
    assert plain(tfrecord.extract_feature_dict(message.context, None, mapping)) == {"n": ("int64", [1])}
    features = tfrecord.extract_feature_dict(message.feature_lists, {"scores": "float"}, mapping)
    assert plain(features) == {"scores": [("float32", [1.5, 2.5]), ("float32", [3.5])]}


def test_a_package_that_is_imported_is_not_replaced() -> None:
    code = """
import sys, types, tfxio.compat
sys.modules["tfrecord"] = types.ModuleType("tfrecord")
try:
    tfxio.compat.install("tfrecord")
except RuntimeError as error:
    print("already imported" in str(error))
del sys.modules["tfrecord"]
tfxio.compat.install("tfrecord")
tfxio.compat.install("tfrecord")
import tfrecord.reader, tfrecord.tools.tfrecord2idx, tfxio.compat.tfrecord.reader, pickle
print(tfrecord.reader is tfxio.compat.tfrecord.reader, tfrecord.reader.__spec__.name)
print(pickle.loads(pickle.dumps(tfrecord.example_loader)) is tfxio.compat.tfrecord.example_loader)
"""
    child = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert child.stdout.split() == ["True", "True", "tfxio.compat.tfrecord.reader", "True"], child.stderr
    with pytest.raises(ValueError, match="no module stands in for 'numpy'"):
        __import__("tfxio.compat").compat.install("numpy")


def test_their_own_tests(tmp_path: Path) -> None:
    given = os.environ.get("TFXIO_PEERS_TESTS_DIR")
    if given is None:
        pytest.skip("TFXIO_PEERS_TESTS_DIR is not set")
    pytest.importorskip("google.protobuf")
    shutil.copytree(Path(given) / "tfrecord" / "tests", tmp_path / "theirs")
    (tmp_path / "stand_in.py").write_text('import tfxio.compat\ntfxio.compat.install("tfrecord")\n')
    with_torch = importlib.util.find_spec("torch") is not None
    left_out = [] if with_torch else ["--ignore", "theirs/test_multi_tf_record_dataset.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "stand_in", "-p", "no:cacheprovider", "-c", os.devnull]
    paths = [str(Path(path).resolve()) for path in sys.path if path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *paths])}
    child = subprocess.run([*command, *left_out, "theirs"], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
    assert f"{9 if with_torch else 8} passed" in child.stdout, child.stdout + child.stderr
