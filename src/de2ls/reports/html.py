"""The HTML page: one file that works offline, with its data, style and script inside.

Users' text reaches the page in three ways: through Jinja, which escapes it; as text nodes of SVG,
which the XML writer escapes; and as JSON in a script element, in which no ``<`` stands, from which
the page's script puts it into text nodes only. A content policy lets nothing run or load but what
is in the file.
"""

import base64
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from de2ls._extras import extra
from de2ls._lists import count
from de2ls._version import __version__
from de2ls.reports.curves import packed, page_curves
from de2ls.reports.dimensions import Dimensions
from de2ls.reports.material import Material
from de2ls.reports.palette import Look, looks
from de2ls.reports.svg import inline_svg
from de2ls.reports.tables import machine_tables, report_tables
from de2ls.scores import Assessment, Collection, Table

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

SCRIPTS = ("theme.js", "dom.js", "scales.js", "heat.js", "convergence.js", "main.js")

_SECTIONS = {
    "overview": "Overview",
    "leads": "Who leads when",
    "problems": "Problems",
    "profiles": "Profiles",
    "running-times": "Running times",
    "convergence": "Convergence",
    "accuracy-speed": "Accuracy and speed",
    "tests": "Tests",
    "variants": "Variants",
    "series": "Series",
}
_PICTURES = {  # figures that need no interaction, and what they show
    "totals": "Total points of each series",
    "accuracy-speed": "Accuracy against speed of each series",
    "critical-difference": "Critical-difference diagram of mean ranks",
    "variants": "U-score of the variants minus that of the reference",
    "leads": "Share of all points by the end of the runs",
    "profiles": "Share of targets reached against evaluations",
    "profiles-by-group": "Profiles by group of problems",
    "profiles-by-problem": "Profiles by problem",
    "effects": "Effects of the parameters on the U-score",
    "parameters": "Parameters and U-score of the variants in parallel coordinates",
    "scaling": "Expected running times against the dimension",
    "points-by-dimension": "Share of all points against the dimension",
}


class View(NamedTuple):
    """A section of figures and tables that need no interaction."""

    name: str
    title: str
    text: str
    figures: tuple[str, ...]
    tables: tuple[str, ...]
    folded: tuple[str, ...] = ()


VIEWS = (
    View(
        "leads",
        "Who leads when",
        "The share of all points had every run ended earlier. The dashed line is an equal share; "
        "point at a line to see its 95 % band.",
        ("leads",),
        ("leads",),
    ),
    View(
        "profiles",
        "Profiles",
        "The share of (problem, run, target) triples reached against evaluations. Targets are "
        "objectives above the best known value; a run without a feasible point reaches targets of "
        "violation instead. Point at a line to see its 95 % band.",
        ("profiles", "profiles-by-group", "profiles-by-problem"),
        ("profiles",),
        ("profiles_by_problem",),
    ),
    View(
        "running-times",
        "Running times",
        "Expected running time to targets (fixed target), and quality after shares of the budget "
        "(fixed budget).",
        (),
        ("running_times",),
        ("fixed_budget",),
    ),
    View(
        "variants",
        "Variants",
        "What a change of the configuration alone does to the total.",
        ("variants", "effects", "parameters"),
        ("variants", "effects"),
    ),
)
DIMENSIONS = (
    View(
        "scaling",
        "Running time against the dimension",
        "Expected running time on each problem, both axes logarithmic: a straight line is a power "
        "of D, its exponent the growth in the table.",
        ("scaling",),
        ("scaling",),
    ),
    View(
        "points-by-dimension",
        "Points against the dimension",
        "The share of all points that each series has in each dimension. Point at a line to see "
        "its 95 % band.",
        ("points-by-dimension",),
        ("points_by_dimension",),
    ),
)
_BEYOND_CHANCE = 0.975  # share of resamples in which one total exceeds another


