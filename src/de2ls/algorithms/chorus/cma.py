"""CMA-ES in the unit box.

    x_k = m + sigma y_k,  y_k ~ N(0, C),  C = B diag(d^2) B'
    m <- m + sigma sum w_i y_i                       (the mu best of lambda)
    p_s <- (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_w) C^(-1/2) y_w
    p_c <- (1 - c_c) p_c + h_s sqrt(c_c (2 - c_c) mu_w) y_w
    C <- (1 - c_1 - c_mu) C + c_1 p_c p_c' + c_mu sum w_i y_i y_i'
    sigma <- sigma exp((c_s / d_s) (|p_s| / E|N(0, I)| - 1))

Points outside the box are clipped and penalised by their squared distance. C is decomposed once in
some generations. Many points per generation find the right basin; once they are together in one,
the usual number goes on, with mean, step size and covariance kept: it needs a third of the
evaluations. The whole generation is a few array operations: the library `cmaes` draws its points
one by one, which costs several times as much per evaluation.

References: N. Hansen, The CMA evolution strategy: a tutorial, arXiv:1604.00772.
"""

import math
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.chorus.archive import USABLE, Archive, Batches, Rows
from de2ls.algorithms.chorus.box import boxed
from de2ls.algorithms.chorus.symmetric import eigen


def default_lambda(n: int) -> int:
    """Return the usual number of points per generation."""
    return 4 + int(3 * math.log(n))


class CMA:
    """A CMA-ES on the key `mode` of the archive.

    Parameters
    ----------
    archive : Archive
    mean : array
        Start.
    sigma : float
        First step size.
    lam : int
        Points per generation.
    mode : str
        Key by which points are ordered, see `Archive.key`.
    """

    def __init__(
        self,
        archive: Archive,
        mean: FloatArray,
        sigma: float,
        lam: int,
        mode: str,
    ) -> None:
        n = len(mean)
        self.a, self.mean, self.sigma, self.mode = archive, mean, sigma, mode
        self.p_c, self.p_s = np.zeros(n), np.zeros(n)
        self.C = np.eye(n)
        self.generation = 0
        self.best, self.best_u = np.inf, None
        self.history: list[float] = []
        self._use(lam)
        self._decompose()

    best_u: FloatArray | None

    def _use(self, lam: int) -> None:
        """Set the number of points per generation and what follows from it."""
        n = len(self.mean)
        self.lam = lam
        self.mu = max(1, lam // 2)
        w = math.log(self.mu + 0.5) - np.log(np.arange(1, self.mu + 1))
        self.w = w / w.sum()
        e = self.mu_w = float(1.0 / (self.w**2).sum())
        self.c_c = (4 + e / n) / (n + 4 + 2 * e / n)
        self.c_s = (e + 2) / (n + e + 5)
        self.c_1 = 2 / ((n + 1.3) ** 2 + e)
        self.c_mu = min(1 - self.c_1, 2 * (e - 2 + 1 / e) / ((n + 2) ** 2 + e))
        self.d_s = 1 + 2 * max(0.0, math.sqrt((e - 1) / (n + 1)) - 1) + self.c_s
        self.chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.every = max(4, int(1 / (self.c_1 + self.c_mu) / n / 5))
        self.look = 20 + int(30 * n / lam)  # generations of which one must gain

    def _decompose(self) -> None:
        self.C = 0.5 * (self.C + self.C.T)
        d, self.B = eigen(self.C)
        self.d = np.sqrt(np.maximum(d, 1e-30))

    @property
    def spread(self) -> float:
        """Largest deviation of the points."""
        return float(self.sigma * self.d[-1])  # they rise

    def run(self, max_evals: int, least: float = 1e-12) -> Batches:
        """Run until its spread is `least`, it stalls, or for `max_evals` evaluations."""
        used, few = 0, default_lambda(len(self.mean))
        while used < max_evals:
            Z = self.a.rng.standard_normal((self.lam, len(self.mean)))
            Y = (Z * self.d) @ self.B.T
            X = self.mean + self.sigma * Y
            U = boxed(X)
            rows = yield U
            used += self.lam
            key = self.keys(rows)
            i = int(key.argmin())
            if key[i] < self.best:
                self.best, self.best_u = float(key[i]), U[i].copy()
            self._update(Y, self._penalised(key, X - U))
            if self.spread < least:
                break
            if self.spread > 1e3:
                self.sigma *= 0.3 / self.spread
            if self.lam > few and self.spread < self.a.config.together:
                self._use(few)
                self.history.clear()
            if len(self.history) > self.look + 50:
                last = self.history[-self.look :]
                noise = 2.0 * self.a.key_noise(self.mode)
                if max(last) - min(last) <= max(1e-14 * abs(last[-1]), 1e-13) + noise:
                    break

    def keys(self, rows: Rows) -> FloatArray:
        """Return what is minimised."""
        return self.a.key(rows, self.mode)

    def _penalised(self, key: FloatArray, outside: FloatArray) -> FloatArray:
        over = np.add.reduce(outside * outside, 1)
        if not over.any():
            return key
        finite = key[key < USABLE]
        span = float(np.ptp(finite)) if len(finite) else 1.0
        penalised: FloatArray = key + 30.0 * over * (span + 1e-300)
        return penalised

    def _update(self, Y: FloatArray, key: FloatArray) -> Any:
        """Adapt mean, paths, covariance and step size; returns the mu best, in order."""
        best = key.argsort(kind="stable")[: self.mu]
        self.history.append(float(key[best[0]]))
        Y = Y[best]
        y = self.w @ Y
        self.mean = self.mean + self.sigma * y
        self.generation += 1
        c_s, c_c = self.c_s, self.c_c
        whitened = self.B @ ((self.B.T @ y) / self.d)
        self.p_s = (1 - c_s) * self.p_s + math.sqrt(c_s * (2 - c_s) * self.mu_w) * whitened
        length = math.sqrt(float(self.p_s @ self.p_s))
        decay = math.sqrt(1 - (1 - c_s) ** (2 * self.generation))
        h_s = length / decay / self.chi < 1.4 + 2 / (len(y) + 1)
        self.p_c = (1 - c_c) * self.p_c + h_s * math.sqrt(c_c * (2 - c_c) * self.mu_w) * y
        lost = (1 - h_s) * self.c_1 * c_c * (2 - c_c)
        self.C *= 1 - self.c_1 - self.c_mu + lost
        self.C += self.c_1 * (self.p_c[:, None] * self.p_c)
        self.C += self.c_mu * (Y.T * self.w) @ Y
        self.sigma *= math.exp(min(1.0, (c_s / self.d_s) * (length / self.chi - 1)))
        if self.generation % self.every == 0:
            self._decompose()
        return best
