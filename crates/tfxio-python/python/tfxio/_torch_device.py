"""Batches on a device of torch, whose copies begin ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from tfxio import _arguments

#: Kinds of arrays of numpy that torch has: truth values, integers, floats and complex numbers.
NUMBERS = "biufc"


class InFlight(NamedTuple):
    """A batch that is under way.

    Attributes:
        batch: Its tensors on the device.
        copied: What the stream of the consumer waits for, if there is something.
        state: The state of the source after it, if the source has one.
    """

    batch: Any
    copied: Any
    state: dict[str, Any] | None


class DeviceLoader(Iterator[Any]):
    """Batches of an iterable on a device. Made by `to_device`.

    Its state is that of the iterable after the batch that came out last, whatever is under way: going on from it gives exactly what would
    have come.
    """

    def __init__(
        self, batches: Iterable[Any], device: torch.device | str | int, ahead: int, convert: Callable[[Any], Any]
    ) -> None:
        if not isinstance(batches, Iterable):
            raise _arguments.refused("batches", "an iterable of batches, as a LoaderDataset or a DataLoader", batches)
        self._source = batches
        self._ahead = _arguments.integer("ahead", ahead)
        self._copies = copies(device, convert)
        self._pass: Iterator[Any] | None = None
        self._forget()

    def _forget(self) -> None:
        self._in_flight: deque[InFlight] = deque()
        self._after: dict[str, Any] | None = None
        self._error: Exception | None = None
        self._is_over = self._is_restored = False

    @property
    def device(self) -> torch.device:
        """The device."""
        return self._copies.device

    def __iter__(self) -> DeviceLoader:
        """Begins what an iteration of the batches begins: the next epoch, or what is left of this one where that is what they do."""
        goes_on = self._pass is self._source and (self._in_flight or self._error)
        if not (goes_on or self._is_restored):
            self._begin()
        self._is_restored = False
        return self

    def _begin(self) -> None:
        self._forget()
        self._pass = iter(self._source)

    def __next__(self) -> Any:
        if self._pass is None:
            self._begin()
        self._fill()
        if self._in_flight:
            batch, copied, self._after = self._in_flight.popleft()
            return self._copies.arrived(batch, copied)
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        self._after = self._state()
        raise StopIteration

    def _fill(self) -> None:
        """Begins the copies of as many batches as may be under way, and one."""
        assert self._pass is not None
        while len(self._in_flight) <= self._ahead and self._error is None and not self._is_over:
            try:
                batch = next(self._pass)
                # What is not ahead is asked for its state when it is wanted.
                state = self._state() if self._ahead else None
                self._in_flight.append(InFlight(*self._copies.begin(batch), state))
            except StopIteration:
                self._is_over = True
            except Exception as error:
                # It comes after the batches before it.
                self._error = error

    @property
    def _stateful(self) -> Any:
        """What has the state: the batches, or their iterator, as that of a `LoaderDataset`."""
        for of in (self._source, self._pass):
            if hasattr(of, "state_dict") and hasattr(of, "load_state_dict"):
                return of
        return None

    def _state(self) -> dict[str, Any] | None:
        stateful = self._stateful
        return None if stateful is None else stateful.state_dict()

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the batches after the one that came out last.

        Raises:
            TypeError: The batches have no state.
        """
        if self._pass is None:
            self._begin()
        state = self._after if self._after is not None else self._state()
        if state is None:
            raise self._without_state()
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly what came after a state: in the next iteration."""
        if not hasattr(self._source, "load_state_dict"):
            self._begin()
        if (stateful := self._stateful) is None:
            raise self._without_state()
        stateful.load_state_dict(state)
        self._forget()
        if stateful is self._source:
            self._pass = iter(self._source)
        self._is_restored = True

    def _without_state(self) -> TypeError:
        hint = ": take a StatefulDataLoader of torchdata" if isinstance(self._source, torch.utils.data.DataLoader) else ""
        return TypeError(f"{type(self._source).__name__} has no state that can be saved{hint}")

    def __len__(self) -> int:
        """Returns the number of batches of an iteration, if it is known: of a `LoaderDataset`, too, which is iterated in this process.

        Raises:
            TypeError: It is not known.
        """
        count: Callable[[], int] = getattr(self._source, "_batches_here", lambda: len(self._source))  # type: ignore[arg-type]
        return count()

    def __bool__(self) -> bool:
        # Without this, `if batches:` would count them.
        return True

    def __repr__(self) -> str:
        return f"to_device({self._source!r}, {str(self.device)!r}, ahead={self._ahead})"


def copies(device: torch.device | str | int, convert: Callable[[Any], Any]) -> Copies:
    """Returns what copies batches to a device, whose members are converted first."""
    wanted = 'a device of torch, as torch.device("cuda") or "cuda:1"'
    try:
        to = torch.device(device)
    except TypeError:
        raise _arguments.refused("device", wanted, device) from None
    except RuntimeError as error:
        raise ValueError(f"device is {wanted}, not {device!r}: {error}") from None
    return CudaCopies(to, convert) if to.type == "cuda" else Copies(to, convert)


class Copies:
    """Copies to a device that has no streams of its own."""

    def __init__(self, device: torch.device, convert: Callable[[Any], Any]) -> None:
        self.device = device
        self._convert = convert

    def begin(self, batch: Any) -> tuple[Any, Any]:
        """Begins the copy of a batch, and returns it and what tells that it has come."""
        return moved(batch, self._convert, self._copy), None

    def arrived(self, batch: Any, _copied: Any) -> Any:
        """Returns a batch that may be used."""
        return batch

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(self.device)


class CudaCopies(Copies):
    """Copies from pinned memory on a stream of their own, beside the work of the stream that uses the batches."""

    def __init__(self, device: torch.device, convert: Callable[[Any], Any]) -> None:
        super().__init__(device if device.index is not None else torch.device("cuda", torch.cuda.current_device()), convert)
        self._stream = torch.cuda.Stream(self.device)

    def begin(self, batch: Any) -> tuple[Any, Any]:
        """Queues the copies of a batch, and an event after them."""
        sent: list[torch.Tensor] = []

        def copy(tensor: torch.Tensor) -> torch.Tensor:
            if tensor.device.type != "cpu":
                # The stream that made it orders what comes after.
                return tensor.to(self.device)
            # The allocator of pinned memory keeps it until the copy is done.
            pinned = tensor if tensor.is_pinned() else tensor.pin_memory()
            with torch.cuda.stream(self._stream):
                there = pinned.to(self.device, non_blocking=True)
            sent.append(there)
            return there

        there = moved(batch, self._convert, copy)
        event = torch.cuda.Event()
        event.record(self._stream)
        return there, (event, sent)

    def arrived(self, batch: Any, copied: Any) -> Any:
        """Makes the current stream wait for the copies, not this thread, and the memory of the batch last for what this stream does."""
        event, sent = copied
        current = torch.cuda.current_stream(self.device)
        current.wait_event(event)
        for tensor in sent:
            tensor.record_stream(current)
        return batch


def moved(value: Any, convert: Callable[[Any], Any], copy: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Returns a batch whose tensors are copied, each once: those within dicts, lists and tuples, sparse and nested ones by their parts, and
    numbers of numpy as tensors. What else there is, such as strings, stays."""
    # Tensors are kept with their copies: another one may get the number of one that is gone.
    done: dict[int, tuple[Any, Any]] = {}

    def once(make: Callable[[torch.Tensor], torch.Tensor], of: torch.Tensor) -> torch.Tensor:
        if id(of) not in done:
            done[id(of)] = of, make(of)
        found: torch.Tensor = done[id(of)][1]
        return found

    def move(member: Any) -> Any:
        of = convert(member)
        if isinstance(of, np.ndarray) and of.dtype.kind in NUMBERS:
            # Torch has no memory that may not be written to.
            return copy(torch.from_numpy(of) if of.flags.writeable else torch.tensor(of))
        if isinstance(of, torch.Tensor):
            is_whole = of.layout not in (torch.jagged, torch.sparse_coo)
            return once(copy, of) if is_whole else once(lambda whole: _by_parts(whole, lambda part: once(copy, part)), of)
        if isinstance(of, Mapping):
            return {name: move(member) for name, member in of.items()}
        if isinstance(of, tuple) and hasattr(of, "_fields"):
            return type(of)(*map(move, of))
        if isinstance(of, (list, tuple)):
            return type(of)(map(move, of))
        return of

    return move(value)


def _by_parts(of: torch.Tensor, copy: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    if of.layout is torch.jagged:
        lengths = of.lengths()
        parts = copy(of.values()), copy(of.offsets()), None if lengths is None else copy(lengths)
        return torch.nested.nested_tensor_from_jagged(*parts, jagged_dim=of._ragged_idx)
    indices, data = copy(of._indices()), copy(of._values())
    return torch.sparse_coo_tensor(indices, data, of.shape, is_coalesced=of.is_coalesced())
