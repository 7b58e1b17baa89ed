"""Design of a spring of least weight, with constraints as dicts and a picture of the search.

Wire diameter d, coil diameter D and number of active coils N. The best known weight is 0.0126652.

    python examples/spring_design.py [picture.png]
"""

import sys

import de2ls


def weight(x):
    """Return the weight."""
    d, D, N = x
    return (N + 2) * D * d**2


def at_least_zero(x):
    """Return deflection, shear stress, surge frequency and outer diameter within their limits."""
    d, D, N = x
    return [
        D**3 * N / (71785 * d**4) - 1,
        1 - (4 * D**2 - d * D) / (12566 * (D * d**3 - d**4)) - 1 / (5108 * d**2),
        140.45 * d / (D**2 * N) - 1,
        1 - (D + d) / 1.5,
    ]


def main(picture=None):
    """Solve it, print the design and draw how the search went."""
    res = de2ls.minimize(
        weight,
        bounds=[(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)],
        constraints={"type": "ineq", "fun": at_least_zero},
        max_evals=40_000,
        algorithm="de2ls",
        polish=True,
        seed=1,
    )
    print(f"weight {res.fun:.7f}, feasible: {res.feasible}, {res.nfev} evaluations")
    print(f"  d = {res.x[0]:.6f}, D = {res.x[1]:.6f}, N = {res.x[2]:.4f}")
    if picture is not None:
        res.plot().savefig(picture, dpi=120)
        print(f"  picture: {picture}")
    return res


if __name__ == "__main__":
    main(*sys.argv[1:2])
