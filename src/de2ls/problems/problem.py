"""The class `Problem`: minimise f(x) subject to g(x) <= 0, h(x) = 0 and x in a box."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from de2ls import _checks
from de2ls._checks import FloatArray
from de2ls.problems.key import ProblemKey
from de2ls.problems.variables import Variables

_NO_KEY = ProblemKey("", "", 0)  # until the problem completes it


class Evaluation(NamedTuple):
    """Objective, inequalities (satisfied iff g <= 0) and equalities of one or many points."""

    f: Any
    g: FloatArray
    h: FloatArray


@dataclass(frozen=True)
class CompiledKernel:
    """A compiled function ``evaluate(x, params, work, out)`` and what it needs.

    It reads the point `x` and the read-only `params`, may write to `work`, and fills `out` with
    f, g_1.., h_1... All four are contiguous float64 vectors. The engine calls it through a pointer,
    without returning to Python; each trial owns its `work` and `out`, so threads share the rest.
    """

    evaluate: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None]
    params: FloatArray
    n_work: int = 0
    raises: bool = True  # whether it may raise; batches hand over faster where it does not


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A constrained minimisation problem.

    Parameters
    ----------
    name : str
        What tables and messages call it.
    lower, upper : array_like
        The box, one number per coordinate; ``lower < upper`` and finite.
    n_ineq, n_eq : int
        Numbers of inequalities g <= 0 and of equalities h = 0.
    kernel : CompiledKernel, optional
        The compiled form. Without it `function` is needed.
    function : callable, optional
        ``function(x, out)`` fills `out` with f, g, h in plain Python.
    many : callable, optional
        ``many(X, out)`` does so for all rows at once, where the user's functions are vectorised.
    variables : Variables, optional
        What the coordinates stand for, where the box is not the design itself: integers, ordered
        choices and fixed coordinates.
    eq_tol : float or array_like, shape (n_eq,)
        An equality is violated iff ``abs(h) > eq_tol``.
    ineq_tol : float or array_like, shape (n_ineq,)
        An inequality is violated iff ``g > ineq_tol``, and counts with ``g - ineq_tol``.
    excess : bool
        Whether a violated equality counts with ``abs(h) - eq_tol`` instead of ``abs(h)``.
    feasible_tol : float
        A point is feasible iff its summed violation is at most this.
    best_known : float, optional
        The optimum, or a bound of it, where one is known.
    key : ProblemKey, optional
        What identifies the problem in a record; by default its name and dimension.
    """

    name: str
    lower: FloatArray
    upper: FloatArray
    n_ineq: int
    n_eq: int
    kernel: CompiledKernel | None = None
    function: Callable[[FloatArray, FloatArray], None] | None = None
    many: Callable[[FloatArray, FloatArray], None] | None = None
    variables: Variables = None  # type: ignore[assignment]  # made of the box where left out
    eq_tol: Any = 1e-4
    ineq_tol: Any = 0.0
    excess: bool = False
    feasible_tol: float = 0.0
    best_known: float | None = None
    key: ProblemKey = _NO_KEY

    def __post_init__(self) -> None:
        lower = np.array(self.lower, dtype=np.float64, ndmin=1)
        upper = _checks.vector("upper", self.upper, lower.size)
        lower = _checks.vector("lower", lower, lower.size)
        with np.errstate(over="ignore", invalid="ignore"):
            bad = ~(np.isfinite(upper - lower) & (lower < upper))
        if bad.any():
            j = int(bad.argmax())
            raise ValueError(
                f"bounds must be finite, of finite width, with lower < upper; coordinate {j} has "
                f"lower={lower[j]:g}, upper={upper[j]:g}"
            )
        lower.flags.writeable = upper.flags.writeable = False
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        if self.variables is None:
            plain = Variables(lower, upper, np.zeros(lower.size, dtype=np.bool_))
            object.__setattr__(self, "variables", plain)
        _checks.integer("n_ineq", self.n_ineq, 0)
        _checks.integer("n_eq", self.n_eq, 0)
        for name, count in (("eq_tol", self.n_eq), ("ineq_tol", self.n_ineq)):
            object.__setattr__(self, name, _tolerance(name, getattr(self, name), count))
        _checks.real("feasible_tol", self.feasible_tol, 0.0)
        if self.kernel is None and self.function is None:
            raise ValueError("a Problem needs a kernel or a function, got neither")
        object.__setattr__(self, "key", self._complete_key())

    def _complete_key(self) -> ProblemKey:
        """Return the key; the way violation is measured belongs to it, and any name and dim."""
        variant = tuple(pair for pair in self.key.variant if pair[0] != "excess")
        name = self.key.name if self.key.suite else self.name
        excess = (("excess", True),) if self.excess else ()
        return ProblemKey(self.key.suite, name, self.dim, (*variant, *excess))

    def __repr__(self) -> str:
        return f"Problem({self.name!r}, dim={self.dim}, n_ineq={self.n_ineq}, n_eq={self.n_eq})"

    @property
    def dim(self) -> int:
        """Number of coordinates D of the box; fixed ones do not count."""
        return self.lower.size

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The box as SciPy's list of pairs."""
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))

    @property
    def n_constraints(self) -> int:
        """Number of all constraints."""
        return self.n_ineq + self.n_eq

    @property
    def tolerances(self) -> FloatArray:
        """The tolerance of each constraint, inequalities first."""
        return np.concatenate(
            [np.full(self.n_ineq, self.ineq_tol), np.full(self.n_eq, self.eq_tol)]
        )

    def evaluate(self, x: Any) -> Evaluation:
        """Evaluate one point.

        Parameters
        ----------
        x : array_like, shape (D,)
            The point of the box, see `encode`; it may lie outside, but holds no NaN.

        Returns
        -------
        Evaluation
            ``(f, g, h)`` with a float and two vectors.
        """
        point = _checks.vector("x", x, self.dim)
        out = np.empty(1 + self.n_constraints)
        self.evaluate_into(point, out, self._work())
        return Evaluation(float(out[0]), *self.split(out))

    def evaluate_many(self, X: Any) -> Evaluation:
        """Evaluate the rows of `X`; agrees with `evaluate` to the bit.

        Parameters
        ----------
        X : array_like, shape (n, D)
            One point per row.

        Returns
        -------
        Evaluation
            Arrays of shape (n,), (n, n_ineq) and (n, n_eq).
        """
        points = _checks.matrix("X", X, self.dim)
        out = np.empty((points.shape[0], 1 + self.n_constraints))
        self.evaluate_rows(points, out)
        g, h = self.split(out)
        return Evaluation(out[:, 0].copy(), g, h)

    def evaluate_rows(self, X: FloatArray, out: FloatArray) -> None:
        """Fill the rows of `out` with f, g, h of checked points: `evaluate_into` for many."""
        if self.many is not None:
            self.many(X, out)
        elif self.kernel is not None:
            from de2ls.problems.batch import evaluate_rows

            evaluate_rows(self.kernel, X, out)
        else:
            work = self._work()
            for point, values in zip(X, out, strict=True):
                self.evaluate_into(point, values, work)

    def evaluate_into(self, x: FloatArray, out: FloatArray, work: FloatArray) -> None:
        """Fill `out` with f, g, h of a checked point; the fast path of the drivers."""
        if self.kernel is not None:
            self.kernel.evaluate(x, self.kernel.params, work, out)
        elif self.function is not None:
            self.function(x, out)

    def compiled(self) -> "Problem":
        """Return the problem with its compiled form, where its functions can be compiled."""
        make = getattr(self.function, "kernel", None)
        if self.kernel is not None or make is None:
            return self
        return replace(self, kernel=make())

    def decode(self, x: FloatArray) -> FloatArray:
        """Return a point (or rows of points) of the box as the functions see it."""
        return self.variables.decode(x)

    def encode(self, x: Any, name: str = "x") -> FloatArray:
        """Return a design (or rows of designs), as the functions see it, as a point of the box.

        Parameters
        ----------
        x : array_like, shape (n,) or (k, n)
            The design with its integers, choices and fixed coordinates; it must lie in the bounds.
            One number will do where there is one coordinate.
        name : str
            What messages call it.
        """
        try:
            if np.ndim(x) == 0 and self.variables.size == 1:
                x = [x]
            check = _checks.matrix if np.ndim(x) == 2 else _checks.vector
        except ValueError:  # a ragged sequence, which the check names
            check = _checks.vector
        return self.variables.encode(check(name, x, self.variables.size), name)

    @property
    def discrete(self) -> NDArray[np.bool_]:
        """Which coordinates of the box take discrete values."""
        return self.variables.discrete

    def round(self, x: FloatArray) -> FloatArray:
        """Return a point (or rows of points) of the box with discrete coordinates on a step.

        All points that round to the same one have the same f, g, h.
        """
        return self.variables.round(x)

    def split(self, out: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return copies of the inequality and equality parts of (rows of) f, g, h."""
        cut = 1 + self.n_ineq
        return out[..., 1:cut].copy(), out[..., cut:].copy()

    def violation(self, g: Any, h: Any, how: str = "sum") -> Any:
        """Return the constraint violation of one point or of many.

        Parameters
        ----------
        g, h : array_like, shapes (..., n_ineq) and (..., n_eq)
            Constraint values, as `evaluate` and `evaluate_many` return them.
        how : {"sum", "mean"}
            Sum (records and scores) or mean (the algorithms' own comparisons) of the terms.
        """
        _checks.choice("how", how, ("sum", "mean"))
        g_values = _constraint_values("g", g, self.n_ineq)
        h_values = _constraint_values("h", h, self.n_eq)
        total = self.summed_violation(g_values, h_values)
        if how == "mean":
            total = total / max(1, self.n_constraints)
        return float(total) if np.ndim(total) == 0 else total

    def summed_violation(self, g: FloatArray, h: FloatArray) -> Any:
        """Return the summed violation from checked values; the fast path of the drivers."""
        total = np.add.reduce(np.maximum(g - self.ineq_tol, 0.0), axis=-1)
        if self.n_eq:
            h_size = np.abs(h)
            excess = h_size - self.eq_tol if self.excess else h_size
            total = total + np.add.reduce(np.where(h_size <= self.eq_tol, 0.0, excess), axis=-1)
        return total

    def is_feasible(self, g: Any, h: Any) -> Any:
        """Whether the summed violation is within `feasible_tol` (False where it is NaN)."""
        return self.violation(g, h) <= self.feasible_tol

    def _work(self) -> FloatArray:
        return np.empty(self.kernel.n_work if self.kernel is not None else 0)


def _tolerance(name: str, value: Any, count: int) -> float | FloatArray:
    """Return a tolerance, checked; an array only where it differs among the constraints."""
    if np.ndim(value) == 0:
        return _checks.real(name, value, 0.0)
    array = _checks.vector(name, value, count)
    for k, number in enumerate(array):
        _checks.real(f"{name}[{k}]", number, 0.0)
    same = count > 0 and bool((array == array[0]).all())
    return float(array[0]) if same else array


def _constraint_values(name: str, value: Any, count: int) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape[-1:] != (count,):
        raise ValueError(f"{name} must have shape (..., {count}), got {array.shape}")
    return array
