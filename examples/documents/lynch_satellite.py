"""Lynch, appendix A, 9.4: input for the eight degree of freedom satellite, line by line, and its simulation."""

import math

import symbody as sb


def MATRIX(*rows):  # noqa: N802
    """A matrix by its rows; a column as a list."""
    return [r[0] for r in rows] if all(len(r) == 1 for r in rows) else [list(r) for r in rows]


START, STOP = True, False
PQI, PQJ, RQI, RQJ, DL, SL, JIP = {}, {}, {}, {}, {}, {}, {}
m = sb.Model("satellite")
DL22, DL33, SL21, SL31 = m.parameters("DL22 DL33 SL21 SL31", 0.1, 0.1, 0.1, -0.1)
I1X, I1Y, I1Z = m.parameters("I1X I1Y I1Z", 0.25, 0.125, 0.25)
I2X, I2Y, I2Z = m.parameters("I2X I2Y I2Z", 0.04, 0.02, 0.04)
I3X, I3Y, I3Z = m.parameters("I3X I3Y I3Z", 0.04, 0.02, 0.04)
m.parameters("m1 m2 m3", 20.0, 10.0, 10.0)

# symbolic input
NBOD = 3
NGC = 9
PIE = MATRIX([1, 0, 0], [1, 1, 0], [1, 0, 1])
REF = MATRIX([1, 0, 0], [-1, 1, 0], [-1, 0, 1])
DM = MATRIX([0.2, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
RSDA = MATRIX([0, 1, 1], [1, 0, 0], [1, 0, 0])
GOTSDA = STOP
GRAVITY = MATRIX(["y", 0])
PQI[2, 1] = MATRIX([0], [0], [1])
PQJ[2, 1] = MATRIX([0], [0], [1])
RQI[2, 1] = MATRIX([1], [0], [0])
RQJ[2, 1] = MATRIX([1], [0], [0])
PQI[3, 1] = MATRIX([0], [0], [1])
PQJ[3, 1] = MATRIX([0], [0], [1])
RQI[3, 1] = MATRIX([1], [0], [0])
RQJ[3, 1] = MATRIX([1], [0], [0])
DL[1, 1] = MATRIX([0], [0], [0])
DL[2, 2] = MATRIX([0], [DL22], [0])
DL[3, 3] = MATRIX([0], [DL33], [0])
SL[2, 1] = MATRIX([SL21], [0], [0])
SL[3, 1] = MATRIX([SL31], [0], [0])
IBB = MATRIX([1, 0])
JIP[1] = MATRIX([I1X, 0, 0], [0, I1Y, 0], [0, 0, I1Z])
JIP[2] = MATRIX([I2X, 0, 0], [0, I2Y, 0], [0, 0, I2Z])
JIP[3] = MATRIX([I3X, 0, 0], [0, I3Y, 0], [0, 0, I3Z])

given = sb.bodies.LynchInput(
    bodies=NBOD, coordinates=NGC, path=PIE, reference=REF, distance=DM, rsda=RSDA, gravity=GRAVITY[0], base=IBB[0],
    axes={k: (PQI[k], PQJ[k], RQI[k], RQJ[k]) for k in PQI},
    dl={i: DL[i, i] for i, _ in DL}, sl=SL, inertia=JIP,
)  # fmt: skip
m = given.model("satellite", m)
BEGIN = {"q1_e0": 1.0, "q2": -math.pi / 3, "q3": math.pi / 3, "q1_wy": 2.0}

if __name__ == "__main__":
    eq = sb.derive(m, "kane")
    sim = sb.simulate(eq, 10, BEGIN, rtol=1e-9)
    print(f"q3 goes from {math.degrees(sim.min('q3')):.3f} to {math.degrees(sim.max('q3')):.3f} degrees")
