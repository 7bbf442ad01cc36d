"""One sample for every reader of the package: a small file that it accepts, and what is asked of it after reading."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb
from symbody.kits import vehicles as vh

from . import samples_of_elements as elements
from .sample_texts import COLLADA, CRG, GLTF, MJCF, OBJ, OSIM, SDF, TIR, TRIANGLES, URDF, YAML

Write = Callable[[Path], object]
Read = Callable[[Path], Any]


@dataclass(frozen=True)
class Reader:
    """A sample in a folder of its own, and the reader, which returns what is printed of the result."""

    name: str
    write: Write
    ask: Read

    @cached_property
    def sample(self) -> Mapping[str, bytes]:
        with tempfile.TemporaryDirectory(prefix="symbody-sample-") as place:
            folder = Path(place)
            self.write(folder)
            return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    def read(self, folder: Path) -> str:
        return str(self.ask(folder))

    def refusal(self) -> str:
        """Why the sample itself is refused; empty where it is read. Also loads everything that reading needs."""
        with tempfile.TemporaryDirectory(prefix="symbody-sample-") as place:
            try:
                self.read(put(self.sample, Path(place)))
            except Exception as reason:
                return f"{type(reason).__name__}: {reason}"
        return ""


def put(files: Mapping[str, bytes], folder: Path) -> Path:
    """Files by their names below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _text(name: str, content: str | bytes, ask: Read) -> Reader:
    data = content.encode() if isinstance(content, str) else content
    file = f"sample.{name.split('_')[-1]}"
    return Reader(name, lambda folder: (folder / file).write_bytes(data), lambda folder: ask(folder / file))


# ---------------------------------------------------------------------------------------------------------- results


@cache
def pendulum() -> sb.Equations:
    m = sb.Model("pendulum")
    bob = m.body("bob", mass=m.parameter("m", 1.0), com=(0, -1, 0), inertia=(1, 1, 1))
    m.revolute("q", m.ground, bob)
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


@cache
def fold() -> tuple[sb.Equations, Any]:
    x, mu = sb.symbols("x mu")
    eq = sb.from_equations({x: mu * x - x**3}, {mu: -1.0}, name="fold")
    return eq, sb.steady(eq)


@cache
def oscillator() -> sb.Equations:
    x, v, mu = sb.symbol("x", "variable"), sb.symbol("v", "variable"), sb.symbol("mu")
    return sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 0.5}, name="oscillator")


def _write_trajectory(folder: Path) -> None:
    events = [sb.Event("zero", sb.symbol("q", "coordinate"))]
    sb.simulate(pendulum(), 1, q=1, events=events, sensitivities=["m"]).save(folder / "run.npz")


def _write_branch(folder: Path) -> None:
    eq, rest = fold()
    sb.branch(eq, rest, mu=(-1, 1)).save(folder / "branch.npz")


def _write_orbit(folder: Path) -> None:
    sb.orbit(oscillator(), sb.simulate(oscillator(), 30.0, x=1.0)).save(folder / "orbit.npz")


def _write_orbits(folder: Path) -> None:
    found = sb.orbit(oscillator(), sb.simulate(oscillator(), 30.0, x=1.0))
    sb.orbits(oscillator(), found, mu=(0.4, 0.6)).save(folder / "orbits.npz")


def _write_study(folder: Path) -> None:
    sb.sweep(_square, {"a": [1.0, 2.0, 3.0, -4.0], "b": (0.0, 1.0)}, repeat=3, batch=4, to=folder / "study.zarr", on="threads", workers=1)  # fmt: skip


def _square(a: float, b: float) -> dict[str, Any]:
    if a < 0:
        raise ValueError("negative")
    return {"v": a * a + b, "row": np.array([a, b])}


def _study(folder: Path) -> str:
    found = sb.study.load_sweep(folder / "study.zarr")
    _ = [found[n] for n in (*found.names, *found.coordinates)]
    done = found.status == 1
    if "v" in found.names and (found["v"] != np.square(found["a"])[:, None] + found["b"])[done].any():
        raise AssertionError("numbers of finished members are wrong, and nothing says so")
    return f"{found} {[found.outcome(k) for k in found.failed]} {found.values(0) if len(found) else ''}"


