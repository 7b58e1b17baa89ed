"""The best value of a problem, where it is known: what an error is measured from."""

import os
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from de2ls._extras import extra
from de2ls.problems.key import ProblemKey
from de2ls.suites.registry import get_suite

COCO = "bbob-constrained"


def is_known(key: ProblemKey) -> bool:
    """Whether the best value of a problem is known here."""
    return key.suite == COCO or get_suite(key.suite).best_known(key) is not None


@lru_cache(maxsize=1024)
def best_value(key: ProblemKey) -> float:
    """Return the best known value of a problem; NaN where there is none."""
    if key.suite == COCO:
        return _coco_optimum(key)
    best = get_suite(key.suite).best_known(key)
    return np.nan if best is None else float(best)


def _coco_optimum(key: ProblemKey) -> float:
    """Return the objective at the optimum, which COCO writes into a file of the current folder."""
    with extra("coco"):
        import cocoex
    chosen = f"dimensions: {key.dim} function_indices: {key.name}"
    problem = cocoex.Suite(COCO, f"instances: {key['instance']}", chosen)[0]
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem._best_parameter("print")
            point = np.loadtxt("._bbob_problem_best_parameter.txt")
        finally:
            os.chdir(here)
    return float(problem(point))
