"""The CEC 2017 suite of constrained problems C1..C28."""

import hashlib
import math
import os
from typing import Any, NamedTuple

import numpy as np

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import CompiledKernel, Problem
from de2ls.suites.cec2017 import data as files
from de2ls.suites.cec2017 import instances

DEFINITIONS = ("report", "cpp2017")
VARIANTS = (9, 15, 24)  # the problems on which the definitions differ
EQ_TOL = 1e-4
_LARGEST = 5000  # dimension: a linear map takes 8 D^2 bytes
CONDITIONS = {"M": 3.0, "M1": 3.0, "M2": 5.0}  # condition numbers of generated linear maps


class Facts(NamedTuple):
    """What the definitions say of a problem, apart from its functions."""

    title: str
    bound: float  # B of the box [-B, B]^D
    n_ineq: int
    n_eq: int
    maps: tuple[str, ...] = ()  # names of the linear maps
    feasible: bool = True  # whether any point is
    optimum: float | None = None


# max |y_i| on the first zero of cos f + sin f, entered as early as the tolerance allows
_FIRST_ZERO = 0.75 * math.pi - math.asin(EQ_TOL / math.sqrt(2.0))

SUITE: dict[int, Facts] = {
    1: Facts("Schwefel 1.2 in cosine wells", 100.0, 1, 0, optimum=0.0),
    2: Facts("Schwefel 1.2 in mapped wells", 100.0, 1, 0, ("M",), optimum=0.0),
    3: Facts("Schwefel 1.2 in wells, equality", 100.0, 1, 1, optimum=0.0),
    4: Facts("Rastrigin between sine products", 10.0, 2, 0, optimum=0.0),
    5: Facts("Rosenbrock in two mapped wells", 10.0, 2, 0, ("M1", "M2")),
    6: Facts("Rastrigin, six equalities", 20.0, 0, 6, optimum=0.0),
    7: Facts("Sine products, twin equalities", 50.0, 0, 2),
    8: Facts("Maximum, two Schwefel equalities", 100.0, 0, 2),
    9: Facts("Maximum, product and links", 10.0, 1, 1),
    10: Facts("Maximum, Schwefel and steps", 100.0, 0, 2),
    11: Facts("Sum, product and steps", 100.0, 1, 1),
    12: Facts("Rastrigin in a shell", 100.0, 2, 0),
    13: Facts("Rosenbrock under Rastrigin", 100.0, 3, 0),
    14: Facts("Ackley on a sphere", 100.0, 1, 1),
    15: Facts("Largest size, circle equality", 100.0, 1, 1, optimum=_FIRST_ZERO),
    16: Facts("Sum of sizes, circle equality", 100.0, 1, 1, optimum=0.0),
    17: Facts("Griewank on a sphere", 100.0, 1, 1, feasible=False),
    18: Facts("Stepped Rastrigin, linked", 100.0, 2, 1),
    19: Facts("Rough roots", 50.0, 2, 0, feasible=False),
    20: Facts("Schaffer's ring", 100.0, 2, 0),
}
SUITE |= {
    k + 9: SUITE[k]._replace(title=f"{SUITE[k].title}, mapped", maps=("M",)) for k in range(12, 20)
}


