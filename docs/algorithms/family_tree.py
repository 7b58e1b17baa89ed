"""Draw the family tree of the lineage: ``python docs/algorithms/family_tree.py`` writes the SVG."""

from html import escape
from pathlib import Path

FILE = Path(__file__).with_name("family-tree.svg")
ROW, LEFT, TOP, COLUMN = 44, 20, 40, 84
FIRST_YEAR = 2014
HERE, OTHER = "#0f766e", "#94a3b8"

# name: (year, row, parents, whether it is here)
TREE: dict[str, tuple[int, int, tuple[str, ...], bool]] = {
    "LSHADE-SPACMA": (2017, 1, ("L-SHADE",), True),
    "EA4eig": (2022, 2, ("jSO",), True),
    "DISH": (2019, 3, ("jSO",), True),
    "L-SHADE": (2014, 4, (), False),
    "jSO": (2017, 4, ("L-SHADE",), True),
    "NL-SHADE-RSP": (2021, 4, ("jSO",), True),
    "L-SRTDE": (2024, 4, ("NL-SHADE-RSP",), True),
    "RDEx": (2025, 4, ("L-SRTDE", "CL-SRDE"), True),
    "DE-2LS": (2026, 4, ("RDEx",), True),
    "RDEx-CASK": (2026, 3, ("RDEx",), True),
    "RDE26": (2026, 5, ("RDEx",), True),
    "CL-SRDE": (2024, 5, ("L-SRTDE",), True),
    "LSHADE44": (2017, 6, ("L-SHADE",), True),
    "LSHADE44-IEpsilon": (2018, 5, ("LSHADE44",), True),
    "LSHADE-cnEpSin": (2017, 7, ("L-SHADE",), False),
    "mLSHADE-RL": (2024, 7, ("LSHADE-cnEpSin", "IMODE"), True),
    "UMOEAs-II": (2016, 8, (), False),
    "EBOwithCMAR": (2017, 8, ("UMOEAs-II",), True),
    "IMODE": (2020, 8, ("EBOwithCMAR",), True),
    "UDE": (2017, 9, (), True),
    "UDE-III": (2024, 9, ("UDE",), True),
    "UDE-IV": (2025, 9, ("UDE-III",), True),
}


def place(name: str) -> tuple[float, float]:
    """Return where a name stands."""
    year, row, _, _ = TREE[name]
    return LEFT + (year - FIRST_YEAR) * COLUMN, TOP + row * ROW


def drawing() -> str:
    """Return the tree as SVG."""
    width, height = LEFT + 13 * COLUMN + 20, TOP + 10 * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        "<title>Family tree of the lineage, 2014 to 2026</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for year in range(FIRST_YEAR, 2027):
        x = LEFT + (year - FIRST_YEAR) * COLUMN
        parts.append(f'<text x="{x}" y="20" fill="#64748b">{year}</text>')
        parts.append(f'<path d="M{x} 28V{height - 10}" stroke="#e2e8f0"/>')
    for name, (_, _, parents, _) in TREE.items():
        x, y = place(name)
        for parent in parents:
            px, py = place(parent)
            bend = (px + x) / 2
            parts.append(
                f'<path d="M{px} {py}C{bend} {py} {bend} {y} {x} {y}" fill="none" '
                'stroke="#94a3b8" stroke-width="1.5"/>'
            )
    for name, (_, _, _, here) in TREE.items():
        x, y = place(name)
        colour = HERE if here else OTHER
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>')
        parts.append(
            f'<text x="{x + 8}" y="{y - 8}" fill="{colour}" font-weight="600" stroke="#ffffff" '
            f'stroke-width="4" stroke-linejoin="round" paint-order="stroke">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    FILE.write_text(drawing())
