"""Workers that fail: where the user's function failed, and what the death of a worker does."""

import os
import signal
import threading
import time
import traceback

import pytest

import de2ls
from de2ls.optimize.search import EvaluationError

BOX = [(-4.0, 6.0)] * 2
ANY_PORT = "127.0.0.1:0"  # with None a second cluster at the same time would want the same port


def sphere(x):
    return x[0] * x[0] + x[1] * x[1]


def the_failing_frame(x):
    raise ZeroDivisionError("of the user")


def fails(x):
    return the_failing_frame(x) if x[0] < 0 else sphere(x)


class NoPickleError(Exception):
    def __init__(self, one, two):
        super().__init__("two arguments")


def the_unpicklable_frame(x):
    raise NoPickleError(1, 2)


def kills_its_worker(x):
    if x[0] < -2:
        os.kill(os.getpid(), signal.SIGKILL)
    return sphere(x)


def slow_sphere(x):
    time.sleep(0.02)
    return sphere(x)


@pytest.mark.parametrize(
    ("fun", "frame"), [(fails, "the_failing_frame"), (the_unpicklable_frame,) * 2]
)
def test_the_traceback_shows_the_users_frame(fun, frame):
    with pytest.raises(EvaluationError) as caught:
        de2ls.minimize(fun, BOX, max_evals=100, seed=1, workers=2, algorithm="de2ls")
    text = "".join(traceback.format_exception(caught.value))
    name = frame if isinstance(frame, str) else frame.__name__
    assert f"in {name}\n    raise " in text


@pytest.fixture
def cluster():
    dask = pytest.importorskip("dask", reason="needs the extra dask")
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=ANY_PORT, silence_logs=50
        ) as cluster,
    ):
        yield cluster


def test_dask_workers_that_die_of_a_point_do_not_end_the_run(cluster):
    with cluster.get_client() as client:
        options = {"max_evals": 20, "seed": 1, "workers": client, "algorithm": "de2ls"}
        res = de2ls.minimize(kills_its_worker, BOX, on_error="penalize", **options)
        assert res.nfev == 20
        assert 0 < res.n_invalid < 20
        with pytest.raises(EvaluationError, match="KilledWorker"):
            de2ls.minimize(kills_its_worker, BOX, **options)


def test_a_dask_worker_that_is_killed_from_outside_does_not_end_the_run(cluster):
    with cluster.get_client() as client:
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
        killer.start()
        res = de2ls.minimize(
            slow_sphere, BOX, max_evals=100, seed=1, workers=client, algorithm="de2ls",
            on_error="penalize",
        )  # fmt: skip
        killer.join()
    assert res.nfev == 100
    assert res.n_invalid <= 1  # what it evaluated when it was killed


def test_a_dask_client_that_is_closed_is_refused_by_name(cluster):
    with cluster.get_client() as client:
        client.close()
        for batch in (None, 4):
            with pytest.raises(ValueError, match="workers must be a Dask client that is connected"):
                de2ls.minimize(sphere, BOX, workers=client, batch=batch, max_evals=50)
