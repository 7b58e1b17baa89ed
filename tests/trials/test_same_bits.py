"""Same seed, same bits: however a trial is driven, paused, saved, or run beside others."""

import dataclasses
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import de2ls
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver
from de2ls.trials.run import PausedTrial, run_trial
from tests.helpers import watched
from tests.trials.examples import (
    ask_and_tell,
    assert_same_bits,
    ball,
    crowded,
    free,
    hopeless,
    loaded,
    record_of,
)

ALGORITHMS = ["rdex", "de2ls"]
SUITE = [1, 6, 12, 17]  # one inequality; six equalities; two inequalities; nothing feasible


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("number", SUITE)
def test_compiled_python_and_ask_tell_agree(algorithm: str, number: int) -> None:
    problem = de2ls.cec2017(number, dim=4, instance=1)
    compiled = run_trial(algorithm, problem, 5, 3000, trace=True)
    from_python = run_trial(algorithm, watched(problem)[0], 5, 3000, trace=True)
    assert_same_bits(compiled, from_python)
    for form in (problem, watched(problem)[0]):
        assert_same_bits(compiled, record_of(algorithm, form, 5, 3000, drive=ask_and_tell))


@pytest.mark.parametrize(
    "problem", [ball(2), free(6), crowded(3), hopeless(2)], ids=lambda p: p.name
)
@pytest.mark.parametrize("config", [{}, {"box": "published", "n0": 11, "ls_sg": 0}])
def test_ask_tell_agrees_on_all_shapes(problem: Problem, config: dict[str, Any]) -> None:
    direct = record_of("de2ls", problem, 8, 1500, config)
    assert_same_bits(direct, record_of("de2ls", problem, 8, 1500, config, ask_and_tell))


def test_seeds_matter() -> None:
    problem = de2ls.cec2017(1, dim=4, instance=1)
    curves = {run_trial("de2ls", problem, seed, 500).curve.tobytes() for seed in range(5)}
    assert len(curves) == 5


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_threads_do_not_disturb_each_other(workers: int) -> None:
    problem = de2ls.cec2017(12, dim=5, instance=1)
    alone = [run_trial("de2ls", problem, seed, 4000, trace=True) for seed in range(8)]
    with ThreadPoolExecutor(workers) as pool:
        together = pool.map(lambda s: run_trial("de2ls", problem, s, 4000, trace=True), range(8))
        for a, b in zip(alone, together, strict=True):
            assert_same_bits(a, b)


