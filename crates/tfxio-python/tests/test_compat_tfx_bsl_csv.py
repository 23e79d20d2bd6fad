"""CSV in the stand-in for tfx-bsl: its cells without Apache Beam, its transforms where Beam is installed."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from tfxio.compat.tfx_bsl.coders._csv_cells import (  # noqa: E402
    ColumnType,
    LineReader,
    Multivalent,
    column,
    transposed,
    type_of_value,
    type_of_values,
)

ONE = Multivalent(None, None)
SEVERAL = Multivalent(["c"], "|")


def cells(*values: Any) -> Any:
    return transposed([[value] for value in values], ["c"])[0]


def test_lines() -> None:
    reader = pickle.loads(pickle.dumps(LineReader(",")))
    assert reader.read('1,"a,""b""",') == ["1", 'a,"b"', ""]
    assert reader.read("") == [] and reader.read('a"b') == ['a"b'] and reader.read('"a"b\r') == ["ab"]
    with pytest.raises(ValueError, match="a quote is open at the end of the line 'a,\"b': close it"):
        reader.read('a,"b')
    assert reader.read('c,"d"') == ["c", "d"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (b"", ColumnType.UNKNOWN),
        (b"-7", ColumnType.INT),
        (b" 1_000 ", ColumnType.INT),
        (b"9223372036854775807", ColumnType.INT),
        (b"9223372036854775808", ColumnType.STRING),
        (b"-9223372036854775809", ColumnType.STRING),
        (b"1.5", ColumnType.FLOAT),
        (b"1e400", ColumnType.FLOAT),
        (b"nan", ColumnType.FLOAT),
        (b"0x1F", ColumnType.STRING),
        ("\u0661".encode(), ColumnType.STRING),
    ],
)
def test_types_of_values(value: bytes, kind: ColumnType) -> None:
    assert type_of_value(value) is kind
    for others in ([], [b"1"], [b"1", b"2.5"], [b"x"]):
        wanted = max([kind, *map(type_of_value, others)])
        assert type_of_values(pa.array([*others, value], pa.large_binary())) is wanted
        assert type_of_values(pa.array([value, *others], pa.large_binary())) is wanted


def test_columns() -> None:
    assert column("c", cells("1", "", "-20"), ColumnType.INT, ONE).to_pylist() == [[1], None, [-20]]
    assert column("c", cells(b"+1", b" 2", b"9223372036854775807"), ColumnType.INT, ONE).to_pylist() == [[1], [2], [2**63 - 1]]
    assert column("c", cells("1", ".5", "inf"), ColumnType.FLOAT, ONE).to_pylist() == [[1.0], [0.5], [float("inf")]]
    assert column("c", cells("a", "", "\u00e9"), ColumnType.STRING, ONE).to_pylist() == [[b"a"], None, ["\u00e9".encode()]]
    assert column("c", cells("", ""), ColumnType.UNKNOWN, ONE).type == pa.null()
    for kind in (ColumnType.INT, ColumnType.FLOAT, ColumnType.STRING, ColumnType.UNKNOWN):
        assert len(column("c", transposed([], ["c"])[0], kind, ONE)) == 0
        assert len(column("c", transposed([], ["c"])[0], kind, SEVERAL)) == 0


def test_numbers_are_rounded_twice() -> None:
    # Half-way between two numbers of single precision, and a little more: by way of double precision it goes to the even one.
    text = "1.00000017881393432617187499"
    assert column("c", cells(text), ColumnType.FLOAT, ONE).to_pylist() == pa.array([[float(text)]], pa.list_(pa.float32())).to_pylist()
    many = [f"{number / 7}" for number in range(1000)]
    [values] = [column("c", cells(*many), ColumnType.FLOAT, ONE).flatten()]
    assert values.equals(pa.array([float(text) for text in many], pa.float32()))


def test_cells_of_several_values() -> None:
    assert column("c", cells("1|2", "", "3"), ColumnType.INT, SEVERAL).to_pylist() == [[1, 2], None, [3]]
    assert column("c", cells("a||b", '"x|y"|z'), ColumnType.STRING, SEVERAL).to_pylist() == [[b"a", b"", b"b"], [b"x|y", b"z"]]
    assert column("c", cells("|", ""), ColumnType.UNKNOWN, SEVERAL).to_pylist() == [None, None]
    with pytest.raises(AssertionError, match="secondary_delimiter must be specified if there are multivalent columns"):
        Multivalent(["c"], None)


