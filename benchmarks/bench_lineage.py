"""Cost per evaluation of the lineage, relative to DE-2LS: whole trials at D = 30 on three problems.

The smaller CPU seconds of two trials over the evaluations made, all algorithms in turn on each
problem. Bar, on the geometric mean over the problems: at most 2.5 times DE-2LS.
"""

import de2ls
from benchmarks.bench_algorithms import costs
from benchmarks.bench_trials import DIM, geometric_mean

PROBLEMS = (1, 12, 21)
MAX_EVALS = 300_000
BAR = 2.5
NAMES = [
    "de2ls",
    "l-srtde",
    "ude",
    "jso",
    "lshade44",
    "lshade44-iepsilon",
    "dish",
    "lshade-spacma",
    "imode",
    "nl-shade-rsp",
    "ea4eig",
    "mlshade-rl",
    "ebo-cmar",
]


def main() -> None:
    """Print the table."""
    rows = [costs(de2ls.cec2017(k, DIM, instance=1), NAMES, MAX_EVALS) for k in PROBLEMS]
    print(f"algorithm             us   over de2ls   (bar: {BAR})")
    for i, name in enumerate(NAMES):
        ratio = geometric_mean([row[i] / row[0] for row in rows])
        mean = 1e6 * geometric_mean([row[i] for row in rows])
        each = "  ".join(f"{1e6 * row[i]:6.2f}" for row in rows)
        print(f"{name:18} {mean:6.2f}  {ratio:10.2f}   {each}", flush=True)


if __name__ == "__main__":
    main()