def _binary_crg() -> bytes:
    head = CRG[: CRG.index("$" * 72)].replace("#:LRFI", "#:KDBI")
    return (head + "$" * 72 + "\n").encode() + np.linspace(0, 0.1, 12).reshape(4, 3).astype(">f8").tobytes()


def _road(path: Path) -> str:
    crg = vh.read_crg(path)
    return f"{crg} {crg.line} {crg.curvature}"


def _glb() -> bytes:
    text = json.dumps(GLTF).encode() + b" " * (-len(json.dumps(GLTF)) % 4)
    chunk = len(text).to_bytes(4, "little") + b"JSON" + text
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunk)).to_bytes(4, "little") + chunk


def _stl() -> bytes:
    rows = np.zeros(len(TRIANGLES), dtype=[("n", "<f4", (3,)), ("f", "<f4", (3, 3)), ("", "<u2")])
    rows["f"] = TRIANGLES
    return bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes()


def _msh() -> bytes:
    corners = TRIANGLES.reshape(-1, 3).astype("<f4")
    head = np.array([len(corners), 0, 0, len(TRIANGLES)], "<i4")
    return head.tobytes() + corners.tobytes() + np.arange(len(corners), dtype="<i4").tobytes()


def _write_meshes(folder: Path) -> None:
    """A robot whose inertia comes from meshes."""
    (folder / "part.msh").write_bytes(_msh())
    (folder / "part.stl").write_bytes(_stl())
    meshes = '<mesh name="m" file="part.msh"/><mesh name="s" file="part.stl"/>'
    geoms = '<geom type="mesh" mesh="m"/><geom type="mesh" mesh="s"/>'
    body = f'<body name="b"><joint name="j" axis="0 1 0"/>{geoms}</body>'
    text = f"<mujoco><asset>{meshes}</asset><worldbody>{body}</worldbody></mujoco>"
    (folder / "robot.xml").write_text(text, encoding="utf-8")


def _solids(path: Path) -> str:
    return str({name: sb.evaluate(shape.content) for name, shape in sb.read_solids(path).items()})


def _stl_text() -> str:
    faces = "".join("".join("vertex {} {} {}\n".format(*p) for p in t) for t in TRIANGLES.tolist())
    return f"solid block\n{faces}endsolid\n"


READERS: Final[dict[str, Reader]] = {
    r.name: r
    for r in (
        _text("urdf", URDF, sb.read_urdf),
        _text("sdf", SDF, sb.read_sdf),
        _text("mjcf_xml", MJCF, sb.read_mjcf),
        _text("osim", OSIM, sb.read_osim),
        _text("yaml", YAML, sb.read_model),
        _text("stl", _stl(), _solids),
        _text("text_stl", _stl_text(), _solids),
        _text("obj", OBJ, _solids),
        _text("dae", COLLADA, _solids),
        _text("gltf", json.dumps(GLTF), _solids),
        _text("glb", _glb(), _solids),
        Reader("msh", _write_meshes, lambda f: sb.read_mjcf(f / "robot.xml")),
        _text("tir", TIR, lambda path: f"{vh.read_tir(path)} {vh.read_tir(path).numbers}"),
        _text("crg", CRG, _road),
        _text("binary_crg", _binary_crg(), _road),
        Reader("trajectory", _write_trajectory, lambda f: sb.write.load_trajectory(f / "run.npz", pendulum())),
        Reader("branch", _write_branch, lambda f: sb.write.load_branch(f / "branch.npz", fold()[1])),
        Reader("orbit", _write_orbit, lambda f: sb.write.load_orbit(f / "orbit.npz", oscillator())),
        Reader("orbits", _write_orbits, lambda f: sb.write.load_orbits(f / "orbits.npz", oscillator())),
        Reader("study", _write_study, _study),
        *(Reader(name, *functions) for name, functions in elements.SAMPLES.items()),
    )
}
