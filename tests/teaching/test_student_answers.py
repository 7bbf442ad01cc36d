"""Students' answers: right ones in many forms, and wrong ones with the term that is wrong."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import symbody as sb
from symbody.kits import teaching

from . import mechanisms_of_courses as course


class Answer(NamedTuple):
    """An answer, and what has to be found: nothing where it is right."""

    mechanism: Callable[[], sb.Equations]
    text: str
    finding: str = ""
    options: dict[str, Any] = {}


A, L, E = course.atwood, course.ladder, course.planet
P, K, D, B, S, N, C, T = (
    course.pendulum, course.cart_pendulum, course.double_pendulum, course.bead_on_hoop, course.spring_pendulum, course.sleigh,
    course.slider_crank, course.spinning_top,
)  # fmt: skip

ANSWERS = [
    # pendulum with damping
    Answer(P, "m*l^2*theta'' + c*theta' + m*g*l*sin(theta) = 0"),
    Answer(P, r"\ddot{\theta} + \frac{c}{m l^2}\dot\theta + \frac{g}{l}\sin\theta = 0"),
    Answer(P, "θ̈ = -(g/l) sin θ - c θ̇/(m l²)"),
    Answer(P, "theta' = w; w' = -g/l*sin(theta) - c/(m*l**2)*w"),
    Answer(P, "p = m l^2 theta'\np' = -mgl sin theta - c p/(m l^2)"),
    Answer(P, r"m\ell^2\ddot\phi + c\dot\phi + mg\ell\sin\phi = 0", options={"names": {"phi": "theta"}}),
    Answer(P, "2 m l^2 sin(theta) theta'' cos(theta) + c theta' sin(2 theta) + m g l sin(2 theta) sin(theta) = 0"),
    Answer(P, "m l theta'' = -m g sin(theta) - c theta'/l\nm l theta'^2 = N - m g cos(theta)", options={"forces": ["N"]}),
    Answer(P, "m x'' = -T sin(theta) - c/l theta' cos(theta)\nm y'' = T cos(theta) - m g - c/l theta' sin(theta)",
           options={"forces": ["T"], "names": {"x": "l*sin(theta)", "y": "-l*cos(theta)"}}),
    Answer(P, "2*theta'' + 0.1*theta' + 2*9.81*sin(theta) = 0", options={"values": {"m": 2.0, "l": 1.0, "c": 0.1, "g": 9.81}}),
    Answer(P, "m*l^2*theta'' + c*theta' - m*g*l*sin(theta) = 0", "gravity term m*g*l*sin(theta) has the wrong sign"),
    Answer(P, "m*l^2*theta'' + m*g*l*sin(theta) = 0", "damping term c*theta_dot is missing"),
    Answer(P, "m*l^2*theta'' + c*theta' + m*g*l*cos(theta) = 0", "gravity term differs: m*g*l*cos(theta) in place of m*g*l*sin(theta)"),
    Answer(P, "m*l*theta'' + c*theta' + m*g*l*sin(theta) = 0", "inertia term of theta_ddot differs: m*l in place of m*l**2"),
    Answer(P, "m l^2 theta''/3 + c theta' + m g l sin(theta) = 0", "inertia term of theta_ddot m*l**2*theta_ddot is multiplied by 1/3"),
    Answer(P, "m*l^2*theta'' + c*theta'^2 + m*g*l*sin(theta) = 0", "damping term c*theta_dot is missing"),
    # cart with pendulum
    Answer(K, r"""\begin{aligned}
        (M + m)\ddot{x} + m l \cos\theta\,\ddot{\theta} &= F + m l \dot{\theta}^2 \sin\theta \\
        l\ddot\theta + \cos\theta\,\ddot x &= -g\sin\theta \end{aligned}"""),
    Answer(K, "x'' = (F + m*sin(theta)*(l*theta'^2 + g*cos(theta)))/(M + m*sin(theta)^2)\n"
              "theta'' = -(F*cos(theta) + m*l*theta'^2*sin(theta)*cos(theta) + (M + m)*g*sin(theta))/(l*(M + m*sin(theta)^2))"),
    Answer(K, "M x'' + m (x'' + l theta'' cos(theta) - l theta'^2 sin(theta)) = F\n"
              "(M+m) x'' + m l cos(theta) theta'' - m l theta'^2 sin(theta) - F = 5*(l theta'' + x'' cos(theta) + g sin(theta))"),
    Answer(K, "M x'' = F + S sin(theta)\nm (x'' + l theta'' cos(theta) - l theta'^2 sin(theta)) = -S sin(theta)\n"
              "m (l theta'' sin(theta) + l theta'^2 cos(theta)) = S cos(theta) - m g", options={"forces": ["S"]}),
    Answer(K, r"\frac{d}{dt}\left((M+m)\dot x + ml\dot\theta\cos\theta\right) = F; l\ddot\theta + \ddot x\cos\theta + g\sin\theta = 0"),
    Answer(K, "(M+m)*x'' + m*l*cos(theta)*theta'' = F\nl*theta'' + x''*cos(theta) + g*sin(theta) = 0",
           "Coriolis and centrifugal term m*l*sin(theta)*theta_dot**2 is missing"),
    Answer(K, "(M+m) x'' + m l cos(theta) theta'' + m l sin(theta) theta'^2 = F; l theta'' + x'' cos(theta) + g sin(theta) = 0",
           "Coriolis and centrifugal term m*l*sin(theta)*theta_dot**2 has the wrong sign"),
    Answer(K, "M x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2 = F; l theta'' + x'' cos(theta) + g sin(theta) = 0",
           "inertia term of x_ddot differs: M in place of M + m"),
    Answer(K, "(M+m) x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2 = F; l theta'' + g sin(theta) = 0",
           "inertia term of x_ddot m*l*cos(theta)*x_ddot is missing"),
    Answer(K, "(M+m) x'' + m l cos(theta) theta'' - m l sin(theta) theta'^2 = -F; l theta'' + x'' cos(theta) + g sin(theta) = 0",
           "input term F has the wrong sign"),
    Answer(K, "l theta'' + x'' cos(theta) + g sin(theta) = 0", "1 equation is missing"),
    Answer(K, "l theta'' + x'' cos(theta) + g sin(theta) = 0; 2 m l theta'' + 2 m x'' cos(theta) = -2 m g sin(theta)", "1 equation is missing"),
    Answer(K, "x'' = (F + m*sin(theta)*(l*theta'^2 - g*cos(theta)))/(M + m*sin(theta)^2)\nl*theta'' + x''*cos(theta) + g*sin(theta) = 0",
           "gravity term has the wrong sign"),
    Answer(K, "M x'' = F + S sin(theta)\nm (x'' + l theta'' cos(theta) - l theta'^2 sin(theta)) = -S sin(theta)\n"
              "m (l theta'' sin(theta) + l theta'^2 cos(theta)) = S cos(theta) + m g", "gravity term", options={"forces": ["S"]}),
    # double pendulum
    Answer(D, r"(m_1+m_2)l_1\ddot\theta_1 + m_2l_2\ddot\theta_2\cos(\theta_1-\theta_2) + m_2l_2\dot\theta_2^2\sin(\theta_1-\theta_2)"
              r" + (m_1+m_2)g\sin\theta_1 = 0 \\ l_2\ddot{\theta}_2 + l_1\ddot{\theta}_1\cos(\theta_1-\theta_2)"
              r" - l_1\dot{\theta}_1^2\sin(\theta_1-\theta_2) + g\sin\theta_2 = 0"),
    Answer(D, "l2 theta2'' + l1 theta1'' cos(theta2 - theta1) + l1 theta1'^2 sin(theta2 - theta1) + g sin(theta2) = 0\n"
              "m1 l1 theta1'' + m1 g sin(theta1) + m2 sin(theta2 - theta1)*(l2 theta2''*sin(theta2-theta1)*0 - 0)"
              " = m2*sin(theta2 - theta1)*(l2 theta2'^2 + g cos(theta2) + l1 theta1'^2 cos(theta2 - theta1) - l1 theta1'' sin(theta2 - theta1))"),
    Answer(D, "(m1+m2) l1 theta1'' + m2 l2 theta2'' cos(theta1-theta2) - m2 l2 theta2'^2 sin(theta1-theta2) + (m1+m2) g sin(theta1) = 0\n"
              "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0",
           "Coriolis and centrifugal term m2*l1*l2*sin(theta1 - theta2)*theta2_dot**2 has the wrong sign"),
    Answer(D, "(m1+m2) l1 theta1'' + m2 l2 theta2'' cos(theta1-theta2) + m2 l2 theta2'^2 sin(theta1-theta2) + m1 g sin(theta1) = 0\n"
              "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0", "gravity term differs"),
    Answer(D, "(m1+m2) l1 theta1'' + m2 l2 theta2'' sin(theta1-theta2) + m2 l2 theta2'^2 sin(theta1-theta2) + (m1+m2) g sin(theta1) = 0\n"
              "l2 theta2'' + l1 theta1'' cos(theta1-theta2) - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0",
           "inertia term of theta2_ddot differs"),
    # bead on a hoop
    Answer(B, r"\ddot\theta = \sin\theta\left(\omega^2\cos\theta - \frac{g}{R}\right)"),
    Answer(B, "R theta'' + g sin(theta) - R omega^2 sin(2 theta)/2 = 0"),
    Answer(B, "R theta'' + g sin(theta) = R omega^2 sin(theta)", "Coriolis and centrifugal term differs"),
    Answer(B, "R theta'' + g sin(theta) = R omega^2 sin(2 theta)", "Coriolis and centrifugal term m*R**2*omega**2*cos(theta)*sin(theta) is multiplied by 2"),
    Answer(B, "R theta'' + g sin(theta) = 0", "Coriolis and centrifugal term m*R**2*omega**2*cos(theta)*sin(theta) is missing"),
    # spring pendulum
    Answer(S, r"\ddot r - r\dot\varphi^2 - g\cos\varphi + \frac{k}{m}(r - l_0) = 0 \\ r\ddot\varphi + 2\dot r\dot\varphi + g\sin\varphi = 0"),
    Answer(S, "m r'' = m r phi'^2 + m g cos(phi) - k (r - l0)\nd = m r^2 phi'; d' = -m g r sin(phi)"),
    Answer(S, "r'' - r phi'^2 - g cos(phi) + k/m (r - l0) = 0; r phi'' + r' phi' + g sin(phi) = 0",
           "Coriolis and centrifugal term 2*m*r*phi_dot*r_dot is multiplied by 1/2"),
    Answer(S, "r'' - r phi'^2 - g cos(phi) + k/m r = 0; r phi'' + 2 r' phi' + g sin(phi) = 0", "potential term differs: k*r in place of k*(r - l0)"),
    Answer(S, "r'' - g cos(phi) + k/m (r - l0) = 0; r phi'' + 2 r' phi' + g sin(phi) = 0",
           "Coriolis and centrifugal term m*r*phi_dot**2 is missing"),
    # sleigh: nonholonomic
    Answer(N, "m x'' = -lambda sin(theta); m y'' = lambda cos(theta); J theta'' = -lambda d", options={"forces": ["lambda"]}),
    Answer(N, "v = x' cos(theta) + y' sin(theta)\nv' = d theta'^2\n(J + m d^2) theta'' + m d v theta' = 0"),
    Answer(N, "m x'' = -lam_blade sin(theta); m y'' = lam_blade cos(theta); J theta'' = -lam_blade d;"
              " x' sin(theta) - y' cos(theta) + d theta' = 0"),
    Answer(N, "v = x' cos(theta) + y' sin(theta)\nv' = d theta'^2\n(J + m d^2) theta'' = 0", "constraint"),
    Answer(N, "m x'' = -lambda sin(theta); m y'' = lambda cos(theta); J theta'' = lambda d", "lambda eliminated", {"forces": ["lambda"]}),
    Answer(N, "m x'' = -lam_blade sin(theta); m y'' = lam_blade cos(theta); J theta'' = 0", "constraint force lam_blade d*lam_blade is missing"),
    # slider crank: a holonomic constraint
    Answer(C, "J phi'' = tau + 2 lam a x sin(phi); m x'' = 2 lam (x - a cos(phi)); x^2 - 2 a x cos(phi) + a^2 = b^2", options={"forces": ["lam"]}),
    Answer(C, "J phi'' (x - a cos(phi)) - m a x sin(phi) x'' = tau (x - a cos(phi))"),
    Answer(C, "J phi'' = tau + S a sin(phi + beta); m x'' = S cos(beta); sin(beta) = a sin(phi)/b",
           options={"forces": ["S"], "names": {"beta": "asin(a*sin(phi)/b)"}, "values": {"x": 0.7, "phi": 0.5}}),
    Answer(C, "J phi'' = tau - S a sin(phi + beta); m x'' = S cos(beta)", "S eliminated",
           {"forces": ["S"], "names": {"beta": "asin(a*sin(phi)/b)"}, "values": {"x": 0.7, "phi": 0.5}}),
    Answer(C, "J phi'' (x - a cos(phi)) - m a x sin(phi) x'' = -tau (x - a cos(phi))", "input term has the wrong sign"),
    Answer(C, "J phi'' = tau + lam_rod a x sin(phi); m x'' = 2 lam_rod (x - a cos(phi))",
           "constraint force lam_rod 2*a*x*sin(phi)*lam_rod is multiplied by 1/2"),
    # spinning top
    Answer(T, "n = phi' cos(theta) + psi'; n' = 0\nA theta'' - A phi'^2 sin(theta) cos(theta) + C n phi' sin(theta) = m g l sin(theta)\n"
              "A phi'' sin(theta) + 2 A phi' theta' cos(theta) - C n theta' = 0"),
    Answer(T, r"\frac{d}{dt}\left(C(\dot\psi + \dot\phi\cos\theta)\right) = 0"
              r" \\ \frac{d}{dt}\left(A\dot\phi\sin^2\theta + C(\dot\psi + \dot\phi\cos\theta)\cos\theta\right) = 0"
              r" \\ A\ddot\theta = (A - C)\dot\phi^2\sin\theta\cos\theta - C\dot\phi\dot\psi\sin\theta + mgl\sin\theta"),
    Answer(T, "psi'' + phi'' cos(theta) - phi' theta' sin(theta) = 0\nA phi'' sin(theta) + 2 A phi' theta' cos(theta) - C (phi' cos(theta) + psi') theta' = 0\n"
              "A theta'' = (A - C) phi'^2 sin(theta) cos(theta) - C phi' psi' sin(theta) - m g l sin(theta)",
           "gravity term m*g*l*sin(theta) has the wrong sign"),
    Answer(T, "psi'' + phi'' cos(theta) = 0\nA phi'' sin(theta) + 2 A phi' theta' cos(theta) - C (phi' cos(theta) + psi') theta' = 0\n"
              "A theta'' = (A - C) phi'^2 sin(theta) cos(theta) - C phi' psi' sin(theta) + m g l sin(theta)",
           "Coriolis and centrifugal term C*sin(theta)*phi_dot*theta_dot is missing"),
    # other ways to write, as LaTeX documents, SymPy and programs do
    Answer(P, r"$$ m l^2 \frac{d^2\theta}{dt^2} + c\frac{d\theta}{dt} + m g l\sin\theta = 0 \,. $$"),
    Answer(P, r"\begin{equation}\label{eq:1} ml\ddot{\theta}=-mg\sin{\theta}-\dfrac{c\dot{\theta}}{l} \tag{1}\end{equation}"),
    Answer(P, "d^2 theta/dt^2 + g/l sin(theta) + c/(m l^2) d theta/dt = 0"),
    Answer(P, r"\ddot\theta(t) = -\frac gl\sin(\theta(t)) - \frac{c}{ml^2}\dot\theta(t)"),
    Answer(P, "thetadd = -g/l*sin(theta) - c*thetad/(m*l**2)"),
    Answer(P, "m*l**2*theta.diff(t,2) + c*theta(t).diff(t) + m*g*l*sin(theta)"),
    Answer(P, "m*l**2*Derivative(theta(t), (t, 2)) + c*diff(theta(t), t) = -m*g*l*sin(theta(t))"),
    Answer(P, r"\ddot\theta + 2\zeta\omega_0\dot\theta + \omega_0^2\sin\theta = 0",
           options={"names": {"omega_0": "sqrt(g/l)", "zeta": "c/(2*m*l**2*sqrt(g/l))"}}),
    Answer(P, "E = m l^2 theta'^2/2 - m g l cos(theta); E' = -c theta'^2"),
    Answer(P, "m*l**2*Derivative(theta(t), (t, 2)) + c*diff(theta(t), t) = m*g*l*sin(theta(t))", "gravity term m*g*l*sin(theta) has the wrong sign"),
    Answer(P, r"m l^2\ddot\theta + c\dot\theta + mgl\sin\theta = \tau", "the model has no 'tau'"),
    Answer(K, r"\begin{bmatrix} M+m & ml\cos\theta\\ ml\cos\theta & ml^2\end{bmatrix}\begin{bmatrix}\ddot x\\ \ddot\theta\end{bmatrix}"
              r" = \begin{bmatrix} F + ml\dot\theta^2\sin\theta\\ -mgl\sin\theta\end{bmatrix}"),
    Answer(K, r"""\left[\begin{array}{cc} M+m & ml\cos\theta\\ \cos\theta & l\end{array}\right] \begin{pmatrix}\ddot x\\ \ddot\theta\end{pmatrix}
        + \begin{pmatrix} 0 & -ml\dot\theta\sin\theta \\ 0 & 0\end{pmatrix} \begin{pmatrix}\dot x\\ \dot\theta\end{pmatrix}
        - \begin{pmatrix} 1\\ 0\end{pmatrix} F + g\begin{pmatrix} 0\\ \sin\theta\end{pmatrix} = \mathbf{0}"""),
    Answer(K, r"\begin{pmatrix} M+m & ml\cos\theta\\ ml\cos\theta & ml^2\end{pmatrix}\begin{pmatrix}\ddot x\\ \ddot\theta\end{pmatrix}"
              r" = \begin{pmatrix} F + ml\dot\theta^2\sin\theta\\ mgl\sin\theta\end{pmatrix}", "gravity term m*g*l*sin(theta) has the wrong sign"),
    Answer(K, r"(M+m)\ddot x + ml\,\frac{d}{dt}(\dot\theta\cos\theta) = F \\[4pt] \frac{d}{dt}\left[ l\dot\theta + \dot x\cos\theta\right]"
              r" + \dot x\dot\theta\sin\theta = -g\sin\theta"),
    Answer(K, r"(M+m)\ddot x + ml\,\frac{d}{dt}(\dot\theta\cos\theta) = F \\ \frac{d}{dt}\left( l\dot\theta + \dot x\cos\theta\right) = -g\sin\theta",
           "even in the speeds does not belong in this equation: -m*l*sin(theta)*theta_dot*x_dot"),
    Answer(K, "(M+m)*xdd + m*l*cos(th)*thdd - m*l*sin(th)*thd**2 - F\nl*thdd + xdd*cos(th) + g*sin(th)", options={"names": {"th": "theta"}}),
    Answer(D, r"\ddot\theta_1 = \frac{-g(2m_1+m_2)\sin\theta_1 - m_2 g\sin(\theta_1-2\theta_2)"
              r" - 2\sin(\theta_1-\theta_2)m_2(\dot\theta_2^2 l_2+\dot\theta_1^2 l_1\cos(\theta_1-\theta_2))}{l_1(2m_1+m_2-m_2\cos(2\theta_1-2\theta_2))}\\"
              r" \ddot\theta_2=\frac{2\sin(\theta_1-\theta_2)(\dot\theta_1^2l_1(m_1+m_2)+g(m_1+m_2)\cos\theta_1"
              r"+\dot\theta_2^2l_2m_2\cos(\theta_1-\theta_2))}{l_2(2m_1+m_2-m_2\cos(2\theta_1-2\theta_2))}"),
    Answer(B, r"\ddot\theta + \left(\frac gR - \omega^2\cos\theta\right)\sin\theta = 0"),
    Answer(B, r"mR^2\ddot\theta + \frac12mR^2\omega^2\sin2\theta + mgR\sin\theta=0", "Coriolis and centrifugal term"),
    Answer(S, r"m\ddot r - mr\dot\varphi = mg\cos\varphi - k(r-l_0)\\ \frac{1}{r}\frac{d}{dt}(r^2\dot\varphi) = -g\sin\varphi",
           "Coriolis and centrifugal term m*r*phi_dot**2 is missing"),
    # Atwood's machine, a ladder, a planet
    Answer(A, "T1 - m1 g = m1 a; m2 g - T2 = m2 a; (T2-T1)R = I alpha; a = x''; alpha = a/R", options={"forces": ["T1", "T2"]}),
    Answer(A, "(m1 + m2) x'' = (m2 - m1) g", "inertia term of x_ddot differs: m1 + m2 in place of m1 + m2 + I/R**2"),
    Answer(A, "m1 x'' = T - m1 g; m2 x'' = m2 g - T", "with T eliminated", {"forces": ["T"]}),
    Answer(L, r"\ddot\theta = \frac{3g}{2L}\sin\theta"),
    Answer(L, "1/2 * 1/3 M L^2 theta'^2 + M g L/2 cos(theta) = E\nE' = 0"),
    Answer(L, r"\ddot\theta = \frac{3g}{L}\sin\theta", "gravity term M*L*g*sin(theta)/2 is multiplied by 2"),
    Answer(E, r"h = r^2\dot\phi;\ \dot h = 0;\ \ddot r = \frac{h^2}{r^3}-\frac{\mu}{r^2}"),
    Answer(E, r"\ddot r - r\dot\phi^2 = -\frac{\mu}{r^2}, \quad r\ddot\phi + 2\dot r\dot\phi = 0"),
    Answer(E, r"h = r^2\dot\phi;\ \dot h = 0;\ \ddot r = -\frac{h^2}{r^3}-\frac{\mu}{r^2}", "m*r*phi_dot**2 has the wrong sign"),
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: f"{a.mechanism.__name__}-{a.text[:40]!r}")
def test_answer_is_judged_rightly(answer: Answer) -> None:
    """The verdict, and for a wrong answer the term that is wrong, by its cause."""
    found = teaching.compare(answer.mechanism(), answer.text, **answer.options)
    assert found.is_right == (not answer.finding), str(found)
    assert answer.finding in " | ".join(found.findings), str(found)
    assert (found.credit == 1) == found.is_right
    assert 0 <= found.credit <= 1


def test_there_are_enough_of_every_kind() -> None:
    wrong = [a for a in ANSWERS if a.finding]
    assert len(ANSWERS) >= 90
    assert len(wrong) >= 20
    assert len(ANSWERS) - len(wrong) >= 20
    assert len({a.mechanism for a in ANSWERS}) >= 8
