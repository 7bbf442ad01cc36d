"""Machines with flexible links beside another theory: paths that Exudyn 1.13.6 computes with 16 ANCF elements for each
link (absolute coordinates, geometrically exact; the steps of `bench/elastic_peers.py` at 2e-4 s, which changed these by
at most 1e-5 from 8 elements)."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from bench import flexible_machines as machines
from bench.flexible_machines import Modes
from tests.amount import dear

LOAD = np.array(  # of the manipulator, every 0.2 s
    [
        [1.8, 0.0], [1.797557, -0.0293167], [1.7616412, -0.1150807], [1.6260151, -0.22777], [1.3535068, -0.3033805],
        [0.9629821, -0.2835938], [0.5050246, -0.1206383], [0.062615, 0.2205803], [-0.2735704, 0.7184491],
        [-0.445862, 1.2953818], [-0.3291187, 1.7593923],
    ]
)  # fmt: skip
COUPLER = np.array(  # the middle of the four-bar's coupler, every 0.1 s
    [
        [0.229582, 0.298955], [0.2262049, 0.2981541], [0.2149078, 0.2957026], [0.1907831, 0.2896383],
        [0.1452225, 0.2741573], [0.0686703, 0.2281024],
    ]
)  # fmt: skip


def path(made, times):
    eq, place, start = made
    sim = sb.simulate(eq, times, start, rtol=1e-8)
    return sim, np.stack([sim[e] for e in place.in_ground.entries[:2]], axis=1)


@pytest.mark.parametrize(
    ("modes", "off"), [(Modes((3, 3), (1, 1)), 5e-5), pytest.param(Modes((6, 6), (2, 2), 3), 5e-6, marks=dear)]
)
def test_manipulator(modes, off):
    """The load comes 2.2 m far, the upper arm bends by 30 mm: 0.05 mm apart, with more modes and bending strain to third
    order 0.005 mm. Links that keep their length: 0.5 mm."""
    sim, found = path(machines.manipulator(modes), machines.WORKS)
    assert np.abs(sim["bend"]).max() > 0.03
    assert np.abs(found - LOAD).max() < off


@pytest.mark.parametrize(
    ("modes", "off"),
    [
        (Modes((1, 3, 1), (1, 1, 1), 3, "sines", 0), 2.5e-5),
        pytest.param(Modes((1, 5, 3), (1, 2, 2), 3, "sines"), 1e-5, marks=dear),
        pytest.param(Modes((3, 3, 3), (1, 1, 1)), 5e-5, marks=dear),
        pytest.param(Modes((3, 7, 7), (2, 2, 2), 3), 1e-5, marks=dear),
    ],
)
def test_four_bar(modes, off):
    """The coupler sags by 6 mm: 0.04 mm apart over the half second in which it falls, with more modes and bending strain
    to third order 0.008 mm; sines need fewer of them."""
    sim, found = path(machines.four_bar(modes), machines.FALLS[:6])
    assert np.abs(sim["sag"]).max() > 5e-3
    assert np.abs(found - COUPLER).max() < off


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(("made", "links"), [(machines.four_bar, 3), (machines.manipulator, 2)])
def test_all_routes_agree(made, links, order):
    assert sb.certify(made(Modes((1,) * links, (0,) * links, order))[0]).passed
