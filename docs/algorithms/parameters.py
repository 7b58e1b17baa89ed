"""Write the tables of parameters into the pages of this folder, from the configurations.

    python docs/algorithms/parameters.py

A page marks the place by ``<!-- parameters: NAME -->`` and ``<!-- end -->``. A table of a relative
of another algorithm shows only what differs from it.
"""

import re
from pathlib import Path
from typing import Any

from de2ls.algorithms import get_algorithm
from de2ls.algorithms.config import table

FOLDER = Path(__file__).parent
BASES = {
    **dict.fromkeys(("de2ls", "cl-srde", "rde26", "rdex-cask", "l-srtde"), "rdex"),
    **dict.fromkeys(("dish", "ea4eig"), "jso"),
    "ude4": "ude3",
    "lshade44-iepsilon": "lshade44",
}
PLACE = re.compile(r"(<!-- parameters: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def parameter_table(name: str) -> str:
    """Return the parameters of algorithm `name` as a Markdown table."""
    known = {}
    if name in BASES:
        known = {row[0]: row[1] for row in table(get_algorithm(BASES[name]).config_class)}
    lines = ["| field | default | range | meaning |", "|---|---:|---|---|"]
    for field, default, span, meaning in table(get_algorithm(name).config_class):
        if field not in known or known[field] != default:
            cells = (f"`{field}`", written(default), interval(span), meaning)
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def written(default: Any) -> str:
    """Return a default as a reader writes it."""
    if isinstance(default, float):
        return "1/3" if default == 1 / 3 else f"{default:g}"
    return "by D" if default is None else str(default)


def interval(span: str) -> str:
    """Return a range without empty ends."""
    one_sided = re.fullmatch(r"\[(.*), \]", span)
    return f"≥ {one_sided[1]}" if one_sided else span


def filled(text: str) -> str:
    """Return a page with its tables up to date."""
    return PLACE.sub(lambda place: place[1] + parameter_table(place[2]) + place[3], text)


def main() -> None:
    """Rewrite the pages."""
    for page in sorted(FOLDER.glob("*.md")):
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main()
