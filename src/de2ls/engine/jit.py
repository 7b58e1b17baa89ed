"""The one place that owns Numba's options and the kernels' disk cache.

- `kernel`: an entry point, cached on disk, that releases the GIL.
- `routine`: called by other compiled functions only, and compiled into their library.
- `block`: a small building block, inlined into its caller (arrays handed to a function that is not
  inlined cost reference counts: half as much time again per trial).

Numba notices an edit of a kernel's own file but not of the functions it calls. The cache folder is
therefore named after the contents of the kernel's package and of `engine/`, on which all stand.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as numba_config

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
# Python and C wrappers take as long to compile as the function: a state has many arrays to unpack.
_INNER = {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_KEPT_FOLDERS = 12  # caches of other versions of the sources


def kernel(function: Function) -> Function:
    """Compile `function` on first use, cached on disk."""
    return _jit(function, cache=True)


def routine(function: Function) -> Function:
    """Compile `function` for other compiled functions; Python cannot call it."""
    return _jit(function, **_INNER)


def block(function: Function) -> Function:
    """Compile `function` into each caller."""
    return _jit(function, forceinline=True, **_INNER)


def _jit(function: Function, **options: Any) -> Function:
    package = function.__module__.split(".")[1] if "." in function.__module__ else "engine"
    previous = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(_cache_folder(package))
    try:
        compiled = numba.njit(nogil=True, error_model="numpy", **options)(function)
    finally:
        numba_config.CACHE_DIR = previous
    return cast("Function", compiled)


@cache
def cache_root() -> Path:
    """Folder of the kernel caches: ``DE2LS_CACHE_DIR``, or the user's cache folder."""
    given = os.environ.get("DE2LS_CACHE_DIR")
    if given:
        return Path(given)
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if not os.access(base if base.exists() else base.parent, os.W_OK):
        base = Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"
    return base / "de2ls" / "kernels"


@cache
def _cache_folder(package: str) -> Path:
    digest = hashlib.sha256()
    for part in sorted({"engine", package}):
        for source in sorted((_PACKAGE / part).rglob("*.py")):
            digest.update(source.relative_to(_PACKAGE).as_posix().encode())
            digest.update(source.read_bytes())
    folder = cache_root() / f"{package}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _prune(package)
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _prune(package: str) -> None:
    """Remove the oldest caches of `package`, so that edited sources do not pile up."""
    old = sorted(cache_root().glob(f"{package}-*"), key=lambda path: path.stat().st_mtime)
    for folder in old[: max(0, len(old) - _KEPT_FOLDERS)]:
        shutil.rmtree(folder, ignore_errors=True)
