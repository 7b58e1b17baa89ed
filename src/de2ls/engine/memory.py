"""Success-history memory: what worked, averaged with weights.

| symbol | meaning |
|---|---|
| x | CR or F of the generation's successes |
| w | their improvements, normalised to sum 1 |
| LM | weighted Lehmer mean, sum w x^2 / sum w x |
"""

import numpy as np
from numpy.typing import NDArray

from de2ls.jit.kernels import routine

Successes = NDArray[np.void]  # records with fields cr, f, weight
Memory = NDArray[np.void]  # records with fields cr, f

_NO_WEIGHT = 1e-8  # a denominator up to this gives no mean


@routine
def learn(memory: Memory, cursor: int, successes: Successes, count: int, rate: float) -> int:
    """Blend the successes' Lehmer means into the cell at the cursor; return the next cursor.

    The mean is 1 when all weights are 0 or its denominator vanishes. Weights that are not finite
    (a member without a valid value was replaced) are left out.
    """
    total = 0.0
    for i in range(count):
        if np.isfinite(successes[i].weight):
            total += successes[i].weight
    cr, cr2, f, f2 = 0.0, 0.0, 0.0, 0.0
    if total > 0.0:
        for i in range(count):
            if np.isfinite(successes[i].weight):
                w = successes[i].weight / total
                cr += w * successes[i].cr
                cr2 += w * successes[i].cr * successes[i].cr
                f += w * successes[i].f
                f2 += w * successes[i].f * successes[i].f
    mean_cr = cr2 / cr if cr > _NO_WEIGHT else 1.0
    mean_f = f2 / f if f > _NO_WEIGHT else 1.0
    memory[cursor].cr = (1.0 - rate) * memory[cursor].cr + rate * mean_cr
    memory[cursor].f = (1.0 - rate) * memory[cursor].f + rate * mean_f
    return int((cursor + 1) % memory.shape[0])
