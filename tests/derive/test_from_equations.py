"""Plain first-order equations x' = f(t, x, r, p) as models: everything that a mechanism can, they can."""

import importlib
import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import symbody as sb
from symbody.command_line.cli import main
from symbody.derivation.written.from_equations import from_equations

from .first_order import SYSTEMS, controlled, lorenz, roessler, van_der_pol


@pytest.fixture(params=SYSTEMS, ids=lambda make: make.__name__)
def system(request):
    return request.param()


def arguments(eq: sb.Equations, x: np.ndarray) -> tuple:
    return (0.7, x, *([np.zeros(len(eq.r))] if eq.r else []))


def test_compiled_rates_are_those_written_down(system):
    eq, f = system.equations, sb.compile(system.equations)
    for x in np.random.default_rng(1).normal(size=(5, len(eq.state))):
        wanted = system.rhs(0.7, x)
        assert f.rhs(*arguments(eq, x), f.p) == pytest.approx(wanted, rel=1e-13, abs=1e-14)
        given = [0.7, [], [], x, *([[0.0]] if eq.r else [])]
        assert f.zdot(*given, f.p) == pytest.approx(wanted, rel=1e-13, abs=1e-14)


def test_derivatives_are_those_of_small_steps(system):
    eq, f = system.equations, sb.compile(system.equations)
    x, n = np.random.default_rng(2).normal(size=len(eq.state)), len(eq.state)
    J, J_p = f.rhs_derivatives(("x", "p"))(*arguments(eq, x), f.p)
    small = 1e-6
    steps = [
        (f.rhs(*arguments(eq, x + d), f.p) - f.rhs(*arguments(eq, x - d), f.p)) / (2 * small) for d in small * np.eye(n)
    ]
    assert pytest.approx(np.transpose(steps), abs=1e-7) == J
    steps = [
        (f.rhs(*arguments(eq, x), f.p + d) - f.rhs(*arguments(eq, x), f.p - d)) / (2 * small)
        for d in small * np.eye(len(f.p))
    ]
    assert pytest.approx(np.transpose(steps), abs=1e-7) == J_p.reshape(n, -1)


def test_motions_are_those_of_scipy(system):
    eq = system.equations
    sim = sb.simulate(eq, 5, system.start, rtol=1e-10, atol=1e-12)
    start = [system.start.get(s.name, 0.0) for s in eq.state]
    other = solve_ivp(system.rhs, (0, 5), start, method="DOP853", rtol=1e-11, atol=1e-13)
    assert [sim[s.name][-1] for s in eq.state] == pytest.approx(other.y[:, -1], rel=1e-7, abs=1e-8)


def test_variations_solve_the_variational_equations():
    """Φ' = J Φ, x_p' = J x_p + ∂f/∂p, from the compiled Jacobian, against sensitivities of the motion."""
    system = roessler()
    eq, f = system.equations, sb.compile(system.equations)
    n, slopes = len(eq.state), f.rhs_derivatives(("x", "c"))
    names = ["x", "y", "z", "c"]

    def both(t, y):
        x, V = y[:n], y[n:].reshape(n, 4)
        J, J_c = slopes(t, x, f.p)
        return np.concatenate([f.rhs(t, x, f.p), (J @ V + np.column_stack([np.zeros((n, 3)), J_c])).ravel()])

    begin = np.concatenate([list(system.start.values()), np.eye(n, 4).ravel()])
    wanted = solve_ivp(both, (0, 4), begin, method="DOP853", rtol=1e-10, atol=1e-12).y[n:, -1].reshape(n, 4)
    sim = sb.simulate(eq, 4, system.start, sensitivities=names, rtol=1e-10, atol=1e-12)
    found = [[sim.sensitivity(s.name, p)[-1] for p in names] for s in eq.state]
    assert np.array(found) == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_stiff_motions_change_the_method():
    """The relaxation oscillation of van der Pol with mu = 1000: 1.614 mu in time for a period (to 1 %), by implicit
    steps in between."""
    eq = van_der_pol(1000.0).equations
    sim = sb.simulate(eq, 3000, {"x": 2.0}, events=[sb.Event("falls", eq.z[0], direction="falling")])
    assert sim.outcome
    assert any("radau" in note for note in sim.outcome.notes)
    falls = [e.t for e in sim.events]
    assert falls[1] - falls[0] == pytest.approx(1614, rel=0.01)


