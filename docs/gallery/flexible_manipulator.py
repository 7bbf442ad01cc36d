"""# Flexible manipulator

Subjects: elastic, robots
Reproduces: the path of its load computed with another beam theory (absolute nodal coordinates), to 0.05 mm of 2.2 m

Two slender links with motors at the shoulder and the elbow carry a load at the end. The links bend by 3 cm.
"""

# %%
import numpy as np

import symbody as sb

m = sb.Model("flexible manipulator")
link = {"rho_A": 0.6, "EI": 20.0, "EA": 1e5, "modes": {"y": 3, "x": 1}}
hub = m.body("hub", mass=1.0, inertia=(0.05, 0.05, 0.05))
m.revolute("shoulder", m.ground, hub, axis="z")
upper = m.beam("upper", hub.frame, length=1.0, **link)
motor = m.body("motor", upper.at(1.0), mass=1.0, inertia=(0.02, 0.02, 0.02))
rotor = m.body("rotor", mass=0.5, inertia=(0.01, 0.01, 0.01))
m.revolute("elbow", upper.at(1.0), rotor, axis="z")
fore = m.beam("fore", rotor.frame, length=0.8, **link)
m.particle("load", fore.at(0.8).origin, mass=0.3)
m.torque("drive", hub, m.ground.vector(0, 0, 1.5))
m.torque("lift", rotor, m.ground.vector(0, 0, -0.5))
m.torque("reaction", motor, m.ground.vector(0, 0, 0.5))
for k, axis in enumerate("xy"):
    m.output(f"load_{axis}", fore.at(0.8).origin.in_ground[k])
m.output("bend", upper.displacement(1.0)[1])
eq = sb.derive(m)

# %%
sim = sb.simulate(eq, np.linspace(0, 2, 201), rtol=1e-8)
there = {
    0.4: (1.7616412, -0.1150807),
    1.0: (0.9629821, -0.2835938),
    2.0: (-0.3291187, 1.7593923),
}
for t, place in there.items():
    k = int(np.abs(sim.t - t).argmin())
    assert np.hypot(sim["load_x"][k] - place[0], sim["load_y"][k] - place[1]) < 5e-5
sim.plot("bend")

# %%
sim.scene()
