"""CL-SRDE: success-rate driven DE with two populations (V. Stanovov and E. Semenkin, CEC 2024).

The generation of `two_populations` in its plainest form: twice as many points as RDEx, base steps
alone, and no perturbation. It runs on RDEx's compiled step.
"""

from dataclasses import dataclass

from de2ls.algorithms.algorithm import Algorithm
from de2ls.algorithms.rdex import RDExConfig, step
from de2ls.algorithms.two_populations.setup import start


@dataclass(frozen=True, kw_only=True)
class CLSRDEConfig(RDExConfig):
    """Parameters of CL-SRDE; those of the EB step act only if `eb_start` is lowered."""

    n0_per_dim: float = 20.0
    eb_start: float = 2.0
    perturb_rate: float = 0.0


ALGORITHMS = {"cl-srde": Algorithm("cl-srde", "CL-SRDE", CLSRDEConfig, start, step)}
