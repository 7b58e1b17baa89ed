"""COCO archives: trials on bbob-constrained in the files that `cocopp` reads.

COCO's indicator is f - f_opt plus the summed violation. A record knows it from the first feasible
point on, as Min_EV - f_opt; before that the archive has a value above every target.
Objective and constraints are evaluated together, so both counts are the same.
"""

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from de2ls._extras import extra
from de2ls.interop.iohprofiler import improvements, safe_name
from de2ls.trials.record import TrialRecord

SUITE = "bbob-constrained"
_HEADER = (
    "% f evaluations | g evaluations | best noise-free fitness - Fopt ({:.12e}) + sum g_i+ | "
    "measured fitness | best measured fitness or single-digit g-values | x1 | x2..."
)
_INFO = (
    "suite = '{suite}', funcId = {number}, DIM = {dim}, Precision = 1.000e-08, algId = '{name}', "
    "coco_version = '{version}', logger = '{suite}', data_format = 'bbob-new2', settings = ''\n"
    "% exported by de2ls\n"
    "{path}"
)
UNKNOWN = 1e12  # where a record has no feasible point yet: above every target


def write_coco(records: Iterable[TrialRecord], folder: str | Path) -> list[Path]:
    """Write trials on bbob-constrained as archives, one folder per series.

    Parameters
    ----------
    records : iterable of TrialRecord
        Read once, one after the other; others than on bbob-constrained are refused.
    folder : str or Path
        Created if it is missing.

    Returns
    -------
    list of Path
        The folders of the series: what ``cocopp.main`` takes.
    """
    with extra("coco"):
        import cocoex

    runs: dict[Path, dict[tuple[int, int], list[str]]] = defaultdict(lambda: defaultdict(list))
    names: dict[Path, str] = {}
    started: set[Path] = set()
    for record in records:
        key = record.problem
        if key.suite != SUITE:
            raise ValueError(f"a COCO archive holds trials of {SUITE}, got {record.key}")
        number, instance = int(key.name), int(key["instance"])
        place = Path(folder) / safe_name(record.label)
        names[place] = record.label
        lines, best = _lines(record, optimum(number, key.dim, instance))
        data = place / _data(number, key.dim)
        data.parent.mkdir(parents=True, exist_ok=True)
        for suffix in (".dat", ".tdat"):
            file = data.with_suffix(suffix)
            with file.open("a" if file in started else "w", encoding="ascii") as out:
                out.write(lines)
            started.add(file)
        runs[place][number, key.dim].append(f"{instance}:{record.n_evals}|{best:.1e}")
    for place, found in runs.items():
        texts: dict[int, list[str]] = defaultdict(list)
        for (number, dim), ends in sorted(found.items()):
            about = {"suite": SUITE, "number": number, "dim": dim, "path": _data(number, dim)}
            name = names[place].replace("'", " ")
            info = _INFO.format(**about, name=name, version=cocoex.__version__)
            texts[number].append(", ".join([info, *ends]))
        for number, parts in texts.items():
            (place / f"bbobexp_f{number}.info").write_text("\n".join(parts), encoding="utf-8")
    return list(runs)


def _data(number: int, dim: int) -> str:
    return f"data_f{number}/bbobexp_f{number}_DIM{dim}.dat"


def _lines(record: TrialRecord, best: float) -> tuple[str, float]:
    """Return the rows of a run and the distance to the optimum at its end."""
    rows = improvements(record.curve)
    gaps = np.where(np.isfinite(rows[:, 1]), rows[:, 1] - best, UNKNOWN)
    texts = [
        f"{int(fes)} {int(fes)} {gap:+.9e} {best + gap:+.9e} {best + gap:+.9e}"
        for fes, gap in zip(rows[:, 0], gaps, strict=True)
    ]
    first = f"1 1 {UNKNOWN:+.9e} {UNKNOWN:+.9e} {UNKNOWN:+.9e}"  # COCO wants one of it
    return "\n".join([_HEADER.format(best), first, *texts]) + "\n", float(gaps[-1])


@cache
def optimum(number: int, dim: int, instance: int) -> float:
    """Return the optimum of a problem as COCO's own observer states it."""
    with extra("coco"):
        import cocoex

    chosen = f"dimensions: {dim} function_indices: {number}"
    level = cocoex.log_level("warning")
    try:
        with tempfile.TemporaryDirectory() as folder:
            options = f"outer_folder: {folder} result_folder: optimum"
            observer = cocoex.Observer(SUITE, options)
            suite = cocoex.Suite(SUITE, f"instances: {instance}", chosen)
            problem = suite.get_problem_by_function_dimension_instance(number, dim, instance)
            problem.observe_with(observer)
            problem(problem.initial_solution)
            problem.free()
            texts = [path.read_text() for path in Path(folder).rglob("*.tdat")]
    finally:
        cocoex.log_level(level)
    found = re.search(r"Fopt \(([^)]+)\)", "".join(texts))
    if found is None:
        raise RuntimeError(f"COCO's observer did not state the optimum of f{number} D={dim}")
    return float(found[1])
