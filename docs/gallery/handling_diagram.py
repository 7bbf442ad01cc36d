"""# Handling diagram

Subjects: vehicles, handling, branches
Reproduces: understeer gradient m (b Cr - a Cf) / (L Cf Cr) and the limit of lateral acceleration μ g (Pacejka 2012, 1.3)

A single-track car has tyres that saturate. The understeer gradient is a formula; the diagram is a branch of
steady turns, up to the limit of the tyres; a step of the steering wheel is evaluated according to ISO 7401.
"""

# %%
import numpy as np

import symbody as sb
from symbody.kits import vehicles as vh

eq = sb.derive(vh.single_track())
lin = sb.linearize(eq, sb.steady(eq))
found = vh.understeer(lin, wheelbase=sb.symbol("a") + sb.symbol("b"))
print("K =", found.gradient)
print("r/delta =", found.yaw_gain)
print("V_ch =", found.characteristic_speed)

# %% [markdown]
# The same car on brush tyres. Steer angle over lateral acceleration at 25 m/s: the turn tightens until the
# front axle saturates.

# %%
front, rear = (
    vh.BrushTyre(radius=0.3, cornering=C, along=C, friction=0.9, smooth=1e-4)
    for C in (8e4, 1e5)
)
car = sb.derive(vh.single_track(front, rear))
diagram = vh.handling_diagram(car, (0.0, 8.82), speed=25.0, wheelbase=2.7)
K = 1500 * (1.5 * 1e5 - 1.2 * 8e4) / (2.7 * 8e4 * 1e5)
assert abs(diagram.gradient[0] / K - 1) < 0.02
print(f"gradient {diagram.gradient[0]:.5f} at the beginning, by the formula {K:.5f}")
fold = diagram.branch.special[0]
print(
    f"the branch turns back at {fold.value:.4f} m/s²; friction allows {0.9 * 9.81:.4f} where the front wheel points along the car"
)
assert fold.kind == "fold"
assert 0.98 < fold.value / (0.9 * 9.81) < 1
sb.plot(diagram.branch, "delta")

# %% [markdown]
# For the same diagram with the Magic Formula, use `vh.read_tyre("car.tir")` instead of the brush tyres. A
# step of the steering angle at 80 km/h:

# %%
V = 80 / 3.6
test = vh.step_test(car, 0.03, V=V)
print(test)
assert 0.1 < test["r"].response_time < 0.3
sb.plot(test.sim, ["r"], ["ay"], ["beta"])

# %% [markdown]
# Frequency response of the yaw rate to steering, and poles over speed:

# %%
response = lin.frequency_response("delta", "r", np.geomspace(0.1, 5, 60), V=V)
assert abs(abs(response.values[0]) / (V / (2.7 + K * V**2)) - 1) < 0.02
sb.plot(lin.root_locus(V=(5, 60)))