def test_threads_may_start_their_first_trial_at_once() -> None:
    """Drivers made at the same moment, for an algorithm and a problem not used before."""
    barrier = threading.Barrier(4)

    def first(seed: int) -> Any:
        barrier.wait()
        problem = de2ls.cec2017(3 + seed % 2, dim=3, instance=9)
        return run_trial(ALGORITHMS[seed // 2], problem, seed, 200, trace=True)

    with ThreadPoolExecutor(4) as pool:
        records = list(pool.map(first, range(4)))
    for seed, record in enumerate(records):
        problem = de2ls.cec2017(3 + seed % 2, dim=3, instance=9)
        assert_same_bits(record, run_trial(ALGORITHMS[seed // 2], problem, seed, 200, trace=True))


# --- RDEx and DE-2LS ------------------------------------------------------------------------------


@pytest.mark.parametrize("number", SUITE)
def test_rdex_is_de2ls_without_calls(number: int) -> None:
    problem = de2ls.cec2017(number, dim=4, instance=1)
    rdex = run_trial("rdex", problem, 3, 3000, trace=True)
    without = run_trial("de2ls", problem, 3, 3000, {"ls_mc": 0}, trace=True)
    variant = run_trial("de2ls", problem, 3, 3000, de2ls.ablation_variants()["RDEx"], trace=True)
    assert_same_bits(without, variant)
    assert not any(without.counters.values())  # counted, and never called
    assert_same_bits(rdex, dataclasses.replace(without, counters=rdex.counters))


@pytest.mark.parametrize("seed", range(3))
def test_de2ls_is_rdex_until_its_first_call(seed: int) -> None:
    problem, with_search = watched(ball(4))
    driver = Driver("de2ls", problem, seed, 4000)
    while driver.now["ls_calls"] == 0:
        driver.run(driver.n_evals + 1)
    until = driver.n_evals  # the next evaluation is the first of the call
    assert 0.85 * 4000 <= until <= 0.97 * 4000
    driver.run()
    plain, without = watched(ball(4))
    run_trial("rdex", plain, seed, 4000)
    same = [
        a.tobytes() == b.tobytes() for a, b in zip(with_search.points, without.points, strict=True)
    ]
    assert all(same[:until])
    assert not same[until]


# --- paused, saved, loaded ------------------------------------------------------------------------


def saving_and_loading(path: Path, pauses: list[int]) -> Any:
    """Return a way to drive a trial that stops at each of `pauses`, saves, and loads anew."""

    def drive(driver: Driver) -> None:
        current = driver
        for evals in sorted(pauses):
            current.run(evals)
            assert current.n_evals == max(evals, 0)
            current.save(path)
            current = loaded(path, driver.problem)
        current.run()
        for mine, other in zip(driver.state, current.state, strict=True):
            mine[...] = other

    return drive


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pauses=st.lists(st.integers(0, 1500), max_size=4, unique=True),
    algorithm=st.sampled_from(ALGORITHMS),
    compiled=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_pauses_change_nothing(
    tmp_path: Path, pauses: list[int], algorithm: str, compiled: bool, seed: int
) -> None:
    problem = de2ls.cec2017(12, dim=4, instance=1) if compiled else crowded(3)
    config = {"ls_sg": 1} if algorithm == "de2ls" else None
    whole = record_of(algorithm, problem, seed, 1500, config)
    drive = saving_and_loading(tmp_path / "trial.npz", pauses)
    assert_same_bits(whole, record_of(algorithm, problem, seed, 1500, config, drive))


def test_paused_trial_in_every_phase(tmp_path: Path) -> None:
    """A pause at each of the last evaluations: inside generations and inside both calls."""
    problem, config = ball(3), {"ls_sg": 0, "ls_sr": 0.5}
    whole = record_of("de2ls", problem, 3, 600, config)
    assert whole.counters["ls_calls"] == 2
    drive = saving_and_loading(tmp_path / "trial", list(range(290, 600, 3)))
    assert_same_bits(whole, record_of("de2ls", problem, 3, 600, config, drive))


def test_public_pause_save_load(tmp_path: Path) -> None:
    problem = de2ls.cec2017(1, dim=3, instance=1)
    trial = de2ls.PausedTrial("de2ls", problem, 1, 900)
    trial.run(0).run(100).run(150)
    assert trial.driver.n_evals == 250
    assert not trial.finished
    with pytest.raises(RuntimeError, match="250 of 900"):
        trial.record()
    with pytest.raises(ValueError, match="evals must"):
        trial.run(-1)
    trial.save(tmp_path / "half")
    loaded = PausedTrial.load(tmp_path / "half", problem).run(10_000)
    assert loaded.finished
    assert_same_bits(loaded.record(trace=True), run_trial("de2ls", problem, 1, 900, trace=True))
    again = loaded.record()
    assert_same_bits(loaded.run().record(trace=True), loaded.record(trace=True))
    assert again.n_evals == 900


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved trial of the ball in three dimensions, at 100 of 900 evaluations."""
    path = tmp_path / "trial"
    PausedTrial("de2ls", ball(3), 1, 900).run(100).save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["trial"]  # no partial file is left
    return path


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (ball(4), "dim is 3, got 4"),
        (free(3), "lower is .*, got"),
        (ball(3, feasible_tol=0.1), "feasible_tol is 0.0, got 0.1"),
        (ball(3, key=ProblemKey("mine", "ball", 3)), "name is .*, got ball"),
    ],
)
def test_a_saved_trial_refuses_another_problem(
    saved: Path, other: Problem, difference: str
) -> None:
    with pytest.raises(ValueError, match=f"problem must be the saved trial's: its .*{difference}"):
        PausedTrial.load(saved, other)


def test_a_saved_trial_is_plain_arrays_and_json(saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as content:
        header = json.loads(str(content["header"]))
        assert header["schema"] == 2
        assert header["algorithm"] == "de2ls"
        assert all(content[name].dtype.hasobject is False for name in content)


def rewritten(path: Path, **changes: np.ndarray) -> Path:
    """Change arrays of a saved trial."""
    with np.load(path, allow_pickle=False) as content:
        arrays = dict(content) | changes
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def test_a_saved_trial_refuses_another_schema(saved: Path) -> None:
    with np.load(saved) as content:
        header = json.loads(str(content["header"])) | {"schema": 99}
    with pytest.raises(ValueError, match="schema 99"):
        PausedTrial.load(rewritten(saved, header=np.array(json.dumps(header))), ball(3))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("state_now", np.zeros(1, [("n", "i8")])),
        ("state_weight", np.zeros(0)),
        ("state_x", np.zeros((1, 3))),
    ],
)
def test_a_saved_trial_refuses_arrays_that_do_not_fit(
    saved: Path, name: str, array: np.ndarray
) -> None:
    with pytest.raises(ValueError, match=f"its {name} does not fit"):
        PausedTrial.load(rewritten(saved, **{name: array}), ball(3))


def test_a_damaged_trial_is_named(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    place = content.index(b"state_rank.npy")  # the bytes after its name are its array's
    content[place + 300] ^= 255
    saved.write_bytes(content)
    with pytest.raises(ValueError, match=r"the file '.*trial' holds a damaged trial: Bad CRC-32"):
        PausedTrial.load(saved, ball(3))


def test_a_trial_without_all_arrays_is_damaged(saved: Path) -> None:
    with np.load(saved) as content:
        arrays = {name: content[name] for name in content if name != "state_best"}
    with saved.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match=r"holds a damaged trial: .*state_best"):
        PausedTrial.load(saved, ball(3))


def test_the_wall_time_goes_on_after_a_pause(saved: Path) -> None:
    before = PausedTrial.load(saved, ball(3)).driver.wall_time
    assert before > 0.0
    assert PausedTrial.load(saved, ball(3)).run().record().wall_time > before


def test_what_is_no_saved_trial(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("no trial")
    with pytest.raises(ValueError, match="holds no saved trial"):
        PausedTrial.load(path, ball(3))
    with path.open("wb") as file:
        np.savez(file, a=np.zeros(3))
    with pytest.raises(ValueError, match="schema None"):
        PausedTrial.load(path, ball(3))
    with pytest.raises(FileNotFoundError):
        PausedTrial.load(tmp_path / "missing", ball(3))
