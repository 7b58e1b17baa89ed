import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from de2ls._processes import second_process
from de2ls.reports import write_report
from de2ls.reports.drawing import begin
from de2ls.reports.figures import new_figure


def dies_elsewhere():
    """Draw, unless in a process beside the first one."""
    if multiprocessing.parent_process() is not None:
        os._exit(1)
    return new_figure(1.0, 1.0, arranged=False)


def fails():
    raise ValueError("there is nothing to draw")


def test_a_second_process_draws_the_same_files(store, tmp_path):
    write_report(store, tmp_path / "here")
    with second_process(int) as pool:
        write_report(store, tmp_path / "there", pool=pool)
    here, there = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in (tmp_path / "here", tmp_path / "there")
    )
    assert {path.suffix for path in here} >= {".html", ".md", ".csv", ".png", ".pdf", ".svg"}
    assert here == there


def test_what_goes_wrong_in_the_second_process_is_raised_here(tmp_path):
    with second_process(int) as pool:
        begun = begin(fails, "none", tmp_path, {}, pool)
        with pytest.raises(ValueError, match="there is nothing to draw"):
            _ = begun.drawn
    assert not list(tmp_path.iterdir())


def test_figures_of_a_process_that_died_are_drawn_here(tmp_path):
    with second_process(int) as pool:
        begun = [begin(dies_elsewhere, name, tmp_path, {}, pool) for name in ("a", "b")]
        files = [path for figure in begun for path in figure.drawn.files]
        later = begin(dies_elsewhere, "c", tmp_path, {}, pool).drawn  # it is known to be dead
    assert {path.name for path in (*files, *later.files)} == {
        f"{name}.{kind}" for name in "abc" for kind in ("png", "pdf", "svg")
    }
    assert set(tmp_path.iterdir()) == {*files, *later.files}


def test_without_another_process_there_is_none(monkeypatch):
    def refused(*_):
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", refused)
    with second_process(int) as pool:
        assert pool is None


def interrupted(seen):
    with second_process(int) as pool:
        seen.append(pool.submit(os.getpid).result())
        raise KeyboardInterrupt


def test_ctrl_c_leaves_no_process():
    seen = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(seen)
    assert seen != [os.getpid()]
    with pytest.raises(ProcessLookupError):
        os.kill(seen[0], 0)
