"""The tables of the page, between two marks: a row for types that come to the same, a column for each reader."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[5] / "docs" / "formats.md"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements" / "readers.txt"
FIRST, LAST = "<!-- readers -->", "<!-- end of readers -->"

#: Cells of a table, by the row and the reader.
Cells = dict[tuple[str, str], str]


def text() -> str:
    """Returns what stands between the marks."""
    return PAGE.read_text().partition(FIRST)[2].partition(LAST)[0].strip()


def replace(found: str) -> None:
    """Writes other tables between the marks."""
    before, _, rest = PAGE.read_text().partition(FIRST)
    PAGE.write_text(f"{before}{FIRST}\n\n{found}\n\n{LAST}{rest.partition(LAST)[2]}")


def tables(page: str) -> dict[str, Cells]:
    """Reads the tables, by the first cell of their heads. Columns are called without versions."""
    found: dict[str, Cells] = {}
    head: list[str] = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = [cells[0], *(cell.rpartition(" ")[0] for cell in cells[1:])]
            found[head[0]] = {}
        elif not cells[0].startswith("---"):
            for row in cells[0].split(", "):
                found[head[0]].update({(row, reader): cell for reader, cell in zip(head[1:], cells[1:], strict=True)})
    return found


def table(title: str, readers: dict[str, str], cells: Cells) -> str:
    """Returns a table. Readers have versions; rows are in the order of the cells."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for row in dict.fromkeys(row for row, _ in cells):
        rows.setdefault(tuple(cells.get((row, reader), "–") for reader in readers), []).append(row)
    lines = [[title, *(f"{reader} {version}" for reader, version in readers.items())], ["---"] * (len(readers) + 1)]
    lines += [[", ".join(names), *found] for found, names in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def versions() -> dict[str, str]:
    """Returns the versions that the environment of the readers has, by the package."""
    lines = (line.partition("==") for line in REQUIREMENTS.read_text().splitlines() if "==" in line)
    return {package: version for package, _, version in lines}
