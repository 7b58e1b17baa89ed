"""When a local search is not worth its evaluations: it stalls, or cannot win its race.

A search stalls if a window of evaluations brings neither a lower violation nor a lower objective.
In a race it is hopeless if, in two settled iterations in a row, its merit lies further above the
best feasible objective than ten times what the last step gained and the model promises.
"""

from de2ls.algorithms.chorus.archive import Archive


class Watch:
    """Watches one local search, by windows of so many evaluations."""

    def __init__(self, archive: Archive, window: float, race: bool) -> None:
        self.a, self.race, self.window = archive, race, window
        self.hopeless = 0  # iterations in a row

    def begin(self, f: float, v: float) -> None:
        """Open a window at an iterate with objective `f` and violation `v`."""
        self.mark, self.f, self.v = self.a.evals, f, v

    def stalls(self, f: float, v: float) -> bool:
        """Whether a window is over in which the search has not moved on to `f` and `v`."""
        if self.a.evals - self.mark < self.window:
            return False
        noise = self.a.f_noise(f)
        if self.v > self.a.feasible_tol:
            moved = v < 0.99 * self.v or f < self.f - max(1e-6 * abs(self.f), noise)
        else:
            moved = f < self.f - max(1e-10 * (abs(self.f) + 1e-6), noise)
        self.begin(f, v)
        return not moved

    @property
    def over(self) -> bool:
        """Whether a race is given up."""
        return self.hopeless >= self.a.config.hopeless

    def judge(self, merit: float, gain: float, settled: bool) -> None:
        """Count an iteration that ended at `merit`; `gain` is what it gained and the model's."""
        hoped = self.a.config.hope * gain
        best = self.a.best_f
        near = 1e-3 * abs(best) + 1e-6 * float(self.a.size[0])  # it may be the same optimum
        lost = self.race and settled and merit - best > hoped + near
        self.hopeless = self.hopeless + 1 if lost else 0
