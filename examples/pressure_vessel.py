"""Design of a pressure vessel: two of the four variables come in steps of 1/16 inch.

Thickness of shell and head from a list of plates (`de2ls.choices`), inner radius and length, all in
inches. The best known cost is 6059.714335.

    python examples/pressure_vessel.py
"""

from math import pi

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

import de2ls


def cost(x):
    """Return the cost of material, forming and welding."""
    shell, head, radius, length = x
    return (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )


def volume(x):
    """Return the volume of the cylinder with its two half spheres."""
    radius, length = x[2], x[3]
    return pi * radius**2 * length + 4 / 3 * pi * radius**3


def main():
    """Solve it and print the design."""
    plates = de2ls.choices([k / 16 for k in range(1, 100)])
    thick_enough = LinearConstraint([[1, 0, -0.0193, 0], [0, 1, -0.00954, 0]], lb=0)
    large_enough = NonlinearConstraint(volume, 1_296_000, np.inf)
    res = de2ls.minimize(
        cost,
        bounds=[plates, plates, (10, 200), (10, 200)],
        constraints=[thick_enough, large_enough],
        max_evals=60_000,
        seed=1,
    )
    print(f"cost {res.fun:.4f}, feasible: {res.feasible}, {res.nfev} evaluations")
    print(f"  shell {res.x[0]:.4f} in, head {res.x[1]:.4f} in")
    print(f"  radius {res.x[2]:.4f} in, length {res.x[3]:.4f} in")
    return res


if __name__ == "__main__":
    main()
