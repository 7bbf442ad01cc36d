"""Units of FMUs: what a text means in base units."""

from __future__ import annotations

from math import pi

import pytest

from symbody.write.mockup.units import BASES, parsed, per_second


@pytest.mark.parametrize(
    ("text", "factor", "exponents"),
    [
        ("kg", 1, {"kg": 1}), ("N m", 1, {"kg": 1, "m": 2, "s": -2}), ("N*m/rad", 1, {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N/mm", 1e3, {"kg": 1, "s": -2}), ("kg m^2", 1, {"kg": 1, "m": 2}), ("kg·m²", 1, {"kg": 1, "m": 2}), ("rad/s^2", 1, {"rad": 1, "s": -2}),
        ("deg", pi / 180, {"rad": 1}), ("km/h", 1 / 3.6, {"m": 1, "s": -1}), ("1/s", 1, {"s": -1}), ("N/(m s)", 1, {"kg": 1, "s": -3}),
        ("m**3", 1, {"m": 3}), ("mm^2", 1e-6, {"m": 2}), ("m s^-1", 1, {"m": 1, "s": -1}), ("N/m/s", 1, {"kg": 1, "s": -3}),
    ],
)  # fmt: skip
def test_units(text: str, factor: float, exponents: dict[str, int]) -> None:
    found = parsed(text)
    assert found is not None
    assert found.factor == pytest.approx(factor)
    assert {b: e for b, e in zip(BASES, found.exponents, strict=True) if e} == exponents


@pytest.mark.parametrize("text", ["", "furlong", 'kg"*/', "m/", "N/(m s", "mkg", "m^x", "2 m"])
def test_texts_that_are_no_units(text: str) -> None:
    assert parsed(text) is None


def test_rates() -> None:
    assert [per_second(u) for u in ("", "rad", "rad/s", "rad/s^2", "m")] == ["", "rad/s", "rad/s^2", "rad/s^3", "m/s"]
