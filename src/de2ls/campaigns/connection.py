"""Opening the SQLite file of a store, and what its errors mean to the user."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from de2ls.campaigns import schema
from de2ls.campaigns.errors import StoreBusyError, StoreError

_SMALLEST = 512  # bytes of an SQLite file
_RESUME = "the trials stored so far are safe; the same command continues from them"

# What reading may raise where content was damaged in a way that SQLite does not see.
DAMAGE = (ValueError, TypeError, LookupError, ArithmeticError, MemoryError)


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(path, error) from error
    except UnicodeDecodeError as error:  # text in the file itself, which sqlite3 decodes
        raise damaged(path, error) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{path} cannot be written: {reason}; choose another folder") from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what damaged content raises while it is decoded into a `StoreError`."""
    try:
        yield
    except DAMAGE as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception | str) -> StoreError:
    """Return the error of a store whose content cannot be read."""
    return StoreError(
        f"{path} is damaged or no SQLite file ({error}): restore a copy, "
        "or see what is left with 'de2ls store verify'"
    )


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return StoreError(f"no space is left for {path}: free some; {_RESUME}")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(
            f"{path} is locked by another program: close what has it open; {_RESUME}"
        )
    is_text = str(error).startswith("Could not decode")  # sqlite3's own error, without a name
    if is_text or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return damaged(path, error)
    if name.startswith("SQLITE_READONLY"):
        return StoreError(f"{path} cannot be written ({error}): is the folder read-only?")
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreError(
            f"{path} cannot be opened ({error}): is its folder readable and, for a store that was "
            "not closed, writable?"
        )
    return StoreError(f"{path}: {error} ({name or type(error).__name__})")


def open_writer(path: Path, timeout: float) -> sqlite3.Connection:
    """Open or create a store for its one writer, at the newest schema."""
    is_new = not path.exists()
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    try:
        _is_empty(path, connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a commit survives a power failure
        schema.migrate(connection)
        connection.execute("PRAGMA foreign_keys = ON")  # a migration may replace tables
    except BaseException:
        connection.close()
        if is_new:
            path.unlink(missing_ok=True)
        raise
    return connection


def open_reader(path: Path, timeout: float) -> sqlite3.Connection:
    """Open a store for reading, also while a campaign writes, also in a read-only folder."""
    _check_there(path)
    connection = sqlite3.connect(_reader_uri(path), uri=True, timeout=timeout, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        if _is_empty(path, connection):
            _check_there(path)  # it may just have been removed
            raise StoreError(f"{path} is empty: a campaign that runs into it fills it")
        if schema.version(connection) < schema.READABLE:
            connection = _migrated_copy(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"there is no store at {path}")


def _migrated_copy(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in memory at the newest schema: readers leave an older file as it is."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with contextlib.closing(connection):
        connection.backup(copy)
    schema.migrate(copy)
    return copy


def _reader_uri(path: Path) -> str:
    """Choose how to open: SQLite keeps two small files beside a store while it is open.

    A reader that may write the folder removes them in the end; `query_only` keeps it from changing
    the content. In a read-only folder they must be there already, or else the file is at rest and
    can be read as it is.
    """
    base = f"file:{quote(str(path.absolute()))}"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{base}?mode=rw"
    has_log = path.with_name(path.name + "-wal").exists()
    return f"{base}?mode=ro" if has_log else f"{base}?immutable=1"


def _is_empty(path: Path, connection: sqlite3.Connection) -> bool:
    """Return whether nothing is in the file; refuse a file that is not a store, or a newer one."""
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if not tables:
        if path.exists() and 0 < path.stat().st_size < _SMALLEST:  # SQLite would overwrite it
            raise StoreError(f"{path} is damaged or no SQLite file: choose another file")
        return True
    identity = connection.execute("PRAGMA application_id").fetchone()[0]
    if identity != schema.APPLICATION_ID:
        raise StoreError(f"{path} is an SQLite file, but not a store of de2ls")
    found = schema.version(connection)
    if found > schema.VERSION:
        raise StoreError(
            f"{path} was written by a newer de2ls (schema {found}; this version knows up to "
            f"{schema.VERSION}): upgrade de2ls"
        )
    return False
