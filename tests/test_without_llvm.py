"""What works where llvmlite cannot be installed, as in a browser (docs/why/0068): equations, their checks and forms, and
answers of students. Everything that needs numbers along a motion names what is missing."""

import subprocess
import sys

WORKS = """
import sys
sys.modules["llvmlite"] = None
import symbody as sb
from symbody.kits import teaching
m = sb.Model("pendulum")
l, mass, g = m.parameters("l m g", 1.0, 2.0, 9.81)
m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
m.gravity(0, -g, 0)
eq = sb.derive(m)
print(eq.readable.solved)
print("<math" in eq.readable._repr_html_())
print(len({str(sb.derive(m, r).readable) for r in ("kane", "lagrange", "newton-euler", "gibbs-appell")}))
print(sb.certify(eq).passed, sb.audit(m).passed)
print(teaching.compare(eq, "theta'' = -g/l sin(theta)").is_right, "T =" in teaching.derivation(eq, "lagrange").markdown())
source = sb.emit.numpy_source(sb.program("f", {"q": eq.q, "p": eq.p}, {"f": eq.f}))
space = {}
exec(source, space)
print("np.sin" in source)
for needs in (lambda: sb.simulate(eq, 1, theta=1.0), lambda: sb.linearize(eq, {})):
    try:
        needs()
    except sb.errors.CompileError as reason:
        print(str(reason)[:60])
"""


def test_equations_need_no_compiler():
    done = subprocess.run([sys.executable, "-c", WORKS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "theta_ddot = -g*sin(theta)/l",
        "True",
        "1",
        "True True",
        "True True",
        "True",
        *["machine code: needs the package 'llvmlite', which is not ins"] * 2,
    ]
