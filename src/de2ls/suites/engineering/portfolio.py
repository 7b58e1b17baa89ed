"""A portfolio with a limit on the number of its assets."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.suites.engineering.design import Design, Values

ASSETS, HELD = 10, 4  # assets on the market, and how many may be held
SMALLEST, LARGEST = 0.05, 0.4  # share of an asset that is held
WANTED = 8.0  # expected return, per cent a year

_k = np.arange(1, ASSETS + 1)
RETURNS = 3.0 + 0.9 * _k + 1.5 * np.sin(2.0 * _k)  # per cent a year
_risks = 5.0 + 1.6 * _k + 2.0 * np.cos(3.0 * _k)  # standard deviation, per cent
_loads = np.column_stack([0.6 + 0.03 * np.cos(_k), 0.4 * np.sin(1.7 * _k)])  # on two factors
_correlations = _loads @ _loads.T
np.fill_diagonal(_correlations, 1.0)
COVARIANCES = _correlations * np.outer(_risks, _risks)


def portfolio(x: FloatArray) -> Values:
    """Portfolio with cardinality.

    Variance of the return (per cent squared) of a portfolio of at most four of ten assets: whether
    each is held (0 or 1), then the shares, which sum to 1; a share that is held lies between 5 and
    40 %, the expected return is at least 8 %.

    The model of T.-J. Chang, N. Meade, J. E. Beasley and Y. M. Sharaiha, Comput. Oper. Res. 27
    (2000) 1271-1302; the data are made by the formulas in this module. The optimum is proven by
    solving the convex problem of every set of assets.
    """
    held, share = x[:ASSETS], x[ASSETS:]
    g = np.concatenate(
        [
            share - LARGEST * held,
            SMALLEST * held - share,
            [held.sum() - HELD, WANTED - RETURNS @ share],
        ]
    )
    return float(share @ COVARIANCES @ share), g, (float(share.sum()) - 1.0,)


_BEST = [
    1, 0, 0, 0, 1, 0, 1, 0, 0, 1,
    0.4, 0, 0, 0, 0.2241687109610884, 0, 0.2432974301769518, 0, 0, 0.1325338588628923,
]  # fmt: skip

DESIGNS = (
    Design(
        portfolio,
        [(0, 1)] * ASSETS + [(0.0, LARGEST)] * ASSETS,
        n_ineq=2 * ASSETS + 2,
        n_eq=1,
        best=_BEST,
        integers=range(ASSETS),
    ),
)
