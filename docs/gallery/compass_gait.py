"""# Compass gait (passive walking)

Subjects: walkers, impacts, orbits
Reproduces: the compass gait of Goswami, Thuilot and Espiau (1998), stable at 3°, limping beyond 4.4°

A compass with a heavy hip walks down a slope without actuation. At each step the impact of a foot dissipates
the energy that the slope supplies; the multipliers of the gait are the rates at which a disturbance decays.
"""

# %%
import numpy as np

import symbody as sb


def legs(floats: bool):
    """In axes along the slope, with the stance foot pinned or free: equations, and the place of the swing foot."""
    m = sb.Model("compass gait")
    slope = m.parameter("slope", np.radians(3))
    m.gravity(9.81 * sb.sin(slope), -9.81 * sb.cos(slope), 0)
    foot = (
        m.ground.point(*m.coordinates("x y"), 0) if floats else m.ground.point(0, 0, 0)
    )
    stance, swing = (m.ground.rotate("z", q) for q in m.coordinates("stance swing"))
    hip = foot + stance.vector(0, 1, 0)
    m.particle("stance leg", foot + stance.vector(0, 0.5, 0), mass=5.0)
    m.particle("hip", hip, mass=10.0)
    m.particle("swing leg", hip + swing.vector(0, -0.5, 0), mass=5.0)
    x, y, _ = (hip + swing.vector(0, -1, 0)).position().components(m.ground)
    return sb.derive(m), x, y


walker, _, height = legs(floats=False)

# %%
# The landing foot stays, and the other one leaves: M (u⁺ - u⁻) = Jᵀ p with J u⁺ = 0, for the unconstrained
# mechanism. Then the legs exchange roles.
free, x, y = legs(floats=True)
J = sb.jacobian(sb.matrix([[x], [y]]), free.q)
before = free.M @ sb.matrix([[0], [0], [free.u[2]], [free.u[3]]])
rows = [[*free.M.row(i), -J[0, i], -J[1, i]] for i in range(4)] + [
    [*J.row(k), 0, 0] for k in range(2)
]
after = sb.solve(sb.matrix(rows), sb.matrix([[e] for e in (*before.entries, 0, 0)]))
speeds = [sb.substitute(after[k, 0], {free.q[0]: 0, free.q[1]: 0}) for k in (2, 3)]
stance, swing = walker.q
changed = {
    "stance": swing,
    "swing": stance,
    "stance_dot": speeds[1],
    "swing_dot": speeds[0],
}
strike = sb.Event(
    "strike", height, "falling", reset=changed, where=swing - stance > 0.1
)

# %%
start = {"stance": 0.27, "swing": -0.27, "stance_dot": -1.1, "swing_dot": -0.38}
gait = sb.orbit(walker, start, period=0.734, events=[strike])
print(gait)
assert gait.is_stable
assert abs(gait.period - 0.7343463912) < 1e-9
assert abs(gait.multipliers[0] - (-0.19972612683 + 0.544476062095j)) < 1e-8
sb.plot(gait, "stance_dot", over="stance")

# %%
# On a steeper slope a multiplier passes -1: every other step is longer.
steep = sb.orbit(walker, gait, slope=np.radians(4.3), events=[strike])
family = sb.orbits(
    walker, steep, slope=(np.radians(4.3), np.radians(4.45)), max_step=0.5
)
limps = family.special[0]
print(limps, f"{np.degrees(limps.value):.4f}°")
assert limps.kind == "period doubling"
assert abs(np.degrees(limps.value) - 4.3909) < 1e-4

# %%
sb.scene(gait)
