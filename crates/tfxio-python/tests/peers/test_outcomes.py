"""What tfx-bsl and its stand-in make of nothing, and what they refuse, side by side: the same values, classes of errors and words."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("tfx_bsl") is None:
    pytest.skip("tfx-bsl is not installed", allow_module_level=True)

HERE = Path(__file__).resolve().parent
SUBJECTS = ("arrays", "tables", "sketches", "coders", "tensors", "sources", "inference")

#: Where ours differs, and why, by what differs. A pattern that no difference has is an error, and so is a difference without one.
DIFFERENT: dict[str, dict[str, str]] = {
    # Theirs gives a value, and ours raises.
    "refused": {
        r"MakeListArray: (parents that|a negative parent|a null parent|a parent between)": "values are dropped, or put where a null stands",
        r"RecordBatchTake first: no columns": "a row that is not there",
        r"MergeRecordBatches with another: two of a name": "the values of a column are dropped",
        r"(Kmv|MisraGries)Sketch of no bytes": "a sketch of no buckets",
        r"tensor .*: nulls in lists": "NaN in the place of integers",
        r"tensor sparse: indices beyond": "a tensor that is not valid",
        r"tensor ragged, lengths: values": "values in other rows",
        r"(tensor|specs) ragged, lengths: (no )?lists of lists": "lengths for lists of lists are not supported",
        r"sparse of rank \d, (rows|a row below 0)": "values are dropped",
        r"(TFExampleRecord|TFSequenceExampleRecord|RawTfRecordTFXIO|ParquetTFXIO) of None": "no path",
        r"AppendRawRecordColumn by negative indices": "records counted from the end",
    },
    # Theirs raises, and ours gives a value.
    "taken": {
        r"IndexIn of (none|itself): .*halffloat": "one more type",
        r"QuantilesSketch.AddValues( weighted)?: .*halffloat": "one more type",
        r"get_field -?\d: ": "theirs looks for a number among names, where structs are null",
        r"(examples|sequences), .*: a damaged feature": "a feature that is not in the schema is not looked into",
        r"TFSequenceExampleRecord, .*(batches|tensors)$": "there, with the representations that are inferred",
        r"a model of texts": "theirs has no type for a single text",
    },
    "value": {
        r"quantiles of a stream without values": "null for the stream; theirs leaves it out, and those after it move up",
        r"IndexIn( of itself: nulls? (large_)?(string|binary)|: null in nulls)": "a null that is first in a set of strings is not found",
        r"ProjectTensorRepresentationsInSchema \['a'\]: two of a name": "both features",
    },
    "class": {
        r"(ToSingletonListArray|ParseCSVLine|TotalByteSize|RecordBatchToExamples|batches|tensors)(:| of| by) None": "None",
        r"CreateTf(Sequence)?ExampleParserConfig": "an error of Python that says nothing of the tensor",
        r"TF(Sequence)?Example(Beam)?Record.*: Project": "an error of Python that says nothing of the tensor",
        r"TFSequenceExampleRecord, None: .*tensors": "an error of Python that says nothing of the schema",
        r"TFSequenceExampleRecord, (None|feature)": "there, with the representations that are inferred",
        r"TFExampleRecord, .*: a cut file, tensors": "what a generator of tf.data raises is InvalidArgumentError",
        r"make_tf_record_dataset of no patterns": "a tensor of floats",
        r"ParquetTFXIO without a schema": "an error of Python that says nothing of the file",
    },
    "words": {
        r"(:| of| of a| that are| with) (None|list|a list|a chunked array|number|a number|text|message|table|nothing at all)\b": "another object",
        r"TFSequenceExampleBeamRecord: TensorFlowDataset": "the name of the class",
        r"(tensor|specs) dense, a size below 0": "the tensor, and the representation",
        r"(batches|tensors): no file|no file, ": "the file",
        r"MergeRecordBatches with another column: two of a name": "the column",
        r"IndexIn of (none|itself): .*dictionary": "the type",
        r"AppendRawRecordColumn by indices beyond": "the index",
        r"CreateModelHandler of no model": "models elsewhere are not supported",
        r"TFExampleRecord, .*: a record, (batches|tensors)": "the file, the record and the column",
        r"examples|sequences|ragged to examples|RecordBatchToExamples": "nested lists are said to be nested, before their values are looked at",
    },
}


def difference(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str | None:
    """Returns what differs, if anything does."""
    if "value" in theirs and "value" in ours:
        return "value" if theirs["value"] != ours["value"] else None
    if "value" in theirs:
        return "refused"
    if "value" in ours:
        return "taken"
    if theirs["error"][0] not in ours["error"]:
        return "class"
    return None if words(theirs["text"]) in ours["text"] else "words"


def words(message: str) -> str:
    """Returns the beginning of a message that programs look for: up to the first number, name or type."""
    # Where a tensor does not fit, two messages: of the tensor, and why.
    message = re.sub(r"^\(.*', '(?=[A-Z])", "", message, flags=re.DOTALL)
    if "incompatible function arguments" in message or "incompatible constructor arguments" in message:
        return ""
    return re.split(r"[\d'\"\[({<\n]|_\w+_| vs\.? | type: ", message)[0].rstrip(" .:,-")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, tuple[Any, Any]]]:
    """What came of each case on both sides, by subject. Each side is a process."""
    folder = tmp_path_factory.mktemp("outcomes")
    began = {}
    for side in ("theirs", "ours"):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
        command = [sys.executable, str(HERE / "print_outcomes.py"), side]
        with (folder / side).open("w") as printed, (folder / f"{side}.err").open("w") as said:
            began[side] = subprocess.Popen(command, stdout=printed, stderr=said, env=environment)
    for side, process in began.items():
        assert process.wait() == 0, (folder / f"{side}.err").read_text()[-2000:]
    theirs, ours = (
        {(line["subject"], line["case"]): line for line in map(json.loads, (folder / side).read_text().splitlines())} for side in began
    )
    assert theirs.keys() == ours.keys()
    by_subject: dict[str, dict[str, tuple[Any, Any]]] = {subject: {} for subject in SUBJECTS}
    for subject, case in theirs:
        by_subject[subject][case] = theirs[subject, case], ours[subject, case]
    return by_subject


@pytest.mark.parametrize("subject", SUBJECTS)
def test_same(outcomes: dict[str, dict[str, tuple[Any, Any]]], subject: str) -> None:
    assert len(outcomes[subject]) > 40
    unexpected = []
    for case, (theirs, ours) in outcomes[subject].items():
        what = difference(theirs, ours)
        if what is not None and not any(re.search(pattern, case) for pattern in DIFFERENT[what]):
            shown = [side.get("value") or f"{side['error'][0]}: {side['text']}" for side in (theirs, ours)]
            unexpected.append(f"{what}: {case}\n  theirs {shown[0][:300]}\n  ours   {shown[1][:300]}")
    assert not unexpected, f"{len(unexpected)} differences\n" + "\n".join(unexpected)


@pytest.mark.parametrize("what", DIFFERENT)
def test_differences_are_real(outcomes: dict[str, dict[str, tuple[Any, Any]]], what: str) -> None:
    every = [(case, *sides) for cases in outcomes.values() for case, sides in cases.items()]
    found = [case for case, theirs, ours in every if difference(theirs, ours) == what]
    unused = [pattern for pattern in DIFFERENT[what] if not any(re.search(pattern, case) for case in found)]
    assert not unused, unused


def test_a_difference_is_found() -> None:
    error = {"error": ["RuntimeError", "Exception"], "text": "INVALID_ARGUMENT: row 3"}
    assert difference({"value": "[]"}, {"value": "[None]"}) == "value"
    assert difference({"value": "[]"}, error) == "refused"
    assert difference(error, {"value": "[]"}) == "taken"
    assert difference(error, {"error": ["ValueError", "Exception"], "text": error["text"]}) == "class"
    assert difference(error, {**error, "text": "INTERNAL: row 3"}) == "words"
    assert difference(error, {"error": ["Narrower", "RuntimeError"], "text": "INVALID_ARGUMENT: row 3 of 4"}) is None
