"""Beams, columns and panels."""

import math

from de2ls._checks import FloatArray
from de2ls.suites.engineering.design import Design, Values


def welded_beam(x: FloatArray) -> Values:
    """Welded beam.

    Cost of a beam welded to a wall: weld thickness h and length l, beam height t and width b, all
    in inches; load 6000 lb at 14 in. Limits on shear stress in the weld (13,600 psi), bending
    stress (30,000 psi), cost, deflection (0.25 in) and buckling load.

    K. M. Ragsdell and D. T. Phillips, J. Eng. Ind. 98 (1976) 1021-1025, in the form of C. A. Coello
    Coello, Comput. Ind. 41 (2000) 113-127, with the polar moment 2 sqrt(2) h l (l^2/12 +
    (h + t)^2/4). Published: 1.724852. (With l^2/4 instead of l^2/12, which also circulates, the
    optimum is 1.6952.)
    """
    h, length, t, b = x.tolist()
    P, L, E, G = 6000.0, 14.0, 30e6, 12e6
    direct = P / (math.sqrt(2.0) * h * length)
    radius = math.sqrt(length**2 / 4.0 + ((h + t) / 2.0) ** 2)
    polar = 2.0 * math.sqrt(2.0) * h * length * (length**2 / 12.0 + ((h + t) / 2.0) ** 2)
    torsion = P * (L + length / 2.0) * radius / polar
    shear = math.sqrt(direct**2 + direct * torsion * length / radius + torsion**2)
    bending = 6.0 * P * L / (b * t**2)
    deflection = 4.0 * P * L**3 / (E * t**3 * b)
    slender = 1.0 - t / (2.0 * L) * math.sqrt(E / (4.0 * G))
    buckling = 4.013 * E * t * b**3 / 6.0 / L**2 * slender
    material = 0.04811 * t * b * (14.0 + length)
    g = (
        shear - 13600.0,
        bending - 30000.0,
        h - b,
        0.10471 * h**2 + material - 5.0,
        0.125 - h,
        deflection - 0.25,
        P - buckling,
    )
    return 1.10471 * h**2 * length + material, g, ()


def cantilever_beam(x: FloatArray) -> Values:
    """Cantilever beam of five steps.

    Weight of a beam of five hollow square steps, with their heights as variables, and a limit on
    the deflection of its end.

    C. Fleury and V. Braibant, Int. J. Numer. Methods Eng. 23 (1986) 409-428, with the factor 0.0624
    of the weight. Published: 1.33996. The optimum has a closed form, which the tests use. (With
    0.06224, which also circulates, it is 1.33652.)
    """
    x1, x2, x3, x4, x5 = x.tolist()
    g = 61.0 / x1**3 + 37.0 / x2**3 + 19.0 / x3**3 + 7.0 / x4**3 + 1.0 / x5**3 - 1.0
    return 0.0624 * (x1 + x2 + x3 + x4 + x5), (g,), ()


def tubular_column(x: FloatArray) -> Values:
    """Tubular column.

    Cost of a column of mean diameter d and wall thickness t in cm under a load of 2500 kgf; limits
    on yield stress (500 kgf/cm^2) and Euler buckling.

    S. S. Rao, Engineering Optimization, Wiley 1996, as in A. H. Gandomi et al., Eng. Comput. 29
    (2013) 17-35. Published values scatter about 26.5 (26.4995 where both limits are met exactly;
    26.486 violates the yield limit by 0.1 %).
    """
    d, t = x.tolist()
    P, strength, E, L = 2500.0, 500.0, 0.85e6, 250.0
    g = (
        P / (math.pi * d * t * strength) - 1.0,
        8.0 * P * L**2 / (math.pi**3 * E * d * t * (d**2 + t**2)) - 1.0,
        2.0 / d - 1.0,
        d / 14.0 - 1.0,
        0.2 / t - 1.0,
        t / 0.8 - 1.0,
    )
    return 9.8 * d * t + 2.0 * d, g, ()


def i_beam(x: FloatArray) -> Values:
    """I-beam of least deflection.

    Deflection (cm) of an I-beam with flange width b, height h, web thickness tw and flange
    thickness tf in cm; limits on the section (300 cm^2) and the stress (6 kN/cm^2).

    A. H. Gandomi et al., Eng. Comput. 29 (2013) 17-35. Published: 0.0130741.
    """
    b, h, tw, tf = x.tolist()
    web = h - 2.0 * tf
    inertia = tw * web**3 / 12.0 + b * tf**3 / 6.0 + 2.0 * b * tf * ((h - tf) / 2.0) ** 2
    vertical = 18e4 * h / (tw * web**3 + 2.0 * b * tf * (4.0 * tf**2 + 3.0 * h * web))
    lateral = 15e3 * b / (web * tw**3 + 2.0 * tf * b**3)
    return 5000.0 / inertia, (2.0 * b * tf + tw * web - 300.0, vertical + lateral - 6.0), ()


def corrugated_bulkhead(x: FloatArray) -> Values:
    """Corrugated bulkhead of a tanker.

    Weight of a bulkhead with corrugations of width b, depth d and side length l in cm and plate
    thickness t; limits on section modulus, moment of inertia, plate thickness and geometry.

    A. Ravindran, K. M. Ragsdell and G. V. Reklaitis, Engineering Optimization, Wiley 2006, as in
    A. H. Gandomi et al., Eng. Comput. 29 (2013) 17-35. Published: 6.8429580.
    """
    b, d, side, t = x.tolist()
    width = b + math.sqrt(abs(side**2 - d**2))
    g = (
        8.94 * width - t * d * (0.4 * b + side / 6.0),
        2.2 * (8.94 * width) ** (4.0 / 3.0) - t * d**2 * (0.2 * b + side / 12.0),
        0.0156 * b + 0.15 - t,
        0.0156 * side + 0.15 - t,
        1.05 - t,
        d - side,
    )
    return 5.885 * t * (b + side) / width, g, ()


_CANTILEVER = [
    6.01601591930706, 5.30917384480736, 4.49432956414522, 3.50147496555888, 2.1526653313902,
]  # fmt: skip

DESIGNS = (
    Design(
        welded_beam,
        [(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
        n_ineq=7,
        best=[0.205729639785788, 3.47048866567162, 9.03662391034108, 0.205729639788475],
    ),
    Design(
        cantilever_beam,
        [(0.01, 100.0)] * 5,
        n_ineq=1,
        best=_CANTILEVER,
    ),
    Design(
        tubular_column,
        [(2.0, 14.0), (0.2, 0.8)],
        n_ineq=6,
        best=[5.45115623426328, 0.291965477144056],
    ),
    Design(
        i_beam,
        [(10.0, 50.0), (10.0, 80.0), (0.9, 5.0), (0.9, 5.0)],
        n_ineq=2,
        best=[50.0, 80.0, 0.9, 2.32179226068733],
    ),
    Design(
        corrugated_bulkhead,
        [(1.0, 100.0), (1.0, 100.0), (1.0, 100.0), (0.1, 5.0)],
        n_ineq=6,
        best=[57.6923076922925, 34.1476203486718, 57.6923076922925, 1.0500000000049],
    ),
)
