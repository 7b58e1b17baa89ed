"""Reports: tables, figures and one HTML page from a store, and published results run again.

The names are loaded on first use: the figures need matplotlib, the page needs Jinja.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from de2ls.reports.material import Material, load
    from de2ls.reports.report import write_report

__all__ = ["Material", "load", "write_report"]

_MODULE_OF = {"Material": "material", "load": "material", "write_report": "report"}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"de2ls.reports.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'de2ls.reports' has no attribute {name!r}")
