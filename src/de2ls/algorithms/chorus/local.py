"""The local arm: where the local method starts, and what is kept of where it ends.

`solve` uses differences; under noise a polish of the incumbent is by regression, one between
restarts, and these are races. Starts, in this order: the user's points; the best of the first
random points, as it is, relaxed first (the objective alone, then the problem), restored first (the
constraints alone, then the problem), but lowered first (the summed violation, then the problem)
before these where equalities are taken for squares and nothing is feasible; then what other arms
proposed, a new incumbent with radii 10^U(-4.5, -1.5) until one polish gains nothing; else, and
after each proposal that gained nothing, by turns relaxed, restored, a hop from the incumbent,
random. An incumbent whose search was given up or ended on a kink comes before proposals: polished,
on a kink several times, then once from where `refine` ends.
"""

from typing import NamedTuple

import numpy as np

from de2ls._checks import FloatArray
from de2ls.algorithms.batches import as_good
from de2ls.algorithms.chorus.archive import Archive, Batches, Score, better
from de2ls.algorithms.chorus.face import Face
from de2ls.algorithms.chorus.lagrangian import refine
from de2ls.algorithms.chorus.noise import LENGTH, probe
from de2ls.algorithms.chorus.optima import End
from de2ls.algorithms.chorus.smoothed import SmoothedSearch
from de2ls.algorithms.chorus.sqp import LocalSearch

TRIFLE = 1e-6  # of the objective's deviation across the box: smaller values count as that
HOPS = (-3.0, -0.5)  # powers of ten: lengths of hops
AS_IT_IS, RELAXED = ("con",), ("f", "con")
RESTORED, LOWERED = ("c", "con"), ("v", "con")


def solve(
    a: Archive,
    u: FloatArray,
    mode: str,
    radius: float,
    max_evals: int,
    race: bool = False,
    polish: bool = False,
) -> Batches:
    """Search locally from `u`; returns an `End` of the whole space.

    In a `race` it is given up when it can hardly reach the best feasible point. Under noise
    differences lead near an optimum, and a `polish` goes on by regression; so does a search during
    which noise is found, from its start.
    """
    face = Face(a, u)
    start = face.down(u)
    if not len(start):
        rows = yield u[None]
        return End(u, float(rows.out[0, 0]), float(rows.v[0]), True)
    if not (a.noisy and polish):
        noisy = a.noisy
        end = yield from face.run(LocalSearch(a, start, mode, radius, max_evals, race).run())
        if noisy or not a.noisy:
            return end._replace(u=face.up(end.u))
        # differences that noise has misled may have led anywhere
        radius = max(radius, 0.1)
        max_evals = min(max_evals, int(a.config.smoothed_share * a.budget))
    radius = max(radius, 3e-3)
    search = SmoothedSearch(a, face, start, mode, radius, max_evals, polish)
    end = yield from face.run(search.run())
    return end._replace(u=face.up(end.u))


class Next(NamedTuple):
    """A start of the local method."""

    u: FloatArray
    modes: tuple[str, ...]
    radius: float
    independent: bool = True  # of what other searches found
    loose: End | None = None  # the search to refine first
    polish: bool = False  # of the incumbent; by regression under noise


