"""What was left out because it was damaged."""

from __future__ import annotations

from dataclasses import dataclass

from tfxio import _hints, _warning

@dataclass(frozen=True)
class SkippedRange:
    """Bytes of a file that were left out (`on_error="skip"`).

    Attributes:
        file: The path or URL of the file.
        start: The first of the bytes, counted from 0.
        end: The byte after the last.
        compressed: Whether these are bytes of the compressed file, and not of what it decompresses to.
        records: How many records were in them, or `None` where nobody can know.
        reason: Why, as the error would say that ends a reader otherwise.
    """

    file: str
    start: int
    end: int
    compressed: bool
    records: int | None
    reason: str

    def __str__(self) -> str:
        where = f"{self.file}, bytes {self.start} to {self.end}" + (" of the compressed file" if self.compressed else "")
        records = "an unknown number of records" if self.records is None else _counted(self.records, "record")
        return f"{where}: {records} skipped ({self.reason})"


@dataclass(frozen=True)
class SkipReport:
    """What was left out because it was damaged (`on_error="skip"`). It is false where nothing was.

    Attributes:
        ranges: The number of damaged ranges.
        records: The number of records in them, as far as it is known.
        records_unknown: Whether there are ranges of which it is not, so that `records` is the least.
        bytes: The number of bytes in them.
        listed: The ranges; the first 65,536 of more.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> reader = ds.read(on_error="skip")
    >>> for batch in reader: pass
    >>> print(reader.skip_report())
    nothing was damaged
    """

    ranges: int
    records: int
    records_unknown: bool
    bytes: int
    listed: tuple[SkippedRange, ...]

    def __bool__(self) -> bool:
        return self.ranges > 0

    def __str__(self) -> str:
        lines = [self._sum(), *(f"  {line}" for line in self.listed)]
        if self.ranges > len(self.listed):
            lines.append(f"  and {self.ranges - len(self.listed):,} more")
        return "\n".join(lines)

    def _sum(self) -> str:
        if not self:
            return "nothing was damaged"
        least = "at least " if self.records_unknown else ""
        records, count = _counted(self.records, "record"), _counted(self.bytes, "byte")
        return f"skipped {_counted(self.ranges, 'damaged range')}: {least}{records}, {count}"


def _counted(count: int, of: str) -> str:
    return f"{count:,} {of}" + ("" if count == 1 else "s")


def report(
    ranges: int, records: int, records_unknown: bool, bytes: int, listed: list[tuple[str, int, int, bool, int | None, str]]
) -> SkipReport:
    """Returns what the engine reports, in words of Python."""
    of = [SkippedRange(*range[:5], _hints.in_python(range[5])) for range in listed]
    return SkipReport(ranges, records, records_unknown, bytes, tuple(of))


def warn(report: SkipReport) -> None:
    """Warns whoever called this package of what was left out."""
    more = f" (first of {report.ranges:,}; skip_report() lists them)" if report.ranges > 1 else ""
    _warning.warn(f"{report._sum()}: {report.listed[0]}{more}", _warning.SkippedWarning)
