"""The classical Runge-Kutta step stands once, in `integrate/kernels/stages.py`; drivers and checks print it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from tests.installed import good, installed, make_check, run_in

from .models import pendulums

ROOT = Path(sb.__file__).parent
WEIGHTS = re.compile(
    r"\b(h|dt|step)\s*/\s*6\b"  # h / 6 (k1 + 2 k2 + 2 k3 + k4)
    r"|2(\.0)?\s*\*\s*k\S*\s*\+\s*2(\.0)?\s*\*\s*k"
)
ONCE_WRITTEN = [  # as they stood in drivers and checks
    "        x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);",
    "    x = x + h / 6 * (k(:, 1) + 2 * k(:, 2) + 2 * k(:, 3) + k(:, 4))",
    "    return x.map((v, i) => v + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));",
    "    x = x + (k1 + 2 * k2 + 2 * k3 + k4) * h * sixth",
]


def steps_written_out(root: Path) -> list[str]:
    """Lines of the package, templates and scripts included, that add up the stages of the classical step by hand."""
    files = [f for f in root.rglob("*") if f.is_file() and f.suffix not in (".pyc", ".npz", ".png")]
    return [
        f"{f.relative_to(root)}:{k}"
        for f in files
        for k, line in enumerate(f.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if WEIGHTS.search(line)
    ]


def test_no_step_is_written_out() -> None:
    assert steps_written_out(ROOT) == []


@pytest.mark.parametrize("line", ONCE_WRITTEN)
def test_planted_step_is_found(line: str, tmp_path: Path) -> None:
    (tmp_path / "check.m").write_text(f"worst = 0;\n{line}\n")
    assert steps_written_out(tmp_path) == ["check.m:2"]


def test_the_driver_takes_the_steps_of_simulate(tmp_path: Path) -> None:
    """States that the C driver prints are those of `simulate(method="rk4")`, to rounding."""
    installed("gcc", "gcc")
    eq, h, start = pendulums(), 0.01, {"q1": 0.5, "q2": -0.3}
    folder = sb.write.c(eq, tmp_path, functions=["rhs"], start=start, reference=0.1)
    good(make_check(folder, "CFLAGS=-O1 -std=c99 -ffp-contract=off"))
    done = run_in(folder, ["./pendulums_driver", "0.5", str(h)])
    rows = np.array([[float(v) for v in line.split(",")] for line in done.stdout.splitlines()[1:]])
    sim = sb.simulate(eq, 0.5, start, method="rk4", step=h)
    assert len(rows) == len(sim.t) == 51
    assert np.abs(rows[:, 1:] - sim.y[:, :4]).max() <= 1e-14
