"""Vessels, springs, gears, bearings and a car body."""

import math

from de2ls._checks import FloatArray
from de2ls.problems.variables import choices
from de2ls.suites.engineering.design import Design, Values


def pressure_vessel(x: FloatArray) -> Values:
    """Pressure vessel.

    Cost of a cylindrical vessel with hemispherical heads: thickness of shell and head, inner radius
    and length of the cylinder, in inches; limits by the pressure code, on the volume (1,296,000
    cubic inches) and the length.

    E. Sandgren, J. Mech. Des. 112 (1990) 223-229, in the form of C. A. Coello Coello, Comput. Ind.
    41 (2000) 113-127, radius and length between 10 and 200. Published: 6059.7143 with thicknesses
    in multiples of 0.0625 in, 5885.3328 with continuous ones.
    """
    shell, head, radius, length = x.tolist()
    cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    g = (
        0.0193 * radius - shell,
        0.00954 * radius - head,
        1296000.0 - math.pi * radius**2 * length - 4.0 / 3.0 * math.pi * radius**3,
        length - 240.0,
    )
    return cost, g, ()


def tension_spring(x: FloatArray) -> Values:
    """Tension spring.

    Weight of a coil spring: wire diameter d and mean coil diameter D in inches, number of active
    coils N (continuous); limits on deflection, shear stress, surge frequency and outer diameter.

    J. S. Arora, Introduction to Optimum Design, McGraw-Hill 1989, in the form of C. A. Coello
    Coello, Comput. Ind. 41 (2000) 113-127. Published: 0.012665.
    """
    d, D, N = x.tolist()
    g = (
        1.0 - D**3 * N / (71785.0 * d**4),
        (4.0 * D**2 - d * D) / (12566.0 * (D * d**3 - d**4)) + 1.0 / (5108.0 * d**2) - 1.0,
        1.0 - 140.45 * d / (D**2 * N),
        (D + d) / 1.5 - 1.0,
    )
    return (N + 2.0) * D * d**2, g, ()


def speed_reducer(x: FloatArray) -> Values:
    """Speed reducer.

    Weight of a gearbox: face width, module of teeth, number of teeth (an integer), lengths and
    diameters of the two shafts, in cm; limits on bending and contact stress, deflections and
    stresses of the shafts, and geometry.

    J. Golinski, J. Mech. 5 (1970) 287-309, in the form of S. Akhtar, K. Tai and T. Ray, Eng. Optim.
    34 (2002) 341-354, both shafts at least 7.3 cm long. Published: 2994.471. (With 7.8 cm for the
    second shaft, which also circulates, the optimum is 2996.348.)
    """
    b, m, z, l1, l2, d1, d2 = x.tolist()
    weight = 0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934)
    weight += -1.508 * b * (d1**2 + d2**2) + 7.4777 * (d1**3 + d2**3)
    weight += 0.7854 * (l1 * d1**2 + l2 * d2**2)
    g = (
        27.0 / (b * m**2 * z) - 1.0,
        397.5 / (b * m**2 * z**2) - 1.0,
        1.93 * l1**3 / (m * z * d1**4) - 1.0,
        1.93 * l2**3 / (m * z * d2**4) - 1.0,
        math.sqrt((745.0 * l1 / (m * z)) ** 2 + 16.9e6) / (110.0 * d1**3) - 1.0,
        math.sqrt((745.0 * l2 / (m * z)) ** 2 + 157.5e6) / (85.0 * d2**3) - 1.0,
        m * z / 40.0 - 1.0,
        5.0 * m / b - 1.0,
        b / (12.0 * m) - 1.0,
        (1.5 * d1 + 1.9) / l1 - 1.0,
        (1.1 * d2 + 1.9) / l2 - 1.0,
    )
    return weight, g, ()


def gear_train(x: FloatArray) -> Values:
    """Gear train.

    Squared error of the ratio of a compound gear train from 1/6.931; numbers of teeth of the two
    pinions and of the two wheels.

    E. Sandgren, J. Mech. Des. 112 (1990) 223-229. Published: 2.700857e-12, which enumeration
    confirms.
    """
    pinion1, pinion2, wheel1, wheel2 = x.tolist()
    return (1.0 / 6.931 - pinion1 * pinion2 / (wheel1 * wheel2)) ** 2, (), ()


