"""The kernels' disk cache: Numba's own, in a folder of ours, safe for several processes at once.

Numba notices an edit of a kernel's own file but not of the functions it calls. The cache folder is
therefore named after the contents of the kernel's package, of `engine/` and of `jit/`.

This builds on parts of Numba that are not public. `attach` tests them before the first use; where
a version of Numba differs, kernels are cached by Numba's own ``cache=True`` instead.

The first use of a kernel on a machine takes seconds. The logger ``de2ls.compile`` says so, once in
a process and as a warning, which Python shows on stderr unless the program sets up logging of its
own; ``logging.getLogger("de2ls.compile").setLevel(logging.ERROR)`` silences it.
"""

import contextlib
import hashlib
import logging
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock
from numba.core import config as numba_config
from platformdirs import user_cache_path

_PACKAGE = Path(__file__).resolve().parent.parent
_KEPT_FOLDERS = 12  # caches of other versions of the sources
_configuring = threading.Lock()  # modules may be imported by several threads


def attach(compiled: Any, function: Callable[..., Any]) -> None:
    """Give the compiled `function` a disk cache, if there is a folder for it."""
    if not _numba_is_as_expected():
        with contextlib.suppress(RuntimeError):  # no folder that Numba could write
            compiled.enable_caching()
        return
    package = function.__module__.split(".")[1] if "." in function.__module__ else "engine"
    folder = _cache_folder(package)
    if folder is not None:
        compiled._cache = _cache_in(folder, function)


def _cache_in(folder: Path, function: Callable[..., Any]) -> Any:
    """Return a cache for `function` in `folder`."""
    with _configuring:
        previous = numba_config.CACHE_DIR
        numba_config.CACHE_DIR = str(folder)
        try:
            return _cache_class()(function)
        finally:
            numba_config.CACHE_DIR = previous


@cache
def _cache_class() -> Any:
    from numba.core.caching import FunctionCache

    class KernelCache(FunctionCache):  # type: ignore[misc]
        """Numba's cache of one kernel, made fit for several processes at once.

        Numba stores a kernel under the next free number of an index, which it reads and writes
        without a lock: two processes could store two signatures under one number.
        """

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """Return the compiled code of a signature, or None: Numba compiles it then."""
            found = super().load_overload(sig, target_context)
            if found is None:
                _announce()
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            """Store compiled code; where that fails the next process compiles it again."""
            unstored = contextlib.suppress(OSError, NotImplementedError)  # no locks there
            with unstored, FileLock(Path(self.cache_path) / "lock"):
                super().save_overload(sig, data)

    return KernelCache


@cache
def _numba_is_as_expected() -> bool:
    """Whether a cache of ours lands in the folder we name, and a compiled function has one."""
    try:
        import numba

        with tempfile.TemporaryDirectory() as folder:
            probe = _cache_in(Path(folder), _numba_is_as_expected.__wrapped__)
            known = Path(probe.cache_path).is_relative_to(folder)
        expected = known and hasattr(numba.njit(lambda: None), "_cache")
    except OSError:  # no temporary folder: this says nothing about Numba
        return True
    except Exception:
        expected = False
    if not expected:
        logging.getLogger("de2ls").warning(
            "de2ls: this version of Numba is not known; kernels use Numba's own cache"
        )
    return expected


@cache
def _announce() -> None:
    logging.getLogger("de2ls.compile").warning(
        "de2ls: compiling for this machine; it takes some seconds and is kept for the next time"
    )


@cache
def cache_root() -> Path | None:
    """Folder of the kernel caches: ``DE2LS_CACHE_DIR``, or the user's cache folder.

    Where neither can be written, a folder of the user's own among the temporary files; None where
    nothing can be written.
    """
    given = os.environ.get("DE2LS_CACHE_DIR")
    for folder in (Path(given) if given else None, _user_folder()):
        if folder is None:
            continue
        if _is_writable(folder):
            return folder
        logging.getLogger("de2ls").warning(
            "de2ls: the folder for compiled code %s cannot be written", folder
        )
    try:
        return _temporary_folder()
    except OSError:
        return None


def _user_folder() -> Path | None:
    """Return the user's folder for compiled code; None for a user without a home."""
    try:
        folder = user_cache_path("de2ls", appauthor=False) / "kernels"
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None  # older platformdirs leave the "~"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary_folder() -> Path:
    """Return a folder that nobody else can write: cached code is run without further checks."""
    with tempfile.TemporaryFile() as file:
        user = os.fstat(file.fileno()).st_uid  # 0 on Windows, where each user has a folder
    folder = Path(tempfile.gettempdir()) / f"de2ls-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid == user and (os.name == "nt" or stat.S_IMODE(found.st_mode) == 0o700):
        return folder
    return Path(tempfile.mkdtemp(prefix="de2ls-"))


@cache
def _cache_folder(package: str) -> Path | None:
    root = cache_root()
    if root is None:
        return None
    digest = hashlib.sha256()
    for part in sorted({"jit", "engine", package}):
        for source in sorted((_PACKAGE / part).rglob("*.py")):
            digest.update(source.relative_to(_PACKAGE).as_posix().encode())
            digest.update(source.read_bytes())
    folder = root / f"{package}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _prune(root, package)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _prune(root: Path, package: str) -> None:
    """Remove the oldest caches of `package`, so that edited sources do not pile up."""
    with contextlib.suppress(FileNotFoundError):  # another process may be doing the same
        old = sorted(root.glob(f"{package}-*"), key=lambda path: path.stat().st_mtime)
        for folder in old[: max(0, len(old) - _KEPT_FOLDERS)]:
            shutil.rmtree(folder, ignore_errors=True)
