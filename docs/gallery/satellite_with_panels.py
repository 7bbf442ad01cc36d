"""# Satellite with flexible panels

Subjects: elastic, control, symbolic
Reproduces: zeros of the transfer function at the frequencies of a cantilever, (3.516, 22.034) √(EI / μL⁴)

A reaction wheel turns a satellite with two flexible panels. The transfer function from its torque to the
angle of the hub is an expression in length, stiffness and mass; its zeros are the frequencies of the panels
on a fixed hub, its poles those of the free satellite.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("satellite with panels")
L, EI, mu, J, r = m.parameters(L=2.0, EI=40.0, mu=0.8, J=5.0, r=0.5)
torque = m.input("torque")
hub = m.body("hub", mass=100.0, inertia=(J, J, J))
m.revolute("theta", m.ground, hub, axis="z")
for name, turn in (("right", 0), ("left", sb.pi)):
    root = hub.frame.rotate("z", turn).translate(r, 0, 0)
    m.beam(name, root, length=L, EI=EI, rho_A=mu, modes=3, stiffening=False)
m.torque("wheel", hub, m.ground.vector(0, 0, torque))
m.output("angle", m.symbols["theta"])
eq = sb.derive(m)

# %%
s = sb.symbol("s")
still = dict.fromkeys((*eq.q, *eq.u), 0) | {torque: 0}
M, K, b = (
    sb.substitute(A, still)
    for A in (eq.M, -sb.jacobian(eq.f, eq.q), sb.jacobian(eq.f, eq.r))
)
transfer = sb.solve(M * s**2 + K, b.column(0))[eq.q.index(m.symbols["theta"])]
numbers = {p.name: float(v) for p, v in eq.mechanism.values.items()}

# %%
lin = sb.linearize(eq, {})
zeros = np.unique(np.abs(lin.zeros("torque", "angle").imag).round(4))
poles = np.unique(np.abs(lin.eigenvalues().imag).round(4))
cantilever = np.array([3.516015, 22.034492]) * np.sqrt(40.0 / (0.8 * 2.0**4))
assert np.abs(zeros[zeros > 1e-3][:2] / cantilever - 1).max() < 1e-2
beside = poles[[p > 1e-3 and np.abs(p - zeros).min() > 1e-3 for p in poles]]
for w in beside:
    low, high = (
        abs(complex(sb.evaluate([transfer], {**numbers, "s": 1j * x})[0]))
        for x in (1.1 * w, w * (1 + 1e-6))
    )
    assert high > 100 * low
print("zeros", zeros, " poles of the whole", beside)
sb.plot(lin.frequency_response("torque", "angle"))

# %%
(first, *_) = [x for x in lin.modes() if abs(abs(x.eigenvalue.imag) - beside[0]) < 1e-3]
sb.scene(eq, mode=first, shapes={"hub": sb.box(1.0, 1.0, 1.0)})
