"""Rotations in arrays against SciPy's, at angles from zero to half a turn and beyond."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symbody.rotation_arrays import (
    euler_parameters,
    product_of_rotations,
    rotation_about,
    rotation_matrix,
    rotation_vector,
)

DRAW = np.random.default_rng(3)
HALF_TURNS = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0.8, 0], [1e-9, 0, -0.6, 0.8]])
PARAMETERS = np.concatenate([Rotation.random(200, rng=4).as_quat(scalar_first=True), HALF_TURNS, [[1.0, 0, 0, 0]]])


def of_parameters(e: np.ndarray) -> Rotation:
    return Rotation.from_quat(e, scalar_first=True)


def test_matrices() -> None:
    assert rotation_matrix(PARAMETERS) == pytest.approx(of_parameters(PARAMETERS).as_matrix(), abs=1e-15)
    assert rotation_matrix(PARAMETERS[7]) == pytest.approx(of_parameters(PARAMETERS[7]).as_matrix(), abs=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 0.3, 3.0, math.pi, 5.0, -2.0])
def test_rotations_about_axes(angle: float) -> None:
    axis = DRAW.normal(size=3)
    assert rotation_about(axis, angle) == pytest.approx(Rotation.from_rotvec(axis * angle).as_matrix(), abs=1e-14)


def test_euler_parameters_of_any_rotation() -> None:
    """R(e(R)) = R for random rotations and for half turns, where the usual formula divides by zero."""
    R = of_parameters(PARAMETERS).as_matrix()
    e = euler_parameters(R)
    assert rotation_matrix(e) == pytest.approx(R, abs=1e-14)
    assert np.all(e[np.arange(len(e)), np.abs(e).argmax(axis=1)] > 0)
    assert euler_parameters(R[5]).tolist() == e[5].tolist()


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 0.3, 3.0, math.pi - 1e-6, math.pi - 1e-11, math.pi])
def test_rotation_vectors_up_to_half_a_turn(angle: float) -> None:
    axis = DRAW.normal(size=3)
    R = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    v = rotation_vector(R)
    assert rotation_about(v, 1.0) == pytest.approx(R, abs=1e-9)
    assert float(np.linalg.norm(v)) == pytest.approx(angle, abs=1e-9)


def test_products() -> None:
    a, b = PARAMETERS[:50], PARAMETERS[50:100]
    wanted = rotation_matrix(a) @ rotation_matrix(b)
    assert rotation_matrix(product_of_rotations(a, b)) == pytest.approx(wanted, abs=1e-14)
