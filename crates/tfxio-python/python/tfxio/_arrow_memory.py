"""The memory of batches of Arrow, by the C data interface: as arrays of bytes that go to other processes, and back."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

import numpy as np

from tfxio._lib import RecordBatch, Schema, array_of_numpy

Bytes: TypeAlias = Any

#: Bytes of a value, by the first letters of the format of its type.
WIDTHS = {**dict.fromkeys("cC", 1), **dict.fromkeys("sSe", 2), **dict.fromkeys("iIf", 4), **dict.fromkeys("lLg", 8)}
TIMES = {"tdD": 4, "tdm": 8, "tts": 4, "ttm": 4, "ttu": 8, "ttn": 8, "tiM": 4, "tiD": 8, "tin": 16}
#: Types whose values lie between offsets, and those of the offsets.
OFFSETS: dict[str, Any] = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64, "+l": np.int32, "+m": np.int32, "+L": np.int64}


class _Schema(ctypes.Structure):
    """`ArrowSchema`."""


class _Array(ctypes.Structure):
    """`ArrowArray`."""


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Node:
    """An array: its rows, their buffers as arrays of bytes, and the arrays in it."""

    __slots__ = ("buffers", "children", "dictionary", "length", "nulls", "offset", "owner")

    def __init__(self, length: int, offset: int, nulls: int) -> None:
        self.length, self.offset, self.nulls = length, offset, nulls
        self.buffers: list[Bytes | None] = []
        self.children: list[Node] = []
        self.dictionary: Node | None = None
        #: What the bytes are of. It does not go along.
        self.owner: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _node, (self.length, self.offset, self.nulls, self.buffers, self.children, self.dictionary)


def _node(length: int, offset: int, nulls: int, buffers: list[Bytes | None], children: list[Node], dictionary: Node | None) -> Node:
    node = Node(length, offset, nulls)
    node.buffers, node.children, node.dictionary = buffers, children, dictionary
    return node


def given(batch: RecordBatch) -> tuple[Schema, Node]:
    """Returns a batch as what can be pickled: its schema, and its rows.

    Raises:
        TypeError: A column has a type whose memory is not known.
    """
    of_schema, of_array = batch.__arrow_c_array__()
    schema = ctypes.cast(_pointer_of(of_schema, b"arrow_schema"), ctypes.POINTER(_Schema)).contents
    array = ctypes.cast(_pointer_of(of_array, b"arrow_array"), ctypes.POINTER(_Array)).contents
    node = _read(array, schema, array.offset, array.length, "the batch")
    node.owner = of_array
    return batch.schema, node


def _read(array: _Array, schema: _Schema, first: int, length: int, name: str) -> Node:
    """Returns rows of an array, of which the first stands in a whole byte of bits or in the same byte as before."""
    kind = (schema.format or b"").decode()
    offset = first & 7
    first -= offset
    end, rows = first + offset + length, offset + length
    node = Node(length, offset, 0 if array.null_count == 0 else -1)
    pointers: list[int | None] = [array.buffers[at] for at in range(array.n_buffers)]
    if kind == "n":
        node.nulls = length
        return node
    node.buffers.append(None if array.null_count == 0 else _bytes(pointers[0], first // 8, -(-end // 8)))
    if kind == "b":
        node.buffers.append(_bytes(pointers[1], first // 8, -(-end // 8)))
    elif kind in OFFSETS:
        width = np.dtype(OFFSETS[kind]).itemsize
        found = _bytes(pointers[1], first * width, (end + 1) * width)
        offsets = np.zeros(rows + 1, OFFSETS[kind]) if found is None else found.view(OFFSETS[kind])
        begin, until = int(offsets[0]), int(offsets[-1])
        node.buffers.append((offsets - offsets[0] if begin else offsets).view(np.uint8))
        if kind[0] != "+":
            node.buffers.append(_bytes(pointers[2], begin, until))
        else:
            node.children.append(_child(array, schema, 0, begin, until - begin))
    elif kind in ("vu", "vz"):
        sizes = _bytes(pointers[-1], 0, 8 * (len(pointers) - 3))
        ends = [] if sizes is None else sizes.view(np.int64).tolist()
        node.buffers.append(_bytes(pointers[1], first * 16, end * 16))
        node.buffers += [_bytes(pointer, 0, until) for pointer, until in zip(pointers[2:-1], ends)]
        node.buffers.append(sizes)
    elif kind == "+s":
        node.children = [_child(array, schema, at, first, rows) for at in range(array.n_children)]
    elif kind.startswith("+w:"):
        size = int(kind[3:])
        node.children.append(_child(array, schema, 0, first * size, rows * size))
    else:
        width = _width(kind, name)
        node.buffers.append(_bytes(pointers[1], first * width, end * width))
        if array.dictionary:
            values = array.dictionary.contents
            node.dictionary = _read(values, schema.dictionary.contents, values.offset, values.length, name)
    return node


def _child(array: _Array, schema: _Schema, at: int, first: int, length: int) -> Node:
    child, of = array.children[at].contents, schema.children[at].contents
    return _read(child, of, child.offset + first, length, repr((of.name or b"").decode()))


def _width(kind: str, name: str) -> int:
    if kind in WIDTHS:
        return WIDTHS[kind]
    if kind[:3] in ("tss", "tsm", "tsu", "tsn", "tDs", "tDm", "tDu", "tDn"):
        return 8
    if kind in TIMES:
        return TIMES[kind]
    if kind.startswith("w:"):
        return int(kind[2:])
    if kind.startswith("d:"):
        return int((kind.split(",") + ["128"])[2]) // 8
    what = f"the column {name} has a type of Arrow ({kind}) that does not go to other processes"
    raise TypeError(f"{what}: leave it out by columns=, or cast it")


def _bytes(pointer: int | None, first: int, end: int) -> Bytes | None:
    if not pointer or end <= first:
        return None
    return np.ctypeslib.as_array((ctypes.c_uint8 * (end - first)).from_address(pointer + first))


class _Held(bytearray):
    """A byte that holds the memory of a batch."""

    memory: list[Any]


class _Rows:
    """Rows by the Arrow PyCapsule interface."""

    def __init__(self, schema: Schema, node: Node) -> None:
        self._schema, self._node = schema, node

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        held: Any = _Held(1)
        held.memory = []
        self._array = _written(self._node, held.memory)
        # A callback of Python could come while an exception is on its way. So what releases the rows is what releases an array that the
        # native library has made of the byte, and that looks at `private_data` only. It is moved here from that array.
        _, capsule = array_of_numpy(held).__arrow_c_array__()
        moved = ctypes.cast(_pointer_of(capsule, b"arrow_array"), ctypes.POINTER(_Array)).contents
        self._array.release, self._array.private_data = moved.release, moved.private_data
        moved.release = None
        return self.__arrow_c_schema__(), _capsule(ctypes.addressof(self._array), b"arrow_array", None)


def _written(node: Node, held: list[Any]) -> _Array:
    array = _Array(node.length, node.nulls, node.offset, len(node.buffers), len(node.children))
    array.buffers = (ctypes.c_void_p * len(node.buffers))(*(None if part is None else part.ctypes.data for part in node.buffers))
    children = [_written(child, held) for child in node.children]
    array.children = (ctypes.POINTER(_Array) * len(children))(*map(ctypes.pointer, children))
    if node.dictionary is not None:
        array.dictionary = ctypes.pointer(_written(node.dictionary, held))
    held += [node.buffers, node.owner]
    return array


def taken(schema: Schema, node: Node) -> RecordBatch:
    """Returns the batch that was given, whose memory these bytes are."""
    return RecordBatch.from_arrow(_Rows(schema, node), dangerously_not_validated=True)