def rolling_element_bearing(x: FloatArray) -> Values:
    """Ball bearing of largest load rating.

    Dynamic load rating (negative: it is to be large) of a deep groove ball bearing of outer
    diameter 160, bore 90 and width 30 mm: pitch diameter, ball diameter, number of balls (an
    integer), curvature of inner and outer groove, and five design parameters.

    S. Gupta, R. Tiwari and S. B. Nair, Mech. Mach. Theory 42 (2007) 1418-1443. Published there:
    81843.3; R. V. Rao et al., Comput.-Aided Des. 43 (2011) 303-315: 81859.74. (Larger values in the
    literature belong to changed constraints or to a number of balls that is no integer.)
    """
    pitch, ball, number, inner, outer, k_min, k_max, eps, e, zeta = x.tolist()
    D, d, width = 160.0, 90.0, 30.0
    ratio = ball / pitch
    grooves = inner * (2.0 * outer - 1.0) / (outer * (2.0 * inner - 1.0))
    races = 1.04 * ((1.0 - ratio) / (1.0 + ratio)) ** 1.72 * grooves**0.41
    factor = 37.91 * (1.0 + races ** (10.0 / 3.0)) ** -0.3
    factor *= ratio**0.3 * (1.0 - ratio) ** 1.39 / (1.0 + ratio) ** (1.0 / 3.0)
    factor *= (2.0 * inner / (2.0 * inner - 1.0)) ** 0.41
    size = ball**1.8 if ball <= 25.4 else 3.647 * ball**1.4
    quarter = (D - d - 2.0 * ball) / 4.0
    long, short = (D - d) / 2.0 - 3.0 * quarter, D / 2.0 - quarter - ball
    cosine = (long**2 + short**2 - (d / 2.0 + quarter) ** 2) / (2.0 * long * short)
    angle = 2.0 * (math.pi - math.acos(min(max(cosine, -1.0), 1.0)))
    g = (
        number - 1.0 - angle / (2.0 * math.asin(ratio)),
        k_min * (D - d) - 2.0 * ball,
        2.0 * ball - k_max * (D - d),
        ball - zeta * width,
        0.5 * (D + d) - pitch,
        pitch - (0.5 + e) * (D + d),
        eps * ball - 0.5 * (D - pitch - ball),
        0.515 - inner,
        0.515 - outer,
    )
    return -factor * number ** (2.0 / 3.0) * size, g, ()


def car_side_impact(x: FloatArray) -> Values:
    """Car side impact.

    Weight of a car's door and pillar; thicknesses of seven parts, material of two (yield strength
    0.192 or 0.345 GPa), barrier height and hitting position in mm; limits on the dummy's loads,
    the pubic force and velocities of the pillar and the door, by response surfaces.

    L. Gu et al., Int. J. Veh. Des. 26 (2001) 348-360, as in A. H. Gandomi, X.-S. Yang and A. H.
    Alavi, Comput. Struct. 89 (2011) 2325-2336, thicknesses between 0.5 and 1.5 mm. Published there:
    22.84298; the first-order conditions hold at 22.842969. The two values of the second material
    give the same weight.
    """
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11 = x.tolist()
    weight = 1.98 + 4.90 * x1 + 6.67 * x2 + 6.98 * x3 + 4.01 * x4 + 1.78 * x5 + 2.73 * x7
    abdomen = 1.16 - 0.3717 * x2 * x4 - 0.00931 * x2 * x10 - 0.484 * x3 * x9 + 0.01343 * x6 * x10
    viscous_upper = 0.261 - 0.0159 * x1 * x2 - 0.188 * x1 * x8 - 0.019 * x2 * x7 + 0.0144 * x3 * x5
    viscous_upper += 0.0008757 * x5 * x10 + 0.080405 * x6 * x9 + 0.00139 * x8 * x11
    viscous_upper += 0.00001575 * x10 * x11
    viscous_middle = 0.214 + 0.00817 * x5 - 0.131 * x1 * x8 - 0.0704 * x1 * x9 + 0.03099 * x2 * x6
    viscous_middle += -0.018 * x2 * x7 + 0.0208 * x3 * x8 + 0.121 * x3 * x9 - 0.00364 * x5 * x6
    viscous_middle += 0.0007715 * x5 * x10 - 0.0005354 * x6 * x10 + 0.00121 * x8 * x11
    viscous_lower = 0.74 - 0.61 * x2 - 0.163 * x3 * x8 + 0.001232 * x3 * x10 - 0.166 * x7 * x9
    viscous_lower += 0.227 * x2**2
    rib_upper = 28.98 + 3.818 * x3 - 4.2 * x1 * x2 + 0.0207 * x5 * x10 + 6.63 * x6 * x9
    rib_upper += -7.7 * x7 * x8 + 0.32 * x9 * x10
    rib_middle = 33.86 + 2.95 * x3 + 0.1792 * x10 - 5.057 * x1 * x2 - 11.0 * x2 * x8
    rib_middle += -0.0215 * x5 * x10 - 9.98 * x7 * x8 + 22.0 * x8 * x9
    rib_lower = 46.36 - 9.9 * x2 - 12.9 * x1 * x8 + 0.1107 * x3 * x10
    pubic = 4.72 - 0.5 * x4 - 0.19 * x2 * x3 - 0.0122 * x4 * x10 + 0.009325 * x6 * x10
    pubic += 0.000191 * x11**2
    pillar = 10.58 - 0.674 * x1 * x2 - 1.95 * x2 * x8 + 0.02054 * x3 * x10 - 0.0198 * x4 * x10
    pillar += 0.028 * x6 * x10
    door = 16.45 - 0.489 * x3 * x7 - 0.843 * x5 * x6 + 0.0432 * x9 * x10 - 0.0556 * x9 * x11
    door -= 0.000786 * x11**2
    viscous = (viscous_upper - 0.32, viscous_middle - 0.32, viscous_lower - 0.32)
    ribs = (rib_upper - 32.0, rib_middle - 32.0, rib_lower - 32.0)
    return weight, (abdomen - 1.0, *viscous, *ribs, pubic - 4.0, pillar - 9.9, door - 15.7), ()


