"""Lynch, appendix C: input for the constrained four bar mechanism, line by line.

A grounded pair of cranks, a cross, and the coupler; the ball joint between coupler and crank 2 is cut. The input has both
pivots in one point (SL[2, 1] and SL[3, 1] are zero) and leaves out the constraint equations: the span of one metre that
figure 6.1 shows between them stands in those. J4Z is not given either, and is zero here; the half length that the list of
numbers calls DL44 is DL55.
"""

import math

import symbody as sb


def MATRIX(*rows):  # noqa: N802
    """A matrix by its rows; a column as a list."""
    return [r[0] for r in rows] if all(len(r) == 1 for r in rows) else [list(r) for r in rows]


START, STOP = True, False
PQI, PQJ, RQI, RQJ, DL, SL, JIP = {}, {}, {}, {}, {}, {}, {}
m = sb.Model("spatial four bar")
DL22, DL33, DL55, SL43 = m.parameters("DL22 DL33 DL55 SL43", 0.5, 0.5, 0.5, 0.5)
J2Z, J3Z, J4Z = m.parameters("J2Z J3Z J4Z", 0.1, 0.1, 0.0)
J5X, J5Y, J5Z = m.parameters("J5X J5Y J5Z", 0.1, 0.1, 0.1)
m.parameters("m2 m3 m4 m5", 10.0, 10.0, 0.1, 10.0)

# symbolic input
NBOD = 5
NGC = 4
PIE = MATRIX([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 0, 1, 1, 0], [1, 0, 1, 1, 1])
REF = MATRIX([1, 0, 0, 0, 0], [-1, 1, 0, 0, 0], [-1, 0, 1, 0, 0], [0, 0, -1, 1, 0], [0, 0, 0, -1, 1])
DM = MATRIX(
    [0.0, 1.0, 1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],
)
RSDA = MATRIX([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0])
GOTSDA = STOP
GRAVITY = MATRIX(["y", -1])
PQI[2, 1] = MATRIX([0], [0], [1])
PQJ[2, 1] = MATRIX([0], [0], [1])
RQI[2, 1] = MATRIX([1], [0], [0])
RQJ[2, 1] = MATRIX([1], [0], [0])
PQI[3, 1] = MATRIX([0], [0], [1])
PQJ[3, 1] = MATRIX([0], [0], [1])
RQI[3, 1] = MATRIX([1], [0], [0])
RQJ[3, 1] = MATRIX([1], [0], [0])
PQI[4, 3] = MATRIX([0], [0], [1])
PQJ[4, 3] = MATRIX([0], [0], [1])
RQI[4, 3] = MATRIX([1], [0], [0])
RQJ[4, 3] = MATRIX([1], [0], [0])
PQI[5, 4] = MATRIX([0], [0], [1])
PQJ[5, 4] = MATRIX([1], [0], [0])
RQI[5, 4] = MATRIX([1], [0], [0])
RQJ[5, 4] = MATRIX([0], [0], [-1])
DL[1, 1] = MATRIX([0], [0], [0])
DL[2, 2] = MATRIX([0], [-DL22], [0])
DL[3, 3] = MATRIX([0], [-DL33], [0])
DL[4, 4] = MATRIX([0], [0], [0])
DL[5, 5] = MATRIX([0], [-DL55], [0])
SL[2, 1] = MATRIX([0], [0], [0])
SL[3, 1] = MATRIX([0], [0], [0])
SL[4, 3] = MATRIX([0], [-SL43], [0])
SL[5, 4] = MATRIX([0], [0], [0])
IBB = MATRIX([1, 1])
JIP[1] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, 0])
JIP[2] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, J2Z])
JIP[3] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, J3Z])
JIP[4] = MATRIX([0, 0, 0], [0, 0, 0], [0, 0, J4Z])
JIP[5] = MATRIX([J5X, 0, 0], [0, J5Y, 0], [0, 0, J5Z])

given = sb.bodies.LynchInput(
    bodies=NBOD, coordinates=NGC, path=PIE, reference=REF, distance=DM, rsda=RSDA, gravity=GRAVITY[0], base=IBB[0],
    axes={k: (PQI[k], PQJ[k], RQI[k], RQJ[k]) for k in PQI},
    dl={i: DL[i, i] for i, _ in DL}, sl=SL, inertia=JIP,
)  # fmt: skip
m = given.model("spatial four bar", m)

# constraint equations, which are not printed: the end of crank 2, its pivot one metre off, meets that of the coupler
span = m.parameter("span", 1.0)
end_of_crank = m.bodies["body 2"].point(0, -DL22, 0).in_ground
end_of_coupler = m.bodies["body 5"].point(0, -DL55, 0).in_ground
for axis, gap in zip("xyz", (end_of_coupler - end_of_crank).entries, strict=True):
    m.constrain(f"ball {axis}", gap - span if axis == "x" else gap)
HANGING = {"q4": math.pi / 2}

if __name__ == "__main__":
    eq = sb.derive(m, "kane")
    lin = sb.linearize(eq, sb.steady(eq, start=HANGING))
    for method in ("qz", "qr"):
        print(f"ω² by {method}: {-(lin.eigenvalues(method=method)[0] ** 2).real:.6f}")
