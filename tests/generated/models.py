"""The programs whose generated code is committed."""

from __future__ import annotations

from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.functions import ExternalFunction, cos, sin, where
from symbody.algebra.graph.graph import symbol, symbols
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import matrix, vector
from symbody.emit.lowering.lower import program
from symbody.emit.programs.program import Program


def double_pendulum() -> Program:
    """Mass matrix, bias and energy of two rods in the plane, with named intermediates."""
    t = symbol("t", "time")
    q1, q2 = symbols("q1 q2", "coordinate")
    u1, u2 = symbols("u1 u2", "speed")
    m1, m2, l1, l2, g = symbols("m1 m2 l1 l2 g")
    coupling = m2 * l1 * l2 / 2 * cos(q1 - q2)
    swing = m2 * l1 * l2 / 2 * sin(q1 - q2)
    I1, I2 = (m1 / 3 + m2) * l1**2, m2 * l2**2 / 3
    weight1, weight2 = (m1 / 2 + m2) * g * l1, m2 * g * l2 / 2
    bias = vector(swing * u2**2 + weight1 * sin(q1), -swing * u1**2 + weight2 * sin(q2))
    T = (I1 * u1**2 + I2 * u2**2) / 2 + coupling * u1 * u2
    return program(
        "double_pendulum",
        {"t": t, "q": [q1, q2], "u": [u1, u2], "p": [m1, m2, l1, l2, g]},
        {"M": matrix([[I1, coupling], [coupling, I2]]), "bias": bias, "energy": T},
        labels={
            "coupling": coupling,
            "swing": swing,
            "I1": I1,
            "I2": I2,
            "weight1": weight1,
            "weight2": weight2,
            "T": T,
        },
    )


def constrained() -> Program:
    """Accelerations and multipliers of a constrained system, a function that the user supplies, and a choice."""
    tyre = ExternalFunction(
        "tyre",
        2,
        derivatives=[None, None],
        python=lambda slip, load: load * slip / (1 + abs(slip)),
        c="static double tyre(double slip, double load)\n{\n    return load*slip/(1.0 + fabs(slip));\n}",
    )
    wind = ExternalFunction("wind", 1, python=lambda t: 0.1 * t)
    t = symbol("t", "time")
    x, y = symbols("x y", "coordinate")
    vx, vy = symbols("vx vy", "speed")
    m, k, load = symbols("m k load")
    grip = where((vx > 0) & ~(vy < -1), tyre(vy / vx, load), 0)
    pull = k * fn.maximum(fn.sqrt(x**2 + y**2) - 1, 0)
    kkt = matrix([[m + x**2, x * y, sin(x)], [x * y, m + y**2, cos(x)], [sin(x), cos(x), 0]])
    factors = factorize(kkt, "indefinite")
    motion = factors.solve([grip - pull * x, wind(t) - pull * y, fn.sign(vx) * vx * vy])
    sensitivity = factors.solve([fn.minimum(x, y), 1, 0])
    return program(
        "constrained",
        {"t": t, "q": [x, y], "u": [vx, vy], "p": [m, k, load], "unused": []},
        {"motion": motion, "J": matrix([[0, sensitivity[0], 0], [sensitivity[1], 0, 0]]), "forces": [grip, pull]},
        sparse=["J"],
        labels={"grip": grip, "pull": pull},
    )


def definite_loop() -> Program:
    """A definite system that is large enough to be solved by a loop."""
    a, b = symbols("a b")
    n = 15
    band = matrix([[a / (1 + abs(i - j)) + (n + b if i == j else 0) for j in range(n)] for i in range(n)])
    solution = factorize(band, "definite").solve([b * i for i in range(n)])
    return program("definite_loop", {"a": a, "b": b}, {"solution": solution})


MODELS = (double_pendulum, constrained, definite_loop)