def page(
    materials: Sequence[Material],
    title: str,
    drawn: "Iterable[Mapping[str, Markup]]",
    compared: Sequence[Dimensions] = (),
) -> str:
    """Return the page.

    Parameters
    ----------
    materials : sequence of Material
        What it shows, one per group of problems.
    title : str
        Its heading.
    drawn : iterable of mappings of name to markup
        The `pictures` of each group. Asked for last: they may still be drawn.
    compared : sequence of Dimensions
        Groups that differ in the dimension alone.
    """
    with extra("report"):
        import jinja2
        from markupsafe import Markup

    styles = looks_of(materials)
    style, script = _style(styles), _script()
    curves = [_curves(material.collection) for material in materials]
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_read("index.html")).render(
        title=title,
        style=Markup(style),  # noqa: S704 - the page's own
        style_hash=_digest(style),
        script=Markup(script),  # noqa: S704 - the page's own
        script_hash=_digest(script),
        groups=[
            *(
                _group(number, *group, styles)
                for number, group in enumerate(zip(materials, curves, drawn, strict=True), 1)
            ),
            *(
                _comparison(number, found, styles)
                for number, found in enumerate(compared, 1 + len(materials))
            ),
        ],
        version=__version__,
        source=materials[0].source,
    )


def looks_of(materials: Sequence[Material]) -> dict[str, Look]:
    """Return the looks of all series, the same in every group."""
    return looks(dict.fromkeys(name for m in materials for name in m.collection.algorithms))


def _group(
    number: int,
    material: Material,
    curves: Sequence[str],
    drawn: "Mapping[str, Markup]",
    styles: Mapping[str, Look],
) -> dict[str, Any]:
    """Return what the template shows of one group."""
    from markupsafe import Markup

    tables = report_tables(material)
    data = page_data(material, tables, styles) | {
        "group": number,
        "suffix": "" if number == 1 else f"-{number}",
    }
    views = [_with_what_is_there(view, drawn, tables) for view in VIEWS]
    absent = {
        "accuracy-speed": "accuracy-speed" not in drawn,
        "tests": "rank_sum" not in tables,
        "variants": "variants" not in drawn,
        "leads": "leads" not in drawn,
    }
    return {
        "compares": False,
        "views": {view.name: view for view in views if not absent.get(view.name)},
        "name": str(material.group),
        "names": _names(material.collection.algorithms, styles),
        "suffix": data["suffix"],
        "sections": [item for item in _SECTIONS.items() if not absent.get(item[0])],
        "facts": facts(material),
        "warnings": (*material.warnings, *material.assessment.warnings),
        "headline": headline(material.assessment),
        "tables": tables,
        "superiority": data["superiority"],
        "figures": drawn,
        "data": Markup(script_json(data)),  # noqa: S704 - without "<"
        "curves": curves,
    }


def _curves(collection: Collection) -> list[str]:
    return [packed(page_curves(collection, p)) for p in range(len(collection.keys))]


def _comparison(number: int, found: Dimensions, styles: Mapping[str, Look]) -> dict[str, Any]:
    """Return what the template shows of groups that differ in the dimension."""
    from markupsafe import Markup

    tables = found.tables()
    drawn = pictures(found.figures(styles).items(), styles)
    views = [_with_what_is_there(view, drawn, tables) for view in DIMENSIONS]
    views = [view for view in views if view.tables]
    data = {
        "group": number,
        "suffix": f"-{number}",
        "csv": {name: table.to_csv() for name, table in tables.items()},
    }
    return {
        "compares": True,
        "name": found.title,
        "suffix": data["suffix"],
        "sections": [(view.name, view.title) for view in views],
        "views": views,
        "tables": tables,
        "names": _names(found.series, styles),
        "figures": drawn,
        "data": Markup(script_json(data)),  # noqa: S704 - without "<"
        "curves": [],
    }


def pictures(
    figures: "Iterable[tuple[str, Figure]]", styles: Mapping[str, Look]
) -> "dict[str, Markup]":
    """Return the figures that need no interaction, as elements of the page by their names."""
    from markupsafe import Markup

    return {
        name: Markup(inline_svg(figure, _PICTURES[_kind(name)], styles))  # noqa: S704 - escaped
        for name, figure in figures
        if _kind(name) in _PICTURES
    }


def _with_what_is_there(
    view: View, drawn: "Mapping[str, Markup]", tables: Mapping[str, Table]
) -> View:
    """Return a view with the figures and tables that a group has, perhaps several of a kind."""
    return view._replace(
        figures=tuple(name for name in drawn if _kind(name) in view.figures),
        tables=tuple(name for name in tables if _kind(name) in view.tables),
        folded=tuple(name for name in tables if _kind(name) in view.folded),
    )


def _kind(name: str) -> str:
    """Return the name of a figure or table without its number, as in effects-2."""
    return re.sub(r"[-_]\d+$", "", name)


