"""An `Optimizer` under way: pickles, lost candidates, points from elsewhere, the same search."""

import copy
import pickle
import re

import numpy as np
import pytest

import de2ls

BOX = [(-4.0, 6.0)] * 3
ALGORITHMS = ["de2ls", "chorus"]
SLOPES = {"de2ls": 0, "chorus": 2 * len(BOX)}  # evaluations that `minimize` keeps for multipliers


def results(x):
    """Return Rastrigin's function, of many local minima, and two constraints."""
    waves = 10 * (1 - np.cos(2 * np.pi * x)).sum()
    return float(x @ x + waves), [1 - x[0]], [x[1] - x[2]]


def go_on(opt, n):
    """Ask and tell n times; return the points."""
    points = []
    while len(points) < n and not opt.finished:
        c = opt.ask()
        opt.tell(c, *results(c.x))
        points.append(c.x.copy())
    return np.array(points)


def new(algorithm, **options):
    options = {"max_evals": 400, "seed": 4, **options}
    return de2ls.Optimizer(BOX, 1, 1, algorithm=algorithm, **options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", [0, 7, 160])
def test_a_pickle_goes_on_with_the_same_points(algorithm, n):
    opt = new(algorithm)
    go_on(opt, n)
    out = opt.ask()
    for twin in (pickle.loads(pickle.dumps(opt)), copy.deepcopy(opt)):
        assert [c.id for c in twin.pending()] == [out.id]
        twin.tell(out.id, *results(out.x))
        fork = copy.deepcopy(opt)
        fork.tell(out, *results(out.x))
        assert np.array_equal(go_on(twin, 200), go_on(fork, 200))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_is_the_search_of_minimize(algorithm):
    points = []

    def fun(x):
        points.append(x.copy())
        return results(x)

    whole = de2ls.minimize(fun, BOX, n_ineq=1, n_eq=1, algorithm=algorithm, max_evals=400, seed=4)
    assert len(points) == 400
    searched = 400 - SLOPES[algorithm]
    opt = new(algorithm)
    assert np.array_equal(go_on(opt, searched), points[:searched])
    assert opt.result().fun >= whole.fun


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lost_candidates_do_not_block(algorithm):
    opt = new(algorithm, max_evals=200)
    n = 0
    while not opt.finished:
        c = opt.ask()
        n += 1
        if n % 5 == 1:
            opt.abandon(c)
            with pytest.raises(ValueError, match="candidate"):
                opt.tell(c, *results(c.x))
        else:
            opt.tell(c, *results(c.x))
    res = opt.result()
    assert res.n_invalid == (n + 4) // 5
    assert res.nfev == n


BEST = np.array([1.0, 0.0, 0.0])  # the optimum, with objective 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", [0, 10, 60])
def test_an_injected_point_is_the_incumbent_and_helps_the_search(algorithm, n):
    opt = new(algorithm)
    go_on(opt, n)
    near = np.array([1.0001, 1e-7, 0.0])
    opt.inject(near, *results(near))
    assert (opt.result().x == near).all()
    assert opt.n_evals == n + 1
    twin = pickle.loads(pickle.dumps(opt))
    points = go_on(opt, 400)
    assert len(points) <= 399 - n
    assert np.array_equal(points, go_on(twin, 400))
    alone = new(algorithm)
    others = go_on(alone, 400)[n : n + len(points)]
    assert not np.array_equal(others, points)
    assert opt.result().fun <= results(near)[0]
    if algorithm == "chorus":  # its next local search starts there
        assert opt.result().fun < results(near)[0]


def test_injected_points_lie_in_the_box_and_fit_the_budget():
    opt = new("chorus", max_evals=12)
    with pytest.raises(ValueError, match="x"):
        opt.inject([7.0, 0.0, 0.0], 1.0, [0.0], [0.0])
    with pytest.raises(ValueError, match="g must"):
        opt.inject(BEST, 1.0, [], [0.0])
    for _ in range(12):
        opt.inject(BEST, *results(BEST))
    assert opt.finished
    with pytest.raises(RuntimeError, match="max_evals"):
        opt.inject(BEST, *results(BEST))


@pytest.mark.parametrize("algorithm", ["de2ls", "chorus"])
def test_the_budget_holds_with_injected_points(algorithm):
    opt = new(algorithm, max_evals=60)
    while not opt.finished:
        try:
            batch = opt.ask(7)
        except RuntimeError:
            break
        if opt.n_evals + opt.n_pending < 60:
            opt.inject(BEST, *results(BEST))
        for c in batch:
            opt.tell(c, *results(c.x))
    assert opt.n_evals == 60


def test_after_its_end_a_search_says_why_it_is_over():
    opt = de2ls.Optimizer([(-1, 2)] * 2, seed=1)
    while not opt.finished:
        c = opt.ask()
        opt.tell(c, float(c.x @ c.x))
    assert opt.n_evals < opt.max_evals
    why = re.escape(f"the search is over ({opt.result().message[:-1]})")
    for more in (opt.ask, lambda: opt.inject([0, 0], 0.0)):
        with pytest.raises(RuntimeError, match=why):
            more()
