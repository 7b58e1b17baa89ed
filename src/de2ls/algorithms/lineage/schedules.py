"""The two schedules of F of mLSHADE-RL, which LSHADE-cnEpSin brought.

S1: F = (sin(2 pi freq0 g + pi) (Gmax - g) / Gmax + 1) / 2
S2: F = (sin(2 pi freq g) g / Gmax + 1) / 2
"""

import math
from collections import deque
from typing import Any

from de2ls.algorithms.lineage.members import Run

NONE, FIRST, SECOND = -1, 0, 1


class Schedules:
    """The two schedules of F, of which the more successful is used."""

    def __init__(self, run: Run[Any], g_max: int) -> None:
        self.run, self.g_max, self.used = run, g_max, NONE
        self.recent: deque[tuple[int, int, int]] = deque(maxlen=run.config.lp)

    def choose(self, g: int) -> tuple[int, float, float]:
        """Return the schedule, its phase (of the second: per frequency) and its swing."""
        c = self.run.config
        if self.run.progress > c.schedule_until:
            self.used = NONE
        elif g <= c.lp:
            self.used = FIRST if self.run.numpy_rng.random() < 0.5 else SECOND
        else:
            self.used = FIRST if self.rate(FIRST) > self.rate(SECOND) else SECOND
        if self.used == FIRST:
            phase = 2.0 * math.pi * c.freq * g + math.pi
            return FIRST, phase, (self.g_max - g) / self.g_max
        return self.used, 2.0 * math.pi * g, g / self.g_max

    def rate(self, schedule: int) -> float:
        """Return the rate of success in recent generations; one of two where it was not used."""
        of = [(won, n) if used == schedule else (1, 2) for used, won, n in self.recent]
        won, tried = map(sum, zip(*of, strict=True))
        return won / tried

    def note(self, successes: int, n: int) -> None:
        """Remember the successes of the schedule used."""
        if self.used != NONE:
            self.recent.append((self.used, successes, n))