def _names(series: Sequence[str], styles: Mapping[str, Look]) -> list[tuple[int, str]]:
    """Return the series with the places of their colours, for windows that cut their names off."""
    places = {name: place for place, name in enumerate(styles)}
    return [(places[name], name) for name in series]


def script_json(content: Any) -> str:
    """Return JSON for a script element: nothing in it can end the element."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def headline(assessment: Assessment) -> str:
    """Return the result in a sentence or two, and how certain it is."""
    score, bootstrap = assessment.score, assessment.bootstrap
    totals = score.sums()["total"]
    order = np.argsort(-totals, kind="stable")
    best = score.algorithms[order[0]]
    first = f"{best} has the largest total: {totals[order[0]]:,.10g} points"
    if len(order) < 2:
        return f"{best} is the only series: {totals[0]:,.10g} points."
    second = score.algorithms[order[1]]
    if totals[order[0]] == totals[order[1]]:
        return f"{best} and {second} share the largest total: {totals[order[0]]:,.10g} points."
    gain = f"{score.gain(best, second):.2f} % more than {second}"
    if bootstrap is None:
        return f"{first}, {gain}."
    share = float(bootstrap.superiority()[order[0], order[1]])
    verdict = (
        "the difference exceeds chance"
        if share >= _BEYOND_CHANCE
        else "that may be chance: more trials could turn it round"
    )
    return f"{first}, {gain}. It leads in {100 * share:.1f} % of the resamples; {verdict}."


def facts(material: Material) -> list[str]:
    """Return what was compared, in short pieces."""
    score = material.assessment.score
    budgets = sorted({trial.max_evals for trial in material.trials})
    return [
        str(material.group),
        f"{len(score.algorithms)} series",
        count(len(score.problems), "problem"),
        f"{count(score.n_trials, 'trial')} each",
        f"{', '.join(f'{budget:,}' for budget in budgets)} evaluations",
        f"protocol {score.protocol}",
    ]


def page_data(
    material: Material, tables: Mapping[str, Table], styles: Mapping[str, Look]
) -> dict[str, Any]:
    """Return what the page's charts are drawn from."""
    assessment, names = material.assessment, material.collection.algorithms
    place = {name: k for k, name in enumerate(styles)}
    resampled = assessment.bootstrap if len(names) > 1 else None
    every_table = {**tables, **machine_tables(material)}
    return {
        "algorithms": [
            {"label": name, "place": place[name], "dash": list(styles[name].dash)} for name in names
        ],
        "problems": list(material.collection.problems),
        "byProblem": {part: a.tolist() for part, a in assessment.score.arrays().items()},
        "superiority": None if resampled is None else resampled.superiority().tolist(),
        "finals": [_finals(material.collection, p) for p in range(len(material.collection.keys))],
        "csv": {name: table.to_csv() for name, table in every_table.items()},
    }


def _finals(collection: Collection, problem: int) -> list[list[Any]]:
    """Return the runs on a problem, and what each series reached in them, as text."""
    ends: dict[int, list[str]] = defaultdict(lambda: ["–"] * len(collection.algorithms))
    for a, (cell, runs) in enumerate(
        zip(collection.cells[problem], collection.runs[problem], strict=True)
    ):
        for run, (min_ev, lcv) in zip(runs, cell[:, -1].tolist(), strict=True):
            ends[run][a] = _end(min_ev, lcv)
    return sorted([run, cells] for run, cells in ends.items())


def _end(min_ev: float, lcv: float) -> str:
    return f"{min_ev:.9g}" if np.isfinite(min_ev) else f"CV {lcv:.9g}"


def _style(styles: Mapping[str, Look]) -> str:
    """Return the page's style with the colours of the series in both themes."""
    light, dark = (
        "".join(f"--series-{i}:{getattr(look, theme)};" for i, look in enumerate(styles.values()))
        for theme in ("light", "dark")
    )
    names = "".join(f".series-{i}{{color:var(--series-{i})}}" for i in range(len(styles)))
    return f'{_read("page.css")}:root{{{light}}}:root[data-theme="dark"]{{{dark}}}{names}'


@cache
def _script() -> str:
    return '"use strict";\n' + "".join(_read(name) for name in SCRIPTS)


@cache
def _read(name: str) -> str:
    return (files("de2ls.reports") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return what the content policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
