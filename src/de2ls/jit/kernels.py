"""The one place that owns Numba's options and the kernels' disk cache.

- `kernel`: an entry point, cached on disk, that releases the GIL.
- `routine`: called by other compiled functions only, and compiled into their library.
- `block`: a small building block, inlined into its caller (arrays handed to a function that is not
  inlined cost reference counts: half as much time again per trial).

Numba notices an edit of a kernel's own file but not of the functions it calls. The cache folder is
therefore named after the contents of the kernel's package, of `engine/` and of this one.

The first use of a kernel on a machine takes seconds. The logger ``de2ls.compile`` says so, once in
a process and as a warning, which Python shows on stderr unless the program sets up logging of its
own; ``logging.getLogger("de2ls.compile").setLevel(logging.ERROR)`` silences it.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config as numba_config
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
_KEPT_FOLDERS = 12  # caches of other versions of the sources
_configuring = threading.Lock()  # modules may be imported by several threads


def kernel(function: Function) -> Function:
    """Compile `function` on first use, cached on disk."""
    compiled = _jit(function)
    package = function.__module__.split(".")[1] if "." in function.__module__ else "engine"
    with _configuring:
        previous = numba_config.CACHE_DIR
        numba_config.CACHE_DIR = str(_cache_folder(package))
        try:
            cast("Any", compiled)._cache = _KernelCache(function)
        finally:
            numba_config.CACHE_DIR = previous
    return compiled


def routine(function: Function) -> Function:
    """Compile `function` for other compiled functions; Python cannot call it."""
    return _jit(function, **_INNER)


def block(function: Function) -> Function:
    """Compile `function` into each caller."""
    return _jit(function, forceinline=True, **_INNER)


def _jit(function: Function, **options: Any) -> Function:
    return cast("Function", numba.njit(nogil=True, error_model="numpy", **options)(function))


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code for other libraries only, neither optimized nor made executable by itself.

    Numba would do both with each function, and again with all that it calls: a kernel would take
    half as long again to compile, to the same code.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: nothing here can be called."""
        del name
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "_InnerLibrary":
        """The library itself, which is asked for nothing but `set_env`."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: only functions that are called need an environment."""


class _InnerCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler, with a library of our own."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes."""
        state = self.state
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


# Python and C wrappers take as long to compile as the function: a state has many arrays to unpack.
_INNER: dict[str, Any] = {
    "pipeline_class": _InnerCompiler,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one kernel, made fit for several processes at once.

    Numba stores a kernel under the next free number of an index, which it reads and writes without
    a lock: two processes could store two signatures under one number.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, or None; then it will be compiled."""
        found = super().load_overload(sig, target_context)
        if found is None:
            _announce()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code; where that fails the next process compiles it again."""
        with contextlib.suppress(OSError), _exclusive(Path(self.cache_path)):
            super().save_overload(sig, data)


@contextlib.contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, as far as its file system has locks."""
    with (folder / "lock").open("w") as file:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _announce() -> None:
    logging.getLogger("de2ls.compile").warning(
        "de2ls: compiling for this machine; it takes some seconds and is kept for the next time"
    )


@cache
def cache_root() -> Path:
    """Folder of the kernel caches: ``DE2LS_CACHE_DIR``, or the user's cache folder.

    Where neither can be written, a folder of the user's own among the temporary files.
    """
    given = os.environ.get("DE2LS_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "de2ls" / "kernels"
    for folder in (Path(given), home) if given else (home,):
        if _is_writable(folder):
            return folder
        logging.getLogger("de2ls").warning(
            "de2ls: the folder for compiled code %s cannot be written", folder
        )
    return _temporary_folder()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary_folder() -> Path:
    """Return a folder that nobody else can write: cached code is run without further checks."""
    folder = Path(tempfile.gettempdir()) / f"de2ls-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700:
        return folder
    return Path(tempfile.mkdtemp(prefix="de2ls-"))


@cache
def _cache_folder(package: str) -> Path:
    digest = hashlib.sha256()
    for part in sorted({"jit", "engine", package}):
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
    with contextlib.suppress(FileNotFoundError):  # another process may be at it
        old = sorted(cache_root().glob(f"{package}-*"), key=lambda path: path.stat().st_mtime)
        for folder in old[: max(0, len(old) - _KEPT_FOLDERS)]:
            shutil.rmtree(folder, ignore_errors=True)
