"""`write_report`: tables, figures and the page of a store, in one folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from de2ls.reports.figures import figures, save
from de2ls.reports.folder import renew
from de2ls.reports.html import facts, headline, page
from de2ls.reports.material import Material, load
from de2ls.reports.tables import machine_tables, report_tables, write_tables, write_texts
from de2ls.scores import Table
from de2ls.scores.bootstrap import RESAMPLES
from de2ls.scores.tables import escape_markdown


def write_report(
    store: str | Path,
    folder: str | Path,
    selection: Mapping[str, Any] | None = None,
    protocol: str = "cec2026",
    bootstrap: int = RESAMPLES,
    seed: int = 0,
    allow_unequal: bool = False,
    title: str | None = None,
) -> Material:
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

    Returns
    -------
    Material
        What was reported.
    """
    material = load(store, selection, protocol, bootstrap, seed, allow_unequal)
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: name a folder for the report")
    heading = title or material.source
    tables = report_tables(material)
    written = write_tables(folder / "tables", tables, machine_tables(material))
    drawn = figures(material)
    for name, figure in drawn.items():
        written += save(figure, folder / "figures", name)
    text = markdown(material, heading, tables, list(drawn))
    written += write_texts(folder, {"report.md": text, "index.html": page(material, heading)})
    renew(folder, written)
    return material


def markdown(material: Material, title: str, tables: Mapping[str, Table], drawn: list[str]) -> str:
    """Return the report in Markdown: result, warnings, figures and tables."""
    warnings = (*material.warnings, *material.assessment.warnings)
    parts = [
        f"# {escape_markdown(title)}",
        escape_markdown(", ".join(facts(material))),
        escape_markdown(headline(material.assessment)),
        *(f"> **Warning:** {escape_markdown(warning)}" for warning in warnings),
        *(f"![{name}](figures/{name}.png)" for name in drawn),
        *(table.to_markdown() for table in tables.values()),
    ]
    return "\n\n".join(parts)
