"""The generation that CL-SRDE, RDEx, DE-2LS, RDE26 and RDEx-CASK share.

Two populations: the front Q holds the newest successes and supplies the parents, the top P holds
the best points found. Each algorithm is this generation with other constants and few additions.

| symbol | here | meaning |
|---|---|---|
| D, T, n | | dimension, budget, evaluations so far; p = n / T |
| P, A | `top`, `rank[A]` | top population and its eps-order, fixed for a generation |
| Q, B | `front`, `rank[B]` | front and its eps-order, which follows every replacement |
| N, q | `n_pop`, `pointer` | size of P and Q; slot of Q that the next success overwrites |
| s | `sr` | success rate of the last generation |
| mF | `f_mean` | s^(1/3), centre of the base step's F |
| MCR, MF, k | `memory`, `cursor` | success history and the cell to be written next |
| rho | `eb_rate` | probability of the exploitation-biased (EB) step |
| b_i, t_i, m_i | `slot[i].flag, .last, .start` | last operator and trial objective of slot i; its |
| | | objective at the generation's start |
"""
