"""Every example runs and finds what the literature knows."""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_has_a_test():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tested


def test_welded_beam(capsys):
    res = load("welded_beam").main()
    assert res.feasible
    assert res.fun == pytest.approx(1.724852, abs=1e-5)
    assert "cost 1.72485" in capsys.readouterr().out


def test_pressure_vessel(capsys):
    res = load("pressure_vessel").main()
    assert res.feasible
    assert res.x[:2].tolist() == [0.8125, 0.4375]
    assert res.fun == pytest.approx(6059.714335, abs=1e-2)
    assert "shell 0.8125 in, head 0.4375 in" in capsys.readouterr().out


def test_spring_design(capsys, tmp_path):
    res = load("spring_design").main(tmp_path / "spring.png")
    assert res.feasible
    assert res.fun == pytest.approx(0.0126652, abs=1e-6)
    assert (tmp_path / "spring.png").stat().st_size > 10_000
    assert "weight 0.01266" in capsys.readouterr().out


def test_portfolio(capsys):
    """Every choice of three assets, solved by SLSQP, gives nothing better."""
    from scipy.optimize import minimize

    example = load("portfolio")
    res = example.main()
    assert res.feasible
    assert res.x[: example.ASSETS].sum() <= example.HELD

    def risk(w, C):
        return np.sqrt(w @ C @ w)

    best = np.inf
    for choice in itertools.combinations(range(example.ASSETS), example.HELD):
        C, mean = example.COVARIANCE[np.ix_(choice, choice)], example.RETURN[list(choice)]
        if mean.max() < example.REQUIRED:
            continue
        found = minimize(
            risk,
            np.full(3, 1 / 3),
            args=(C,),
            bounds=[(0, 1)] * 3,
            constraints=[
                {"type": "eq", "fun": lambda w: w.sum() - 1},
                {"type": "ineq", "fun": lambda w, mean=mean: mean @ w - example.REQUIRED},
            ],
            method="SLSQP",
            tol=1e-12,
        )
        if found.success:
            best = min(best, found.fun)
    assert res.fun == pytest.approx(best, rel=1e-4)
    assert "asset 4" in capsys.readouterr().out


def test_simulation(capsys):
    example = load("simulation")
    res = example.main(workers=2, max_evals=150)
    assert res.nfev == 150
    assert res.feasible
    assert example.simulate(res.x)[0] == res.fun
    assert "with 2 workers" in capsys.readouterr().out


def test_compiled(capsys):
    res = load("compiled").main(max_evals=200_000)
    assert res.feasible
    assert -res.fun == pytest.approx(0.710978, abs=2e-3)
    assert "per second" in capsys.readouterr().out


def test_evolution_strategy(capsys):
    """The optimum (0.25, 1.75) with f = 1.125 lies on the constraint x + y = 2."""
    res = load("evolution_strategy").main()
    assert res.feasible
    assert res.fun == pytest.approx(1.125, abs=1e-3)
    assert "feasible: True" in capsys.readouterr().out
