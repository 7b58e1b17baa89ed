"""`write_report`: tables, figures and the page of a store, in one folder."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from de2ls.reports.dimensions import Dimensions, dimensions
from de2ls.reports.drawing import Begun, begin
from de2ls.reports.figures import Looks, drawings, save
from de2ls.reports.folder import renew
from de2ls.reports.html import facts, headline, looks_of, page
from de2ls.reports.material import Material, load
from de2ls.reports.tables import machine_tables, report_tables, write_tables, write_texts
from de2ls.scores import Table
from de2ls.scores.bootstrap import RESAMPLES
from de2ls.scores.tables import escape_markdown

if TYPE_CHECKING:
    from markupsafe import Markup


def write_report(
    store: str | Path,
    folder: str | Path,
    selection: Mapping[str, Any] | None = None,
    protocol: str = "cec2026",
    bootstrap: int = RESAMPLES,
    seed: int = 0,
    allow_unequal: bool = False,
    title: str | None = None,
    pool: Executor | None = None,
) -> list[Material]:
    """Write the report of a store.

    Parameters
    ----------
    store : str or Path
        The store's file.
    folder : str or Path
        Where to: ``index.html``, ``report.md``, ``tables/``, ``figures/``, and
        ``report-files.txt``, which lists them. Created if it is missing; the files of an earlier
        report are replaced, or removed where this one has none of that name; no others are touched.
    selection, protocol, bootstrap, seed, allow_unequal
        As for `de2ls.reports.load`.
    title : str, optional
        Heading of the page; by default the name of the store's file.
    pool : Executor, optional
        Whose process draws the figures meanwhile; by default they are drawn here.

    Returns
    -------
    list of Material
        What was reported: one per group of problems. Of several groups each has its tables and
        figures in a folder named after it.
    """
    materials = load(store, selection, protocol, bootstrap, seed, allow_unequal)
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: name a folder for the report")
    heading = title or materials[0].source
    styles = looks_of(materials)
    places = _places(materials)
    begun = [
        {
            name: begin(drawing, name, folder / place / "figures", styles, pool)
            for name, drawing in drawings(material, styles)
        }
        for material, place in zip(materials, places, strict=True)
    ]
    written: list[Path] = []
    texts = [f"# {escape_markdown(heading)}"]
    for material, place, shown in zip(materials, places, begun, strict=True):
        tables = report_tables(material)
        written += write_tables(folder / place / "tables", tables, machine_tables(material))
        texts.append(markdown(material, tables, [f"{place}figures/{name}" for name in shown]))
    compared = dimensions(materials)
    for found in compared:
        written += _write_comparison(folder, found, styles)
        texts.append(comparison_markdown(found))
    page_text = page(materials, heading, map(_pictures, begun), compared)
    written += [path for shown in begun for figure in shown.values() for path in figure.drawn.files]
    written += write_texts(folder, {"report.md": "\n\n".join(texts), "index.html": page_text})
    renew(folder, written)
    return materials


def _pictures(begun: Mapping[str, Begun]) -> "dict[str, Markup]":
    """Return what the page shows of a group's figures, once they are drawn."""
    return {
        name: picture
        for figure in begun.values()
        for name, picture in figure.drawn.pictures.items()
    }


def _places(materials: Sequence[Material]) -> list[str]:
    """Return the folders of the groups, relative to the report's."""
    return [""] if len(materials) == 1 else [_place(str(m.group)) for m in materials]


def _place(title: str) -> str:
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', title).strip('-')}/"


def _write_comparison(folder: Path, found: Dimensions, styles: Looks) -> list[Path]:
    """Write the tables and figures of groups that differ in the dimension."""
    place = folder / _place(found.title)
    written = write_tables(place / "tables", found.tables())
    for name, figure in found.figures(styles).items():
        written += save(figure, place / "figures", name)
    return written


def comparison_markdown(found: Dimensions) -> str:
    """Return the comparison of dimensions in Markdown."""
    drawn = ["scaling", "points-by-dimension"][: len(found.tables())]
    parts = [
        f"## {escape_markdown(found.title)}",
        *(f"![{name}]({_place(found.title)}figures/{name}.png)" for name in drawn),
        *(table.to_markdown() for table in found.tables().values()),
    ]
    return "\n\n".join(parts)


def markdown(material: Material, tables: Mapping[str, Table], drawn: Sequence[str]) -> str:
    """Return the report of a group in Markdown: result, warnings, figures and tables."""
    warnings = (*material.warnings, *material.assessment.warnings)
    parts = [
        f"## {escape_markdown(str(material.group))}",
        escape_markdown(", ".join(facts(material))),
        escape_markdown(headline(material.assessment)),
        *(f"> **Warning:** {escape_markdown(warning)}" for warning in warnings),
        *(f"![{Path(name).name}]({name}.png)" for name in drawn),
        *(table.to_markdown() for table in tables.values()),
    ]
    return "\n\n".join(parts)
