"""Arguments of piles as numbers: places, rotations, masses and laws, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...errors import ModelError, SimulationError, finite_number, shown
from ...integrate.piles.pile_solids import PileSolid
from ...rotation_arrays import euler_parameters, product_of_rotations


def other_parameters(body: Equations) -> Array:
    """Values of the parameters after the mass and the moments of inertia."""
    values = body.values(dict.fromkeys(body.p[:4], 1.0))
    return np.array([float(values[s]) for s in body.p[4:]])


def numbers(where: str, given: Any, shape: tuple[int | None, ...]) -> Array:
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{where}: numbers without units and quotes, got {shown(given)}") from error
    fits = values.ndim == len(shape) and all(k is None or k == n for k, n in zip(shape, values.shape, strict=True))
    wanted = " x ".join("n" if k is None else str(k) for k in shape)
    if not fits:
        got = shown(given) if values.ndim == 0 else f"an array of {values.shape}"
        raise ModelError(f"{where}: {wanted} finite numbers, got {got}")
    if len(bad := np.argwhere(~np.isfinite(values))):
        place = ", ".join(map(str, bad[0]))
        raise ModelError(f"{where}: {wanted} finite numbers, got {values[tuple(bad[0])]} at [{place}]")
    return values


def solver_numbers(where: str, tolerance: Any, most_sweeps: Any, stabilise: Any, sleep: Any) -> dict[str, Any]:
    """Arguments of the steps, checked."""
    given = {"tolerance": tolerance, "stabilise": stabilise, "sleep": sleep}
    limit, part, rest = (finite_number(value, f"{where}: {name}", SimulationError) for name, value in given.items())
    if not limit > 0:
        raise SimulationError(f"{where}: tolerance = {shown(tolerance)}: a residual above 0")
    sweeps = whole_number(where, "most_sweeps", most_sweeps)
    if not 0 <= part <= 1:
        raise SimulationError(f"{where}: stabilise = {shown(stabilise)}: the part of the penetration, from 0 to 1")
    if not rest >= 0:
        raise SimulationError(f"{where}: sleep = {shown(sleep)}: a speed of at least 0 (m/s)")
    return {"tolerance": limit, "most_sweeps": sweeps, "stabilise": part, "rest": rest}


def whole_number(where: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise SimulationError(f"{where}: {name} = {shown(value)}: a whole number of at least 1")
    return int(value)


def vectors(where: str, given: Any, count: int) -> Array:
    return np.zeros((count, 3)) if given is None else numbers(where, given, (count, 3))


def principal_rotations(where: str, given: Any, count: int, solid: PileSolid) -> Array:
    """Euler parameters of the principal axes, from those of the shape's frame."""
    e = np.tile([1.0, 0, 0, 0], (count, 1)) if given is None else numbers(f"{where}: rotations", given, (count, 4))
    size = np.linalg.norm(e, axis=1, keepdims=True)
    if not (size > 0).all():
        raise ModelError(f"{where}: rotations have a row of zeros")
    return product_of_rotations(e / size, euler_parameters(solid.turn))


def drawn_rotations(e: Array, solid: PileSolid) -> Array:
    """Euler parameters of the shape's frame, from those of the principal axes."""
    return product_of_rotations(e, euler_parameters(solid.turn.T))


def mass_of(where: str, mass: float | None, density: float | None, solid: PileSolid) -> float:
    if (mass is None) == (density is None):
        raise ModelError(f"{where}: give mass= or density=, one of both")
    value = (
        finite_number(density, "density", ModelError) * solid.content
        if mass is None
        else finite_number(mass, "mass", ModelError)
    )
    if not value > 0:
        raise ModelError(f"{where}: a mass must be positive, got {shown(value)}")
    return float(value)


Laws = tuple[float, float, float]  # friction coefficient, restitution, compliance


def laws(where: str, friction: Any, restitution: Any, compliance: Any) -> Laws:
    given = {"friction": friction, "restitution": restitution, "compliance": compliance}
    mu, e, soft = (finite_number(value, f"{where}: {name}", ModelError) for name, value in given.items())
    if not mu >= 0 or not 0 <= e <= 1:
        raise ModelError(
            f"{where}: friction must be at least 0 and restitution from 0 to 1, got {shown(friction)} and {shown(restitution)}"
        )
    if not soft >= 0:
        raise ModelError(
            f"{where}: compliance = {shown(compliance)}: the displacement by a unit force is at least 0 (m/N); 0 is a rigid contact"
        )
    return float(mu), float(e), float(soft)


def optional_laws(
    where: str, friction: Any, restitution: Any, compliance: Any
) -> tuple[float | None, float | None, float | None]:
    given = friction, restitution, compliance
    mu, e, soft = laws(where, *(0.0 if x is None else x for x in given))
    return (
        None if friction is None else mu,
        None if restitution is None else e,
        None if compliance is None else soft,
    )
