"""`Optimizer`: ask and tell, several at once, in any order, saved and continued."""

import json
import re

import numpy as np
import pytest

import de2ls
from de2ls.optimize.result import Stop

BOX = [(-4.0, 6.0), (-5.0, 5.0), (-3.0, 7.0)]


def values(x):
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2], [1.0 - x[0]], [x[1] - x[2]]


def make(**changes):
    arguments = {"n_ineq": 1, "n_eq": 1, "max_evals": 600, "seed": 1, **changes}
    return de2ls.Optimizer(BOX, **arguments)


def drive(opt, evaluations):
    for _ in range(evaluations):
        c = opt.ask()
        opt.tell(c, *values(c.x))


def same(a, b):
    return (a.nfev, a.fun) == (b.nfev, b.fun) and np.array_equal(a.population, b.population)


class TestOneByOne:
    @pytest.mark.parametrize("algorithm", de2ls.algorithm_names())
    def test_is_the_search_of_minimize(self, algorithm):
        """Population, weights of the constraints and starting point are the same."""
        seen = []

        def watched(x):
            seen.append(x.copy())
            return values(x)

        x0 = [1.5, 0.5, 0.25]
        de2ls.minimize(
            watched, BOX, n_ineq=1, n_eq=1, algorithm=algorithm, max_evals=600, seed=1, x0=x0
        )
        opt, points = make(algorithm=algorithm, x0=x0), []
        while not opt.finished:
            c = opt.ask()
            points.append(c.x)
            opt.tell(c, *values(c.x))
        assert points[0].tolist() == x0
        assert np.array_equal(points, seen)

    def test_candidates_are_numbered_and_read_only(self):
        opt = make()
        first, second = opt.ask(), opt.ask()
        assert (first.id, second.id) == (0, 1)
        with pytest.raises(ValueError, match="read-only"):
            first.x[0] = 0.0
        assert opt.n_pending == 2
        assert opt.n_evals == 0

    def test_result_so_far(self):
        opt = make()
        drive(opt, 100)
        res = opt.result()
        assert (res.status, res.nfev) == (Stop.RUNNING.status, 100)
        assert res.fun == values(res.x)[0]
        assert len(res.constr[0]) == 2

    def test_first_guess(self):
        opt = make(x0=[1.0, 2.0, 2.0])
        assert opt.ask().x.tolist() == [1, 2, 2]

    def test_integers(self):
        opt = make(integrality=[True, False, False])
        while not opt.finished:
            c = opt.ask()
            assert c.x[0] == np.rint(c.x[0])
            opt.tell(c, *values(c.x))
        res = opt.result()
        assert res.feasible
        assert res.x[0] in (1.0, 2.0)

    def test_without_constraints(self):
        opt = de2ls.Optimizer(BOX, max_evals=1000, seed=1)
        while not opt.finished:
            c = opt.ask()
            opt.tell(c, float(c.x @ c.x))
        assert opt.result().fun < 1e-3
        assert opt.result().constr == []
        assert opt.result().maxcv == 0
        assert len(opt.result().plot().axes) == 2  # none for the violation

    def test_nan_counts_as_worst(self):
        opt = make()
        c = opt.ask()
        opt.tell(c, np.nan, [0], [0])
        drive(opt, 50)
        assert opt.result().n_invalid == 1


class TestSeveral:
    def test_asking_for_more_than_there_is(self):
        opt = make(algorithm="de2ls")
        assert len(opt.ask(10)) == 10
        assert len(opt.ask(100)) == 20  # N0 = 30
        with pytest.raises(RuntimeError, match=r"30 .* are out"):
            opt.ask()

    def test_end_of_the_budget(self):
        opt = make(algorithm="de2ls", max_evals=60)
        drive(opt, 55)
        last = opt.ask(10)
        assert len(last) == 5
        with pytest.raises(RuntimeError, match="max_evals=60"):
            opt.ask()
        for c in last:
            assert not opt.finished
            opt.tell(c, *values(c.x))
        assert opt.finished
        assert opt.result().status == Stop.BUDGET.status

    def test_a_tell_acts_at_once_and_a_candidate_stays_what_it_was(self):
        opt = make(algorithm="de2ls")
        out = opt.ask(30)
        for c in out:
            opt.tell(c, *values(c.x))
        waiting = opt.ask()
        drive(opt, 100)
        opt.tell(waiting, *values(waiting.x))
        assert opt.n_evals == 131
        assert opt.n_pending == 0

    @pytest.mark.parametrize("seed", range(5))
    def test_any_order_finds_the_optimum(self, seed):
        rng = np.random.default_rng(seed)
        opt = make(algorithm="de2ls", max_evals=6000, seed=seed)
        out = []
        while not opt.finished:
            room = 8 - len(out)
            if room and opt.n_evals + len(out) < opt.max_evals:
                try:
                    out += opt.ask(room)
                except RuntimeError:
                    assert out  # the initial population is out
            c = out.pop(rng.integers(len(out)))
            opt.tell(c, *values(c.x))
        res = opt.result()
        assert res.nfev == 6000
        assert res.feasible
        assert res.fun == pytest.approx(1.0, abs=1e-3)

    def test_order_of_the_initial_population_does_not_matter(self):
        a, b = make(), make()
        first, second = a.ask(30), b.ask(30)
        for c in first:
            a.tell(c, *values(c.x))
        for c in reversed(second):
            b.tell(c.id, *values(c.x))
        assert (a.ask().x == b.ask().x).all()