def test_equilibria_and_eigenvalues():
    """Lorenz: C± = (±√(β (ρ - 1)), ±√(β (ρ - 1)), ρ - 1), eigenvalues the roots of λ³ + (σ+β+1) λ² + β (σ+ρ) λ + 2 σ β
    (ρ-1)."""
    eq = lorenz().equations
    point = sb.steady(eq, start={"x": 7.0, "y": 7.0, "z": 20.0})
    side = np.sqrt(8 / 3 * 19)
    assert [point[s] for s in "xyz"] == pytest.approx([side, side, 19.0])
    found = sorted(sb.linearize(eq, point).eigenvalues(), key=lambda e: (e.real, e.imag))
    wanted = sorted(np.roots([1, 10 + 8 / 3 + 1, 8 / 3 * 30, 20 * 8 / 3 * 19]), key=lambda e: (e.real, e.imag))
    assert found == pytest.approx(wanted)


def test_the_hopf_bifurcation_of_van_der_pol():
    """Eigenvalues (μ ± √(μ² - 4)) / 2 cross the imaginary axis at μ = 0, with frequency 1."""
    locus = sb.linearize(van_der_pol().equations, {"x": 0, "y": 0}).root_locus(mu=np.linspace(-1, 1, 21))
    (crossing,) = locus.critical
    assert crossing.value == pytest.approx(0, abs=1e-9)
    assert abs(crossing.eigenvalue.imag) == pytest.approx(1)


def test_everything_is_certified(system):
    assert sb.certify(system.equations).passed
    assert sb.audit(system.equations).passed


def test_a_wrong_rate_fails_the_certificate(monkeypatch):
    monkeypatch.setattr(
        importlib.import_module("symbody.derivation.questions.certify"), "variable_rates", lambda eq: 2 * eq.h
    )
    assert not sb.certify(van_der_pol().equations).passed


def test_text_pickle_and_file(system):
    eq = system.equations
    again = sb.derive(sb.study.read_model_text(sb.write.model_text(eq.mechanism)).mechanism)
    assert again.h == eq.h
    assert pickle.loads(pickle.dumps(eq)).h == eq.h
    assert sb.tidy(eq).h.rows == eq.h.rows
    lines = str(eq.readable).splitlines()
    assert [line.split(" = ")[0] for line in lines] == [f"{s.name}_dot" for s in eq.state]
    assert not eq.readable.unused


def test_readable_text_of_van_der_pol():
    eq = van_der_pol().equations
    assert str(eq.readable) == "x_dot = y\ny_dot = mu*y - x - mu*x**2*y"
    assert "2 variables" in repr(eq)
    assert "degrees" not in repr(eq)


def test_implicit_equations_show_their_coefficients():
    """E x' = f as it is written: coefficients of the rates on the left, and solved together."""
    m = sb.Model("coils")
    i, j = m.variables("i j")
    L, K = m.parameters("L K", 2.0, 0.5)
    m.equation("first", L * i.dot + K * j.dot + i)
    m.equation("second", K * i.dot + L * j.dot - i * j)
    eq = sb.derive(m)
    assert str(eq.readable) == "L*i_dot + K*j_dot = -i\nK*i_dot + L*j_dot = i*j"
    f = sb.compile(eq)
    assert f.rhs(0.0, [0.3, -0.7], f.p) == pytest.approx(np.linalg.solve([[2, 0.5], [0.5, 2]], [-0.3, -0.21]))


def test_loads_that_know_rates_of_variables():
    """A force by z', where z' = -z + q: u' contains what z' is."""
    m = sb.Model("filtered")
    q = m.prismatic("q", m.ground, m.body("block", mass=2.0)).q
    z = m.variable("z")
    m.rate(z, q - z)
    m.generalized_force("damper", q, -3 * z.dot)
    f = sb.compile(sb.derive(m))
    assert f.rhs(0.0, [0.5, 0.1, 0.2]) == pytest.approx([0.1, -3 * 0.3 / 2, 0.3])
    assert f.rhs_derivatives()(0.0, [0.5, 0.1, 0.2])[1] == pytest.approx([-1.5, 0, 1.5])


