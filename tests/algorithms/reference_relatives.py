"""CL-SRDE, RDE26 and RDEx-CASK in plain Python: what each changes in the reference of RDEx."""

import numpy as np

from tests.algorithms.reference_rdex import INF, Individual, ReferenceTrial, eps_order


class ReferenceCLSRDE(ReferenceTrial):
    """Base steps only, nothing perturbed."""

    eb_start = INF
    perturb_rate = 0.0


class ReferenceRDE26(ReferenceTrial):
    """Retuned, and a race for the best targets while the front is mostly feasible."""

    H, MCR0, MF0, learning = 11, 0.94, 0.63, 0.35
    sr_exponent, CR_sigma = 0.4, 0.09
    base_share, pressure = 0.5, 13.98
    eps_cutoff = 0.75
    eb_start, rho0 = 0.71, 0.91
    eb_share, eb_slope, eb_gamma, eb_f, eb_cr = 0.4, 0.35, 0.14, 0.43, 0.63
    perturb_rate, perturb_scale = 0.55, 0.3
    bound_mix = 0.21

    def begin(self) -> None:
        super().begin()
        self.phi = sum(member.v < 1e-4 for member in self.Q) / self.N

    def trial(self) -> None:
        B = eps_order(self.Q, self.eps)
        b = self.draw.integer(self.N)
        flag, (toward, plus, minus, F, CR) = self.step(b, B)
        x, CRa = self.crossover(self.Q[b], toward, plus, minus, F, F, CR, self.perturb_rate)
        t = max(1, int(0.08 * self.N + 0.5))
        raced = self.n / self.T < 0.76 and self.phi > 0.48 and self.n + 1 < self.T and b in B[:t]
        u = self.evaluate(x)
        if raced:
            self.seen["races"] += 1
            y, CRa2 = self.rival(b, B, F, CR)
            if self.success_weight(y, u) is not None:
                self.seen["rivals won"] += 1
                u, CRa = y, CRa2
        self.judge(u, b, flag, F, CRa)

    def rival(self, b: int, B: list[int], F: float, CR: float) -> tuple[Individual, float]:
        rA = rB = rC = b
        while rA == b:
            rA = self.draw.integer(self.N)
        while rB in (b, rA):
            rB = self.draw.integer(self.N)
        while rC in (b, rA, rB):
            rC = self.draw.integer(self.N)
        t2 = min(self.N, max(1, int(0.27 * self.N + 0.5)))
        draws, x = 0, b
        while x == b and draws < 7:
            draws, x = draws + 1, B[self.draw.integer(t2)]
        if x == b:
            self.seen["rB attracts"] += 1
            x = rB
        self.seen["CR2 limited"] += not 0.26 <= CR <= 0.85
        CR2 = min(0.85, max(0.26, CR))
        trial, CRa = self.crossover(
            self.Q[b], self.Q[x].x, self.P[rA].x, self.P[rC].x, 0.62 * F, 1.16 * F, CR2, 0.0
        )
        return self.evaluate(trial), CRa


class ReferenceCASK(ReferenceTrial):
    """Archive, second scale factor, stagnation counters with a kick, smoothed EB rate."""

    H, sr_exponent, rho0, perturb_rate = 10, 0.4, 0.5, 0.0
    threshold = 180

    def initialise(self) -> None:
        self.reported: Individual | None = None
        super().initialise()
        self.Z: list[np.ndarray] = []
        self.zi = 0
        self.C = [0] * self.N0

    def evaluate(self, x: np.ndarray) -> Individual:
        new = super().evaluate(x)
        best = self.reported
        if best is None or (new.f <= best.f if new.v <= 0 else new.v <= best.v):
            self.reported = new
        self.seen["reported worse than incumbent"] += self.reported is not self.incumbent
        return new

    def trial(self) -> None:
        B = eps_order(self.Q, self.eps)
        b = self.draw.integer(self.N)
        flag, (toward, plus, minus, F, CR) = self.step(b, B)
        F2 = F
        if flag == 0:
            assert self.reported is not None
            F2 = self.draw.cauchy(self.mF, 0.1)
            while not 0 <= F2 <= 1:
                F2 = self.draw.cauchy(self.mF, 0.1)
            stagnates = self.C[b] >= self.threshold
            if self.Z:
                pz = len(self.Z) / (self.N + len(self.Z))
                if stagnates:
                    pz = max(pz, 0.65)
                if self.draw.uniform() < pz:
                    minus = self.Z[self.draw.integer(len(self.Z))]
                    self.seen["archive used"] += 1
            if stagnates:
                toward = self.reported.x
                self.seen["kicks"] += 1
                if self.s < 0.1:
                    CR = max(CR, 0.95)
                    self.seen["kicks that raise CR"] += 1
        x, CRa = self.crossover(self.Q[b], toward, plus, minus, F, F2, CR, 0.0)
        self.judge(self.evaluate(x), b, flag, F, CRa)

    def judge(self, new: Individual, c: int, flag: int, F: float, CRa: float) -> bool:
        overwritten = self.Q[self.q]
        success = super().judge(new, c, flag, F, CRa)
        if not success:
            self.C[c] += 1
        else:
            self.C[c] = 0
            if overwritten.v <= self.eps:
                self.to_archive(overwritten.x)
        return success

    def to_archive(self, x: np.ndarray) -> None:
        if len(self.Z) < 50:
            self.Z.append(x)
        else:
            self.Z[self.zi] = x
            self.seen["archive overwritten"] += 1
        self.zi = (self.zi + 1) % 50

    def adapt_rho(self) -> None:
        share = self.eb_share_of_gains()
        if share is None:
            self.rho = 0.9 * self.rho + 0.1 * 0.5
        else:
            self.rho = (1 - 0.3) * self.rho + 0.3 * share

    def shrink(self) -> None:
        N, Q = self.N, list(self.Q)
        super().shrink()
        worst = eps_order(Q, self.eps)[self.N :]
        for w in sorted(worst, reverse=True):  # from behind, so that positions stay valid
            for i in range(w, N - 1):
                self.C[i] = self.C[i + 1]
            self.seen["counters moved"] += any(self.C)

    def merge(self) -> None:
        if self.successes:
            old = list(self.C)
            for i, place in enumerate(eps_order(self.P, self.eps)[: self.N]):
                self.C[i] = old[place] if place < self.N0 else 0
                self.seen["counters beyond the array"] += place >= self.N0
                self.seen["counters from inactive cells"] += self.N <= place < self.N0
        super().merge()