@pytest.mark.parametrize(
    ("values", "kind", "several", "said"),
    [
        (["1", "x"], ColumnType.INT, ONE, r"column 'c': b'x' is not an integer of 64 bits: declare the column as bytes"),
        (["9223372036854775808"], ColumnType.INT, ONE, r"column 'c': b'9223372036854775808' is not an integer of 64 bits"),
        (["1.5", "0x1F"], ColumnType.FLOAT, ONE, r"column 'c': b'0x1F' is not a number"),
        (["1|"], ColumnType.INT, SEVERAL, r"column 'c': b'' is not an integer of 64 bits"),
        (["", "x"], ColumnType.UNKNOWN, ONE, r"column 'c': b'x' is a value, and the column is of type UNKNOWN"),
        (["|x"], ColumnType.UNKNOWN, SEVERAL, r"column 'c': b'x' is a value, and the column is of type UNKNOWN"),
    ],
)
def test_cells_that_do_not_have_their_type(values: list[str], kind: ColumnType, several: Multivalent, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        column("c", cells(*values), kind, several)


def test_blank_lines_and_lines_of_another_length() -> None:
    first, second = transposed([["1", "a"], [], ["", "b"]], ["x", "y"])
    assert (first.to_pylist(), second.to_pylist()) == ([b"1", None, None], [b"a", None, b"b"])
    with pytest.raises(ValueError, match=r"Columns do not match specified csv headers: \['x', 'y'\] -> \['1'\]"):
        transposed([["1"]], ["x", "y"])


LINES = ["1,a|b,x", "", '2,,"y, z"', "3.5,c,"]
NAMES = ["number", "letters", "text"]


@pytest.mark.parametrize("skip_blank_lines", [True, False])
def test_the_transform(skip_blank_lines: bool) -> None:
    beam = pytest.importorskip("apache_beam")
    from apache_beam.testing.util import assert_that

    from tfxio.compat.tfx_bsl.coders import csv_decoder

    def check(batches: list[Any]) -> None:
        rows = [row for batch in batches for row in batch.to_pylist()]
        wanted = [
            {"number": [1.0], "letters": [b"a", b"b"], "text": [b"x"], "line": [b"1,a|b,x"]},
            {"number": None, "letters": None, "text": None, "line": [b""]},
            {"number": [2.0], "letters": None, "text": [b"y, z"], "line": [b'2,,"y, z"']},
            {"number": [3.5], "letters": [b"c"], "text": None, "line": [b"3.5,c,"]},
        ]
        if skip_blank_lines:
            del wanted[1]
        by_line = str
        assert sorted(rows, key=by_line) == sorted(wanted, key=by_line)
        assert sum(batch.num_rows > 0 for batch in batches) > 1

    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        batches = (
            pipeline
            | beam.Create(LINES, reshuffle=False)
            | csv_decoder.CSVToRecordBatch(
                NAMES,
                2,
                skip_blank_lines=skip_blank_lines,
                multivalent_columns=["letters"],
                secondary_delimiter="|",
                raw_record_column_name="line",
            )
        )
        assert_that(batches, check)


def test_the_functions_of_the_transform() -> None:
    pytest.importorskip("apache_beam")
    from tfxio.compat.tfx_bsl.coders import csv_decoder

    parse = pickle.loads(pickle.dumps(csv_decoder.ParseCSVLine(",")))
    with pytest.raises(AssertionError, match="Reader uninitialized"):
        list(parse.process(LINES[0]))
    parse.setup()
    rows = [row for line in LINES for row in parse.process(line)]
    assert rows[2] == ([b"2", b"", b"y, z"], LINES[2])
    infer = csv_decoder.ColumnTypeInferrer(NAMES, False, {"letters"}, "|")
    accumulators = [infer.add_input(infer.create_accumulator(), cells) for cells, _ in rows]
    infos = infer.extract_output(infer.merge_accumulators(accumulators))
    assert infos == [("number", ColumnType.FLOAT), ("letters", ColumnType.STRING), ("text", ColumnType.STRING)]
    decode = csv_decoder.BatchedCSVRowsToRecordBatch(True, {"letters"}, "|", "line")
    for _ in range(2):
        [batch] = decode.process(rows, infos)
        assert (batch.num_rows, batch.schema.names) == (3, [*NAMES, "line"])
    with pytest.raises(ValueError, match="Columns do not match specified csv headers"):
        infer.add_input({}, [b"1"])
