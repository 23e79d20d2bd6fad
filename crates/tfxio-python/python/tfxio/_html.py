"""Data sets in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from tfxio._lib import Schema

MAX_CHARS = 60
STYLE = (
    "border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9em",
    "text-align: left; padding: 0.25em 0.75em; border-bottom: 1px solid currentColor; white-space: nowrap",
    "text-align: left; padding: 0.25em 0.75em; white-space: nowrap; font-family: monospace",
)


def _cell(value: Any) -> str:
    text = "null" if value is None else repr(value)
    return escape(text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…")


def table(schema: Schema, rows: list[dict[str, Any]], note: str = "") -> str:
    """Returns the names, the types and some rows as a table of HTML, which keeps the colours of the page, and a note below it."""
    whole, head, cell = STYLE
    titles = "".join(
        f'<th scope="col" style="{head}">{escape(name)}<br><small style="font-weight: normal">{escape(data_type)}</small></th>'
        for name, data_type in zip(schema.names, schema.types)
    )
    lines = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{_cell(row[name])}</td>' for name in schema.names) + "</tr>" for row in rows
    )
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    return f'<table style="{whole}"><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>{below}'
