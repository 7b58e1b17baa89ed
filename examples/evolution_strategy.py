"""A (mu + lambda) evolution strategy with self-adapted step sizes, as a generator of batches.

de2ls run --algorithms examples/evolution_strategy.py,de2ls --problems 1-4 --dim 10 --instance 1
"""

import numpy as np

import de2ls


@de2ls.algorithm("es")
def es(space, rng, budget, config):  # noqa: ARG001 -- it uses neither budget nor parameters
    """Mutate, rank by the rule that decides "best" everywhere, keep the best parents."""
    mu, lam, width = 15, 100, space.upper - space.lower
    x = space.sample(rng, mu)
    y = yield x
    f, v, sigma = y.f, y.v, np.full(mu, 0.2)
    while True:
        parents = rng.integers(mu, size=lam)
        steps = sigma[parents] * np.exp(rng.standard_normal(lam) / np.sqrt(2 * space.dim))
        moves = steps[:, None] * width * rng.standard_normal((lam, space.dim))
        children = space.clip(x[parents] + moves)
        y = yield children
        f, v = np.append(f, y.f), np.append(v, y.v)
        best = space.order(f, v)[:mu]
        x, sigma = np.vstack([x, children])[best], np.append(sigma, steps)[best]
        f, v = f[best], v[best]


def main():
    """Minimise a distance outside of a half-plane."""
    result = de2ls.minimize(
        lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2,
        bounds=[(0, 4), (0, 4)],
        constraints={"type": "ineq", "fun": lambda x: 2 - x[0] - x[1]},
        algorithm=es,
        max_evals=4000,
        seed=1,
    )
    print(f"x = {result.x.round(2).tolist()}, f = {result.fun:.3f}, feasible: {result.feasible}")
    return result


if __name__ == "__main__":
    main()
