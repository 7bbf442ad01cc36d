"""Answers of students on models with additional variables: circuits, actuators, controllers."""

import pytest

import symbody as sb
from symbody.kits import teaching


@pytest.fixture(scope="module")
def motor() -> sb.Equations:
    """A direct-current motor turns a pendulum."""
    m = sb.Model("motor")
    J, mass, l, g = m.parameters("J m l g", 0.3, 1.0, 0.5, 9.81)
    L, R, K = m.parameters("L R K", 0.2, 1.5, 0.7)
    i, V = m.variable("i"), m.input("V")
    theta = m.revolute("theta", m.ground, m.body("arm", mass=mass, com=(0, -l, 0), inertia=(0, 0, J))).coordinates[0]
    m.gravity(0, -g, 0)
    m.generalized_force("magnet", theta, K * i)
    m.equation("circuit", L * i.dot + R * i + K * theta.dot - V)
    return sb.derive(m)


MOTION, CIRCUIT = "(J + m l^2) theta'' + m g l sin(theta) = K i", "L i' + R i + K theta' = V"


@pytest.mark.parametrize(
    "answer",
    [
        f"{MOTION}; {CIRCUIT}",
        "i' = (V - R i - K theta')/L; theta'' = (K i - m g l sin(theta))/(J + m l^2)",
        f"omega = theta'; (J + m l^2) omega' + m g l sin(theta) - K i + L i' + R i + K omega - V = 0; {CIRCUIT}",
    ],
)
def test_right_answers(motor, answer):
    found = teaching.compare(motor, answer)
    assert found.is_right, str(found)
    assert found.needed == 2


@pytest.mark.parametrize(
    ("answer", "row", "words"),
    [
        (f"{MOTION}; L i' + R i = V", "the equation 'circuit'", "K*theta_dot is missing"),
        (f"{MOTION}; L i' - R i + K theta' = V", "the equation 'circuit'", "has the wrong sign"),
        (f"{MOTION}; 2 L i' + R i + K theta' = V", "the equation 'circuit'", "i_dot"),
        (f"(J + m l^2) theta'' + m g l sin(theta) = 0; {CIRCUIT}", "the equation of theta", "K*i"),
    ],
)
def test_wrong_answers(motor, answer, row, words):
    found = teaching.compare(motor, answer)
    assert not found.is_right
    (wrong,) = [r for r in found.rows if not r.is_right]
    assert wrong.stands_for == row
    assert any(words in remark for remark in wrong.remarks), wrong.remarks
    assert 0 < found.credit < 1


def test_a_missing_equation_is_counted(motor):
    found = teaching.compare(motor, MOTION)
    assert (found.missing, found.credit) == (1, 0.5)


def test_variables_without_a_rate_are_refused():
    m = sb.Model("spring in series")
    x, z, k = m.coordinate("x"), m.variable("z"), m.parameter("k", 2.0)
    m.particle("p", m.ground.point(x, 0, 0), mass=1)
    m.generalized_force("spring", x, -k * z)
    m.equation("series", z + z**3 - x)
    with pytest.raises(sb.ModelError, match=r"comparison with 'spring in series': .*rate of z"):
        teaching.compare(sb.derive(m), "x'' = -k z")
