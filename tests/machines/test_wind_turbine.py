"""The NREL 5-MW turbine beside the natural frequencies of its report (NREL/TP-500-38060, table 9-1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import machines as mc
from symbody.kits.machines.models.turbine_data import PUBLISHED

from ..published.numbers import published


def test_frequencies_of_the_report():
    """Within 6 % of FAST's, of which most are closer than 2 %; FAST and ADAMS differ by 15 % themselves."""
    rotor = mc.multiblade(sb.linearize(sb.derive(mc.wind_turbine()), {}), mc.turbine_blades())
    found = mc.campbell(rotor, (0, 12.1), orders=(1, 3), points=12)
    known = np.array(published("nrel_5mw_table_9_1"))
    assert sorted(fast for fast, _ in PUBLISHED.values()) == known.tolist()
    at_rest = np.sort(found.frequencies[0])[: len(known)]
    assert at_rest == pytest.approx(known, rel=0.07)
    assert np.median(np.abs(at_rest / known - 1)) < 0.02
    first = next(k for k, name in enumerate(found.names) if name == "flap forward")
    last = next(k for k, name in enumerate(found.names) if name == "flap backward")
    split = found.frequencies[-1, first] - found.frequencies[-1, last]
    assert split == pytest.approx(2 * 12.1 / 60, rel=0.05)  # cyclic modes part by twice the speed
    tower = [c for c in found.crossings if c.order == 3 and c.mode.startswith("tower")]
    assert [c.rpm for c in tower] == pytest.approx([20 * 0.319, 20 * 0.321], rel=1e-2)


def test_bad_data_are_named():
    mistakes: tuple[dict[str, Any], ...] = ({"hub_mass": -1.0}, {"hub_mas": 1.0}, {"tilt": float("nan")})
    for wrong in mistakes:
        with pytest.raises(sb.ModelError, match=next(iter(wrong))):
            mc.wind_turbine(**wrong)
