"""Economic load dispatch: which power station gives how much power, at least cost."""

import numpy as np

from de2ls._checks import FloatArray
from de2ls.suites.engineering.design import Design, Values

# Pmin, Pmax (MW); cost a + b P + c P^2 + |e sin(f (Pmin - P))| ($/h); how many units are alike
_VALVE_UNITS = np.array(
    [
        [36, 114, 94.705, 6.73, 0.00690, 100, 0.084, 2],
        [60, 120, 309.54, 7.07, 0.02028, 100, 0.084, 1],
        [80, 190, 369.03, 8.18, 0.00942, 150, 0.063, 1],
        [47, 97, 148.89, 5.35, 0.01140, 120, 0.077, 1],
        [68, 140, 222.33, 8.05, 0.01142, 100, 0.084, 1],
        [110, 300, 287.71, 8.03, 0.00357, 200, 0.042, 1],
        [135, 300, 391.98, 6.99, 0.00492, 200, 0.042, 1],
        [135, 300, 455.76, 6.60, 0.00573, 200, 0.042, 1],
        [130, 300, 722.82, 12.9, 0.00605, 200, 0.042, 1],
        [94, 375, 635.20, 12.9, 0.00515, 200, 0.042, 1],
        [94, 375, 654.69, 12.8, 0.00569, 200, 0.042, 1],
        [125, 500, 913.40, 12.5, 0.00421, 300, 0.035, 1],
        [125, 500, 1760.4, 8.84, 0.00752, 300, 0.035, 1],
        [125, 500, 1728.3, 9.15, 0.00708, 300, 0.035, 2],
        [220, 500, 647.85, 7.97, 0.00313, 300, 0.035, 1],
        [220, 500, 649.69, 7.95, 0.00313, 300, 0.035, 1],
        [242, 550, 647.83, 7.97, 0.00313, 300, 0.035, 1],
        [242, 550, 647.81, 7.97, 0.00313, 300, 0.035, 1],
        [254, 550, 785.96, 6.63, 0.00298, 300, 0.035, 2],
        [254, 550, 794.53, 6.66, 0.00284, 300, 0.035, 2],
        [254, 550, 801.32, 7.10, 0.00277, 300, 0.035, 2],
        [10, 150, 1055.1, 3.33, 0.52124, 120, 0.077, 3],
        [47, 97, 148.89, 5.35, 0.01140, 120, 0.077, 1],
        [60, 190, 222.92, 6.43, 0.00160, 150, 0.063, 3],
        [90, 200, 107.87, 8.95, 0.00010, 200, 0.042, 1],
        [90, 200, 116.58, 8.62, 0.00010, 200, 0.042, 2],
        [25, 110, 307.45, 5.88, 0.01610, 80, 0.098, 3],
        [242, 550, 647.83, 7.97, 0.00313, 300, 0.035, 1],
    ]
)
VALVE_UNITS = np.repeat(_VALVE_UNITS[:, :7], _VALVE_UNITS[:, 7].astype(int), axis=0)
VALVE_DEMAND = 10500.0

# Pmin, Pmax, cost a, b, c as above; present output, ramp limits up and down (MW/h)
_RAMP_UNITS = np.array(
    [
        [100, 500, 240, 7.0, 0.0070, 440, 80, 120],
        [50, 200, 200, 10.0, 0.0095, 170, 50, 90],
        [80, 300, 220, 8.5, 0.0090, 200, 65, 100],
        [50, 150, 200, 11.0, 0.0090, 150, 50, 90],
        [50, 200, 220, 10.5, 0.0080, 190, 50, 90],
        [50, 120, 190, 12.0, 0.0075, 110, 50, 90],
    ]
)
RAMP_DEMAND = 1263.0
ZONES = np.array(  # unit, from, to (MW): outputs at which the unit would vibrate
    [
        [0, 210, 240], [0, 350, 380], [1, 90, 110], [1, 140, 160], [2, 150, 170], [2, 210, 240],
        [3, 80, 90], [3, 110, 120], [4, 90, 110], [4, 140, 150], [5, 75, 85], [5, 100, 105],
    ]
)  # fmt: skip
_ZONE_UNIT = ZONES[:, 0].astype(np.intp)
LOSS = 1e-5 * np.array(  # per MW
    [
        [1.7, 1.2, 0.7, -0.1, -0.5, -0.2],
        [1.2, 1.4, 0.9, 0.1, -0.6, -0.1],
        [0.7, 0.9, 3.1, 0.0, -1.0, -0.6],
        [-0.1, 0.1, 0.0, 2.4, -0.6, -0.8],
        [-0.5, -0.6, -1.0, -0.6, 12.9, -0.2],
        [-0.2, -0.1, -0.6, -0.8, -0.2, 15.0],
    ]
)
LOSS_LINEAR = 1e-3 * np.array([-0.3908, -0.1297, 0.7047, 0.0591, 0.2161, -0.6635])
LOSS_CONSTANT = 0.56  # MW, with which the published outputs have the published loss of 12.9584


