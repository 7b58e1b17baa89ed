"""Effects: what each parameter does to the total, by series that differ in it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.scores.bootstrap import LEVEL, Bootstrap, estimate
from de2ls.scores.tables import Column, Estimate, Table, Tabular, Value


@dataclass(frozen=True)
class Effect:
    """What one value of a parameter does to the total U-score, beside its other values."""

    parameter: str
    value: Any
    series: tuple[str, ...]  # that have it
    effect: Estimate  # mean total of these series minus the mean of the others


@dataclass(frozen=True, eq=False)
class Effects(Tabular):
    """Series of one algorithm, the parameters in which they differ, and their effects."""

    algorithm: str
    series: tuple[str, ...]
    parameters: Mapping[str, tuple[Any, ...]]  # differing ones: their values, series by series
    totals: FloatArray  # (series,)
    effects: tuple[Effect, ...]

    def table(self) -> Table:
        """Return one row per parameter and value."""
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (item.parameter, str(item.value), ", ".join(item.series), item.effect)
            for item in self.effects
        )
        columns = (Column("parameter"), Column("value"), Column("series"), Column("effect on U"))
        note = (
            "effect: mean U-score of the series with this value minus that of the others; "
            f"[low, high]: {LEVEL:.0%} interval. Parameters that change together share an effect."
        )
        title = f"What the parameters of {self.algorithm} do"
        return Table(title, columns, rows, notes=(note,))


def effects(
    resampled: Bootstrap, configs: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> list[Effects]:
    """Return the algorithms of which several series differ in parameters.

    Parameters
    ----------
    resampled : Bootstrap
        Totals and their resamples.
    configs : mapping of label to (algorithm, configuration)
        What the series run.
    """
    families: dict[str, list[str]] = defaultdict(list)
    for label in resampled.score.algorithms:
        if label in configs:
            families[configs[label][0]].append(label)
    found = []
    for algorithm, labels in families.items():
        parameters = differing({label: configs[label][1] for label in labels})
        if len(labels) > 1 and parameters:
            found.append(_effects(resampled, algorithm, tuple(labels), parameters))
    return found


def differing(configs: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the parameters that are not the same in all configurations, with their values."""
    names = dict.fromkeys(name for config in configs.values() for name in config)
    values = {name: tuple(config.get(name) for config in configs.values()) for name in names}
    return {name: found for name, found in values.items() if any(v != found[0] for v in found)}


def _effects(
    resampled: Bootstrap,
    algorithm: str,
    labels: tuple[str, ...],
    parameters: Mapping[str, tuple[Any, ...]],
) -> Effects:
    places = [resampled.score.algorithms.index(label) for label in labels]
    totals = resampled.score.total.sum(axis=0)[places]
    samples = resampled.samples["total"][:, places]
    effects = [
        Effect(
            name,
            value,
            tuple(label for label, v in zip(labels, values, strict=True) if v == value),
            _effect(np.array([v == value for v in values]), totals, samples),
        )
        for name, values in parameters.items()
        for value in dict.fromkeys(values)
    ]
    return Effects(algorithm, labels, parameters, totals, tuple(effects))


def _effect(has: np.ndarray, totals: FloatArray, samples: FloatArray) -> Estimate:
    spread = samples[:, has].mean(axis=1) - samples[:, ~has].mean(axis=1)
    return estimate(totals[has].mean() - totals[~has].mean(), spread)