class Starts:
    """Decides where the local method starts next."""

    def __init__(self, a: Archive, first: FloatArray, given: FloatArray) -> None:
        self.a, self.first, self.given = a, first, list(given)
        self.polished: Score = (2, np.inf)
        self.loose: End | None = None  # where the incumbent's search was given up, or kinked
        self.crawls = False  # and that from the incumbent was given up too
        self.fails, self.turn = 0, 0
        self.proposed = False  # the last start was another arm's
        self.tries = 0  # polishes more under noise: the last one did not end at the incumbent

    def next(self) -> Next:
        """Return the next start."""
        a = self.a
        improved = better(a.score, self.polished, noise=3.0 * a.score_noise)
        if a.first_starts:
            return Next(a.first_starts.pop(0), AS_IT_IS, a.config.start_radius)
        if self.given:
            return Next(self.given.pop(0), AS_IT_IS, 0.05)
        if (a.noisy or a.discrete.size) and a.feasible and 0 < self.turn < 3:
            self.turn = 3
        if self.turn < 3 and not (a.noisy and improved and self.turn > 0):
            return self._first()
        if a.noisy and a.starts and improved:
            return self._polish(improved)
        if self._kinked() or self._crawling():  # proposals may keep coming for ever
            return self._polish(improved)
        # no arm's starts may keep the random ones away: faces of discrete coordinates apart
        due = self.proposed and a.failed > 0 and not a.discrete.size
        self.proposed = bool(a.starts) and not due
        if self.proposed:
            start = a.starts.pop(0)
            return Next(start.u, AS_IT_IS, start.radius)
        if due and not improved:
            return self._restart()
        tries = self.tries if a.noisy and a.feasible else 1
        if improved or self.fails < tries:
            return self._polish(improved)
        return self._restart()

    def _first(self) -> Next:
        a = self.a
        self.turn += 1
        squares = bool(a.squares.any())
        restorable = self._restorable() and not (squares and a.feasible)
        if (self.turn == 2 and not a.m) or (self.turn == 3 and not restorable):
            return self.next()
        lowered = squares and not a.feasible
        order = (AS_IT_IS, LOWERED, RELAXED) if lowered else (AS_IT_IS, RELAXED, RESTORED)
        return Next(self.first, order[self.turn - 1], a.config.radius)

    def _restorable(self) -> bool:
        return self.a.m > 0 and not (self.a.feasible and not self.a.nh)

    def _polish(self, improved: bool) -> Next:
        a = self.a
        self.fails = 0 if improved else self.fails + 1
        self.polished = a.score
        if self._crawling() and not self._kinked():
            return Next(a.incumbent, AS_IT_IS, 1e-3, independent=False, loose=self.loose)
        low, high = (-3.0, -1.3) if a.noisy else (-4.5, -1.5)
        modes = AS_IT_IS if a.feasible or self.fails % 2 else ("v",)
        radius = 10.0 ** a.rng.uniform(low, high)
        return Next(a.incumbent, modes, radius, independent=False, polish=True)

    def _kinked(self) -> bool:
        """Whether the incumbent's search ended on a kink and few polishes have failed there.

        A kink of many pieces hides some of them, others from each side.
        """
        a = self.a
        kinked = self.loose is not None and self.loose.kinked and a.feasible and not a.noisy
        return kinked and self.fails < a.config.kinked_polishes

    def _crawling(self) -> bool:
        """Whether polishes of the incumbent crawl, and `refine` may help."""
        a = self.a
        loose = self.crawls and self.loose is not None
        usable = a.config.refine and a.m > 0 and a.feasible and not a.noisy
        return loose and usable and a.left > a.config.refine_least * a.n

    def least_gain(self, start: Next, end: End | None) -> float:
        """Return the share of the best value that a search must have gained.

        A polish that settles near its start has found nothing new, and may find as little again and
        again, as at the wall of a region without values. On a kink it may have met new pieces.
        """
        again = start.polish or start.loose is not None
        if not again or end is None or not end.settled or self.a.noisy:
            return 0.0
        return self.a.config.kinked_gain if end.kinked else self.a.config.polish_gain

    def learn(self, start: Next, end: End | None, gained: bool) -> None:
        """Take in how a search ended: settled, given up, or without any gain."""
        if start.polish and not gained and not self.a.noisy:
            self.polished = self.a.score
        if start.polish and end is not None and self.a.noisy and self.a.feasible:
            done = self._at_incumbent(end)
            self.tries = 0 if done else 2
            self.polished = self.a.score if done else self.polished
        if gained:
            self.loose = end if end and (end.kinked or not end.settled) else None
        elif start.loose is not None:
            self.loose = None
        self.crawls = not start.independent and (not gained or self.loose is not None)

    def _at_incumbent(self, end: End) -> bool:
        """Whether a search has ended at the incumbent's value, up to noise."""
        a = self.a
        noise = a.noise_at(np.append(a.best_f, np.zeros(a.m)))
        near = abs(end.f - a.best_f) <= 3.0 * noise[0] + 1e-9 * abs(a.best_f)
        inside = end.v <= 10.0 * a.feasible_tol + noise[1:].sum()
        return bool(end.converged and near and inside)

    def _restart(self) -> Next:
        a = self.a
        self.turn += 1
        kind = self.turn % 4
        u = a.random(1)[0]
        if kind == 1 and a.m:
            return Next(u, RELAXED, a.config.radius)
        if kind == 2 and self._restorable():
            return Next(u, LOWERED if a.squares.any() else RESTORED, a.config.radius)
        if kind == 3:
            hop = a.rng.standard_normal(a.n) * 10.0 ** a.rng.uniform(*HOPS)
            near = np.clip(a.incumbent + hop, 0.0, 1.0)
            return Next(near, AS_IT_IS, a.config.start_radius, independent=False)
        return Next(u, AS_IT_IS, a.config.radius)


