"""The store: one SQLite file with everything that is kept of a campaign's trials.

One process writes, in one thread, one transaction per finished trial; any number may read at the
same time. A trial is identified by the label of its series, its problem and its run.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from de2ls._lists import nearest
from de2ls.campaigns import codec, connection, rows
from de2ls.campaigns.errors import ConflictError, StoreError
from de2ls.campaigns.lock import WriterLock
from de2ls.problems.key import ProblemKey
from de2ls.trials.key import TrialKey
from de2ls.trials.record import TrialRecord, TrialSummary

if TYPE_CHECKING:
    import pandas as pd

    from de2ls.campaigns.maintenance import StoreInfo, Verification

Stored = TypeVar("Stored")
Made = TypeVar("Made")

_LONGEST = 2000  # letters of a reason that are kept
_AT_ONCE = 100  # records that one query fetches
_SHOWN = 8  # fields of a difference; imported series have none of an algorithm's forty


class Store:
    """A store of trials; use `Store.open`, preferably in a ``with`` statement.

    Methods that read take a selection, each item a value or several: `labels`, `problems`
    (numbers, ranges, names, labels such as C07), `suites`, `dims`, `runs`, and any field of the
    problems' variants, such as `definition` and `instance`. Trials come in the order of series,
    problem and run.
    """

    def __init__(self, path: Path, database: sqlite3.Connection, lock: WriterLock | None) -> None:
        self.path = path
        self._database = database
        self._lock = lock
        database.row_factory = sqlite3.Row

    @classmethod
    def open(cls, path: str | Path, readonly: bool = False, timeout: float = 60.0) -> Self:
        """Open a store, or create it.

        Parameters
        ----------
        path : str or Path
            The file. Not on a network file system: SQLite's locks do not hold there.
        readonly : bool
            Readers change nothing and may look while a campaign writes. Otherwise this process
            becomes the store's one writer, and the file is created if it is missing.
        timeout : float
            Seconds to wait while another program has the file locked.

        Raises
        ------
        StoreBusyError
            If another process writes to it.
        StoreError
            If it is damaged, no store, of a newer schema, or cannot be written.
        """
        path = Path(path)
        if path.is_dir():
            raise StoreError(f"{path} is a folder: name a file in it, such as {path / 'trials.db'}")
        if not path.parent.is_dir():
            raise StoreError(f"{path} cannot be opened: there is no folder {path.parent}")
        with connection.translated(path):
            if readonly:
                return cls(path, connection.open_reader(path, timeout), None)
            lock = WriterLock(path)
            try:
                return cls(path, connection.open_writer(path, timeout), lock)
            except BaseException:
                lock.release()
                raise

    def close(self) -> None:
        """Close the file and give up the writer's lock."""
        self._database.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, record: TrialRecord) -> None:
        """Store one finished trial, in one transaction.

        Raises
        ------
        ConflictError
            If the trial is there already, or its label stands for another configuration.
        ValueError
            If its numbers contradict each other.
        """
        with self.transaction():
            self.insert(record)

    def add_plan(self, plan: Mapping[str, Any]) -> None:
        """Note a plan and its series before it is run; the same plan is noted once."""
        with self.transaction():
            for series in plan["series"]:
                self.note_series(series["label"], series["algorithm"], series["config"])
            self.note_plan(datetime.now(UTC).isoformat(timespec="seconds"), codec.to_json(plan))

    def add_failure(self, key: TrialKey, reason: str) -> None:
        """Note that a trial of a series that is here raised; it is forgotten when it succeeds."""
        with self.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO failures SELECT id, ?, ?, ?, ? FROM series WHERE label = ?",
                (key.problem.to_json(), key.run, reason[:_LONGEST], time.time(), key.series),
            )

    def failures(self) -> dict[TrialKey, str]:
        """Return the trials that raised and have not succeeded since, with the reasons."""
        found = self.query(
            "SELECT label, problem, run, reason FROM failures "
            "JOIN series ON series.id = series_id ORDER BY noted"
        )
        return {self._read(rows.failed_key, row): row["reason"] for row in found}

    def check_series(self, label: str, algorithm: str, config: Mapping[str, Any]) -> int | None:
        """Return the id of the series with this label, or None if the label is free.

        Raises
        ------
        ConflictError
            If it stands for another algorithm or configuration; the message shows the difference.
        """
        found = self.query("SELECT id, algorithm, config FROM series WHERE label = ?", (label,))
        if not found:
            return None
        with connection.reading(self.path):
            old = {"algorithm": found[0]["algorithm"], **json.loads(found[0]["config"])}
        new = {"algorithm": algorithm, **json.loads(codec.to_json(config))}
        if old != new:
            raise ConflictError(
                f"{self.path} holds trials under the label {label!r} with another configuration: "
                f"{_difference(old, new)}; choose another label or another store"
            )
        return int(found[0]["id"])

    def check_selection(self, **selection: Any) -> None:
        """Refuse a selection that names a series the store lacks, or that selects no trial."""
        known = [label for (label,) in self.query("SELECT label FROM series ORDER BY id")]
        wanted = selection.get("labels") or ()
        for label in [wanted] if isinstance(wanted, str) else wanted:
            if label not in known:
                raise ValueError(
                    f"{self.path} holds no series {label!r}{nearest(label, known)}; "
                    f"it holds {', '.join(known) or 'none'}"
                )
        if not self.problems_of(**selection):
            raise ValueError(
                f"{self.path} holds no trials of that kind: 'de2ls store info {self.path}' shows "
                "what it holds"
            )

    def trials(self, **selection: Any) -> Iterator[TrialSummary]:
        """List trials without their arrays."""
        for row in self._selected(rows.SELECT_SUMMARIES, selection):
            yield self._read(rows.summary, row)

    def records(self, **selection: Any) -> Iterator[TrialRecord]:
        """Yield the full records of trials, one by one: their arrays never gather in memory.

        Raises
        ------
        StoreError
            If a trial contradicts its checksum.
        """
        return self.read_all(self.ids(**selection))

    def read_all(self, ids: Sequence[int]) -> Iterator[TrialRecord]:
        """Yield the trials with these ids as `records` does, in their order."""
        for batch in _batches(ids):
            found = {row["place"]: row for row in self.whole_rows(batch)}
            for trial_id in batch:
                yield self._checked(trial_id, found.get(trial_id))

    def read(self, trial_id: int) -> TrialRecord:
        """Return the trial with this id; refuse one that contradicts its checksum."""
        return self._checked(trial_id, next(iter(self.whole_rows([trial_id])), None))

    def whole_rows(self, ids: Sequence[int]) -> list[sqlite3.Row]:
        """Return all that is stored of trials, in any order; those that lack a part are left out.

        They are rows of `de2ls.campaigns.rows.SELECT_RECORDS`.
        """
        stored_sum = "stored_sum" if self._has_sums else "NULL AS stored_sum"
        marks = ", ".join("?" * len(ids))
        return self.query(rows.SELECT_RECORDS.format(stored_sum=stored_sum, marks=marks), ids)

    @cached_property
    def _has_sums(self) -> bool:
        columns = self.query("PRAGMA table_info(trials)")
        return any(column["name"] == "stored_sum" for column in columns)

    def _checked(self, trial_id: int, row: sqlite3.Row | None) -> TrialRecord:
        if row is None:
            raise connection.damaged(self.path, f"parts of trial {trial_id} are missing")
        with connection.reading(self.path):
            record = rows.record(row)
            sound = rows.is_sound(row, record)
        if not sound:
            raise connection.damaged(self.path, f"{record.key} contradicts its checksum")
        return record

    def record(self, label: str, run: int, **selection: Any) -> TrialRecord:
        """Return one trial; the selection names its problem."""
        found = list(self.records(labels=label, runs=run, **selection))
        if len(found) != 1:
            wanted = {"label": label, "run": run, **selection}
            raise StoreError(f"{self.path} holds {len(found)} trials with {wanted}, not one")
        return found[0]

    def problems(self) -> dict[ProblemKey, int]:
        """Return the problems in their order, and their ids."""
        stored = self.query(
            "SELECT id, key FROM problems NOT INDEXED"
        )  # as the trials refer to them
        found = {self._read(rows.problem_key, row["key"]): int(row["id"]) for row in stored}
        if len(found) < len(stored):
            raise connection.damaged(self.path, "two problems have one key")
        return dict(sorted(found.items()))

    def problems_of(self, **selection: Any) -> list[ProblemKey]:
        """Return the problems that the selected trials are of, in their order."""
        where, values = rows.condition(selection, self.problems())
        present = {
            found for (found,) in self.query(rows.SELECT_PROBLEMS.format(where=where), values)
        }
        return [key for key, problem_id in self.problems().items() if problem_id in present]

    def to_frame(self, curves: bool = False, **selection: Any) -> "pd.DataFrame":
        """Return trials as a pandas data frame; `DataFrame.to_parquet` writes it as Parquet.

        Parameters
        ----------
        curves : bool
            One row per sample of every curve (evaluations, min_ev, lcv) instead of one per trial.
        **selection
            Which trials.
        """
        from de2ls.campaigns import frame

        return frame.to_frame(self, curves, **selection)

    def info(self) -> "StoreInfo":
        """Return what the store holds, and what is mixed in it."""
        from de2ls.campaigns import maintenance

        return maintenance.info(self)

    def verify(self) -> "Verification":
        """Check the file's structure and recompute the checksum of every trial."""
        from de2ls.campaigns import maintenance

        return maintenance.verify(self)

    def merge(self, other: "Store") -> tuple[int, int]:
        """Take over the trials of another store, all or none.

        Returns
        -------
        tuple of int
            How many trials were added, and how many were here already with equal results.

        Raises
        ------
        ConflictError
            If a label stands for another configuration, or a trial has another result here.
        """
        from de2ls.campaigns import maintenance

        return maintenance.merge(self, other)

    def vacuum(self) -> tuple[int, int]:
        """Rewrite the file without gaps; return its size in bytes before and after."""
        before = self.size()
        with connection.translated(self.path):
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before, self.size()

    def size(self) -> int:
        """Return the bytes of the file and of its log."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def query(self, sql: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query; its errors become a `StoreError`."""
        with connection.translated(self.path):
            return self._database.execute(sql, tuple(values)).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all inserts inside one unit: after an error none of them remains."""
        if self._lock is None:
            raise StoreError(f"{self.path} was opened read-only")
        with connection.translated(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # SQLite itself ends it after some errors
                    self._database.execute("ROLLBACK")
                raise

    def insert(self, record: TrialRecord) -> None:
        """Insert a trial within a transaction that is open."""
        rows.check_evaluations(record)
        trial = {
            "series_id": self.note_series(record.label, record.algorithm, record.config),
            "problem_id": self._id_of("problems", {"key": record.problem.to_json()}),
            "environment_id": self._id_of(
                "environments",
                {"version": record.version, "description": codec.to_json(record.environment)},
            ),
            **rows.trial_values(record),
            "stored": time.time(),
        }
        try:
            trial_id = self._insert("trials", trial)
        except sqlite3.IntegrityError as error:
            raise ConflictError(
                f"{self.path} holds {record.key} already; choose another label or another store"
            ) from error
        self._insert("curves", {"trial_id": trial_id, "curve": codec.encode_table(record.curve)})
        vectors = {name: codec.encode_vector(getattr(record, name)) for name in ("x", "g", "h")}
        trace = None if record.trace is None else codec.encode_table(record.trace)
        self._insert("details", {"trial_id": trial_id, **vectors, "trace": trace})
        whole = self.whole_rows([trial_id])[0]  # as SQLite gives it back
        self._database.execute(
            "UPDATE trials SET stored_sum = ? WHERE id = ?", (rows.stored_sum(whole), trial_id)
        )
        self._database.execute(
            "DELETE FROM failures WHERE series_id = ? AND problem = ? AND run = ?",
            (trial["series_id"], record.problem.to_json(), record.run),
        )

    def note_plan(self, started: str, plan: str) -> None:
        """Insert a plan (JSON) within a transaction that is open."""
        self._database.execute(
            "INSERT INTO plans (plan, started) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (plan, started),
        )

    def ids(self, **selection: Any) -> list[int]:
        """Return the ids of trials in this file."""
        return [row["id"] for row in self._selected(rows.SELECT_IDS, selection)]

    def _selected(self, select: str, selection: Mapping[str, Any]) -> list[sqlite3.Row]:
        """Return the rows of a selection in the order of series, problem and run."""
        where, values = rows.condition(selection, self.problems())
        found = self.query(select.format(where=where), values)
        # the problems of these trials: the first one of another may have come in between
        place = {problem_id: place for place, problem_id in enumerate(self.problems().values())}
        return sorted(
            found, key=lambda row: (row["series_id"], place[row["problem_id"]], row["run"])
        )

    def _read(self, make: Callable[[Stored], Made], row: Stored) -> Made:
        with connection.reading(self.path):
            return make(row)

    def note_series(self, label: str, algorithm: str, config: Mapping[str, Any]) -> int:
        """Return the id of a series, inserting it within a transaction that is open."""
        found = self.check_series(label, algorithm, config)
        if found is not None:
            return found
        series = {"label": label, "algorithm": algorithm, "config": codec.to_json(config)}
        return self._insert("series", series)

    def _id_of(self, table: str, values: Mapping[str, Any]) -> int:
        same = " AND ".join(f"{name} IS ?" for name in values)
        found = self.query(f"SELECT id FROM {table} WHERE {same}", values.values())  # noqa: S608
        return int(found[0]["id"]) if found else self._insert(table, values)

    def _insert(self, table: str, values: Mapping[str, Any]) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        cursor = self._database.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
            tuple(values.values()),
        )
        return int(cursor.lastrowid or 0)


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the fields that differ, with both values; of very many the first ones."""
    absent = "absent"
    found = [
        f"{name} was {old.get(name, absent)!r} and would be {new.get(name, absent)!r}"
        for name in {**old, **new}
        if old.get(name, absent) != new.get(name, absent)
    ]
    more = f" and {len(found) - _SHOWN} more fields" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more
