"""A portfolio of at most three of ten assets: least risk for a required return.

Per asset one whole number (hold it or not, by `integrality`) and one share; the shares of the
assets held are scaled to sum to 1.

    python examples/portfolio.py
"""

import numpy as np

import de2ls

ASSETS, HELD, REQUIRED = 10, 3, 0.085

# yearly returns and risks of ten made-up assets, which share one market risk
RETURN = np.array([0.045, 0.052, 0.058, 0.065, 0.071, 0.078, 0.086, 0.094, 0.105, 0.120])
RISK = np.array([0.07, 0.08, 0.10, 0.11, 0.14, 0.15, 0.18, 0.21, 0.24, 0.30])
MARKET = np.array([0.2, 0.9, 0.4, 0.8, 0.3, 0.9, 0.5, 0.8, 0.4, 0.7])
COVARIANCE = np.outer(RISK * MARKET, RISK * MARKET) + np.diag((RISK**2) * (1 - MARKET**2))


def shares(x):
    """Return the shares of the portfolio that x describes."""
    raw = x[:ASSETS] * x[ASSETS:]
    return raw / raw.sum() if raw.sum() > 0 else raw


def portfolio(x):
    """Return the risk, and as g <= 0: number of assets, required return, some money invested."""
    w = shares(x)
    risk = np.sqrt(w @ COVARIANCE @ w)
    return risk, [x[:ASSETS].sum() - HELD, REQUIRED - RETURN @ w, 0.5 - w.sum()], []


def main():
    """Solve it and print the portfolio."""
    res = de2ls.minimize(
        portfolio,
        bounds=[(0, 1)] * (2 * ASSETS),
        n_ineq=3,
        integrality=[True] * ASSETS + [False] * ASSETS,
        max_evals=60_000,
        seed=1,
    )
    w = shares(res.x)
    print(f"risk {res.fun:.5f}, return {RETURN @ w:.5f}, feasible: {res.feasible}")
    for asset in np.flatnonzero(w):
        print(f"  asset {asset}: {w[asset]:.1%}")
    return res


if __name__ == "__main__":
    main()
