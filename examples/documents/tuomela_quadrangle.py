"""Tuomela, Arponen and Normi, 6.2.2: the planar quadrangle by tables 2 to 4, and the run of table 9."""

import math

import symbody as sb
from examples.documents.tuomela_constraints import e1, e2, e3, joint, rigid_body, state

m = sb.Model("planar quadrangle")
m.gravity(0, -9.81, 0)

# table 2
B1 = rigid_body(m, "B1", 78.10, (0.08, 26.05, 26.1))
B2 = rigid_body(m, "B2", 156.20, (0.16, 208.3, 208.4))
B3 = rigid_body(m, "B3", 156.20, (0.16, 208.3, 208.4))
m.torque("tau", B1, B1.vector(0, 0, m.parameter("tau", -1200)))

# table 3
PRINTED = state(
    B1=((0.500, 0.866, 0), (0.866, 0, 0, 0.500)),
    B2=((2.824, 2.553, 0), (0.978, 0, 0, 0.210)),
    B3=((3.574, 1.687, 0), (0.877, 0, 0, 0.481)),
)

# table 4
joint(m, "joint 1", "revolute", (m.ground, B1), (0, 0, 0), (-1, 0, 0), e2, e1, e3)
joint(m, "joint 2", "spherical", (B1, B2), (1, 0, 0), (-2, 0, 0))
joint(m, "joint 3", "cylindrical", (B2, B3), (2, 0, 0), (2, 0, 0), e1, e2, e3)
joint(m, "joint 4", "revolute", (B3, m.ground), (-2, 0, 0), (2.5, 0, 0), e1, e2, e3)
RUN = {"method": "dp5", "rtol": 1e-8, "atol": 1e-8, "max_growth": 3.0, "first_step": 0.25}


def start(eq):
    """B1 at 60°. Table 3 has three digits, with which joints are open by up to 2.5 mm; they are closed here."""
    angle = math.radians(60)
    theta = {"B1_e0": math.cos(angle / 2), "B1_e1": 0.0, "B1_e2": 0.0, "B1_e3": math.sin(angle / 2)}
    return sb.assemble(eq, theta, start=PRINTED)


if __name__ == "__main__":
    eq = sb.derive(m)
    kept = sb.simulate(eq, 10, start(eq), metric="unit", project_stages=True, invariants=["energy"], **RUN)
    print(kept.statistics)
    print(f"B1 turns at {kept.final['B1_wz']:.5f} rad/s")
