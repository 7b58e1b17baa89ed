"""What a store holds, whether it is sound, and how two stores become one."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from de2ls.campaigns import codec, connection, rows, schema
from de2ls.campaigns.errors import ConflictError, StoreError
from de2ls.problems.key import ProblemKey
from de2ls.trials.record import TrialRecord

if TYPE_CHECKING:
    import sqlite3

    from de2ls.campaigns.store import Store

_IDENTITY = "WHERE label = ? AND key = ? AND run = ?"


@dataclass(frozen=True)
class SeriesInfo:
    """One series in a store."""

    label: str
    algorithm: str
    config: Mapping[str, Any]
    trials: int
    problems: int
    evaluations: int
    seconds: float  # summed over the trials


@dataclass(frozen=True)
class EnvironmentInfo:
    """One combination of CPU and versions, and how many trials were made with it."""

    version: str
    description: Mapping[str, str]
    trials: int

    @property
    def imported(self) -> bool:
        """Whether the trials came from a file."""
        return "source" in self.description


@dataclass(frozen=True)
class StoreInfo:
    """What a store holds."""

    schema: int
    size: int  # bytes
    trials: int
    series: tuple[SeriesInfo, ...]
    problems: tuple[ProblemKey, ...]
    environments: tuple[EnvironmentInfo, ...]
    plans: tuple[tuple[str, Mapping[str, Any]], ...]  # start in UTC, plan

    @property
    def bytes_per_trial(self) -> float | None:
        """Size of the file per trial; None if there is no trial."""
        return self.size / self.trials if self.trials else None

    @property
    def warnings(self) -> list[str]:
        """What readers of a comparison must know about its trials."""
        made_here = [env for env in self.environments if not env.imported]
        if len(made_here) < 2:
            return []
        parts = [{"de2ls": env.version, **env.description} for env in made_here]
        mixed = [
            f"{name} ({', '.join(sorted(values))})"
            for name in {key: None for part in parts for key in part}
            if len(values := {str(part.get(name)) for part in parts}) > 1
        ]
        return [
            "trials of different environments are mixed, so that equal seeds need not give equal "
            f"bits: {', '.join(mixed)}"
        ]


@dataclass(frozen=True)
class Verification:
    """The result of verifying a store."""

    trials: int  # checked
    findings: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return not self.findings


def info(store: "Store") -> StoreInfo:
    """Return what `store` holds."""
    series = store.query(
        """SELECT label, algorithm, config, count(trials.id) AS trials,
                  count(DISTINCT problem_id) AS problems,
                  coalesce(sum(n_evals), 0) AS evaluations,
                  coalesce(sum(wall_time), 0.0) AS seconds
           FROM series LEFT JOIN trials ON series_id = series.id
           GROUP BY series.id ORDER BY series.id"""
    )
    environments = store.query(
        """SELECT version, description, count(*) AS trials
           FROM trials JOIN environments ON environments.id = environment_id
           GROUP BY environment_id ORDER BY environment_id"""
    )
    plans = store.query("SELECT started, plan FROM plans ORDER BY id")
    version = store.query("PRAGMA user_version")[0][0]
    with connection.reading(store.path):
        return StoreInfo(
            schema=version,
            size=store.size(),
            trials=sum(row["trials"] for row in series),
            series=tuple(
                SeriesInfo(**{**dict(row), "config": json.loads(row["config"])}) for row in series
            ),
            problems=tuple(store.problems()),
            environments=tuple(
                EnvironmentInfo(**{**dict(row), "description": json.loads(row["description"])})
                for row in environments
            ),
            plans=tuple((row["started"], json.loads(row["plan"])) for row in plans),
        )


def verify(store: "Store") -> Verification:
    """Check the file's structure, its references and every trial's checksum."""
    findings: list[str] = []
    checked = 0
    try:
        findings += _structure(store)
        for (trial_id,) in store.query("SELECT id FROM trials ORDER BY id"):
            checked += 1
            findings += _check_trial(store, trial_id)
    except StoreError as error:  # pages that SQLite cannot read: what came before still counts
        findings.append(str(error))
    return Verification(checked, tuple(findings))


def _structure(store: "Store") -> Iterator[str]:
    for (message,) in store.query("PRAGMA integrity_check"):
        if message != "ok":
            yield f"structure of the file: {message}"
    for row in store.query("PRAGMA foreign_key_check"):
        yield f"row {row['rowid']} of table {row['table']} refers to nothing in {row['parent']}"
    if not schema.READABLE <= store.query("PRAGMA user_version")[0][0] <= schema.VERSION:
        yield "the schema version is wrong"


def _check_trial(store: "Store", trial_id: int) -> Iterator[str]:
    try:
        found = store.whole_rows([trial_id])
        if not found:
            yield f"trial {trial_id}: its curve, details, series, problem or environment is missing"
        else:
            yield from _check_row(trial_id, found[0])
    except (StoreError, *connection.DAMAGE) as error:
        yield f"trial {trial_id} cannot be read: {error}"


def _check_row(trial_id: int, row: "sqlite3.Row") -> Iterator[str]:
    record = rows.record(row)
    values = rows.trial_values(record)
    wrong = [name for name, value in values.items() if not _same(row[name], value)]
    if not rows.is_sound(row, record) and not wrong:
        wrong = ["stored sum"]
    if wrong:
        yield f"trial {trial_id} ({record.key}): its content contradicts its {', '.join(wrong)}"


def _same(stored: Any, computed: Any) -> bool:
    is_nan = isinstance(computed, float) and computed != computed
    return stored is None if is_nan else bool(stored == computed)


def merge(store: "Store", other: "Store") -> tuple[int, int]:
    """Copy the trials of `other` into `store`, all or none."""
    added = equal = 0
    with store.transaction():
        for series in info(other).series:
            store.note_series(series.label, series.algorithm, series.config)
        for record in other.records():
            if _is_new(store, other, record):
                store.insert(record)
                added += 1
            else:
                equal += 1
        for started, plan in other.query("SELECT started, plan FROM plans ORDER BY id"):
            store.note_plan(started, plan)
    return added, equal


def _is_new(store: "Store", other: "Store", record: TrialRecord) -> bool:
    """Whether `store` lacks a trial of `other`; refuse one that contradicts its own."""
    identity = (record.label, record.problem.to_json(), record.run)
    found = store.query(rows.SELECT_IDS.format(where=_IDENTITY), identity)
    if not found:
        return True
    if codec.fingerprint(store.read(found[0]["id"])) != codec.fingerprint(record):
        raise ConflictError(
            f"{record.key} has different results in {store.path} and {other.path}; nothing was "
            "merged"
        )
    return False