class TestBadTells:
    @pytest.mark.parametrize(
        ("tell", "error", "message"),
        [
            (
                (99, 1.0, [0], [0]),
                ValueError,
                "candidate must",
            ),
            ((-1, 1.0, [0], [0]), ValueError, "candidate must"),
            (("a", 1.0, [0], [0]), TypeError, "candidate must"),
            ((0, "low", [0], [0]), TypeError, "f must"),
            ((0, 1.0, [0, 1], [0]), ValueError, "g must"),
            ((0, 1.0, [0]), ValueError, "h must"),
            ((0, 1j, [0], [0]), TypeError, "f must be real numbers, got 1j"),
        ],
    )
    def test_refused(self, tell, error, message):
        opt = make()
        opt.ask()
        with pytest.raises(error, match=re.escape(message)):
            opt.tell(*tell)
        assert opt.n_pending == 1

    def test_twice(self):
        opt = make()
        c = opt.ask()
        opt.tell(c, *values(c.x))
        with pytest.raises(ValueError, match="candidate must"):
            opt.tell(c, *values(c.x))

    def test_result_before_anything(self):
        with pytest.raises(RuntimeError, match="there is no result yet"):
            make().result()

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"bounds": [(0, 0)]}, ValueError, "bounds must"),
            ({"n_ineq": -1}, ValueError, "n_ineq must"),
            ({"n_eq": 0.5}, TypeError, "n_eq must"),
            ({"algorithm": "de"}, ValueError, "algorithm must be one of"),
            ({"max_evals": 3}, ValueError, "max_evals must be an integer from 8 to"),
            ({"x0": [9, 9, 9]}, ValueError, "x0 must lie within the bounds"),
            ({"config": {"n00": 5}}, ValueError, "config has no field 'n00'"),
        ],
    )
    def test_arguments(self, arguments, error, message):
        with pytest.raises(error, match=re.escape(message)):
            de2ls.Optimizer(**{"bounds": BOX, **arguments})

    @pytest.mark.parametrize("n", [0, -1, 1.5])
    def test_ask_for_nothing(self, n):
        with pytest.raises((ValueError, TypeError), match="n must"):
            make().ask(n)


class TestFiles:
    @pytest.mark.parametrize("evaluations", [0, 7, 30, 200, 540])
    @pytest.mark.parametrize("algorithm", ["de2ls", "ude3"])
    def test_continues_as_if_nothing_had_happened(self, tmp_path, evaluations, algorithm):
        a = make(algorithm=algorithm, integrality=[True, False, False])
        drive(a, evaluations)
        out = a.ask(5)
        a.save(tmp_path / "state.npz")
        b = de2ls.Optimizer.load(tmp_path / "state.npz")
        assert (b.n_evals, b.n_pending, b.max_evals) == (a.n_evals, a.n_pending, a.max_evals)
        assert [c.id for c in b.pending()] == [c.id for c in out]
        for opt, waiting in ((a, out), (b, b.pending())):
            for c in reversed(waiting):
                opt.tell(c, *values(c.x))
            while not opt.finished:
                c = opt.ask()
                opt.tell(c, *values(c.x))
        assert same(a.result(), b.result())

    def test_the_guess_survives(self, tmp_path):
        make(x0=[1, 2, 3]).save(tmp_path / "state.npz")
        assert de2ls.Optimizer.load(tmp_path / "state.npz").ask().x.tolist() == [1, 2, 3]

    def test_no_pickle_inside(self, tmp_path):
        opt = make()
        drive(opt, 40)
        opt.ask(3)
        opt.save(tmp_path / "state.npz")
        with np.load(tmp_path / "state.npz", allow_pickle=False) as saved:
            assert all(saved[name].dtype != object for name in saved.files)
            assert json.loads(str(saved["optimizer"]))["n_ineq"] == 1

    def test_another_file(self, tmp_path):
        np.savez(tmp_path / "other.npz", a=np.zeros(3))
        np.save(tmp_path / "array.npy", np.zeros(3))
        make().save(tmp_path / "state.npz")
        saved = (tmp_path / "state.npz").read_bytes()
        (tmp_path / "half.npz").write_bytes(saved[: len(saved) // 2])
        (tmp_path / "text.npz").write_text("hello")
        (tmp_path / "empty.npz").touch()
        with pytest.raises(ValueError, match=r"other\.npz.*Optimizer"):
            de2ls.Optimizer.load(tmp_path / "other.npz")
        for name in ("array.npy", "half.npz", "text.npz", "empty.npz"):
            with pytest.raises(ValueError, match=f"{name}' holds no saved trial"):
                de2ls.Optimizer.load(tmp_path / name)
        with pytest.raises(FileNotFoundError):
            de2ls.Optimizer.load(tmp_path / "none.npz")
