"""A run of `minimize` with a checkpoint, watched."""

import numpy as np
import pytest

import de2ls
from de2ls.reports.dashboard.run import run_progress
from de2ls.reports.dashboard.watch import is_checkpoint
from tests.reports.dashboard.support import dashboard
from tests.reports.dashboard.test_live import SIZES, Page

pytestmark = pytest.mark.xdist_group("chromium")


@pytest.fixture(scope="module", params=["de-rand-1-bin", "chorus"])
def finished(request, tmp_path_factory):
    """A run of a compiled algorithm or of one that yields batches: file and result."""
    path = tmp_path_factory.mktemp("run") / "run.npz"
    result = de2ls.minimize(
        lambda x: float((x - 0.3) @ (x - 0.3)),
        [(-1, 1)] * 3,
        constraints={"type": "ineq", "fun": lambda x: x[0] - 0.5},
        algorithm=request.param,
        max_evals=300,
        seed=1,
        checkpoint=path,
    )
    return path, result


def test_a_checkpoint_tells_where_the_run_stands(finished):
    path, result = finished
    assert is_checkpoint(path)
    now = run_progress(path)
    assert (now["n_evals"], now["budget"], now["seed"]) == (result.nfev, 300, 1)
    assert (now["f"], now["x"]) == (result.fun, result.x.tolist())
    assert now["feasible"] is bool(result.success)
    assert now["over"]
    history = np.array(now["history"], dtype=float)
    assert history.shape[1] == 3
    assert (np.diff(history[:, 0]) >= 0).all()
    assert history[-1, 1] >= result.fun


def test_the_page_shows_the_run(finished, browser, tmp_path):
    path, result = finished
    with dashboard(path) as served:
        for size, (width, height) in SIZES.items():
            page = Page(browser, served.address, width, height)
            page.await_state("Ended")
            assert page.page.locator(".tile b").first.inner_text() == str(result.nfev)
            assert page.page.locator("#history path.median").count() >= 1
            assert page.page.locator("#incumbent tbody tr").count() == 3
            assert page.page.locator("#problems").is_hidden()
            page.page.screenshot(path=tmp_path / f"run-{size}.png", full_page=True)
            page.close()


def test_a_file_that_is_no_checkpoint_is_refused(called, tmp_path):
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    code, _, err = called("dashboard", tmp_path / "other.npz", "--port", 0)
    assert code == 1
    assert "other.npz" in err
