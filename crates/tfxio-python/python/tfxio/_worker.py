"""The program of a worker: a process that calls a function for another one."""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Protocol

from tfxio import _given
from tfxio._blocks import Block, packed, unpacked
from tfxio._map_function import OfRow

#: Seconds after which a worker that waits looks whether its parent is still there.
PATIENCE = 5.0
#: The folder of this package.
OWN = os.path.dirname(__file__) + os.sep


@dataclass
class Made:
    """What a function has returned, and the seconds that it took."""

    value: Any
    seconds: float


@dataclass
class Failed:
    """What a function has raised: the exception, where it can be pickled, its traceback, and of which row."""

    error: bytes | None
    text: str
    traceback: str
    row: int | None

    def exception(self) -> BaseException:
        """Returns the exception, with the traceback as a note."""
        error: BaseException = RuntimeError(self.text)
        if self.error is not None:
            try:
                error = pickle.loads(self.error)
            except Exception:
                # It can be loaded only there.
                pass
        error.add_note(f"in a worker process:\n{self.traceback}")
        return error


class Called(Protocol):
    """What a worker calls: a function, and what that is given."""

    given: str

    def __call__(self, value: Any, /) -> Any: ...


def serve(connection: Connection, pickled: bytes) -> None:
    """Calls a function for each message that comes, until there are no more."""
    # Ctrl-C is for the process that waits for this one, which ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = os.getppid()
    function: Any = None
    failed: Failed | None = None
    try:
        function = pickle.loads(pickled)
        _given.use_one_thread(function.given)
    except BaseException as error:
        failed = _failed(error)
    held: Block | None = None
    is_over = not _sent(connection, pickle.dumps(failed, 5)) or failed is not None
    while not is_over:
        while not connection.poll(PATIENCE):
            if os.getppid() != parent:
                return
        try:
            name, message = connection.recv()
        except (EOFError, OSError):
            return
        if held is not None:
            held.close()
        reply, held = _reply(function, message, name)
        is_over = not _sent(connection, reply)
        if held is not None and (is_over or os.name == "posix"):
            # Elsewhere a block ends with the last handle to it.
            held.close()
            if is_over:
                held.unlink()
            held = None


def _sent(connection: Connection, message: bytes) -> bool:
    """Sends a message, and returns whether there is still somebody who waits for it."""
    try:
        connection.send_bytes(message)
    except OSError:
        return False
    return True


def _reply(function: Called, message: bytes, name: str) -> tuple[bytes, Block | None]:
    """Calls the function and returns the message of what came of it, and its block."""
    try:
        value = unpacked(message, ends=False)
        begun = time.perf_counter()
        made = function(value)
        return packed(Made(made, time.perf_counter() - begun), name)
    except BaseException as error:
        return packed(_failed(error), name)


def _failed(error: BaseException) -> Failed:
    row = None
    if isinstance(error, OfRow):
        row, error = error.row, error.error
    pickled: bytes | None = None
    try:
        pickled = pickle.dumps(error, 5)
        pickle.loads(pickled)
    except Exception:
        pickled = None
    lines = traceback.format_exception(type(error), error, _of_function(error.__traceback__))
    return Failed(pickled, f"{type(error).__qualname__}: {error}", "".join(lines).rstrip(), row)


def _of_function(found: TracebackType | None) -> TracebackType | None:
    """Returns a traceback from the first call that is not of this package; where there is none, all of it."""
    first = found
    while found is not None and found.tb_frame.f_code.co_filename.startswith(OWN):
        found = found.tb_next
    return first if found is None else found
