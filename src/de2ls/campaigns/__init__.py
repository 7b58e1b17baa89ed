"""Campaigns: plan trials, run them in parallel into a store, resume, verify and merge.

The names are loaded on first use: looking into a store needs no compiled code.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from de2ls.campaigns.campaign import Outcome, run_campaign
    from de2ls.campaigns.errors import CampaignError, ConflictError, StoreBusyError, StoreError
    from de2ls.campaigns.plan import Plan, Series
    from de2ls.campaigns.store import Store

__all__ = [
    "CampaignError",
    "ConflictError",
    "Outcome",
    "Plan",
    "Series",
    "Store",
    "StoreBusyError",
    "StoreError",
    "run_campaign",
]

_MODULE_OF = {
    "CampaignError": "errors",
    "ConflictError": "errors",
    "Outcome": "campaign",
    "Plan": "plan",
    "Series": "plan",
    "Store": "store",
    "StoreBusyError": "errors",
    "StoreError": "errors",
    "run_campaign": "campaign",
}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"de2ls.campaigns.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'de2ls.campaigns' has no attribute {name!r}")
