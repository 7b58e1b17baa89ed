"""A trial whose results are made up by the test, told through the product's own step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from de2ls.engine.state import ASK, INITIAL, SEARCH, TELL, Candidate, State, new_candidate
from de2ls.problems.problem import Problem
from de2ls.trials.compiled import CompiledDriver as Driver

NOT_BETTER = 1e9  # an objective that wins nothing


class Puppet:
    """A trial on a box with one inequality, whose value is the violation."""

    def __init__(
        self, algorithm: str, T: int, dim: int = 3, n_ineq: int = 1, seed: int = 1, **config: Any
    ) -> None:
        self.problem = Problem(
            "puppet",
            np.full(dim, -100.0),
            np.full(dim, 100.0),
            n_ineq,
            0,
            function=lambda x, out: out.fill(np.nan),
        )
        self.driver = Driver(algorithm, self.problem, seed, T, config)

    @property
    def state(self) -> State:
        return self.driver.state

    @property
    def now(self) -> Any:
        return self.driver.now

    def ask(self) -> Candidate | None:
        """Return a new candidate, or None when there is none to have."""
        cand = new_candidate(self.problem)
        return cand if self.driver.step(self.state, cand, ASK) else None

    def must_ask(self, kind: int = SEARCH) -> Candidate:
        cand = self.ask()
        assert cand is not None
        assert cand.info[0]["kind"] == kind
        return cand

    def tell(self, cand: Candidate, f: float, *g: float) -> None:
        cand.out[0], cand.out[1:] = f, g or 0.0
        self.driver.step(self.state, cand, TELL)

    def begin(self, values: Sequence[tuple[float, ...]]) -> None:
        """Tell f, g of the initial points; coordinates of the i-th one become i."""
        for i, (f, *g) in enumerate(values):
            cand = self.must_ask(INITIAL)
            cand.x[:] = i
            self.tell(cand, f, *g)

    def fail(self, count: int) -> list[Candidate]:
        """Ask and tell trials that are no success."""
        made = []
        for _ in range(count):
            made.append(self.must_ask())
            self.tell(made[-1], NOT_BETTER, NOT_BETTER)
        return made
