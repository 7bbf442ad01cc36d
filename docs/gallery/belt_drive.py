"""# Belt drive

Subjects: machines, friction
Reproduces: slip at T₁/T₂ = exp(μ φ) (Euler 1762; Eytelwein 1808)
Card: figure 1

A motor drives a blower by a flat belt. While the torque stays below Euler's limit, the belt stretches and hardly creeps. A
load beyond the limit makes it slip: the blower stops and the belt burns away the difference of the powers.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import machines as mc

r1, r2, mu, T0, wrap = 0.05, 0.125, 0.35, 200.0, np.deg2rad(165)
m = sb.Model("belt drive")
load = m.parameter("load", 12.0)
for name, J, at in (("motor", 0.01, 0.0), ("blower", 0.1, 0.4)):
    body = m.body(name, mass=1.0, inertia=(J, J, J))
    m.revolute(name, m.ground, body, at=m.ground.point(at, 0, 0))
motor, blower = m.symbols["motor"], m.symbols["blower"]
belt = mc.belt(
    m,
    "belt",
    "motor",
    "blower",
    radii=(r1, r2),
    stiffness=2e5,
    pretension=T0,
    friction=mu,
    wrap=wrap,
    damping=100.0,
)
speed = 150.0
m.generalized_force("drive", motor, 2.0 * (speed - motor.dot))
m.generalized_force(
    "air", blower, -load * blower.dot * sb.sqrt(blower.dot**2) / 60.0**2
)
eq = sb.derive(m)

# %% [markdown]
# The load grows from run to run. The ratio of the tensions rises with it and stays at Euler's limit.

# %%
limit = np.exp(mu * wrap)
t = np.linspace(0, 5, 501)
start = {"motor_dot": speed, "blower_dot": speed * r1 / r2}
print("load [N m]   T1/T2   sliding [m/s]   speed of the blower [rad/s]")
loads, ratios = (6.0, 12.0, 18.0, 24.0, 40.0, 80.0), []
for torque in loads:
    sim = sb.simulate(eq, t, start, load=torque)
    ratios.append(sim["belt_tight"][-1] / sim["belt_slack"][-1])
    slip = sim["belt_slip"][-1]
    print(
        f"{torque:8.0f} {ratios[-1]:10.3f} {slip:12.3f} {sim['blower_dot'][-1]:18.1f}"
    )
assert np.all(np.diff(ratios) > -1e-6)
assert abs(ratios[-1] / limit - 1) < 1e-3
assert ratios[0] < 0.8 * limit
print(f"Euler's limit {limit:.3f}")
sb.plot(sim, ["motor_dot", "blower_dot"], ["belt_slip"], ["belt_tight", "belt_slack"])

# %% [markdown]
# The belt transmits at most 2 T₀ tanh(μ φ/2). What the motor gives beyond the power of the blower becomes heat.

# %%
force = 2 * T0 * np.tanh(mu * wrap / 2)
given, taken = force * r1 * sim["motor_dot"][-1], force * r2 * sim["blower_dot"][-1]
print(
    f"motor {given:.0f} W, blower {taken:.0f} W, belt {force * sim['belt_slip'][-1]:.0f} W"
)
assert abs(given - taken - force * sim["belt_slip"][-1]) < 0.01 * given

# %%
sim.scene(
    shapes={"motor": sb.cylinder(r1, 0.04, "z"), "blower": sb.cylinder(r2, 0.04, "z")}
)
