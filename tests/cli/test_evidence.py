"""``de2ls reproduce`` of what stands behind CHORUS, at tiny sizes."""

import pytest

from tests.studies.support import rows


def test_solvers_are_compared_and_further_ones_join(called, tmp_path):
    folder = tmp_path / "out"
    size = ["--suites", "cec2006", "--seeds", "1", "--budgets", "5", "--workers", "1"]
    for solver in ("slsqp", "cobyla"):
        words = ["reproduce", "practitioners", *size, "--solvers", solver, "-o", str(folder)]
        code, out, _ = called(*words)
        assert code == 0
        assert "README.md" in out
    found = rows(folder / "runs.csv")
    assert len(found) == 2 * 23
    assert {row["solver"] for row in found} == {"slsqp", "cobyla"}
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "SLSQP multi-start" in text
    assert "COBYLA multi-start" in text
    assert "reproduce practitioners --suites cec2006" in text


def test_an_unknown_solver_is_named(called, tmp_path):
    code, _, err = called(
        *("reproduce", "chorus-budgets", "--solvers", "cobyl", "-o", str(tmp_path / "out"))
    )
    assert code == 1
    assert "solvers" in err
    assert "cobyla" in err


@pytest.mark.parametrize(
    ("name", "words", "settings"),
    [
        ("chorus-noise", ["--levels", "nan", "--solvers", "cobyla", "--budgets", "5"], {"nan"}),
        ("chorus-parallel", ["--counts", "1,8", "--budget", "5"], {"1", "8"}),
        ("chorus-arms", ["--arms", "lines", "--budget", "5"], {"all", "lines"}),
    ],
)
def test_studies_of_chorus_alone(called, tmp_path, name, words, settings):
    folder = tmp_path / "out"
    size = ["--suites", "cec2006", "--seeds", "1", "--workers", "1", "-o", str(folder)]
    code, out, _ = called("reproduce", name, *size, *words)
    assert code == 0
    assert "README.md" in out
    found = rows(folder / "runs.csv")
    assert len(found) == 23 * len(settings)
    assert {row["setting"] for row in found} == settings
    assert f"reproduce {name} --suites cec2006" in (folder / "README.md").read_text("utf-8")
