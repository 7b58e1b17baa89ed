"""The tables of a store, their version, and the way from an older version to this one."""

import json
import math
import sqlite3

APPLICATION_ID = 0xDE215  # marks an SQLite file as a store of de2ls

VERSION = 5
READABLE = 3  # the oldest version that is read as it is: it lacks only what may be missing

_FAILURES = """
CREATE TABLE failures (         -- trials that raised, until they succeed
    series_id INTEGER NOT NULL REFERENCES series,
    problem TEXT NOT NULL,      -- JSON, its key
    run INTEGER NOT NULL,
    reason TEXT NOT NULL,
    noted REAL NOT NULL,        -- when, in seconds since 1970
    PRIMARY KEY (series_id, problem, run)
) STRICT;
"""

# A new file.
TABLES = """
CREATE TABLE plans (            -- every plan that was run into this store
    id INTEGER PRIMARY KEY,
    plan TEXT NOT NULL UNIQUE,  -- JSON
    started TEXT NOT NULL       -- UTC
) STRICT;
CREATE TABLE series (           -- one algorithm with one configuration
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    config TEXT NOT NULL        -- JSON, every parameter; {} for imported files
) STRICT;
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE    -- JSON, all of what identifies the problem
) STRICT;
CREATE TABLE environments (     -- what bits may depend on beyond the seed
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,      -- of de2ls
    description TEXT NOT NULL,  -- JSON: CPU and library versions, or the imported file
    UNIQUE (version, description)
) STRICT;
CREATE TABLE trials (           -- small rows: a listing reads nothing else
    id INTEGER PRIMARY KEY,
    series_id INTEGER NOT NULL REFERENCES series,
    problem_id INTEGER NOT NULL REFERENCES problems,
    run INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    max_evals INTEGER NOT NULL,
    n_evals INTEGER NOT NULL,
    f REAL,                     -- SQLite keeps NaN as NULL
    violation REAL,
    feasible INTEGER NOT NULL,
    min_ev REAL,
    lcv REAL,
    stop TEXT NOT NULL,
    n_invalid INTEGER NOT NULL,
    n_outside INTEGER NOT NULL,
    counters TEXT NOT NULL,     -- JSON: what the algorithm counted
    wall_time REAL NOT NULL,
    environment_id INTEGER NOT NULL REFERENCES environments,
    checksum BLOB NOT NULL,     -- of what the trial is, however it is stored
    stored REAL,                -- when, in seconds since 1970; NULL before schema 3
    stored_sum BLOB,            -- checksum of all that is stored of it; NULL before schema 4
    UNIQUE (series_id, problem_id, run)
) STRICT;
CREATE TABLE curves (           -- what a score reads beside the small rows
    trial_id INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,
    curve BLOB NOT NULL
) STRICT;
CREATE TABLE details (
    trial_id INTEGER PRIMARY KEY REFERENCES trials ON DELETE CASCADE,
    x BLOB NOT NULL,
    g BLOB NOT NULL,
    h BLOB NOT NULL,
    trace BLOB
) STRICT;
"""

# MIGRATIONS[i] leads from version i to version i + 1.
MIGRATIONS = {
    1: """
    ALTER TABLE trials ADD COLUMN counters TEXT NOT NULL DEFAULT '{}';
    UPDATE trials SET counters = late_search_counters(
        (SELECT config FROM series WHERE id = series_id),
        ls_calls, ls_evaluations, ls_improved, ls_gain
    );
    ALTER TABLE trials DROP COLUMN ls_calls;
    ALTER TABLE trials DROP COLUMN ls_evaluations;
    ALTER TABLE trials DROP COLUMN ls_improved;
    ALTER TABLE trials DROP COLUMN ls_gain;
    CREATE TABLE keys (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
    INSERT INTO keys SELECT id, key FROM problems;
    DROP TABLE problems;
    ALTER TABLE keys RENAME TO problems;
    """,
    2: f"ALTER TABLE trials ADD COLUMN stored REAL; {_FAILURES}",
    3: "ALTER TABLE trials ADD COLUMN stored_sum BLOB;",
    4: "",  # new curves are packed in another way; those that are there are read as they are
}


def _late_search_counters(
    config: str, calls: int, evaluations: int, improved: int, gain: float | None
) -> str:
    """Return the columns of schema 1 as counters: only DE-2LS had a late local search."""
    if "ls_mc" not in json.loads(config):
        return "{}"
    counts = {"ls_calls": calls, "ls_evaluations": evaluations, "ls_improved": improved}
    return json.dumps(
        {**counts, "ls_gain": math.nan if gain is None else gain}, sort_keys=True
    )  # SQLite's own JSON would round the gain


def version(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open file; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest version, all steps or none; an empty one gets its tables."""
    found = version(connection)
    if found == VERSION:
        return
    steps = [MIGRATIONS[i] for i in range(found, VERSION)] if found else [_FAILURES, TABLES]
    connection.create_function("late_search_counters", 5, _late_search_counters)
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE; {''.join(steps)}"
            f"PRAGMA application_id = {APPLICATION_ID};"
            f"PRAGMA user_version = {VERSION}; COMMIT;"
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
