"""Workers on a Dask cluster.

A task is one trial. When a worker dies, the scheduler gives its trials to the others; a trial that
is run twice gives the same bits, and only one result comes back.
"""

import contextlib
import logging
from importlib import import_module
from typing import Any

from de2ls._extras import extra
from de2ls.campaigns.errors import CampaignError
from de2ls.campaigns.executors import LOST_CLUSTER, Workers

# Dask's own messages about a lost connection, with tracebacks: we report ourselves what goes wrong.
_LOGGERS = ("distributed", "distributed.client", "tornado.application")


def dask_workers(address: str, count: int) -> Workers:
    """Connect to a scheduler, or start a cluster on this machine.

    Parameters
    ----------
    address : str
        Such as ``tcp://host:8786``; or ``local``.
    count : int
        Number of workers of a local cluster; a scheduler has its own.
    """
    with extra("dask"):
        distributed: Any = import_module("distributed")
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)

    cluster: Any = None
    if address != "local":
        _check_address(address)
    else:
        anywhere = "127.0.0.1:0"  # None would warn where another cluster has the usual port
        cluster = distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=anywhere
        )
    try:
        client = distributed.Client(cluster or address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise CampaignError(f"no Dask scheduler answers at {address}: {error}") from error
    executor = client.get_executor(pure=False)

    def slots() -> int:
        try:
            return max(1, int(sum(client.nthreads().values())))
        except OSError as error:
            raise CampaignError(LOST_CLUSTER) from error

    def close(wait: bool) -> None:
        with contextlib.suppress(OSError):  # a lost scheduler cannot be told
            executor.shutdown(wait=wait)
            client.close()
        if cluster is not None:
            cluster.close()

    where = "a local Dask cluster" if cluster is not None else f"the Dask cluster at {address}"
    return Workers(executor, slots, close, f"{slots()} workers of {where}")


def _check_address(address: str) -> None:
    """Refuse what cannot be an address: a client that is given one does not end quietly."""
    try:
        import_module("distributed.comm").get_address_host_port(address)
    except ValueError as error:
        raise CampaignError(
            f"dask must be local or an address such as tcp://host:8786, got {address!r}: {error}"
        ) from error
