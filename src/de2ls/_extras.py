"""Optional dependencies: their absence is an error that names the extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager

# Extra: the modules it brings and that the package imports.
_MODULES = {
    "cli": ("rich", "typer"),
    "coco": ("cocoex",),
    "dask": ("dask", "distributed"),
    "dashboard": ("starlette", "uvicorn"),
    "data": ("pooch",),
    "lineage": ("minionpy",),
    "pandas": ("pandas",),
    "pymoo": ("pymoo",),
    "report": ("jinja2", "markupsafe", "matplotlib"),
    "studies": ("cma", "nlopt"),
}


class MissingExtraError(ImportError):
    """A module of an extra is not installed."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import what the extra `name` brings; `MissingExtraError` names it where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in _MODULES[name]:
            raise
        raise MissingExtraError(
            f"{module} is not installed: pip install 'de2ls[{name}]'", name=module
        ) from error