def cec2017(
    k: int,
    dim: int = 30,
    definition: str = "report",
    instance: int = 0,
    shift: Any = None,
    matrices: Any = None,
    data: str | os.PathLike[str] | None = None,
) -> Problem:
    """Return problem C`k` of the CEC 2017 suite of constrained problems.

    Parameters
    ----------
    k : int
        Problem number, 1 to 28.
    dim : int
        Dimension D: 10, 30, 50 or 100 on the official instance, any D >= 2 on a generated one.
    definition : {"report", "cpp2017"}
        The report, or the first C++ file, which differs on C9, C15 and C24.
    instance : int
        0 is the official instance, 1, 2, ... are generated ones.
    shift : array_like, shape (D,), optional
        An own shift o instead of the instance's.
    matrices : array_like, shape (D, D), or two of them for C5, optional
        Own linear maps instead of the instance's.
    data : path, optional
        The folder of the official files; by default the one named by the environment variable
        ``DE2LS_CEC2017_DATA``, else the per-user folder.

    Returns
    -------
    Problem
        With an equality tolerance of 1e-4, feasible up to a summed violation of 1e-8.

    Examples
    --------
    >>> import de2ls
    >>> problem = de2ls.cec2017(13, dim=5, instance=1)
    >>> problem.name, problem.dim, problem.n_ineq, problem.n_eq
    ('C13', 5, 3, 0)
    """
    k = _checks.integer("k", k, 1, 28)
    dim = _checks.integer("dim", dim, 2, _LARGEST)
    _checks.choice("definition", definition, DEFINITIONS)
    instance = _checks.integer("instance", instance, 0, 2**31 - 1)
    facts = SUITE[k]
    o = None if shift is None else _own_shift(shift, dim)
    maps = None if matrices is None else _own_maps(matrices, k, dim)
    if o is None or (maps is None and facts.maps):
        instance_o, instance_maps = _instance_data(k, dim, instance, data)
        o = instance_o if o is None else o
        maps = instance_maps if maps is None else maps
    params = np.concatenate([o, *(M.T.ravel() for M in maps or ())])
    own = shift is not None or matrices is not None
    box = np.full(dim, facts.bound)
    return Problem(
        name=f"C{k:02d}",
        lower=-box,
        upper=box,
        n_ineq=facts.n_ineq,
        n_eq=facts.n_eq,
        kernel=_kernel(k, definition, params, dim),
        eq_tol=EQ_TOL,
        feasible_tol=1e-8,
        best_known=best_known(k, dim, definition),
        key=ProblemKey.make(
            "cec2017",
            k,
            dim,
            definition=definition,
            instance=f"custom-{hashlib.sha256(params.tobytes()).hexdigest()[:12]}"
            if own
            else instance,
        ),
    )


def best_known(k: int, dim: int, definition: str) -> float | None:
    """Return the optimum where the definitions imply it."""
    if k in (13, 22) and 5 <= dim <= 100:  # (1, ..., 1) is feasible
        return 0.0
    if k in (15, 24) and definition == "cpp2017":  # bounded only by the box
        return None
    return SUITE[k].optimum


def _instance_data(
    k: int, dim: int, instance: int, data: str | os.PathLike[str] | None
) -> tuple[FloatArray, list[FloatArray]]:
    facts = SUITE[k]
    if instance > 0:
        conditions = tuple(CONDITIONS[name] for name in facts.maps)
        return instances.generate(k, dim, instance, facts.bound, conditions)
    if dim not in files.DIMENSIONS:
        raise ValueError(
            f"dim must be one of 10, 30, 50, 100 on the official instance 0, got {dim}; "
            "a generated instance (instance=1, 2, ...) takes any dim of at least 2"
        )
    folder = files.data_folder(data)
    maps = [files.read_map(k, name, dim, folder) for name in facts.maps]
    return files.read_shift(k, dim, folder), maps


def _own_shift(shift: Any, dim: int) -> FloatArray:
    o = _checks.vector("shift", shift, dim)
    if np.isinf(o).any():
        raise ValueError(f"shift must be finite, got {shift!r}")
    return o


def _own_maps(matrices: Any, k: int, dim: int) -> list[FloatArray]:
    n_maps = len(SUITE[k].maps)
    expected = f"matrices must hold {n_maps} of shape ({dim}, {dim}) for C{k}"
    if n_maps == 0:
        raise ValueError(f"matrices must be None for C{k}, which has no linear map")
    array = _checks.real_array(f"{expected} and real numbers", matrices)
    if array.shape not in ((n_maps, dim, dim), (dim, dim) if n_maps == 1 else None):
        raise ValueError(f"{expected}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{expected}, got a number that is not finite")
    return list(array.astype(np.float64).reshape(n_maps, dim, dim))


def _kernel(k: int, definition: str, params: FloatArray, dim: int) -> CompiledKernel:
    from de2ls.suites.cec2017 import functions, parts  # imports Numba, which the table does without

    variant = "_cpp2017" if definition == "cpp2017" and k in VARIANTS else ""
    evaluate = getattr(functions, f"c{k - 9 if k > 20 else k:02d}{variant}")
    return CompiledKernel(evaluate, params, n_work=parts.N_VECTORS * dim, raises=False)
