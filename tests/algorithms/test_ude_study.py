"""The studies of UDE: published figures, standardised differences, tables of real trials."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import de2ls

STUDIES = Path(__file__).resolve().parents[2] / "docs" / "studies"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ude_published", STUDIES / "ude_published.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ude_published"] = module
    spec.loader.exec_module(module)
    return module


def test_figures_of_the_report(study: Any) -> None:
    three, four = study.report_figures("UDE-III"), study.report_figures("UDE-IV")
    assert len(three) == len(four) == 28
    assert (three["C03"].mean, three["C03"].deviation, three["C03"].feasible) == (92.21, 56.5, 1.0)
    assert three["C03"].half_unit == pytest.approx(0.005)
    assert (three["C11"].mean, three["C11"].feasible) == (None, 0.28)
    assert three["C17"].violation == pytest.approx(2 * 14.71)
    assert four["C11"].violation == pytest.approx(2 * 62.07)
    assert four["C11"].mean is None
    assert four["C28"].violation == 2 * 21454


def test_figures_of_the_paper(study: Any) -> None:
    paper = study.paper_figures()
    assert (paper["C27"].mean, paper["C27"].deviation) == (36.62, 0.3614)
    assert (paper["C11"].mean, paper["C11"].feasible) == (None, 0.4)
    assert paper["C17"].violation == 29.42


def test_difference_by_hand(study: Any) -> None:
    """Ours 1 and 3 (mean 2, variance 2) against 5.0 with deviation 1: -(3 - 0.05) / sqrt(1.04)."""
    ours = study.Ours(np.array([1.0, 3.0]), np.zeros(2))
    figure = study.Figure(5.0, 0.05, 1.0, 1.0)
    assert study.difference(ours, figure) == pytest.approx(-2.95 / math.sqrt(2 / 2 + 1 / 25))
    assert study.difference(ours, study.Figure(None, 0.0, None, 0.28)) is None
    violated = study.Ours(np.empty(0), np.array([10.0, 12.0]))
    figure = study.Figure(None, 0.0, None, 0.0, violation=8.0, violation_half_unit=0.5)
    assert study.difference(violated, figure) == pytest.approx(
        2.5 / math.sqrt(2 * (1 / 2 + 1 / 25))
    )


def test_tiny_deviations_must_agree_to_1e_6(study: Any) -> None:
    ours = study.Ours(np.full(25, 1.40852), np.zeros(25))
    assert study.difference(ours, study.Figure(1.409, 5e-4, 4e-16, 1.0)) == 0.0
    assert study.difference(ours, study.Figure(1.408, 5e-4, 4e-16, 1.0)) == math.inf


def test_equal_feasibility_rates(study: Any) -> None:
    half = study.Ours(np.zeros(12), np.zeros(25))
    assert study.feasibility_p(half, study.Figure(None, 0.0, None, 0.48)) == 1.0
    assert study.feasibility_p(half, study.Figure(None, 0.0, None, 0.0)) < 1e-3


def test_the_published_rule_allows_no_violation(study: Any) -> None:
    """A violation of 1e-9 is feasible by the competition's rule, not by the published one."""

    def function(x: np.ndarray, out: np.ndarray) -> None:
        out[:] = x @ x, 1e-9

    box = np.full(2, -1.0), np.full(2, 1.0)
    problem = de2ls.Problem("case", *box, 1, 0, function=function, feasible_tol=1e-8)
    assert de2ls.run_trial("ude3", problem, 1, 400).feasible
    ours = study.final_values("ude3", problem, 2, 400)
    assert (len(ours.min_ev), len(ours.lcv)) == (0, 2)


def test_all_tables(study: Any, capsys: Any) -> None:
    arguments = "--algorithms ude3 --runs 2 --instance 1 --max-evals 400"
    study.main(arguments.split())
    text = capsys.readouterr().out
    assert text.count("| C") == 24 + 4 + 5
    assert "**UDE-III: problems tuned on**" in text
    first, tuned, levels = text.split("**UDE-III")[1:]
    assert "| C03 |" in first
    assert "| C04 |" not in first
    assert [line[2:5] for line in tuned.splitlines() if line.startswith("| C")] == [
        "C04",
        "C06",
        "C07",
        "C27",
    ]
    assert "12 of 25" in levels
