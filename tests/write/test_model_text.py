"""Model files that are read and written again are the same files, in this process and in another one."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import symbody as sb
from symbody.study import built_in

EXAMPLES = sorted(p.stem for p in (Path(__file__).parents[2] / "examples").glob("*.py"))
AGAIN = """
import json, sys, symbody as sb
texts = json.load(sys.stdin)
json.dump({name: sb.write.model_text(sb.study.read_model_text(text).model) for name, text in texts.items()}, sys.stdout)
"""


def test_second_writing_is_the_first():
    """Of every built-in model and every example. The other process has other nodes: products there are grouped as they
    are read."""
    texts = {name: sb.write.model_text(sb.read_model(name).model) for name in built_in()}
    texts |= {f"{name}.py": sb.write.model_text(import_module(f"examples.{name}").model()) for name in EXAMPLES}
    assert len(texts) > 30
    read = subprocess.run(
        [sys.executable, "-c", AGAIN], input=json.dumps(texts), capture_output=True, check=True, text=True
    )
    assert json.loads(read.stdout) == texts


def test_factors_that_products_share_are_written_in_each():
    """a*b is a part of both products and stands alone nowhere: no line of its own, however the products were
    grouped."""
    m = sb.Model("shared")
    a, b, c, d = m.parameters("long_name_a long_name_b long_name_c long_name_d")
    x = m.coordinate("x")
    m.body("block", m.ground.translate(x, 0, 0), mass=1)
    m.generalized_force("push", x, (a * b) * c * x + sb.sin(a * b * d * x))
    text = sb.write.model_text(m)
    assert "long_name_a*long_name_b*long_name_c*x" in text
    assert "sin(long_name_a*long_name_b*long_name_d*x)" in text


def test_a_file_has_the_start_that_it_is_given(tmp_path):
    m = sb.Model("cart")
    m.prismatic("x", m.ground, m.body("cart", mass=2.0))
    for start, written in (
        ({"x_dot": 0.5}, {"x_dot": 0.5}),
        (sb.State.of(sb.derive(m), {"x": 0.25}), {"x": 0.25}),
        (None, {}),
    ):
        sb.write_model(m, tmp_path / "cart.yaml", start=start)
        assert sb.read_model(tmp_path / "cart.yaml").requests.start == written
    with pytest.raises(sb.ModelError, match="start: there is no coordinate, speed or variable 'y'; there are x, x_dot"):
        sb.write_model(m, tmp_path / "cart.yaml", start={"y": 1.0})
