"""The constants of CHORUS."""

from dataclasses import dataclass

from de2ls.algorithms.config import Config, parameter


@dataclass(frozen=True, kw_only=True)
class ChorusConfig(Config):
    """Parameters of CHORUS: a switch per arm, then the constants of scheduler and arms."""

    local: bool = parameter(True, "arm of local model searches")
    structure: bool = parameter(True, "arm of separability tests and tables")
    lines: bool = parameter(True, "arm of stars and sweeps along lines")
    relaxed: bool = parameter(True, "arm of CMA-ES on the objective alone")
    evolve: bool = parameter(True, "arm of CMA-ES on the violation, then the Lagrangian")
    trend: bool = parameter(True, "arm of quadratic models of wide boxes")
    rugged: bool = parameter(True, "arm of differential evolution with two populations")
    neighbours: bool = parameter(True, "arm of moves of discrete coordinates")

    stop_when_done: bool = parameter(
        False, "end when restarts agree or nothing has gained for long"
    )
    agree: int = parameter(5, "independent searches that must end at the best value", 2)
    stall: float = parameter(
        3.0, "end after this many times the evaluations up to the last gain; 0: never", 0.0
    )
    stall_least: float = parameter(500.0, "least evaluations without gain, per n + 1", 0.0)
    stall_discrete: float = parameter(1000.0, "the same with discrete coordinates", 0.0)

    quantum_share: float = parameter(0.005, "share of the budget in a turn", 1e-4, 1.0)
    quantum_min: float = parameter(10.0, "least evaluations of a turn, per dimension", 1.0)
    quantum_max: float = parameter(100.0, "most evaluations of a turn, per dimension", 1.0)
    whole_quanta: float = parameter(
        5.0, "quanta of a turn of local under noise and of neighbours", 1.0
    )
    whole_share: float = parameter(0.2, "at least this share of the budget", 0.0, 1.0)
    first_weight: float = parameter(4.0, "weight of the arm with the best credit", 1.0)
    second_weight: float = parameter(2.0, "weight of the second best", 1.0)
    local_weight: float = parameter(
        2.0, "least weight of the local arm while it finds new optima", 1.0
    )
    rugged_weight: float = parameter(
        4.0, "least weight of arms for rugged problems once it does not", 1.0
    )
    barren: float = parameter(
        0.1, "share of the budget without gain after which another arm loses it to rugged", 0.0, 1.0
    )
    barred_weight: float = parameter(
        8.0, "least weight of evolve while local searches have found no feasible point", 1.0
    )
    barred_budget: float = parameter(5000.0, "budget per dimension from which that holds", 0.0)
    patience: int = parameter(2, "local searches without gain before the other arms begin", 0)
    known: int = parameter(
        5, "local searches without gain after which a problem counts as rugged", 1
    )
    searches_least: int = parameter(3, "local searches before the other arms begin", 0)
    stale: float = parameter(1e-3, "share of the best credit below which none counts", 0.0, 1.0)
    dry: int = parameter(5, "turns in a row without gain after which credit does not count", 1)
    first_runs: int = parameter(2, "runs of evolve before the rugged arm begins", 0)
    first_most: float = parameter(
        2000.0, "evaluations of evolve, per dimension, after which it waits no longer", 0.0
    )

    faults: int = parameter(20, "numerical breakdowns after which an arm is dropped", 1)
    idle: int = parameter(50, "turns in a row without a point after which an arm is dropped", 1)
    repeats: int = parameter(200, "batches in a row without a new point before a restart", 1)
    fresh: int = parameter(256, "random points that are tried then", 1)
    understudies: int = parameter(
        3, "most local searches beside that of the arm, where workers are idle", 0
    )

    memory: int = parameter(20_000, "evaluated points that are remembered", 100)
    blind_share: float = parameter(
        0.2, "most random points at the start until one has a value, share of the budget", 0.0, 1.0
    )
    radius: float = parameter(0.1, "first radius of a local search from a new point", 1e-6, 0.5)
    start_radius: float = parameter(0.02, "first radius from another arm's point", 1e-6, 0.5)
    coarse: float = parameter(
        0.3, "difference step of the first search while its steps are long, of the radius", 0.0, 1.0
    )
    coarse_least: float = parameter(0.02, "length below which they are not", 0.0, 0.5)
    local_tol: float = parameter(1e-10, "radius at which a local search ends", 1e-14, 1e-2)
    local_window: float = parameter(15.0, "evaluations per n + 1 in which a search must gain", 1.0)
    local_most: float = parameter(300.0, "most evaluations of a local search, per n + 1", 1.0)
    short_most: float = parameter(
        100.0, "the same on the objective alone, and from an arm's end, per n + 1", 1.0
    )
    relaxed_share: float = parameter(
        0.02, "most on the objective alone, share of the budget, where that is more", 0.0, 1.0
    )
    table_most: float = parameter(
        60.0, "the same on the objective alone from a table's point, per n + 1", 1.0
    )
    face_most: float = parameter(20.0, "the same on a neighbour's face, per n + 1", 1.0)
    local_bad: int = parameter(5, "steps without a predicted decrease that are forgiven", 0)
    hope: float = parameter(10.0, "gains of a step that a race may still hope for", 0.0)
    hopeless: int = parameter(2, "hopeless steps in a row after which a race is given up", 1)
    kappa_min: float = parameter(1.5, "penalty kappa at the start", 0.1)
    kappa_max: float = parameter(1e4, "largest penalty that is raised", 1.0)
    kappa_growth: float = parameter(10.0, "its growth while that lowers the violation", 1.1)
    kappa_decay: float = parameter(0.7, "its decay when no violation is left", 0.1, 1.0)
    cuts: bool = parameter(True, "bundle of cuts where kinks were met")
    kink: float = parameter(
        1e4, "curvature that is one, in units of the objective's deviation across the box", 0.0
    )
    cuts_more: int = parameter(15, "most cuts, beyond the dimension", 1)
    cuts_most: int = parameter(120, "most cuts in all", 2)
    foreseen: float = parameter(
        0.2, "share of the predicted decrease within which a step needs no line search", 0.0, 1.0
    )
    fine: float = parameter(
        0.03, "length of corrections below which they are shortest ways, of the step", 0.0, 1.0
    )
    rough: float = parameter(1e-6, "gain at which a search on the objective alone ends", 0.0)
    rough_budget: float = parameter(1000.0, "budget per dimension up to which that holds", 0.0)
    polish_gain: float = parameter(
        1e-4, "share of the best value below which a polish that settles has gained nothing", 0.0
    )
    kinked_gain: float = parameter(1e-6, "the same where it ends on a kink", 0.0)
    kinked_polishes: int = parameter(4, "more polishes without gain on a kink", 0)
    refine: bool = parameter(True, "augmented Lagrangian where a local search was given up")
    refine_share: float = parameter(0.4, "most evaluations of that, share of the budget", 0.0, 1.0)
    refine_most: float = parameter(2000.0, "most evaluations of that, per dimension", 0.0)
    refine_least: float = parameter(300.0, "evaluations left that it needs, per dimension", 0.0)
    refine_sigma: float = parameter(1e-3, "first step size of that", 1e-8, 1.0)
    trend_points: float = parameter(3.0, "points of a box, per coefficient of a quadratic", 1.1)
    trend_share: float = parameter(0.05, "evaluations of a trend, share of what is left", 0.0, 1.0)
    trend_patience: int = parameter(8, "trends in a row without gain after which that arm ends", 1)
    trend_radius: float = parameter(0.05, "first radius of the search from there", 1e-6, 0.5)
    roots: bool = parameter(True, "square roots of equalities of one sign")
    walls: bool = parameter(True, "planes before regions without values")
    pencils: bool = parameter(True, "bases from pairs of Hessians")

    noise: bool = parameter(True, "probes for noise, and regression where it is found")
    noise_limit: float = parameter(1e-10, "relative noise from which regression is used", 0.0)
    probe_seed: int = parameter(12345, "seed of the probes' directions", 0)
    probe_budget: float = parameter(20.0, "budget per dimension from which is probed", 0.0)
    probe_share: float = parameter(
        0.05, "most evaluations of the first probe, share of the budget", 1e-3, 1.0
    )
    probe_every: int = parameter(
        3, "searches before the first probe under alarm; then twice as many each time", 1
    )
    noisy_share: float = parameter(
        0.5,
        "most evaluations of a search by differences under noise, share of the budget",
        0.0,
        1.0,
    )
    noisy_window: float = parameter(
        8.0, "evaluations per n + 1 in which it must gain more than the noise", 1.0
    )
    noisy_searches: int = parameter(5, "local searches before the other arms begin, under noise", 0)
    noisy_patience: int = parameter(4, "the same in a row without gain", 0)
    smoothed_share: float = parameter(
        1 / 3, "most evaluations of a search by regression, share of the budget", 0.0, 1.0
    )
    smoothed_window: float = parameter(
        4.0, "evaluations per n + 1 in which regression must gain more than the noise", 1.0
    )
    smoothed_tol: float = parameter(1e-8, "radius at which regression ends", 1e-14, 1e-2)
    model_points: float = parameter(
        4.0, "points of a regression model per dimension, 40 besides", 1.0
    )
    model_memory: int = parameter(4000, "latest points that models choose from", 50)

    unrounded_share: float = parameter(
        0.2, "most evaluations of a search that ignores discreteness, share", 0.0, 1.0
    )
    unrounded_radius: float = parameter(0.2, "first radius of that", 1e-6, 0.5)
    unrounded_tol: float = parameter(0.01, "radius at which it ends", 1e-14, 0.5)

    structure_budget: float = parameter(
        150.0, "budget per dimension from which structure is tested", 0.0
    )
    relaxed_budget: float = parameter(
        1000.0, "the same from which tables of the objective alone are made", 0.0
    )
    line_points: int = parameter(40, "points on a line", 4)
    cma_sigma: float = parameter(0.25, "first step size of CMA-ES", 1e-3, 1.0)
    cma_share: float = parameter(
        0.25, "most evaluations of a run of CMA-ES, share of the budget", 0.0, 1.0
    )
    together: float = parameter(
        0.01, "spread below which it goes on with the usual number of points", 0.0, 1.0
    )
    evolve_per_dim: float = parameter(
        4.0, "first number of points per dimension on the augmented Lagrangian", 0.1
    )
    violation_per_dim: float = parameter(8.0, "the same on the violation", 0.1)
    rugged_per_dim: float = parameter(30.0, "population size per dimension", 1.0)
    rugged_share: float = parameter(
        0.7, "horizon of a rugged run, share of what is left", 0.01, 1.0
    )
    rugged_least: float = parameter(
        1500.0, "least horizon of a rugged run, evaluations per dimension", 0.0
    )
    perturb_rate: float = parameter(0.2, "probability that a trial is perturbed", 0.0, 1.0)
    perturb_scale: float = parameter(0.01, "scale of the perturbation, of the box", 0.0)
    optima: int = parameter(20, "distinct local optima that are kept", 1)
