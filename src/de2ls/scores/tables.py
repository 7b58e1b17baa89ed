"""One table for every result, written as Markdown, LaTeX, CSV, JSON or a data frame."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from de2ls._extras import extra

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Group


class Estimate(NamedTuple):
    """A figure with its interval: one cell for readers, three columns for machines."""

    value: float
    low: float
    high: float


Plain = str | int | float | None  # None: an empty cell
Value = Plain | Estimate

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # a row's end would take it for an argument
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "–": "--",
    "≈": r"$\approx$",
}


@dataclass(frozen=True)
class Column:
    """A column's heading and how its numbers are written for readers."""

    name: str
    format: str = ".10g"  # format specification of the numbers; exports for machines ignore it
    limits: str = ".0f"  # the same for the limits of an interval


@dataclass(frozen=True)
class Table:
    """A small table with a title, cells in bold, and notes beneath.

    `to_markdown` and `to_latex` are for readers and round by the columns' formats; `to_csv`,
    `to_dicts` and `to_frame` keep every digit.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    bold: frozenset[tuple[int, int]] = frozenset()  # (row, column) of the cells to stress
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.header).items() if count > 1]
        if twice:
            raise ValueError(f"table {self.title!r} has more than one column {twice[0]!r}")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {i} of table {self.title!r} has {len(row)} cells, "
                    f"expected {len(self.columns)}"
                )

    @property
    def header(self) -> tuple[str, ...]:
        """The columns' headings."""
        return tuple(column.name for column in self.columns)

    def without_empty_columns(self) -> "Table":
        """Return the table without the columns in which nothing stands."""
        kept = [j for j in range(len(self.columns)) if any(row[j] is not None for row in self.rows)]
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            rows=tuple(tuple(row[j] for j in kept) for row in self.rows),
        )

    def to_markdown(self) -> str:
        """Return the table in Markdown, title first, text escaped."""
        rules = ["---:" if number else ":---" for number in self.numeric()]
        lines = [
            _row(map(escape_markdown, self.header)),
            _row(rules),
            *(_row(cells) for cells in self._cells(escape_markdown, "–", "**{}**")),
        ]
        parts = [f"**{escape_markdown(self.title)}**", "\n".join(lines)]
        parts += [escape_markdown(note) for note in self.notes]
        return "\n\n".join(parts) + "\n"

    def to_latex(self) -> str:
        """Return a ``table`` environment that needs the package booktabs."""
        align = "".join("r" if number else "l" for number in self.numeric())
        body = self._cells(_escape_latex, "--", r"\textbf{{{}}}")
        lines = [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{_escape_latex(self.title)}}}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(map(_escape_latex, self.header)) + r" \\",
            r"\midrule",
            *(" & ".join(cells) + r" \\" for cells in body),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par\smallskip\footnotesize {_escape_latex(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV with a heading; numbers with every digit, no notes."""
        header, rows = self._plain()
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
        return out.getvalue()

    def to_dicts(self) -> list[dict[str, Plain]]:
        """Return one dict per row, fit for JSON: a number that is not finite becomes None."""
        header, rows = self._plain()
        return [dict(zip(header, map(_finite, row), strict=True)) for row in rows]

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas data frame; pandas is optional (``pip install de2ls[pandas]``)."""
        with extra("pandas"):
            import pandas as pd
        header, rows = self._plain()
        return pd.DataFrame(rows, columns=header)

    def to_rich(self) -> "Group":
        """Return title, table and notes for the terminal."""
        with extra("cli"):
            from rich import box
            from rich.console import Group
            from rich.markup import escape
            from rich.table import Table as RichTable
            from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
        for name, number in zip(self.header, self.numeric(), strict=True):
            table.add_column(escape(name), justify="right" if number else "left")
        for cells in self._cells(escape, "–", "[bold]{}[/bold]"):
            table.add_row(*cells)
        return Group(Text(self.title, "bold"), table, *(Text(note, "dim") for note in self.notes))

    def texts(self) -> list[list[str]]:
        """Return the cells as readers see them, neither escaped nor in bold."""
        return self._cells(str, "–", "{}")

    def numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers and nothing else."""
        return [
            any(not isinstance(row[j], str | None) for row in self.rows)
            and not any(isinstance(row[j], str) for row in self.rows)
            for j in range(len(self.columns))
        ]

    def _plain(self) -> tuple[list[str], list[list[Plain]]]:
        """Return heading and rows with every interval spread over three columns."""
        wide = [
            any(isinstance(row[j], Estimate) for row in self.rows) for j in range(len(self.columns))
        ]
        header: list[str] = []
        for name, spread in zip(self.header, wide, strict=True):
            header += [name, f"{name} low", f"{name} high"] if spread else [name]
        rows: list[list[Plain]] = []
        for row in self.rows:
            rows.append([])
            for cell, spread in zip(row, wide, strict=True):
                parts = cell if isinstance(cell, Estimate) else (cell, None, None)
                rows[-1] += parts if spread else parts[:1]
        return header, rows

    def _cells(self, escape: Callable[[str], str], missing: str, bold: str) -> list[list[str]]:
        """Return the cells as text for readers."""
        cells: list[list[str]] = []
        for i, row in enumerate(self.rows):
            cells.append([])
            for j, cell in enumerate(row):
                text = missing if cell is None else _text(cell, self.columns[j], escape)
                cells[-1].append((bold if (i, j) in self.bold else "{}").format(text))
        return cells


class Tabular:
    """A result that has one main table, and with it every way to write it."""

    def table(self) -> Table:
        """Return the main table of this result."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Return the main table in Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """Return the main table in LaTeX, with booktabs rules."""
        return self.table().to_latex()

    def to_csv(self) -> str:
        """Return the main table as CSV."""
        return self.table().to_csv()

    def to_frame(self) -> "pd.DataFrame":
        """Return the main table as a pandas data frame (pandas is optional)."""
        return self.table().to_frame()


def best_cells(
    values: Iterable[Sequence[float]], first_column: int = 1, largest: bool = True
) -> frozenset[tuple[int, int]]:
    """Return the cells that hold the best value of their row, all of them on a tie.

    Parameters
    ----------
    values : iterable of rows of numbers
        NaN is never the best.
    first_column : int
        The table's column in which the rows of `values` begin.
    largest : bool
        Whether large is good.
    """
    cells: set[tuple[int, int]] = set()
    for i, row in enumerate(values):
        numbers = np.asarray(row, dtype=np.float64) * (1.0 if largest else -1.0)
        if not np.isnan(numbers).all():
            best = np.flatnonzero(numbers == np.nanmax(numbers))
            cells.update((i, first_column + int(j)) for j in best)
    return frozenset(cells)


def _text(cell: str | int | float | Estimate, column: Column, escape: Callable[[str], str]) -> str:
    if isinstance(cell, str):
        return escape(cell)
    if isinstance(cell, Estimate):
        low, high = (format(limit, column.limits) for limit in (cell.low, cell.high))
        return f"{format(cell.value, column.format)} [{low}, {high}]"
    return format(cell, column.format)


def _finite(cell: Plain) -> Plain:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, in one line."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _escape_latex(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(letter, letter) for letter in " ".join(text.split()))
