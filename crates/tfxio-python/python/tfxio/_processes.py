"""Processes that call a function for threads of this one."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import queue
import secrets
import signal
import threading
import weakref
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any

from tfxio._blocks import discard, packed, unpacked
from tfxio._map_function import OfRow
from tfxio._worker import Called, Failed, Made, serve

#: Seconds after which a thread that waits for a process looks whether it is still there.
PATIENCE = 1.0
#: Seconds that a process has to end by itself.
GRACE = 5.0


def pickled(function: Called, called: Any, what: str) -> bytes:
    """Returns a call as other processes get it.

    Args:
        function: What they call.
        called: The function of the user in it.
        what: The method and the argument that ask for processes.
    """
    try:
        return pickle.dumps(function, 5)
    except Exception as error:
        name = getattr(called, "__qualname__", None) or type(called).__qualname__
        message = f"{what} calls {name} in other processes, and it cannot be pickled ({error}): define the function at the top of a module"
        raise TypeError(message) from None


def can_start() -> bool:
    """Returns whether this process may have processes of its own: a daemon, such as a worker of a DataLoader of torch, may not."""
    return not multiprocessing.current_process().daemon


class Processes:
    """Processes that call a function. Each is started when all others are busy, up to a number of them."""

    def __init__(self, pickled: bytes, most: int) -> None:
        self._pickled, self._most = pickled, most
        self._begin()

    def _begin(self) -> None:
        self._of_process = os.getpid()
        self._changed = threading.Condition(threading.RLock())
        self._all: set[_Process] = set()
        self._idle: list[_Process] = []
        self._starting = self._busy = 0
        self._is_closed = False
        _ALIVE.add(self)

    def can_start(self) -> bool:
        """Returns whether this process may have them."""
        return can_start()

    def call(self, value: Any) -> Made:
        """Calls the function in one of the processes. Waits for one, and for it, while other threads run.

        Raises:
            RuntimeError: The process ended.
            OfRow: The function has failed at one of several rows.
        """
        if self._of_process != os.getpid():
            # Those of the process that was forked are none of this one.
            self._begin()
        process = self._taken()
        is_kept = False
        try:
            reply = process.call(value)
            is_kept = True
        finally:
            self._give_back(process, is_kept)
        if isinstance(reply, Failed):
            if reply.row is not None:
                raise OfRow(reply.row, reply.exception())
            raise reply.exception()
        return reply

    def _taken(self) -> _Process:
        with self._changed:
            while not self._is_closed and not self._idle and len(self._all) + self._starting >= self._most:
                self._changed.wait()
            if self._is_closed:
                raise RuntimeError("the processes of map are closed")
            self._busy += 1
            if self._idle:
                return self._idle.pop()
            self._starting += 1
        try:
            process = _Process(self._pickled)
        except BaseException:
            with self._changed:
                self._starting -= 1
                self._busy -= 1
                self._changed.notify_all()
            raise
        with self._changed:
            self._starting -= 1
            self._all.add(process)
        if self._is_closed:
            self._give_back(process, False)
            raise RuntimeError("the processes of map are closed")
        return process

    def _give_back(self, process: _Process, is_kept: bool) -> None:
        try:
            if not is_kept or self._is_closed:
                process.end()
        finally:
            with self._changed:
                self._busy -= 1
                if is_kept and not self._is_closed:
                    self._idle.append(process)
                else:
                    self._all.discard(process)
                self._changed.notify_all()

    def close(self, *, waits: bool = True) -> None:
        """Ends the processes, and what they do.

        Args:
            waits: Whether calls of other threads are waited for, which fail now.
        """
        if self._of_process != os.getpid():
            return
        with self._changed:
            self._is_closed = True
            idle, self._idle = self._idle, []
            busy = self._all.difference(idle)
            self._all.difference_update(idle)
            self._changed.notify_all()
        for process in busy:
            process.stop()
        for process in idle:
            process.let_go()
        for process in idle:
            process.end()
        if waits:
            with self._changed:
                self._changed.wait_for(lambda: self._busy == 0, GRACE)

    def __del__(self) -> None:
        self.close(waits=False)


#: Held by a thread that asks the system about processes, as `multiprocessing` does of all when it starts one: of two threads one is told.
_LOOKING = threading.RLock()
#: Those that the end of the interpreter closes.
_ALIVE: weakref.WeakSet[Processes] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for processes in list(_ALIVE):
        processes.close()


class _Process:
    """One process, which is used by one thread at a time."""

    def __init__(self, pickled: bytes) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, pickled), name="tfxio-map", daemon=True)
        self._is_over = False
        try:
            with _without_interrupts(), _LOOKING:
                self._process.start()
            other.close()
            failed: Failed | None = pickle.loads(self._received("before it began"))
        except BaseException:
            self.end()
            raise
        if failed is not None:
            self.end()
            what = f"a worker of map cannot load the function ({failed.text}): define it at the top of a module that can be imported"
            raise RuntimeError(what) from failed.exception()

    def call(self, value: Any) -> Made | Failed:
        name = f"tfxio-{secrets.token_hex(7)}"
        message, block = packed(value, f"{name}-a")
        is_over = False
        try:
            try:
                self._connection.send((f"{name}-b", message))
            except OSError:
                raise self._died("before it was called") from None
            reply: Made | Failed = unpacked(self._received("in the midst of the function"), ends=True)
            is_over = True
            return reply
        finally:
            if block is not None:
                block.close()
                block.unlink()
            if not is_over:
                # What it was about to say.
                self.end()
                discard(f"{name}-b")

    def _received(self, when: str) -> bytes:
        try:
            while not self._connection.poll(PATIENCE):
                # A process of its own may hold the pipe.
                with _LOOKING:
                    is_alive = self._process.is_alive()
                if not is_alive and not self._connection.poll():
                    raise EOFError
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            raise self._died(when) from None

    def _died(self, when: str) -> RuntimeError:
        code = self._waited()
        how = "" if code is None else f" with the exit code {code}" if code >= 0 else f" by {_signal(-code)}"
        hint = ""
        if when == "before it began":
            hint = ': what it said is on stderr; a program that has workers begins below `if __name__ == "__main__":`'
        elif code is not None and -code == getattr(signal, "SIGKILL", None):
            hint = ": where memory was short, give fewer workers or smaller batches"
        return RuntimeError(f"a worker of map ended{how} {when}{hint}")

    def stop(self) -> None:
        """Ends the process in the midst of what it does. The thread that waits for it sees that."""
        if self._process.pid is not None and not self._is_over:
            try:
                self._process.kill()
            except (ValueError, AttributeError):
                # The thread was faster.
                pass

    def let_go(self) -> None:
        """Tells the process that nothing more comes."""
        self._connection.close()

    def end(self) -> None:
        """Ends the process and waits for that."""
        if self._is_over:
            return
        self._is_over = True
        is_idle = self._connection.closed
        self._connection.close()
        if self._process.pid is None:
            return
        if not is_idle:
            self._process.terminate()
        if self._waited() is None:
            self._process.kill()
            self._waited()
        try:
            self._process.close()
        except ValueError:
            # It is still there, stuck in the operating system.
            pass

    def _waited(self) -> int | None:
        """Waits for the end of the process, and returns its exit code."""
        with _LOOKING:
            if not self._process.is_alive():
                return self._process.exitcode
        is_over = bool(wait([self._process.sentinel], GRACE))
        with _LOOKING:
            if is_over:
                self._process.join()
            return self._process.exitcode


def _signal(number: int) -> str:
    try:
        return f"the signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"the signal {number}"


@contextmanager
def _without_interrupts() -> Generator[None]:
    """Keeps Ctrl-C from a process that begins: it takes none later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Which lets them through again when it begins.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Waiters:
    """Threads that wait for processes. The end of the interpreter does not wait for them."""

    def __init__(self, number: int) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=_wait, args=(self._calls,), name="tfxio-map", daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Calls a function on one of the threads."""
        future: Future[Any] = Future()
        self._calls.put((future, function, arguments))
        return future

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        """Ends the threads. What they have not begun does not come."""
        try:
            while True:
                if (call := self._calls.get_nowait()) is not None:
                    call[0].cancel()
        except queue.Empty:
            pass
        self._end()
        for thread in self._threads if wait else ():
            thread.join()

    def _end(self) -> None:
        for _ in self._threads:
            self._calls.put(None)

    def __del__(self) -> None:
        self._end()


def _wait(calls: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None]) -> None:
    while (call := calls.get()) is not None:
        future, function, arguments = call
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)
        # What was made goes with whoever asked for it.
        del call, future, function, arguments
