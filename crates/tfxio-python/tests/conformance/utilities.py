"""Kinds `array_util`, `table_util` and `column_path`: functions over arrays, batches and paths."""

from __future__ import annotations

from typing import Any

from tfxio.compat.tfx_bsl.arrow import array_util, table_util
from tfxio.compat.tfx_bsl.arrow.path import ColumnPath

from columns import array, batch, normal, same_array, same_batch
from golden import Case, Unreachable, check, decoded, equal, phase


def _value(tagged: dict[str, Any]) -> Any:
    [(tag, content)] = tagged.items()
    match tag:
        case "none":
            return None
        case "array":
            return array(content)
        case "record_batch":
            return batch(content)
        case "arrow_type":
            return array(content).type
        case "path":
            return ColumnPath(content)
        case "ndarray":
            return content["values"]
        case "list":
            return [_value(item) for item in content]
    return content


def _same(ours: Any, ok: dict[str, Any]) -> None:
    [(tag, content)] = ok.items()
    match tag:
        case "array":
            same_array(ours, _value(ok))
        case "record_batch":
            same_batch(ours, _value(ok))
        case "arrow_type":
            equal(normal(ours), normal(_value(ok)))
        case "ndarray":
            equal(ours.tolist(), content["values"])
        case "list":
            listed = list(ours)
            equal(len(listed), len(content), "the number of results")
            for mine, expected in zip(listed, content):
                _same(mine, expected)
        case _:
            equal(ours, _value(ok))


def function(case: Case, expected: dict[str, Any]) -> None:
    """Judges `array_util` and `table_util`."""
    module = {"array_util": array_util, "table_util": table_util}[case.kind]

    def ours() -> Any:
        arguments = [_value(argument) for argument in case.inputs["args"]]
        named = {key: _value(argument) for key, argument in (case.inputs.get("kwargs") or {}).items()}
        call = getattr(module, case.inputs["function"])
        with phase("call", also=(AssertionError, KeyError)):
            answer = call(*arguments, **named)
            # What goes through the arrays of a batch does so when it is asked for the next.
            return list(answer) if case.inputs["function"] == "enumerate_arrays" else answer

    check(ours, expected, _same)


def column_path(case: Case, expected: dict[str, Any]) -> None:
    """Judges `column_path`: operations on paths."""
    path = ColumnPath(case.inputs["steps"])
    arguments = [_value(argument) for argument in case.inputs["args"]]

    def ours() -> Any:
        with phase("call"):
            match case.inputs["op"]:
                case "steps":
                    return path.steps()
                case "str":
                    return str(path)
                case "bool":
                    return bool(path)
                case "len":
                    return len(path)
                case "lt":
                    return path < arguments[0]
                case "eq":
                    return path == arguments[0]
                case "to_proto":
                    try:
                        return path.to_proto().SerializeToString()
                    except ImportError as missing:
                        raise Unreachable(f"messages of paths need tensorflow_metadata: {missing}") from missing
                case operation:
                    return getattr(path, operation)(*arguments)

    def same(ours: Any, ok: dict[str, Any]) -> None:
        if "proto" in ok:
            equal(ours, decoded(ok["proto"]["b64"]))
        else:
            _same(ours, ok)

    check(ours, expected, same)
