"""The HTML page: one file that works offline, with its data, style and script inside.

Users' text reaches the page in two ways: through Jinja, which escapes it, and as JSON in a script
element, in which no ``<`` stands; the page's script puts it into text nodes only. A content policy
lets nothing run or load but what is in the file.
"""

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls._extras import extra
from de2ls._version import __version__
from de2ls.reports.curves import packed, page_curves
from de2ls.reports.figures import looks_of
from de2ls.reports.material import Material
from de2ls.reports.tables import Variants, changed, machine_tables, report_tables, variants
from de2ls.scores import Assessment, Friedman, Table

SCRIPTS = ("dom.js", "scales.js", "charts.js", "heat.js", "convergence.js", "main.js")

_SECTIONS = {
    "overview": "Overview",
    "problems": "Problems",
    "convergence": "Convergence",
    "accuracy-speed": "Accuracy and speed",
    "tests": "Tests",
    "variants": "Variants",
    "series": "Series",
}
_BEYOND_CHANCE = 0.975  # share of resamples in which one total exceeds another


def page(material: Material, title: str) -> str:
    """Return the page.

    Parameters
    ----------
    material : Material
        What it shows.
    title : str
        Its heading.
    """
    with extra("report"):
        import jinja2
        from markupsafe import Markup

    tables = report_tables(material)
    data = page_data(material, tables)
    charts = {name for name in ("superiority", "variants") if data[name]}
    charts |= {"scatter"} if data["totals"].get("accuracy") else set()
    charts |= {"critical"} if data["friedman"] else set()
    absent = {
        "accuracy-speed": "scatter" not in charts,
        "tests": "rank_sum" not in tables,
        "variants": "variants" not in charts,
    }
    style, script = _style(material), _script()
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_read("index.html")).render(
        title=title,
        style=Markup(style),  # noqa: S704 - the page's own
        style_hash=_digest(style),
        script=Markup(script),  # noqa: S704 - the page's own
        script_hash=_digest(script),
        sections=[item for item in _SECTIONS.items() if not absent.get(item[0])],
        facts=facts(material),
        warnings=(*material.warnings, *material.assessment.warnings),
        headline=headline(material.assessment),
        tables=tables,
        charts=charts,
        data=Markup(script_json(data)),  # noqa: S704 - without "<"
        curves=list(_curves(material).items()),
        version=__version__,
        source=material.source,
    )


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
    keys = material.collection.keys
    dims = sorted({key.dim for key in keys if key.dim})
    budgets = sorted({trial.max_evals for trial in material.trials})
    instances = {str(key["instance"]) for key in keys if key.get("instance") is not None}
    definitions = {str(key["definition"]) for key in keys if key.suite == "cec2017"}
    sentences = [
        f"{len(score.algorithms)} series",
        f"{len(score.problems)} problems",
        f"{score.n_trials} trials each",
        f"D = {', '.join(map(str, dims))}" if dims else "",
        f"{', '.join(f'{budget:,}' for budget in budgets)} evaluations",
        f"definition {', '.join(sorted(definitions))}" if definitions else "",
        f"instance {', '.join(sorted(instances))}" if instances else "",
        f"protocol {score.protocol}",
    ]
    return [text for text in sentences if text]


def page_data(material: Material, tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return what the page's charts are drawn from."""
    assessment, styles = material.assessment, looks_of(material)
    several = assessment.bootstrap is not None and len(material.series) > 1
    every_table = {**tables, **machine_tables(material)}
    return {
        "algorithms": [
            {"label": s.label, "algorithm": s.algorithm, "dash": list(styles[s.label].dash)}
            for s in material.series
        ],
        "problems": list(material.collection.problems),
        "totals": _totals(assessment),
        "byProblem": {part: a.tolist() for part, a in assessment.score.arrays().items()},
        "superiority": assessment.bootstrap.superiority().tolist()
        if several and assessment.bootstrap
        else None,
        "friedman": _friedman(assessment.friedman),
        "variants": _variants(variants(material)),
        "finals": _finals(material),
        "csv": {name: table.to_csv() for name, table in every_table.items()},
    }


def _totals(assessment: Assessment) -> dict[str, list[list[float | None]]]:
    """Return value, lower and upper limit of each total."""
    sums = assessment.score.sums()
    if assessment.bootstrap is None:
        return {part: [[v, None, None] for v in sums[part].tolist()] for part in sums}
    limits = {part: assessment.bootstrap.interval(part).tolist() for part in sums}
    return {
        part: [[v, *limits[part][a]] for a, v in enumerate(sums[part].tolist())] for part in sums
    }


def _friedman(friedman: Friedman | None) -> dict[str, Any] | None:
    if friedman is None:
        return None
    groups = [[friedman.algorithms.index(name) for name in group] for group in friedman.groups()]
    return {
        "ranks": friedman.mean_ranks.tolist(),
        "difference": friedman.critical_difference,
        "groups": groups,
    }


def _variants(found: Variants | None) -> dict[str, Any] | None:
    if found is None:
        return None
    rows = [
        {"label": label, "change": changed(found.changes[label]), "gain": list(gain)}
        for label, gain in found.gain.items()
        if label != found.reference
    ]
    return {"reference": found.reference, "rows": rows}


def _finals(material: Material) -> list[list[Any]]:
    """Return for each problem the runs, and what each series reached in them, as text."""
    place = {label: a for a, label in enumerate(material.collection.algorithms)}
    ends: dict[str, dict[int, list[str]]] = defaultdict(dict)
    for trial in material.trials:
        runs = ends[trial.problem.label]
        cells = runs.setdefault(trial.run, ["–"] * len(place))
        cells[place[trial.label]] = _end(trial.min_ev, trial.lcv)
    return [sorted(([run, c] for run, c in ends[p].items())) for p in material.collection.problems]


def _end(min_ev: float, lcv: float) -> str:
    return f"{min_ev:.9g}" if np.isfinite(min_ev) else f"CV {lcv:.9g}"


def _curves(material: Material) -> dict[str, str]:
    """Return the packed curves of each problem."""
    collection = material.collection
    runs = {(trial.problem.label, trial.label, trial.seed): trial.run for trial in material.trials}
    chunks = {}
    for p, (name, row) in enumerate(zip(collection.problems, collection.cells, strict=True)):
        grids: list[FloatArray] = []
        names: list[list[int]] = []
        for a, label in enumerate(collection.algorithms):
            seeds = collection.seeds[p][a] if collection.seeds else ()
            grids.append(material.evaluations[name, label])
            names.append([runs[name, label, seed] for seed in seeds])
        chunks[name] = packed(page_curves(row, grids, names))
    return chunks


def _style(material: Material) -> str:
    """Return the page's style with the colours of the series in both themes."""
    styles = looks_of(material)
    light, dark = (
        "".join(
            f"--series-{i}:{getattr(styles[series.label], theme)};"
            for i, series in enumerate(material.series)
        )
        for theme in ("light", "dark")
    )
    return f'{_read("page.css")}:root{{{light}}}:root[data-theme="dark"]{{{dark}}}'


@cache
def _script() -> str:
    return '"use strict";\n' + "".join(_read(name) for name in SCRIPTS)


@cache
def _read(name: str) -> str:
    return (files("de2ls.reports") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return what the content policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