_PLATES = choices([0.0625 * k for k in range(1, 100)])
_STRENGTHS = choices([0.192, 0.345])
_REDUCER = [
    3.50000000000108, 0.7, 17, 7.3, 7.71531991147997, 3.35021466609735, 5.28665446498072,
]  # fmt: skip
_BEARING_BOX = [
    (125.0, 150.0), (10.5, 31.5), (4, 50), (0.515, 0.6), (0.515, 0.6),
    (0.4, 0.5), (0.6, 0.7), (0.3, 0.4), (0.02, 0.1), (0.6, 0.85),
]  # fmt: skip
_BEARING = [
    125.719055614669, 21.4255902408058, 11, 0.515, 0.515,
    0.424266, 0.633948, 0.3, 0.068858, 0.799498,
]  # fmt: skip
_CAR = [
    0.5, 1.11636558533793, 0.5, 1.30219719325206, 0.5, 1.5, 0.5,
    0.345, 0.192, -19.5615303552807, 0.0,
]  # fmt: skip

DESIGNS = (
    Design(
        pressure_vessel,
        [(0.0625, 6.1875), (0.0625, 6.1875), (10.0, 200.0), (10.0, 200.0)],
        n_ineq=4,
        best=[0.778168641384796, 0.384649162635551, 40.3196187242309, 200.0],
    ),
    Design(
        pressure_vessel,
        [_PLATES, _PLATES, (10.0, 200.0), (10.0, 200.0)],
        n_ineq=4,
        best=[0.8125, 0.4375, 42.0984455956649, 176.636595846899],
        variant="-discrete",
    ),
    Design(
        tension_spring,
        [(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)],
        n_ineq=4,
        best=[0.0516890610866674, 0.356717739892791, 11.2889657461743],
    ),
    Design(
        speed_reducer,
        [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5.0, 5.5)],
        n_ineq=11,
        best=_REDUCER,
        integers=[2],
    ),
    Design(gear_train, [(12, 60)] * 4, n_ineq=0, best=[16, 19, 43, 49], integers=range(4)),
    Design(
        rolling_element_bearing,
        _BEARING_BOX,
        n_ineq=9,
        best=_BEARING,
        integers=[2],
    ),
    Design(
        car_side_impact,
        [(0.5, 1.5)] * 7 + [_STRENGTHS] * 2 + [(-30.0, 30.0)] * 2,
        n_ineq=10,
        best=_CAR,
    ),
)
