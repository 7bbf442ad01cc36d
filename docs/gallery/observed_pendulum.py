"""# Kalman filter and LQR for a cart and pendulum

Subjects: control, observers
Reproduces: the poles of the closed loop are those of the regulator and those of the observer (Luenberger 1971; Kalman
and Bucy 1961)

Only the position of the cart and the angle of the pendulum are measured, with noise. A Kalman filter
estimates the state, and a linear-quadratic regulator uses the estimate. The filter adds four equations to
those of the mechanism, and the simulation is fully nonlinear.
"""

# %%
import numpy as np

import symbody as sb


def plant() -> sb.Model:
    m = sb.Model("cart and pole")
    p = m.parameters(M=2.0, m=1.0, l=0.5, g=9.81)
    m.gravity(0, -p.g, 0)
    cart = m.body("cart", mass=p.M, shape=sb.box(0.3, 0.1, 0.2))
    pole = m.body("pole", mass=p.m, shape=sb.bar(2 * p.l, "y", at=(0, p.l, 0)))
    m.prismatic("x", m.ground, cart, axis="x", actuation=m.input("F"))
    m.revolute("a", cart, pole)
    return m


eq = sb.derive(plant())
lin = sb.linearize(eq, sb.steady(eq))
loop = lin.lqr({"x": 4, "a": 10}, 0.1)
loop

# %% [markdown]
# The optimal filter is the optimal regulator of the transposed system: A becomes Aᵀ, and outputs become
# inputs. Weights are the variances of disturbances and of measurements.

# %%
system = lin.state_space()
A, B = np.asarray(system.A), np.asarray(system.B)
C = np.eye(4)[:2]
dual = sb.linear_system(A.T, B=C.T)
L = dual.lqr([0.0, 0.0, 1.0, 10.0], [1e-4, 1e-4]).K.T
filter_poles = np.linalg.eigvals(A - L @ C)
print("gains of the filter\n", L.round(3))
print("poles of the filter   ", np.sort_complex(filter_poles).round(3))

# %% [markdown]
# The estimate e satisfies e' = A e + B F + L (y - C e), and F = -K e. Both become equations of the model:

# %%
m = plant()
x, a = m.symbols["x"], m.symbols["a"]
e = [m.variable(f"e{k + 1}") for k in range(4)]
F = -sum(
    (float(k) * v for k, v in zip(loop.K[0], e, strict=True)), start=sb.fraction(0, 1)
)
noise = [m.input("noise_x"), m.input("noise_a")]
off = [x + noise[0] - e[0], a + noise[1] - e[1]]
for k in range(4):
    model = sum((float(A[k, j]) * e[j] for j in range(4)), start=float(B[k, 0]) * F)
    m.equation(
        f"observer {k + 1}",
        e[k].dot - model - float(L[k, 0]) * off[0] - float(L[k, 1]) * off[1],
    )
closed = sb.closed_loop(sb.derive(m), {"F": F})
poles = sb.linearize(closed, {}).eigenvalues()
expected = np.concatenate([loop.eigenvalues, filter_poles])
assert all(np.abs(poles - s).min() < 1e-6 for s in expected)
print("poles of the loop     ", np.sort_complex(poles).round(3))

# %% [markdown]
# The initial angle is unknown to the filter; the measurement noise is one millimetre and 0.2°:

# %%
t = np.linspace(0, 5, 501)
rng = np.random.default_rng(1)
noises = {
    "noise_x": (t, rng.normal(0, 1e-3, 501), "linear"),
    "noise_a": (t, rng.normal(0, 3e-3, 501), "linear"),
}
sim = sb.simulate(closed, 5, a=0.15, inputs=noises)
assert abs(sim["a"][-1]) < 0.03
sim.plot(["a", "e2"], ["a_dot", "e4"])

# %%
sim.scene()
