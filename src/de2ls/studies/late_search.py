"""The late local search alone: DE-2LS and RDEx with shared random numbers.

Both coincide until the first call of the local search; what differs afterwards is its effect. The
pairs of 25 runs are looked at first; where they leave it open whether the effect is good or bad,
75 more runs are made. Because there are two looks, each is held to half the level.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from de2ls._checks import FloatArray
from de2ls.campaigns.plan import Plan, Series
from de2ls.problems.key import ProblemKey
from de2ls.reports.material import Gathered
from de2ls.scores import Column, Paired, Table, paired
from de2ls.scores.pairwise import tie
from de2ls.scores.statistics import ALPHA
from de2ls.scores.tables import Value
from de2ls.studies.claims import Claim, exceeds, share
from de2ls.trials.record import TrialSummary

WITH, WITHOUT = "de2ls-paired", "rdex-paired"
MORE_RUNS = 100
_LOOKS = 2

BETTER, WORSE, NONE, OPEN = "improves", "worsens", "no effect seen", "cannot be decided"


@dataclass(frozen=True, eq=False)
class LateSearch:
    """What the local search did, problem by problem."""

    pairs: Paired
    logs: Mapping[str, Sequence[TrialSummary]]  # problem: the trials with the search
    changes: Mapping[str, FloatArray]  # problem: differences of feasible ends that do not tie
    budget: int

    def verdict(self, p: int) -> str:
        """Return a verdict on the final values on problem `p`."""
        wins, _, losses = self.pairs.accuracy[p].tolist()
        if not wins + losses:
            return NONE
        if self.pairs.p[p] >= ALPHA / _LOOKS:
            return OPEN
        return BETTER if wins > losses else WORSE

    def undecided(self) -> list[str]:
        """Return the problems on which more runs are needed."""
        return [name for p, name in enumerate(self.pairs.problems) if self.verdict(p) == OPEN]

    def table(self) -> Table:
        """Return, per problem, how often the search helps, by how much, and what it costs."""
        columns = (
            Column("problem"),
            Column("pairs", "d"),
            Column("better", "d"),
            Column("equal", "d"),
            Column("worse", "d"),
            Column("p", ".2g"),
            Column("median change", ".3g"),
            Column("gain in the calls", ".3g"),
            Column("calls", ".2f"),
            Column("calls that improved %", ".0f"),
            Column("cost % of the budget", ".2f"),
            Column("verdict"),
        )
        rows = tuple(self._row(p) for p in range(len(self.pairs.problems)))
        notes = (
            "pairs of trials with the same random numbers; better, equal, worse: the final value "
            "with the search against that without it (feasible first, then Min_EV or CV)",
            "p: sign test, Holm's correction over the problems; two looks (25 runs, and 100 where "
            f"these leave it open), each at {ALPHA / _LOOKS:g}",
            "median change: of the final Min_EV over the pairs that differ and are feasible; gain "
            "in the calls: mean decrease of the feasible incumbent's objective during the calls; "
            "calls and cost: means per trial",
        )
        return Table("The late local search alone", columns, rows, notes=notes)

    def _row(self, p: int) -> tuple[Value, ...]:
        pairs, name = self.pairs, self.pairs.problems[p]
        logs = [final.counters for final in self.logs[name]]
        calls = sum(log["ls_calls"] for log in logs)
        changes = self.changes[name]
        return (
            name,
            int(pairs.n_pairs[p]),
            *pairs.accuracy[p].tolist(),
            float(pairs.p[p]),
            float(np.median(changes)) if changes.size else None,
            float(np.mean([log["ls_gain"] for log in logs])),
            calls / len(logs),
            100 * sum(log["ls_improved"] for log in logs) / calls if calls else None,
            100 * float(np.mean([log["ls_evaluations"] for log in logs])) / self.budget,
            self.verdict(p),
        )

    def claims(self) -> list[Claim]:
        """Return the claims that the search improves the ends, and what it costs."""
        unit, runs = "% of the pairs that differ", int(self.pairs.n_pairs.max())
        found = []
        for text, outcomes in (
            ("ends better more often than worse", self.pairs.accuracy),
            ("arrives sooner more often than later", self.pairs.speed),
        ):
            wins, _, losses = outcomes.sum(axis=0).tolist()
            here = share(wins, wins + losses)
            statement = f"with shared random numbers, a trial with the late local search {text}"
            found.append(exceeds(statement, here, None, unit, 50.0, runs))
        return found


def late_plan(problems: Sequence[ProblemKey], runs: Sequence[int], seed: int) -> Plan:
    """Return the campaign of pairs."""
    series = (Series("de2ls", WITH), Series("rdex", WITHOUT))
    return Plan(series, tuple(problems), tuple(runs), seed, paired=True)


def more_plan(found: LateSearch, problems: Sequence[ProblemKey], runs: int, seed: int) -> Plan:
    """Return the campaign of the further pairs on the undecided problems."""
    names = set(found.undecided())
    chosen = [problem for problem in problems if problem.label in names]
    return late_plan(chosen, range(runs + 1, MORE_RUNS + 1), seed)


def late_search(gathered: Gathered, budget: int) -> LateSearch:
    """Return what the gathered pairs say."""
    ends: dict[str, dict[str, dict[int, TrialSummary]]] = defaultdict(lambda: defaultdict(dict))
    for trial in gathered.trials:
        ends[trial.problem.label][trial.label][trial.run] = trial
    logs = {name: list(series[WITH].values()) for name, series in ends.items()}
    changes = {name: _changes(series[WITH], series[WITHOUT]) for name, series in ends.items()}
    return LateSearch(paired(gathered.collection, WITH, WITHOUT), logs, changes, budget)


def _changes(x: Mapping[int, TrialSummary], y: Mapping[int, TrialSummary]) -> FloatArray:
    """Return Min_EV of x minus that of y over the pairs of feasible ends that differ."""
    shared = sorted(x.keys() & y.keys())
    E = np.array([[x[run].min_ev, y[run].min_ev] for run in shared]).reshape(-1, 2)
    E = E[np.isfinite(E).all(axis=1)]
    E = E[~tie(E[:, 0], E[:, 1])]
    difference: FloatArray = E[:, 0] - E[:, 1]
    return difference
