"""Tuning a controller on a simulation in plain Python, with two worker processes.

A motor with a lag and a limited voltage turns an arm, on which a weight pulls, by one radian.
The gains of a PID controller are chosen so that the error fades soonest, with at most 5 % overshoot
and a limited effort. One evaluation simulates three seconds.

    python examples/simulation.py
"""

import time

import de2ls

STEP, STEPS = 5e-4, 6000  # seconds, number
WEIGHT = 0.5  # torque of the weight, Nm
MAX_VOLTAGE, MAX_OVERSHOOT, MAX_EFFORT = 12.0, 0.05, 20.0


def simulate(gains):
    """Return the time-weighted error, and overshoot and effort above their limits."""
    kp, ki, kd = gains
    angle = speed = current = integral = 0.0
    cost = effort = overshoot = 0.0
    for k in range(STEPS):
        error = 1.0 - angle
        integral += error * STEP
        voltage = kp * error + ki * integral - kd * speed
        voltage = min(max(voltage, -MAX_VOLTAGE), MAX_VOLTAGE)
        current += STEP * (voltage - 2.0 * current - 0.05 * speed) / 0.02
        speed += STEP * (1.5 * current - 0.8 * speed - WEIGHT) / 0.06
        angle += STEP * speed
        overshoot = max(overshoot, -error)
        effort += voltage * voltage * STEP
        cost += k * STEP * abs(error) * STEP
    return cost, [overshoot - MAX_OVERSHOOT, effort - MAX_EFFORT], []


def main(workers=2, max_evals=600):
    """Tune the gains and print them."""
    begin = time.perf_counter()
    res = de2ls.minimize(
        simulate,
        bounds=[(0.0, 200.0), (0.0, 400.0), (0.0, 20.0)],
        n_ineq=2,
        workers=workers,
        max_evals=max_evals,
        seed=1,
    )
    seconds = time.perf_counter() - begin
    print(f"cost {res.fun:.6f}, feasible: {res.feasible}, {res.nfev} simulations")
    print(f"  kp = {res.x[0]:.3f}, ki = {res.x[1]:.3f}, kd = {res.x[2]:.3f}")
    print(f"  {seconds:.1f} s with {workers} workers")
    return res


if __name__ == "__main__":
    main()
