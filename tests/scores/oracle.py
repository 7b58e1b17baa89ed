"""The two protocols written out pair by pair, without any of the product's shortcuts."""

import math
import statistics
from itertools import combinations


def final(trial):
    objective, violation = trial[-1]
    return objective, violation, violation <= 1e-8 and math.isfinite(objective)


def tied(u, v):
    if u == v:
        return True
    return abs(u - v) <= max(1e-8, 1e-12 * max(1.0, abs(u), abs(v)))


def accuracy_of_first(x, y):
    E_x, C_x, ok_x = final(x)
    E_y, C_y, ok_y = final(y)
    if ok_x != ok_y:
        return 1.0 if ok_x else 0.0
    u, v = (E_x, E_y) if ok_x else (C_x, C_y)
    if tied(u, v):
        return 0.5
    return 1.0 if u < v else 0.0


def arrival(trial, theta, column):
    for k, sample in enumerate(trial):
        value = sample[column]
        if (column == 1 or math.isfinite(value)) and value <= theta + 1e-8:
            return k
    return math.inf


def speed_of_first(x, y):
    E_x, C_x, ok_x = final(x)
    E_y, C_y, ok_y = final(y)
    column, theta = (0, max(E_x, E_y)) if ok_x and ok_y else (1, max(C_x, C_y))
    tau_x, tau_y = arrival(x, theta, column), arrival(y, theta, column)
    if tau_x == tau_y:
        return 0.5
    return 1.0 if tau_x < tau_y else 0.0


def pair_points(cells, first_wins):
    """Return each algorithm's sum over all unordered pairs of trials of one problem."""
    trials = [(a, trial) for a, cell in enumerate(cells) for trial in cell]
    sums = [0.0] * len(cells)
    for (a, x), (b, y) in combinations(trials, 2):
        earned = first_wins(x, y)
        sums[a] += earned
        sums[b] += 1.0 - earned
    return sums


def cec2026(cells):
    return pair_points(cells, accuracy_of_first), pair_points(cells, speed_of_first)


def cec2024(cells):
    """Return U of each algorithm: ranks of all trials of one problem, worst first."""
    trials = [(a, trial) for a, cell in enumerate(cells) for trial in cell]
    finite = [trial[-1][0] for _, trial in trials if math.isfinite(trial[-1][0])]
    target = statistics.median(finite) if finite else None

    def merit(trial):
        E, C, ok = final(trial)
        if not ok:
            return (0, -C)
        if target < E:
            return (1, -E)
        reached = len(trial)
        # as in the pairwise speed: only a finite value reaches anything, -inf is no record
        while reached and math.isfinite(e := trial[reached - 1][0]) and e <= target:
            reached -= 1
        return (2, -reached)

    merits = [merit(trial) for _, trial in trials]
    sums = [0.0] * len(cells)
    for (a, _), own in zip(trials, merits, strict=True):
        below = sum(other < own for other in merits)
        equal = sum(other == own for other in merits)
        sums[a] += below + (equal + 1) / 2
    return [s - len(cell) * (len(cell) + 1) / 2 for s, cell in zip(sums, cells, strict=True)]
