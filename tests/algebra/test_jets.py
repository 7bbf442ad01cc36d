"""Multilinear forms by jets agree with derivatives on the graph, for every operation, in complex directions."""

import pytest

import symbody as sb
from symbody.algebra.calculus.derivatives import directional_derivative
from symbody.algebra.calculus.jets import directional_forms

x, y = sb.symbols("x y", "coordinate")
AT = {x: 0.37, y: 0.81}
EXPRESSIONS = {
    "polynomial": x**3 * y - 2 * x * y**2 + 5,
    "quotient": (x + y**2) / (1 + x * y),
    "powers": (1 + x) ** y + x**-2 + sb.sqrt(x + 2 * y),
    "angles": sb.sin(x * y) * sb.cos(x + y) + sb.tan(y),
    "inverse angles": sb.asin(x * y) + sb.acos(x / 2) + sb.atan(x - y**2) + sb.atan2(x * y, x - 2 * y),
    "hyperbolic": sb.sinh(x) * sb.cosh(y) - sb.tanh(x * y),
    "exponential": sb.exp(x * y) * sb.log(1 + x + y),
    "pieces": sb.where(x < y, x**2 * y, y) + abs(x - y) ** 3 + sb.maximum(x * y**2, -x),
    "solve": sb.solve(sb.matrix([[2 + x, y], [y, 3 - x]]), sb.matrix([[x * y], [1 + y]]))[0],
}
A, B, C = ({x: 0.3 - 0.2j, y: 1.1j}, {x: -0.7, y: 0.4 + 0.1j}, {x: 0.9j, y: -0.6})


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("count", [2, 3])
def test_forms(name, count):
    e, symbols = EXPRESSIONS[name], [{s: sb.symbol(f"{s.name}{k}") for s in (x, y)} for k in range(count)]
    values: dict[sb.Symbol, complex] = {**AT}
    for names, direction in zip(symbols, (A, B, C), strict=False):
        e = directional_derivative(e, names)
        values |= {names[s]: direction[s] for s in (x, y)}
    (found,) = directional_forms([EXPRESSIONS[name]], AT, (A, B, C)[:count])
    assert found == pytest.approx(sb.evaluate(e, {s: complex(v) for s, v in values.items()}), rel=1e-12, abs=1e-13)
