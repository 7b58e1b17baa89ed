"""Integers, choices and fixed coordinates in `minimize`, `Optimizer` and problem files."""

import numba
import numpy as np
import pytest

import de2ls
from de2ls.problems.file import ProblemFile

SIZES = [0.5, 1.1, 1.9, 4.0, 7.5]
BOX = [de2ls.choices(SIZES), (3.0, 3.0), (-2, 2), (0.0, 1.0)]
INTEGER = [False, False, True, False]
BEST = [1.9, 3.0, -1.0, 0.25]  # the nearest choice and integer, the fixed and the free coordinate


def bowl(x):
    return (x[0] - 2.2) ** 2 + x[1] + (x[2] + 0.8) ** 2 + (x[3] - 0.25) ** 2


def solve(fun=bowl, **kwargs):
    return de2ls.minimize(fun, BOX, integrality=INTEGER, max_evals=2000, seed=1, **kwargs)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"fun": numba.njit(bowl)},
        {"vectorized": True},
        {"polish": True, "algorithm": "de2ls"},
        {"batch": 5},
    ],
    ids=["plain", "compiled", "vectorised", "polished", "batches"],
)
def test_minimize(arguments):
    res = solve(**arguments)
    assert res.x[:3].tolist() == BEST[:3]
    assert res.x[3] == pytest.approx(BEST[3], abs=1e-3)
    assert res.fun == pytest.approx(0.09 + 3.0 + 0.04, abs=1e-6)
    assert set(res.population[:, 0]) <= set(SIZES)
    assert res.population.shape[1] == 4


def test_functions_see_designs_only():
    seen = []
    solve(lambda x: seen.append(x.copy()) or bowl(x))
    points = np.array(seen)
    assert set(points[:, 0]) <= set(SIZES)
    assert set(points[:, 1]) == {3.0}
    assert set(points[:, 2]) <= {-2.0, -1.0, 0.0, 1.0, 2.0}


def test_the_guess_is_a_design():
    seen = []
    solve(lambda x: seen.append(x.tolist()) or bowl(x), x0=[4.0, 3.0, 1, 0.75])
    assert seen[0] == [4.0, 3.0, 1.0, 0.75]


def test_a_guess_between_values_becomes_the_nearest():
    seen = []
    solve(lambda x: seen.append(x.tolist()) or bowl(x), x0=[2.9, 3.0, 1.4, 0.75])
    assert seen[0] == [min(SIZES, key=lambda size: abs(size - 2.9)), 3.0, 1.0, 0.75]


def test_a_failure_shows_the_design():
    def fun(x):
        raise ArithmeticError(x[0])

    with pytest.raises(de2ls.EvaluationError) as caught:
        solve(fun)
    assert caught.value.x.shape == (4,)
    assert caught.value.x[0] in SIZES


def test_a_line_with_a_constraint():
    res = de2ls.minimize(
        lambda x: (x[0] - 0.3) ** 2,
        [(0, 1)],
        constraints={"type": "ineq", "fun": lambda x: x[0] - 0.5},
        max_evals=4000,
        seed=1,
    )
    assert res.feasible
    assert res.x == pytest.approx([0.5], abs=1e-4)


def test_optimizer_asks_for_designs_and_continues_from_a_file(tmp_path):
    def make():
        return de2ls.Optimizer(BOX, integrality=INTEGER, max_evals=600, seed=3)

    def drive(opt, n):
        for _ in range(n):
            c = opt.ask()
            assert c.x[0] in SIZES
            assert c.x[1] == 3.0
            opt.tell(c, float(bowl(c.x)))

    whole = make()
    drive(whole, 600)
    part = make()
    drive(part, 250)
    part.save(tmp_path / "state.npz")
    again = de2ls.Optimizer.load(tmp_path / "state.npz")
    drive(again, 350)
    assert again.result().x.tolist() == whole.result().x.tolist()
    assert whole.result().x[:3].tolist() == BEST[:3]


def test_a_problem_file_may_have_choices(tmp_path):
    path = tmp_path / "plate.py"
    path.write_text(
        "import de2ls\n"
        "bounds = [de2ls.choices([1, 2, 4]), (0, 1)]\n"
        "def fun(x):\n"
        "    return x[0] + x[1]\n"
    )
    (p,) = ProblemFile.load(path).problems().values()
    assert p.evaluate(p.encode([4, 0.5])).f == 4.5
