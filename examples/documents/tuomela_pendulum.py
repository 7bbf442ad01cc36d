"""Tuomela, Arponen and Normi, 6.2.1: the pendulum in space, with all that is printed of it, and the run of table 8."""

import symbody as sb
from examples.documents.tuomela_constraints import joint, rigid_body, state

m = sb.Model("3D pendulum")
m.gravity(0, -9.81, 0)
bar = rigid_body(m, "B1", 38.34, (0.147, 3.175, 3.154))
joint(m, "joint", "spherical", (m.ground, bar), (0, 0, 0), (-0.765, 0, 0))
START = state(B1=((0.765, 0, 0), (1, 0, 0, 0)))
RUN = {"method": "dp5", "rtol": 1e-6, "atol": 1e-6, "max_growth": 3.0, "first_step": 0.25}

if __name__ == "__main__":
    eq = sb.derive(m)
    kept = sb.simulate(eq, 10, START, metric="unit", project_stages=True, invariants=["energy"], **RUN)
    print(kept.statistics)
    print(f"energy, which was zero: at most {abs(kept.energy).max():.1e} J")