def dispatch_valve_points(x: FloatArray) -> Values:
    """Economic dispatch of 40 units with valve points.

    Cost ($/h) of 10,500 MW from 40 units, whose steam valves make the cost ripple.

    N. Sinha, R. Chakrabarti and P. K. Chattopadhyay, IEEE Trans. Evol. Comput. 7 (2003) 83-94.
    Published: 121412.5355, in several papers; the tests prove that nothing is cheaper.
    """
    low, _, a, b, c, e, f = VALVE_UNITS.T
    cost = a + x * (b + x * c) + np.abs(e * np.sin(f * (low - x)))
    return float(cost.sum()), (), (float(x.sum()) - VALVE_DEMAND,)


def dispatch_ramp_limits(x: FloatArray) -> Values:
    """Economic dispatch of 6 units with ramp limits, prohibited zones and losses.

    Cost ($/h) of 1263 MW and the network's losses from six units; the ramp limits narrow the box,
    each prohibited zone is an inequality, positive inside it.

    Z.-L. Gaing, IEEE Trans. Power Syst. 18 (2003) 1187-1195. Published: 15450 (later
    papers: 15449.8995).
    """
    _, _, a, b, c, *_ = _RAMP_UNITS.T
    losses = x @ LOSS @ x + LOSS_LINEAR @ x + LOSS_CONSTANT
    output = x[_ZONE_UNIT]
    g = np.minimum(output - ZONES[:, 1], ZONES[:, 2] - output)
    return float((a + x * (b + x * c)).sum()), g, (float(x.sum() - losses) - RAMP_DEMAND,)


def _valve_best() -> list[float]:
    """Return the best known outputs: 39 units at a valve point or a limit, one for the rest."""
    low, high, *_, f = VALVE_UNITS.T
    valve = np.array([2, 2, 1, 2, 1, 9] + [2] * 3 + [0] * 3 + [1] + [3] * 13 + [0] * 3 + [1])
    valve = np.concatenate([valve, [9] * 3, [1, 0, 9, 9, 9, 9, 3]])  # 9: at the upper limit
    outputs = np.minimum(low + valve * np.pi / f, high)
    outputs[34] += VALVE_DEMAND - outputs.sum()
    return [float(output) for output in outputs]


def _ramp_box() -> list[tuple[float, float]]:
    low, high, _, _, _, now, up, down = _RAMP_UNITS.T
    pairs = np.transpose([np.maximum(low, now - down), np.minimum(high, now + up)])
    return [(low, high) for low, high in pairs.tolist()]


_RAMP_BEST = [
    447.503819366093, 173.318222056784, 263.462815104502,
    139.06528691385, 165.473355958004, 87.1347419208889,
]  # fmt: skip

DESIGNS = (
    Design(
        dispatch_valve_points,
        [(low, high) for low, high in VALVE_UNITS[:, :2].tolist()],
        n_ineq=0,
        n_eq=1,
        best=_valve_best(),
        tags=["dispatch"],
    ),
    Design(
        dispatch_ramp_limits,
        _ramp_box(),
        n_ineq=12,
        n_eq=1,
        best=_RAMP_BEST,
        tags=["dispatch"],
    ),
)
