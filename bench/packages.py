"""`python -m bench.packages [lowest | newest] [--python python3.13]`: what would be published, tried as a stranger would.

Source archive and wheel are made from the checkout; `twine check --strict` reads what they say of themselves; the wheel must
have every file of the package that Git knows, and nothing else. It is then installed, alone, in a new virtual environment
with the oldest or the newest versions of what it needs, and used from an empty folder: equations, a motion, a report,
generated code, every built-in model. Nothing of the checkout can be seen from there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from .versions import ROOT, bounds_of_the_package

TRIED = """
import pathlib, symbody as sb
assert "site-packages" in sb.__file__, sb.__file__
m = sb.Model("pendulum")
l, mass = m.parameters("l m", 0.5, 1.0)
m.gravity(0, -9.81, 0)
bob = m.body("bob", mass=mass, shape=sb.sphere(0.05, at=(0, -l, 0)))
m.revolute("theta", m.ground, bob)
eq = sb.derive(m)
assert sb.certify(eq).passed
sim = sb.simulate(eq, 5, theta=1.0, rtol=1e-10)
assert abs(sim.energy[-1] - sim.energy[0]) < 1e-8
sim.plot().save("theta.svg")
sim.scene().save("pendulum.html")
sb.write.c(eq, "c")
sb.write.fmu(eq, "pendulum.fmu", start=sim)
for name in sb.study.built_in():
    sb.derive(sb.read_model(name).mechanism)
print(len(list(pathlib.Path(".").rglob("*"))), "files written,", len(sb.study.built_in()), "models read")
"""


def build(place: Path) -> tuple[Path, Path]:
    """Source archive and wheel in a folder."""
    subprocess.run([sys.executable, "-m", "build", "-q", "--outdir", str(place), str(ROOT)], check=True)
    (archive,), (wheel,) = place.glob("*.tar.gz"), place.glob("*.whl")
    return archive, wheel


def faults_of_contents(wheel: Path) -> list[str]:
    """Files of the package that the wheel lacks, and files that it should not have."""
    listed = subprocess.run(["git", "ls-files", "symbody"], cwd=ROOT, check=True, capture_output=True, text=True)
    expected = set(listed.stdout.split())
    found = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    return [*(f"missing: {n}" for n in sorted(expected - found)), *(f"too much: {n}" for n in sorted(found - expected))]


def tried(wheel: Path, interpreter: str, which: str) -> None:
    """Install the wheel in a new environment, and use it from an empty folder."""
    with tempfile.TemporaryDirectory() as environment, tempfile.TemporaryDirectory() as empty:
        subprocess.run([interpreter, "-m", "venv", environment], check=True)
        programs = Path(environment) / ("Scripts" if os.name == "nt" else "bin")
        python = str(programs / "python")
        subprocess.run([python, "-m", "pip", "install", "-q", *bounds_of_the_package(which), str(wheel)], check=True)
        subprocess.run([python, "-m", "pip", "list"], check=True)
        outside = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"XDG_CACHE_HOME": f"{empty}/cache"}
        for command in (
            [python, "-c", TRIED],
            [str(programs / "symbody"), "report", "slider_crank", "-o", "out"],
            [python, "-m", "symbody", "check", "motorcycle"],
        ):
            subprocess.run(command, cwd=empty, env=outside, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.packages", description=__doc__)
    parser.add_argument("which", nargs="?", choices=("lowest", "newest"), default="newest")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        archive, wheel = build(Path(place))
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", str(archive), str(wheel)], check=True)
        faults = faults_of_contents(wheel)
        print(*faults, sep="\n", end="\n" if faults else "")
        tried(wheel, chosen.python, chosen.which)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