def test_sympy_expressions_are_taken():
    x, y = dynamicsymbols("x y")
    mu = sympy.Symbol("mu")
    eq = from_equations({x: y, y.diff(): mu * (1 - x**2) * y - x}, {"mu": 1.5})
    assert eq.h == van_der_pol().equations.h


def test_kinds_of_symbols():
    eq = controlled().equations
    assert [s.name for s in eq.r] == ["load"]
    assert [s.name for s in eq.p] == ["k", "ki"]
    assert from_equations({"x": sb.symbol("a") * sb.symbol("x")}, inputs="a").r[0].name == "a"


@pytest.mark.parametrize(
    ("rates", "values", "says"),
    [
        ({}, None, "expected a mapping"),
        ({"x": 1, "x_dot": 2}, None, "given twice"),
        ({"x_d3": 1}, None, "order 3"),
        ({"x": sb.symbol("q", "coordinate")}, None, "neither a state nor an input"),
        ({"x": 1}, {"k": 2}, "there is no parameter .k."),
        ({"x": "sin(y)"}, None, "rate of 'x'"),
        ({sb.symbol("x") + 1: 1}, None, "a symbol or a name"),
    ],
)
def test_what_is_refused(rates, values, says):
    with pytest.raises(sb.ModelError, match=says):
        from_equations(rates, values)


def test_command_line(tmp_path: Path, capsys):
    path = tmp_path / "oscillator.yaml"
    sb.write_model(van_der_pol().equations.mechanism, path)
    for command, says in (
        ("derive", "y_dot = mu*y - x - mu*x**2*y"),
        ("check", "2 additional variables"),
        ("eig", "0.75"),
        ("certify", "holds"),
    ):
        assert main([command, str(path)]) == 0
        assert says in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc (Debian package gcc)")
def test_export_in_c_checks_itself(tmp_path: Path):
    sb.write.c(
        roessler().equations, tmp_path, start={"x": 1.0}, functions=["core", "derivatives", "variational", "sparse"]
    )
    done = subprocess.run(["make", "-s", "check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class TestSymbolsWithoutAKind:
    """`symbols("x v")` are parameters for one who does not say more: in everything that is asked of equations, names
    decide."""

    x, v, F, k = sb.symbols("x v F k")

    @pytest.fixture
    def eq(self):
        return sb.from_equations({self.x: self.v, self.v: self.F - self.k * self.x}, {self.k: 4.0}, inputs="F")

    def test_simulations(self, eq):
        x, v = self.x, self.v
        hit = sb.Event("hit", x, where=v < 0, reset={v: -v})
        sim = sb.simulate(eq, 3, x=1, events=[hit], invariants=[v**2 + 4 * x**2])
        assert [e.t for e in sim.events] == pytest.approx([np.pi / 4, 3 * np.pi / 4])
        assert sim[x + v] == pytest.approx(sim["x"] + sim["v"], abs=1e-15)
        with pytest.raises(
            sb.errors.SimulationError, match=r"invariant .* depends on y, which 'equations' does not have"
        ):
            sb.simulate(eq, 3, x=1, invariants=[sb.symbol("y")])

    def test_closed_loops(self, eq):
        """A state in a law is no new parameter of the same name."""
        loop = sb.closed_loop(eq, {self.F: -3 * self.v})
        assert [s.name for s in loop.p] == ["k"]
        assert sorted(sb.linearize(loop, {}, k=2.0).eigenvalues().real) == pytest.approx([-2, -1])

    def test_steady_motions(self, eq):
        rest = sb.steady(eq, {self.x + self.v: 2.0}, free=[self.F])
        assert (rest["x"], rest["F"]) == pytest.approx((2, 8))

    def test_models_too(self):
        m = sb.Model("bob")
        m.prismatic("y", m.ground, m.body("bob", mass=1), axis="y")
        m.gravity(0, -9.81, 0)
        sim = sb.simulate(sb.derive(m), 1, y=1, events=[sb.Event("floor", sb.symbol("y"), terminal=True)])
        assert sim.outcome.t == pytest.approx((2 / 9.81) ** 0.5)
