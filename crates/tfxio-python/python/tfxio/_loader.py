"""The batch loader."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from tfxio import _arguments, _expressions, _hints, _lib, _log, _progress, _skipped, _threads, _warning
from tfxio._expressions import Condition
from tfxio._lib import LoadedBatch
from tfxio._literals import OnError, OnLeave
from tfxio._loader_config import Config, Made, folder_of, given_datasets, iteration_of, shown_shape, state_text
from tfxio._loader_keywords import Buckets, Constant, Pack, Padding, Shuffle, Step, Tokens, Value, Window
from tfxio._loader_map import GivenBatch, MappedLoader
from tfxio._schema import SchemaLike, schema_text
from tfxio._skipped import SkipReport
from tfxio.exceptions import InvalidArgumentError, TfxioError, UnsupportedError

if TYPE_CHECKING:
    from tfxio._dataset import Dataset

T = TypeVar("T")
#: The text of a native state, the first epoch of the iteration, the one after its last, and whether it has come to its end.
Saved: TypeAlias = tuple[str, int, "int | None", bool]

#: The key of a state that says which iteration it is of. States in the midst of the first one have none.
ITERATION = "iteration"


@dataclass(frozen=True)
class LoaderAnomaly:
    """How examples left a schema in a feature: in what (`kind`), what the schema says, what the first record has, how many records did,
    and which was the first: its file, its number there, and its byte, where that is known."""

    feature: str
    kind: str
    expected: str
    found: str
    count: int
    file: str
    record: int
    byte: int | None


@dataclass(frozen=True)
class LoaderPlan:
    """What a loader does, as it was decided when it was made. Printed, it is a few lines of text.

    Attributes:
        orders: The order of the examples of each data set: dicts with `"shuffle"` (`"none"`, `"buffer"`, `"global"` or `"blocks"`) and the numbers
            of it, such as `"examples"` of an epoch, `"blocks"`, `"streams"`, the `"window"` of examples that are mixed, and `"example_bytes"`;
            of a global order also `"reads"`, which is about how often each record is decompressed in an epoch.
        files: The number of files.
        batch_size: Examples a batch, or rows where several share one.
        threads: Threads that read, parse and make batches, the one that asks for them included.
        prefetch: Batches that are made ahead.
    """

    orders: tuple[dict[str, Any], ...]
    files: int
    batch_size: int
    threads: int
    prefetch: int
    _text: str

    def __repr__(self) -> str:
        return self._text


class BatchLoader:
    """Shuffled, windowed, padded batches of a data set, whose state can be saved between any two of them.

    A `for` goes on after the batch that came out last. After the end, another `for` begins the next epoch, in its order, or as many
    epochs as are asked for: the passes together are those of one loader of so many epochs, cut into batches each for itself.

    Args:
        config: How batches are made: a dict, JSON, or the path of a file of it (see docs/loader.md). Left out, the keywords say
            it, and an example is one record.
        dataset: What is loaded; several as pairs with their weights are mixed. Left out, the configuration names its files.
        inputs: The tensors that go into the model.
        targets: The tensors that the model is to predict.
        batch_size: Examples a batch, instead of that of the configuration.
        shuffle: `True` gives all records in a random order, another one each epoch, and reads each of them about once: `"blocks"` draws
            blocks of records that are stored together, and mixes those in a window of `shuffle_bytes`; or, where records are large and can be
            entered one by one, `"global"`, which is one permutation of all of them: `plan()` tells. `"buffer"` draws records from a buffer of `shuffle_buffer` (10,000) that is filled in order.
        shuffle_bytes: Bytes of tensors that a shuffle of blocks holds. Default: 256 MiB.
        shuffle_streams: Parts of the order among which batches, and hosts, take turns in a shuffle of blocks. Default: up to 24, by the data.
        shuffle_buffer: Examples in the buffer of `"buffer"`.
        seed: The seed of everything random. The same seed gives the same batches, whatever the number of threads.
        epochs: How often the data are read. Default: once; `None` is without end.
        drop_remainder: Whether a last batch that is not full is left out.
        features: The column of a tensor, by the name of the tensor, where it has another name. A feature list of tf.SequenceExamples has its own
            name, and its path: `"##SEQUENCE##.clicks"`.
        constants: Tensors that are made, by name: `{"mask": {"shape": "words", "dtype": "float32", "value": 1}}`. A shape that is a list may begin
            with the name of a tensor, as many steps as that one has: `["boxes"]`.
        steps: What is done with the tensors of each record, in this order: `("image", "slice", "[2:-2, ::2]")`, `("image", "reshape", [8, 8])`,
            `("label", "onehot", 10)`.
        one_hot: The depth of the vectors that a tensor of indices becomes, by name; after `steps`.
        window: Windows of steps that cross records, as examples: their size, or the least and the greatest, of which each is drawn; or a dict
            of `size`, `stride` (by default the size), `of` (`"steps"`, or `"records"` for windows of whole records) and `steps`.
        defaults: Values of features that a record lacks, by tensor.
        truncate: The most steps of a tensor, by name: `{"words": 512}`, or `{"words": (512, "tail")}` to keep the end.
        pad: `True` pads each dimension to the largest of the batch; the default with `buckets` and `max_tokens`. A dict says the size of the first dimension of a tensor, or of each
            (`None` for the largest), or `{"shape": …, "value": …}`; other tensors are padded as by `True`.
        normalize: The axis along which a tensor of floats gets mean 0 and variance 1, by name.
        buckets: Batches of examples of similar length: `{"tensor": "words", "boundaries": [10, 20], "batch_sizes": [64, 32, 16]}`.
        max_tokens: As many examples a batch as have this many tokens together, padding counted; or a dict of `tokens`, `tensors`,
            `max_examples`, `too_long`.
        pack: Rows of this length with several examples each; or a dict of `length`, `split`, `too_long` and the names of what tells them apart.
        filter: Which records are loaded, as `Dataset.read` has it.
        on_error: `"skip"` leaves damaged records out, warns of them at the end of a pass (without end: once there are some), and has them in
            `skip_report()`; `"fail"` raises. Default: as the data sets were opened, if all of them were opened alike.
        prefetch: Batches that are made ahead.
        even: Whether hosts that would get more examples leave them out (`"drop"`), or others repeat theirs (`"repeat"`).
        index: Where an index is kept that was made to find records by number: `"none"`, `"beside"` the file, or `"cache"` (in `index_dir`).
        index_dir: The folder of kept indexes.
        shard: Which part of the data this process loads, and how many there are: `(rank, world_size)`.
        base_dir: The folder from which paths of the configuration start. Default: that of the configuration's file, otherwise the
            working directory.
        threads: Threads that load, the one that asks for batches included; 0 for all processors. With 1, no batch is made ahead. Of 0, a worker
            of a `DataLoader` of torch, and a rank of `torchrun`, has its share.
        validate: A schema of TensorFlow Metadata that each record is compared with: a path, text, bytes or the proto.
        on_leave: What happens when a record leaves it: `"stop"` raises `SchemaMismatchError`, `"warn"` counts it in `anomalies`.
        environment: The environment of the schema that the records are of, such as `"SERVING"`.
        elastic: The number of parts that hosts divide among them, equally many each. Batches are of one part and do not depend on the number of
            hosts, with `pack`, `buckets`, `max_tokens` and several data sets, too; parts take turns. See docs/loader.md.
        state: A state to go on from, as `state_dict` returned it; with `elastic`, a list of those of all hosts where their number changes.

    >>> import numpy as np, tempfile, tfxio
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> batch = next(tfxio.BatchLoader(None, ds, inputs=["image"], targets=["label"], batch_size=32, shuffle=True, seed=7))
    >>> batch["image"].shape
    (32, 64)
    """

    def __init__(
        self,
        config: Config | None = None,
        dataset: Dataset | Sequence[tuple[Dataset, float]] | None = None,
        *,
        inputs: Iterable[str] = (),
        targets: Iterable[str] = (),
        batch_size: int | None = None,
        shuffle: Shuffle = False,
        shuffle_bytes: int | None = None,
        shuffle_streams: int | None = None,
        shuffle_buffer: int | None = None,
        seed: int | None = None,
        epochs: int | None = 1,
        drop_remainder: bool = False,
        features: Mapping[str, str] | None = None,
        constants: Mapping[str, Constant] | None = None,
        steps: Iterable[Step | Mapping[str, Any]] = (),
        one_hot: Mapping[str, int] | None = None,
        window: int | tuple[int, int] | Window | None = None,
        defaults: Mapping[str, Value | Sequence[Value]] | None = None,
        truncate: Mapping[str, int | tuple[int, Literal["head", "tail"]]] | None = None,
        pad: bool | Mapping[str, int | Sequence[int | None] | Padding] | None = None,
        normalize: Mapping[str, int] | None = None,
        buckets: Buckets | None = None,
        max_tokens: int | Tokens | None = None,
        pack: int | Pack | None = None,
        filter: Condition | None = None,
        on_error: OnError | None = None,
        prefetch: int | None = None,
        even: Literal["drop", "repeat"] | None = None,
        index: Literal["none", "beside", "cache"] | None = None,
        index_dir: str | os.PathLike[str] | None = None,
        shard: tuple[int, int] | None = None,
        base_dir: str | os.PathLike[str] | None = None,
        threads: int = 0,
        validate: SchemaLike | None = None,
        on_leave: OnLeave = "stop",
        environment: str | None = None,
        elastic: int | None = None,
        state: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        how: dict[str, Any] = {
            "batch_size": batch_size,
            "shuffle": shuffle,
            "shuffle_bytes": shuffle_bytes,
            "shuffle_streams": shuffle_streams,
            "shuffle_buffer": shuffle_buffer,
            "epochs": epochs,
            "drop_remainder": drop_remainder,
            "features": features,
            "constants": constants,
            "steps": steps if isinstance(steps, (list, tuple)) else _arguments.listed("steps", "a list of steps", steps),
            "one_hot": one_hot,
            "window": window,
            "defaults": defaults,
            "truncate": truncate,
            "pad": pad,
            "normalize": normalize,
            "buckets": buckets,
            "max_tokens": max_tokens,
            "pack": pack,
            "filter": _expressions.text_or_none("filter", filter),
            "on_error": on_error,
            "prefetch": prefetch,
            "even": even,
            "index": index,
            "index_dir": index_dir,
        }
        common: dict[str, Any] = {
            "inputs": _arguments.names("inputs", inputs),
            "targets": _arguments.names("targets", targets),
            "seed": _arguments.integer_or_none("seed", seed),
            "shard": None if shard is None else _arguments.pair("shard", shard),
            "threads": _arguments.integer("threads", threads),
            "base_dir": folder_of(config, base_dir),
            "elastic": _arguments.integer_or_none("elastic", elastic, least=1, most=2**32 - 1),
        }
        schema = None if validate is None else schema_text(validate, "validate")
        held = {
            "validate": None if schema is None else schema.encode(),
            "on_leave": _arguments.word("on_leave", on_leave, get_args(OnLeave)),
            "environment": _arguments.text_or_none("environment", environment),
        }
        given = given_datasets(dataset)
        if config is None and on_error is None and given and all(part._on_error == "skip" for part, _ in given):
            how["on_error"] = "skip"
        self._made = Made(config, how)
        # The steps of `one_hot` come after the others.
        self._one_hot_steps = range(len(how["steps"]), len(how["steps"]) + len(how["one_hot"] or ()))
        self._pickled = (config, given, {**how, **common, **held})
        common["validate"] = None if schema is None else (schema, on_leave, environment)
        # Of a configuration, it is what the caller says instead.
        common["batch_size"] = None if self._made.by_keywords else _arguments.integer_or_none("batch_size", batch_size, least=1)
        self._arguments = common
        self._length: int | None = None
        # Shared by what follows one another in this loader, so that a range counts once.
        self._skipped, self._warned = _lib.Skipped(), 0
        self._beginning = threading.Lock()
        self._go_on(state)
        self._made.read()
        self._is_endless = self._made.epochs is None
        for text in self._native.plan()[1]:
            _warning.warn(_hints.of_table(text, self._words), _warning.SlowWarning)

    def _go_on(self, state: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None) -> None:
        """Begins, or goes on after the batch after which a state was saved, or one of each host."""
        self._first_epoch, self._is_over = 0, False
        texts, iterations = [], []
        for each in state if isinstance(state, (list, tuple)) else [] if state is None else [state]:
            native = dict(_arguments.mapping("state", "a dict, as state_dict returns it, a list of those of all hosts, or None", each))
            iterations.append(native.pop(ITERATION, None))
            texts.append(state_text(native))
        if any(iteration != iterations[0] for iteration in iterations):
            raise ValueError("state has states of several epochs: give those of all hosts, which were saved together")
        if iterations and iterations[0] is not None:
            self._first_epoch, until, is_over = iteration_of(iterations[0])
            # With more epochs than before, those follow that are new.
            self._is_over = is_over and (self._until or until + 1) <= until
        self._native = self._opened(texts)
        self._counted: dict[str, Any] = {}
        self._process = os.getpid()
        self._is_closed = self._is_broken = False

    @property
    def _until(self) -> int | None:
        """The number of epochs that were read at the end of this iteration; `None` if it has none."""
        epochs = self._made.epochs
        return None if epochs is None else self._first_epoch + epochs

    def _opened(self, states: list[str], *, keep_remainder: bool = False) -> _lib.BatchLoader:
        _log.begin()
        is_as_given = self._first_epoch == 0 and not keep_remainder
        config = self._made.given if is_as_given else self._made.until(self._until, keep_remainder=keep_remainder)
        # Made of the data sets anew: the garbage collector does not look into what is native.
        datasets = [(part._native_dataset, weight) for part, weight in self._pickled[1] or ()]
        arguments: dict[str, Any] = self._native_arguments()
        if keep_remainder and arguments["validate"] is not None:
            schema, _, environment = arguments["validate"]
            arguments = {**arguments, "validate": (schema, "warn", environment)}
        try:
            return _lib.BatchLoader(config=config, datasets=datasets, **arguments, skipped=self._skipped, states=states)
        except TfxioError as error:
            self._translate(error)
            if str(error).endswith("there are no columns"):
                why = [part._why_without_columns() for part, _ in self._pickled[1] or () if not part._native_dataset.schema.names]
                error.args = (": ".join([str(error), *why[:1]]),)
            raise

    def _native_arguments(self) -> dict[str, Any]:
        """Returns further arguments, with the threads of this process."""
        return {**self._arguments, "threads": _threads.asked(self._arguments["threads"])}

    @property
    def _words(self) -> _hints.Table:
        if not self._made.by_keywords:
            return _hints.OF_LOADER
        of_one_hot = "|".join(map(str, self._one_hot_steps)) or "none"
        return [(rf"(?:line \d+, column \d+, )?`processing_steps\[(?:{of_one_hot})\](?:\.\w+|\[\d+\])*`", "one_hot"), *_hints.BY_KEYWORDS]

    def _translate(self, error: TfxioError) -> None:
        _hints.translate(error, self._words)

    def plan(self) -> LoaderPlan:
        """Returns what the loader does: in which order it reads, and with what.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> ds.loader(inputs=["image"], batch_size=32, shuffle="blocks", seed=7, threads=2).plan()
        order     100 examples in 1 block, each read once an epoch; 1 stream with windows of 260111 examples, about 280 bytes each
        files     1
        batches   32 examples each, 2 made ahead on 2 threads
        """
        text, _, shown = self._native.plan()
        plan = json.loads(text)
        return LoaderPlan(tuple(plan["orders"]), plan["files"], plan["batch_size"], plan["threads"], plan["prefetch"], shown)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._native.specs

    @property
    def seed(self) -> int:
        """The seed of this run."""
        return self._native.seed

    def __iter__(self) -> Iterator[LoadedBatch]:
        """Goes on after the batch that came out last; at the end, with the next epochs."""
        if self._is_closed:
            raise ValueError("this loader is closed: make another one, or give it a state (load_state_dict)")
        if self._process == os.getpid():
            with self._beginning:
                if self._is_broken:
                    self._replace(self._opened([self._native.state()]))
                elif self._is_over and self._made.epochs is not None:
                    self._begin_next()
        return self

    def _begin_next(self) -> None:
        state = self._native.state()
        if self._made.drops_remainder:
            # What was left out would come first in the next epoch.
            rest = self._opened([state], keep_remainder=True)
            for _ in rest:
                pass
            state = rest.state()
            rest.close()
        first, self._first_epoch = self._first_epoch, self._until or 0
        try:
            native = self._opened([state])
        except BaseException:
            self._first_epoch = first
            raise
        self._is_over = False
        self._replace(native)

    def _replace(self, native: _lib.BatchLoader) -> None:
        self._counted = self.stats()
        self._native.close()
        self._native = native
        self._is_broken = False

    def __next__(self) -> LoadedBatch:
        try:
            batch = next(self._native)
        except StopIteration:
            self._is_over = not (self._is_broken or self._is_closed)
            self._warn()
            raise
        except TfxioError as error:
            self._is_broken = True
            self._translate(error)
            raise
        except BaseException:
            self._is_broken = True
            raise
        if self._is_endless and self._warned == 0:
            self._warn()
        return batch

    def _warn(self) -> None:
        """Warns of what was skipped since the last warning."""
        if (ranges := self._skipped.ranges) > self._warned:
            self._warned = ranges
            _skipped.warn(self.skip_report())

    def config(self) -> dict[str, Any]:
        """Returns the configuration that the keywords make, or that was given: a dict that is JSON as docs/loader.md describes it. What is of
        this process stays apart: the seed, the shard, threads, inputs, targets and the schema.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> loader = ds.loader(inputs=["image"], targets=["label"], batch_size=32, one_hot={"label": 10})
        >>> loader.config()["processing_steps"]
        [{'tensor': 'label', 'type': 'onehot', 'args': {'depth': 10}}]
        """
        return json.loads(json.dumps(self._made.settings))  # type: ignore[no-any-return]

    def skip_report(self) -> SkipReport:
        """Returns what was left out so far because it was damaged (`on_error="skip"`), each range once however often it is read. What
        is made ahead of the batches is in it."""
        return self._skipped.report()

    def __len__(self) -> int:
        """Returns the number of batches of all epochs, as of the first iteration. It is counted before any is loaded.

        Raises:
            TypeError: There is no end, or only loading tells: with `max_tokens`, or of compressed files without an index.
        """
        if self._length is None:
            self._length = self._count()
        return self._length

    def _count(self) -> int:
        datasets = [(part._native_dataset, weight) for part, weight in self._pickled[1] or ()]
        try:
            count: int | None = _lib.BatchLoader.count(config=self._made.given, datasets=datasets, **self._native_arguments())
        except (InvalidArgumentError, UnsupportedError) as error:
            # By this type, what asks only to make room goes on without.
            self._translate(error)
            raise TypeError(f"this loader has no length: {error}") from None
        except TfxioError as error:
            self._translate(error)
            raise
        if count is None:
            raise TypeError("this loader has no length: it is without end")
        return count

    def __bool__(self) -> bool:
        # Without this, `if loader:` would count the batches.
        return True

    def __repr__(self) -> str:
        tensors = ", ".join(f"{name}: {spec['dtype']} {shown_shape(spec)}" for name, spec in self.specs.items())
        state = " closed" if self._is_closed else " at its end" if self._is_over else ""
        return f"BatchLoader({tensors}; seed {self.seed}; batches so far: {self._native.batches()}{state})"

    def map(self, function: Callable[..., T], *, threads: int = 0, workers: int = 0, given: GivenBatch = "numpy") -> MappedLoader[T]:
        """Returns what a function makes of each batch, in the order of batches.

        Args:
            function: Takes a dict of arrays by the names of tensors, and returns anything. One that has an argument `rng` gets a
                `numpy.random.Generator`, whose numbers follow from the seed and the batch, and are the same after going on from a
                state. What it raises has a note that names the records.
            threads: Threads that call it, ahead of what is asked for: a gain where it lets the interpreter go, as numpy, Pillow and tokenizers
                do. 0 is the thread that asks.
            workers: Processes that call it, instead of threads: a gain where it is Python that takes long. Batches go there and come back
                by shared memory; arrays that come out are views of that. The function is at the top of a module, and a program that asks
                for processes begins below `if __name__ == "__main__":`. `close()` ends them.
            given: What it takes, in memory that is shared with the batch: `"numpy"`, arrays; `"torch"`, tensors, strings still being
                arrays; `"arrow"`, a `RecordBatch`.

        The states of what comes out cover what is under way.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> def flip(batch, rng):
        ...     images = batch["image"].reshape(-1, 8, 8)
        ...     return {**batch, "image": images[..., ::-1] if rng.random() < 0.5 else images}
        >>> loader = ds.loader(inputs=["image"], targets=["label"], batch_size=32, seed=7)
        >>> next(loader.map(flip, threads=2))["image"].shape
        (32, 8, 8)
        """
        return MappedLoader(self, function, threads, workers, given)

    def progress(self) -> Iterator[LoadedBatch]:
        """Yields the batches, as `for` over the loader does, under a bar in a terminal or a notebook.

        The bar asks for `len(loader)`, and says no end where that is not known. States are those of the loader.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> for batch in ds.loader(inputs=["image"], batch_size=32).progress(): pass
        """
        return _progress.shown(self, self._batches)

    def _saved(self) -> Saved:
        """Returns what the state after the batch that came out last is made of."""
        return self._native.state(), self._first_epoch, self._until, self._is_over

    @property
    def _batches(self) -> int:
        """How many batches have come out."""
        return self._native.batches()

    @staticmethod
    def _state_of(saved: Saved) -> dict[str, Any]:
        text, first, until, is_over = saved
        state: dict[str, Any] = json.loads(text)
        if first > 0 or is_over:
            state[ITERATION] = {"epochs": [first, until], "is_over": is_over}
        return state

    def state_dict(self) -> dict[str, Any]:
        """Returns the state after the batch that came out last. It is plain JSON."""
        return self._state_of(self._saved())

    def load_state_dict(self, state: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Goes on with exactly the batches that came after those of a state, or, with `elastic`, of those of all hosts. At its end, the next `for`
        begins the next epochs."""
        if not isinstance(state, (Mapping, list, tuple)):
            raise _arguments.refused("state", "a dict, as state_dict returns it", state)
        self.close()
        self._go_on(state)

    def anomalies(self) -> list[LoaderAnomaly]:
        """Returns how the examples of the batches so far left the schema (`validate` with `on_leave="warn"`): an entry for each feature and
        in what, in the order in which they came. States have them, too.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 9, 9]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> schema = 'feature { name: "label" type: INT int_domain { min: 0 max: 8 } }'
        >>> loader = ds.loader(targets=["label"], batch_size=2, validate=schema, on_leave="warn")
        >>> for batch in loader: pass
        >>> [nines] = loader.anomalies()
        >>> nines.feature, nines.kind, nines.expected, nines.found, nines.count
        ('label', 'domain', 'values in 0 to 8', '9', 2)
        """
        found = self._native.anomalies()
        return [LoaderAnomaly(a[0], a[1], a[2], a[3], a[4], *a[5]) for a in found]

    def stats(self) -> dict[str, Any]:
        """Returns what was counted since the loader was built: batches, examples, records, and where the time went, in seconds.

        `reading` (files, and decoding into columns), `inflating` (what gzip, zlib and blocks of Avro hold; what Parquet and Arrow compress is
        part of `reading`), `parsing` (columns into tensors of examples) and `assembling` (examples into batches) are those of all threads together; `planning` is the order of examples, with waits for records that other threads
        read; `waiting_for_input` is how long `next` waited, and `waiting_for_consumer` how long a batch waited for `next`.
        """
        stats = self._native.stats()
        added = {name: value + self._counted.get(name, 0) for name, value in stats.items() if name not in ("epoch", "records_skipped")}
        return {**stats, **added}

    def close(self) -> None:
        """Ends the loader and its threads."""
        self._is_closed = True
        self._native.close()

    def __enter__(self) -> BatchLoader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (*self._pickled, self.state_dict())


def _unpickled(config: Config | None, dataset: Any, how: dict[str, Any], state: dict[str, Any]) -> BatchLoader:
    return BatchLoader(config, dataset, **how, state=state)
