"""Trials: run one algorithm on one problem with one seed, and keep what happened."""

from de2ls.trials.record import LocalSearchLog, TrialRecord
from de2ls.trials.run import PausedTrial, run_trial

__all__ = ["LocalSearchLog", "PausedTrial", "TrialRecord", "run_trial"]
