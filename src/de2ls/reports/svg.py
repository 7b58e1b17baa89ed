"""Figures as SVG for the page: text stays text, and the colours follow the page's theme."""

import io
import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from de2ls.reports.figures import BAND, LINE, style
from de2ls.reports.palette import Look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

_THEME = {"#000000": "text", "#222222": "text", "#666666": "quiet", "#e4e4e4": "grid"}
_PIXELS = 1.45  # per point: a figure's letters are then as large as the page's
_LONG = re.compile(r"(\d\.\d)\d+")  # a tenth of a point is as fine as a screen
_WIDE = 500  # points; a wider figure scrolls on a phone


def inline_svg(figure: "Figure", name: str, looks: Mapping[str, Look]) -> str:
    """Return a figure as an element of the page.

    It has neither style nor script in it, which the page's content policy would refuse: every
    property becomes an attribute, and the colours of theme and series become the page's variables.

    Parameters
    ----------
    figure : Figure
        What is drawn.
    name : str
        What it shows, for readers who do not see it.
    looks : mapping of label to Look
        In the order of the page's colours.
    """
    import matplotlib

    text = io.StringIO()
    hidden = [artist for artist in figure.findobj(_answers_pointer) if not artist.get_visible()]
    for artist in hidden:
        artist.set(visible=True, gid=f"{artist.get_gid()} hidden")
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the browser has others
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": name})
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    for artist in hidden:
        artist.set(visible=False, gid=str(artist.get_gid()).split()[0])
    root = ElementTree.fromstring(text.getvalue())  # noqa: S314 - Matplotlib's own
    colours = {look.light: f"series-{place}" for place, look in enumerate(looks.values())}
    used = set(re.findall(r"#([mp][0-9a-f]{10})", text.getvalue()))
    for element in root.iter():
        _restate(element, _THEME | colours, used)
    for parent in [root, *root.iter("defs")]:
        for child in [child for child in parent if child.tag in ("metadata", "style")]:
            parent.remove(child)
    width = float(root.attrib["viewBox"].split()[2])
    kind = "wide" if width > _WIDE else "narrow"
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "width": f"{_PIXELS * width:.0f}",
        "class": kind,
        "role": "img",
        "aria-label": name,
    }
    return re.sub(r"\s*\n\s*", " ", ElementTree.tostring(root, encoding="unicode"))


def _answers_pointer(artist: "Artist") -> bool:
    return artist.get_gid() in (BAND, LINE)


def _restate(element: ElementTree.Element, colours: Mapping[str, str], used: set[str]) -> None:
    """Put an element into the page's terms."""
    element.tag = element.tag.rpartition("}")[2]
    found = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    for declaration in filter(None, found.pop("style", "").split(";")):
        name, value = (part.strip() for part in declaration.split(":", 1))
        if name != "font-family":
            found[name] = f"var(--{colours[value]})" if value in colours else value
    if "d" in found:
        found["d"] = _LONG.sub(r"\1", found["d"])
    if found.get("id") not in used:  # several figures share one page
        name = found.pop("id", "")
        if name.split("_")[0].split(" ")[0] in (BAND, LINE):
            found["class"] = name.replace("_", " ")
    element.attrib = found
    element.tail = None