def _probe(a: Archive, at: FloatArray) -> Batches:
    """Probe for noise on the face of a point."""
    face = Face(a, at)
    if a.free.size:
        yield from face.run(probe(a, face.down(at)))


def _unrounded(a: Archive, u: FloatArray) -> Batches:
    """Search from `u` as if all coordinates were continuous, by models through admissible points.

    Returns where it ended: rounded, it is a better first face than a random one.
    """
    config, face = a.config, Face(a, u, relaxed=True)
    most = int(config.unrounded_share * a.budget)
    radius, tol = config.unrounded_radius, config.unrounded_tol
    search = SmoothedSearch(a, face, u, "con", radius, most, tol=tol)
    end = yield from search.run()
    return end.u


def local(a: Archive) -> Batches:
    """Start again and again; every end is kept in the archive's record of optima."""
    first = a.random(max(8, a.n))
    rows = yield first
    while not rows.usable.any() and a.evals < a.config.blind_share * a.budget:
        first = a.random(len(first))
        rows = yield first
    if rows.usable.any():
        out = rows.out[rows.usable]
        a.size = np.median(np.abs(out - np.median(out, axis=0)), axis=0)
    best = first[a.best_first(rows)[0]]
    given = a.unit(np.asarray(a.space.x0, float).reshape(-1, a.n))
    affordable = max(a.config.probe_budget * a.n, LENGTH / a.config.probe_share)
    if a.probed < 0 and a.budget >= affordable:
        yield from _probe(a, given[0] if len(given) else best)
    if a.discrete.size and not len(given):
        best = yield from _unrounded(a, best)
    starts = Starts(a, best, given)
    every = again = a.config.probe_every
    most = int(a.config.local_most * (a.n + 1))
    while True:
        if a.noisy and a.searches + 1 >= again:
            yield from _probe(a, a.incumbent)
            every *= 2 if a.clean == 0 else 1  # what was found again is looked for less often
            again = a.searches + 1 + every
        start = starts.next()
        before = a.score
        end: End | None = None
        u, radius = start.u, start.radius
        # under noise the first search has shown what can be reached, and evaluations are few
        fruitless = min(a.failed, a.independent) >= a.config.known
        race = start.independent and (a.searches > 0 if a.noisy else fruitless)
        if start.loose is not None:
            u = yield from refine(a, u, start.loose.multipliers)
        share = a.config.smoothed_share if start.polish else a.config.noisy_share
        for mode in start.modes:
            relaxed = end if start.modes[0] == "f" else None
            feasible = relaxed is not None and relaxed.v <= a.feasible_tol
            if relaxed and feasible and as_good(relaxed.f, a.best_f, float(a.size[0])):
                break  # the relaxed optimum is that of the problem
            granted = min(most, int(share * a.budget)) if a.noisy else most
            if mode == "f":  # on the way to the problem it need not be exact
                short = max(a.config.short_most * (a.n + 1), a.config.relaxed_share * a.budget)
                granted = min(granted, int(short))
            end = yield from solve(a, u, mode, radius, granted, race, start.polish)
            u, radius = end.u, 0.05
        share = starts.least_gain(start, end)
        trifle = share * TRIFLE * float(a.size[0]) if a.feasible else 0.0  # at an optimum of 0
        gained = better(a.score, before, share, noise=trifle)
        starts.learn(start, end, gained)
        a.ended(end, start.modes[-1], start.independent, gained)
        yield None
