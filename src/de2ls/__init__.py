"""Constrained black-box optimization with differential evolution.

The public names are loaded on first use, so that ``import de2ls`` stays light: Numba and the
compiled kernels are touched only by what needs them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from de2ls._version import __version__

if TYPE_CHECKING:
    from de2ls.algorithms import ablation_variants, algorithm_names
    from de2ls.algorithms.algorithm import algorithm
    from de2ls.optimize.minimizer import minimize
    from de2ls.optimize.optimizer import Optimizer
    from de2ls.optimize.search import EvaluationError
    from de2ls.problems.problem import Problem
    from de2ls.problems.variables import choices
    from de2ls.problems.wrap import problem
    from de2ls.reports.profiles import profiles
    from de2ls.scores.uscore import uscore
    from de2ls.suites.cec2017 import cec2017
    from de2ls.suites.registry import get_suite as suite
    from de2ls.suites.registry import suite_names
    from de2ls.trials import PausedTrial, TrialRecord, run_trial

_MODULE_OF = {
    "EvaluationError": "de2ls.optimize.search",
    "Optimizer": "de2ls.optimize.optimizer",
    "PausedTrial": "de2ls.trials",
    "Problem": "de2ls.problems",
    "TrialRecord": "de2ls.trials",
    "ablation_variants": "de2ls.algorithms",
    "algorithm": "de2ls.algorithms.algorithm",
    "algorithm_names": "de2ls.algorithms",
    "cec2017": "de2ls.suites.cec2017",
    "choices": "de2ls.problems",
    "minimize": "de2ls.optimize.minimizer",
    "problem": "de2ls.problems",
    "profiles": "de2ls.reports.profiles",
    "suite": "de2ls.suites.registry",
    "suite_names": "de2ls.suites.registry",
    "run_trial": "de2ls.trials",
    "uscore": "de2ls.scores",
}

__all__ = [
    "EvaluationError",
    "Optimizer",
    "PausedTrial",
    "Problem",
    "TrialRecord",
    "__version__",
    "ablation_variants",
    "algorithm",
    "algorithm_names",
    "cec2017",
    "choices",
    "minimize",
    "problem",
    "profiles",
    "run_trial",
    "suite",
    "suite_names",
    "uscore",
]


if not TYPE_CHECKING:  # hidden from type checkers, which then see a misspelt name

    def __getattr__(name: str) -> Any:
        if name in _MODULE_OF:
            value = getattr(import_module(_MODULE_OF[name]), name)
            globals()[name] = value
            return value
        from de2ls._lists import nearest

        raise AttributeError(f"module 'de2ls' has no attribute {name!r}{nearest(name, __all__)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
