"""Several candidates of one trial under way at once, told in any order."""

from collections.abc import Sequence

from de2ls._checks import FloatArray
from de2ls.engine.recorder import observe
from de2ls.engine.state import ASK, TELL, Candidate, State, new_candidate
from de2ls.jit.kernels import kernel
from de2ls.trials.driver import Driver


@kernel
def record(state: State, cand: Candidate) -> None:
    """Let the recorder see a result that the algorithm did not ask for."""
    observe(state, cand)


class AskTell:
    """Hands out candidates of a trial by number and takes their results.

    Each candidate is drawn from the state at its ask, a tell acts at once, and a generation ends
    after N tells. With one candidate out at a time this is the algorithm itself; with more it is
    the variant with deferred updating: a success is visible only to candidates asked after it.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.asked = driver.n_evals  # candidates handed out so far, and the next one's number
        self.pending: dict[int, Candidate] = {}
        self._spare: list[Candidate] = []

    def ask(self, n: int) -> list[int]:
        """Make up to `n` candidates and return their numbers.

        There are fewer at the end of the trial, and none while the whole initial population (in an
        algorithm of whole generations: the whole generation) is out and not all of it is back.
        """
        numbers: list[int] = []
        while len(numbers) < n and self.asked < self.driver.max_evals:
            cand = self._spare.pop() if self._spare else new_candidate(self.driver.problem)
            if not self.driver.step(self.driver.state, cand, ASK):
                self._spare.append(cand)
                break
            self.pending[self.asked] = cand
            numbers.append(self.asked)
            self.asked += 1
        return numbers

    def points(self, numbers: Sequence[int]) -> list[FloatArray]:
        """Return copies of the candidates' points, which lie in the box."""
        return [self.pending[number].x.copy() for number in numbers]

    def tell(self, number: int, out: FloatArray) -> None:
        """Take f, g, h of a candidate that is out."""
        cand = self.pending.pop(number)
        cand.out[:] = out
        self.driver.step(self.driver.state, cand, TELL)
        self._spare.append(cand)
