"""Trials of a store as a pandas data frame (``pip install 'de2ls[pandas]'``)."""

from typing import TYPE_CHECKING, Any

from de2ls._extras import extra
from de2ls.trials.record import TrialSummary

if TYPE_CHECKING:
    import pandas as pd

    from de2ls.campaigns.store import Store

_PLAIN = (
    "seed",
    "max_evals",
    "n_evals",
    "f",
    "violation",
    "feasible",
    "min_ev",
    "lcv",
    "stop",
    "n_invalid",
    "n_outside",
    "wall_time",
    "version",
)


def to_frame(store: "Store", curves: bool = False, **selection: Any) -> "pd.DataFrame":
    """Return one row per trial, or per sample of its curve; see `Store.to_frame`."""
    with extra("pandas"):
        import pandas as pd

    if not curves:
        rows = [_identity(trial) | _result(trial) for trial in store.trials(**selection)]
        return pd.DataFrame(rows)
    parts = [
        pd.DataFrame(record.curve, columns=["evaluations", "min_ev", "lcv"]).assign(
            **_identity(record)
        )
        for record in store.records(**selection)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _identity(trial: TrialSummary) -> dict[str, Any]:
    """Return what tells a trial apart; fields of the problem's variant have their own columns."""
    key = trial.problem
    return {
        "series": trial.label,
        "algorithm": trial.algorithm,
        "suite": key.suite,
        "problem": key.label,
        "dim": key.dim,
        **dict(key.variant),
        "run": trial.run,
    }


def _result(trial: TrialSummary) -> dict[str, Any]:
    """Return the result, and what the algorithm counted as ``counters.<name>``."""
    counters = {f"counters.{name}": value for name, value in trial.counters.items()}
    config = {f"config.{name}": value for name, value in trial.config.items()}
    return {name: getattr(trial, name) for name in _PLAIN} | counters | config
