"""Natural frequencies as formulas agree with eigenvalues, and are those of the books."""

from typing import Any

import numpy as np
import pytest

import symbody as sb


def chain(n, masses=None, springs=None, *, has_walls=True, damping=0):
    """Masses in a row on springs; letters are parameters."""
    m = sb.Model("chain")
    xs = m.coordinates(" ".join(f"x{i + 1}" for i in range(n)))
    values = {name: 1.0 + 0.3 * i for i, name in enumerate(dict.fromkeys([*(masses or "m"), *(springs or "k")]))}
    known = {name: m.parameter(name, value) for name, value in values.items()}
    places: list[Any] = [0, *xs, 0]
    for i, x in enumerate(xs):
        m.particle(f"p{i}", m.ground.point(x, 0, 0), mass=known[(masses or "m" * n)[i]])
    stretched = range(n + 1) if has_walls else range(1, n)
    m.potential(
        "springs", sum(known[(springs or "k" * (n + 1))[i]] * (places[i + 1] - places[i]) ** 2 / 2 for i in stretched)
    )
    if damping:
        m.generalized_force("damper", xs[0], -damping * xs[0].dot)
    return sb.linearize(sb.derive(m), {})


@pytest.mark.parametrize(
    ("arguments", "formula"),
    [
        ({"n": 2}, "vector(k/m, 3*k/m)"),
        ({"n": 3}, "vector(k*(2 - sqrt(2))/m, k*(sqrt(2) + 2)/m, 2*k/m)"),
        ({"n": 3, "has_walls": False}, "vector(0, 3*k/m, k/m)"),
        ({"n": 3, "masses": "MmM"}, ""),
        ({"n": 2, "masses": "ab", "springs": "cde"}, ""),
        ({"n": 3, "masses": "abc"}, ""),
        ({"n": 5}, ""),
    ],
)
def test_formulas_are_the_eigenvalues(arguments, formula):
    lin = chain(**arguments)
    found = sb.stability.frequency_formulas(lin)
    assert not formula or str(found) == formula
    values = {s: float(lin.defaults[s]) for s in lin.parameters}
    assert np.allclose(
        sorted(sb.evaluate(list(found.entries), values)), sorted(lin.eigenvalues().imag ** 2)[::2], atol=1e-9
    )


def test_what_has_no_formula_is_refused():
    with pytest.raises(sb.errors.StabilityError, match="damping"):
        sb.stability.frequency_formulas(chain(2, damping=0.1))
    with pytest.raises(sb.errors.StabilityError, match="4 coordinates are coupled"):
        sb.stability.frequency_formulas(chain(4, masses="abcd"))
