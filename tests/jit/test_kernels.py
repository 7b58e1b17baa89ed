"""Kernels without a compiler: NUMBA_DISABLE_JIT=1 gives the same results, slowly."""

import os
import subprocess
import sys

import pytest

TRIALS = """
import warnings
warnings.simplefilter("error")
import de2ls
problem = de2ls.cec2017({number}, dim=3, instance=1)
print(de2ls.run_trial("de-rand-1-bin", problem, 1, 700).f.hex())
print(de2ls.run_trial("{algorithm}", problem, 1, 700).f.hex())
print(de2ls.minimize(lambda x: float(x @ x), [(-5, 5)] * 3, max_evals=300, seed=1).fun < 1)
print(problem.evaluate_many([[1.0, 2.0, 3.0]])[0][0].hex())
"""


@pytest.mark.parametrize(
    ("algorithm", "number"),
    [("de2ls", 1), ("rdex-cask", 12), ("rde26", 19), ("ude3", 22), ("cl-srde", 6)],
)
def test_python_alone_gives_the_compiled_bits(algorithm: str, number: int) -> None:
    script = TRIALS.format(algorithm=algorithm, number=number)
    compiled, interpreted = (
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    )
    assert compiled.count("\n") == 4
    assert interpreted == compiled
