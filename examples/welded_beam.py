"""Design of a welded beam: the cheapest beam that bears its load.

Four lengths in inches: thickness h and length l of the weld, height t and thickness b of the beam.
The best known cost of this version of the problem is 1.724852.

    python examples/welded_beam.py
"""

from math import sqrt

import de2ls

LOAD, LENGTH = 6000.0, 14.0  # pounds, inches
E, G = 30e6, 12e6  # moduli of elasticity and of shear, psi
MAX_SHEAR, MAX_BENDING, MAX_DEFLECTION = 13_600.0, 30_000.0, 0.25


def welded_beam(x):
    """Return the cost and the seven inequalities g <= 0."""
    h, l, t, b = x  # noqa: E741 -- the literature's names
    cost = 1.10471 * h**2 * l + 0.04811 * t * b * (LENGTH + l)

    moment = LOAD * (LENGTH + l / 2)
    half_diagonal = sqrt(l**2 / 4 + ((h + t) / 2) ** 2)
    polar = 2 * (sqrt(2) * h * l * (l**2 / 12 + ((h + t) / 2) ** 2))
    direct, torsion = LOAD / (sqrt(2) * h * l), moment * half_diagonal / polar
    shear = sqrt(direct**2 + direct * torsion * l / half_diagonal + torsion**2)
    bending = 6 * LOAD * LENGTH / (b * t**2)
    deflection = 4 * LOAD * LENGTH**3 / (E * b * t**3)
    slender = 1 - t / (2 * LENGTH) * sqrt(E / (4 * G))
    buckling = 4.013 * E * sqrt(t**2 * b**6 / 36) / LENGTH**2 * slender

    g = [
        shear - MAX_SHEAR,
        bending - MAX_BENDING,
        h - b,
        0.10471 * h**2 + 0.04811 * t * b * (LENGTH + l) - 5,
        0.125 - h,
        deflection - MAX_DEFLECTION,
        LOAD - buckling,
    ]
    return cost, g, []


def main():
    """Solve it and print the design."""
    res = de2ls.minimize(
        welded_beam,
        bounds=[(0.1, 2), (0.1, 10), (0.1, 10), (0.1, 2)],
        n_ineq=7,
        max_evals=40_000,
        seed=1,
    )
    print(f"cost {res.fun:.6f}, feasible: {res.feasible}, {res.nfev} evaluations")
    for name, value in zip(("h", "l", "t", "b"), res.x, strict=True):
        print(f"  {name} = {value:.6f} in")
    return res


if __name__ == "__main__":
    main()
