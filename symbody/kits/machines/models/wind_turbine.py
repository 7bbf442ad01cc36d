"""A wind turbine with an elastic tower, three elastic blades and a drive train, as in aeroelastic codes.

A blade bends by shapes φ(r) about its principal axes, which are twisted by θ(r): its displacement is ∬ φ'' (cos θ, sin θ)
out of and in the plane of the rotor. The centrifugal tension N(r) = W² ∫ μ (R + r) dr stiffens it by ∫ N u' u' dr.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered
from ....errors import ModelError, finite_number, unknown
from . import turbine_data as data

Numbers = NDArray[np.float64]
POINTS: Final = 2000  # along a blade, for its integrals
DEGREE: Final = 4  # of the polynomials of a tower's mass and stiffness


@answered
def wind_turbine(*, blades: int = 3, **parameters: float) -> sb.Model:
    """The NREL 5-MW reference turbine on land: tower with two modes each way, drive train, blades with two flapwise modes
    and an edgewise one each; the generator turns at the speed W. Without gravity and wind.

    blades       how many
    parameters   other numbers than those of the report: nacelle_mass, nacelle_back, nacelle_up, nacelle_yaw, hub_mass,
                 hub_inertia, hub_radius, overhang, shaft_up, tilt, precone, shaft_stiffness, shaft_damping, W, psi

    Coordinates: tower_y1, tower_y2 (side to side), tower_z1, tower_z2 (fore-aft), twist of the shaft, flap1, bend1,
    edge1, ... of the blades. `multiblade(lin, turbine_blades(3))` has constant coefficients.

    Source: Jonkman et al., Definition of a 5-MW reference wind turbine for offshore system development,
    NREL/TP-500-38060, 2009.

    >>> m = sb.kits.machines.wind_turbine()
    >>> len(m.freeze().q)
    14

    See also: `kits.machines.multiblade`, `kits.machines.campbell`.
    """
    if not isinstance(blades, int) or blades < 2:
        raise ModelError(f"wind turbine: blades must be a whole number of two or more, got {blades!r}")
    known = {**data.TURBINE, "W": 0.0, "psi": 0.0}
    for name, value in parameters.items():
        if name not in known:
            raise unknown("wind turbine", "parameter", name, known, ModelError)
        if finite_number(value, f"wind turbine: {name}", ModelError) < 0 and name not in ("precone", "psi"):
            raise ModelError(f"wind turbine: {name} must not be negative, got {value:g}")
    given = {**known, **parameters}
    m = sb.Model("wind turbine")
    W, psi = m.parameter("W", given["W"]), m.parameter("psi", given["psi"])
    top = _tower(m)
    nacelle = top.rotate("y", sb.pi / 2)  # x downwind, z up
    yaw = given["nacelle_yaw"] - given["nacelle_mass"] * given["nacelle_back"] ** 2
    m.body(
        "nacelle", nacelle, mass=given["nacelle_mass"], com=(given["nacelle_back"], 0, given["nacelle_up"]), inertia=(0, 0, yaw)
    )  # fmt: skip
    out, tilt = given["overhang"], given["tilt"]
    shaft = nacelle.translate(-out * np.cos(tilt), 0, given["shaft_up"] + out * np.sin(tilt)).rotate("y", tilt)
    twist = m.coordinate("twist")
    k, c = given["shaft_stiffness"], given["shaft_damping"]
    m.generalized_force("shaft", twist, -k * twist - c * twist.dot)
    hub = shaft.rotate("x", psi + W * m.time + twist)
    m.body("hub", hub, mass=given["hub_mass"], inertia=(given["hub_inertia"], 0, 0))
    section = _blade(given["hub_radius"])
    for n in range(blades):
        arm = hub.rotate("x", 2 * sb.pi * n / blades).rotate("y", given["precone"]).translate(0, 0, given["hub_radius"])
        names = [f"{shape}{n + 1}" for shape in data.BLADE_SHAPES]
        m.elastic(
            f"blade {n + 1}", arm, moments=section["moments"], stiffness=section["stiffness"].tolist(), modal_damping=0.00477465, coordinates=names
        )  # fmt: skip
        q = [m.symbols[name] for name in names]
        stiffer = sum(
            (float(section["tension"][i, j]) * q[i] * q[j] for i in range(3) for j in range(3)), start=sb.fraction(0, 1) + 0
        )  # fmt: skip
        m.potential(f"centrifugal {n + 1}", W**2 * stiffer / 2)
    return m


@answered
def turbine_blades(blades: int = 3) -> list[list[str]]:
    """Names of the blade coordinates of `wind_turbine` by kind, for `multiblade`.

    >>> sb.kits.machines.turbine_blades(3)[0]
    ['flap1', 'flap2', 'flap3']

    See also: `kits.machines.wind_turbine`.
    """
    return [[f"{shape}{n + 1}" for n in range(blades)] for shape in data.BLADE_SHAPES]


def _tower(m: sb.Model) -> sb.Frame:
    """The frame at the top of an elastic tower, x along the tower."""
    part, mass, stiffness = np.array(data.TOWER).T
    x = sb.bodies.material("x")
    polynomials = []
    for values in (mass, stiffness):
        fit = np.polynomial.polynomial.polyfit(part, values, DEGREE)
        polynomials.append(sum((float(c) * (x / data.TOWER_HEIGHT) ** k for k, c in enumerate(fit)), start=sb.fraction(0, 1) + 0))  # fmt: skip
    tower = m.beam(
        "tower", m.ground.rotate("y", -sb.pi / 2), length=data.TOWER_HEIGHT, rho_A=polynomials[0], EI=polynomials[1], bending="yz", modes=2,
        stiffening=False,
    )  # fmt: skip
    return tower.at(data.TOWER_HEIGHT)


def _blade(root: float) -> Mapping[str, Any]:
    """Moments, stiffness, and the stiffness of the centrifugal tension at a speed of one, of one blade along z."""
    part, twist, mass, flap, edge = np.array(data.BLADE).T
    s = (np.arange(POINTS) + 0.5) / POINTS
    L, dr = data.BLADE_LENGTH, data.BLADE_LENGTH / POINTS
    r, theta = L * s, np.deg2rad(np.interp(s, part, twist))
    mu = np.interp(s, part, mass)
    mu *= data.BLADE_MASS / (mu.sum() * dr)
    bending = {"flap": np.interp(s, part, flap), "bend": np.interp(s, part, flap), "edge": np.interp(s, part, edge)}
    curvature, slopes, places = [], [], []
    for shape, coefficients in data.BLADE_SHAPES.items():
        bend = sum(c * k * (k - 1) * s ** (k - 2) for k, c in enumerate(coefficients, start=2)) / L**2
        across = np.stack([np.cos(theta), np.sin(theta)] if shape != "edge" else [-np.sin(theta), np.cos(theta)])
        slope = np.cumsum(bend * across, axis=1) * dr
        curvature.append((shape, bend))
        slopes.append(slope)
        places.append(np.cumsum(slope, axis=1) * dr)
    K = np.zeros((3, 3))
    for i, (a, ka) in enumerate(curvature):
        for j, (b, kb) in enumerate(curvature):
            if (a == "edge") == (b == "edge"):
                K[i, j] = (bending[a] * ka * kb).sum() * dr
    outward = mu * (root + r) * dr
    tension = outward[::-1].cumsum()[::-1]
    T = np.array([[(tension * (a * b).sum(axis=0)).sum() * dr for b in slopes] for a in slopes])
    fields = [np.stack([0 * r, 0 * r, r]), *(np.stack([p[0], p[1], 0 * r]) for p in places)]
    first = [((mu * f).sum(axis=1) * dr).tolist() for f in fields]
    second = [[np.einsum("n,an,bn->ab", mu * dr, a, b).tolist() for b in fields] for a in fields]
    moments = {"mass": float(mu.sum() * dr), "first": first, "second": second}
    return {"moments": moments, "stiffness": K, "tension": T}
