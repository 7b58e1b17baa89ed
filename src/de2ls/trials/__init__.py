"""Trials: run one algorithm on one problem with one seed, and keep what happened.

Running loads the compiled engine; reading records does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord, TrialSummary

if TYPE_CHECKING:
    from de2ls.trials.run import PausedTrial, run_trial

__all__ = ["PausedTrial", "TrialKey", "TrialRecord", "TrialSummary", "run_trial"]


def __getattr__(name: str) -> Any:
    if name in ("PausedTrial", "run_trial"):
        return getattr(import_module("de2ls.trials.run"), name)
    raise AttributeError(f"module 'de2ls.trials' has no attribute {name!r}")
