"""A mechanism of symbody among particles of YADE: forces both ways, with the balances of momentum and energy.

In every step of length H, YADE moves a tool from where the mechanism has it, with the velocity v_p that the mechanism would have in
the middle of the step if it went on as in the step before. YADE takes as many steps of its own as it needs. The impulse J and the
moment K of the particles on the tool come back and act on the mechanism as constant force J/H and torque K/H over the same step.
The particles got -J, so momentum is kept to rounding. Energy is not: particles met a tool at the predicted velocity, the mechanism
works at its mean velocity. `CoupledMotion.balance` is the energy that the coupling has made: the change of the energy of the
mechanism, of the particles (kinetic, elastic, of gravity) and of what friction took. It goes to zero with H.

`apt-get install yade` has YADE.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb

SIDE = Path(__file__).with_name("yade_side.py")
WAIT = 60.0  # seconds for an answer


@dataclass(frozen=True)
class Particles:
    """Equal balls: places (m), radius, density (kg/m³), Young's modulus (Pa), friction; the height of a floor, or None."""

    places: Any
    radius: float
    density: float = 2500.0
    young: float = 1e7
    friction: float = 0.3
    floor: float | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class CoupledMotion:
    """States of the mechanism at times, momentum of the particles, impulses and moments on the tool in each step, the energy that the
    coupling made (J, from the end of the first step on), and places of the particles at the end."""

    t: Any
    states: Any
    momentum: Any
    impulses: Any
    balance: Any
    places: Any


class Tool:
    """The ball of a mechanism that particles touch: inputs for their force and torque, and its motion as a compiled function."""

    def __init__(self, m: sb.Model, name: str, frame: sb.Frame, radius: float) -> None:
        self.radius, self.frame = radius, frame
        self.names = [f"{name}_{k}" for k in ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")]
        inputs = [m.input(k) for k in self.names]
        m.force(f"{name} force", frame, m.ground.vector(*inputs[:3]), at=frame.origin)
        m.torque(f"{name} torque", frame, m.ground.vector(*inputs[3:]))

    def motion(self, eq: sb.Equations) -> Any:
        """(t, q, u, r, p) -> place, velocity and angular velocity in the ground."""
        place = self.frame.origin.position()
        rates = dict(zip(eq.q, eq.rates.entries, strict=True))
        outputs = {"position": place, "velocity": self.frame.origin.velocity(), "spin": self.frame.angular_velocity()}
        made = {
            k: sb.substitute(v.components(eq.mechanism.ground), {q.dot: e for q, e in rates.items()})
            for k, v in outputs.items()
        }
        return sb.compile(eq).function("tool", made)


@contextmanager
def yade(particles: Particles, radius: float) -> Iterator[Any]:
    """A process of YADE with these particles and a tool of this radius, as a function of one step."""
    if (program := shutil.which("yade")) is None:
        raise FileNotFoundError("there is no program yade; apt-get install yade")
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as door:
        at, numbers = Path(folder) / "door", Path(folder) / "numbers.json"
        given = {**vars(particles), "places": np.asarray(particles.places).tolist(), "tool": radius}
        numbers.write_text(json.dumps(given))
        door.bind(str(at))
        door.listen(1)
        door.settimeout(WAIT)
        own = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        own["SYMBODY_COUPLING"] = json.dumps({"socket": str(at), "numbers": str(numbers)})
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([program, "-n", "-x", "-j1", str(SIDE)], env=own, **quiet)  # type: ignore[call-overload]
        try:
            stream, _ = door.accept()
            stream.settimeout(WAIT)
            with stream, stream.makefile("rw") as lines:
                yield lambda asked: _answer(lines, asked)
        finally:
            process.terminate()
            process.wait(WAIT)


def _answer(lines: Any, asked: Mapping[str, Any]) -> dict[str, Any]:
    lines.write(json.dumps(asked) + "\n")
    lines.flush()
    if not (line := lines.readline()):
        raise RuntimeError("YADE ended; its bodies may have left the numbers that it can hold: try a shorter step")
    return dict(json.loads(line))


def coupled_motion(
    eq: sb.Equations, tool: Tool, particles: Particles, t: float, step: float, start: Mapping[str, float]
) -> CoupledMotion:
    """The mechanism and the particles up to t, with an exchange after every step."""
    stepper, where = sb.stepper(eq, step, start=start), tool.motion(eq)
    state, n = stepper.start, len(eq.q)
    order = [[s.name for s in eq.r].index(k) for k in tool.names]
    silent, p, count = np.zeros(len(eq.r)), where_parameters(eq), round(t / step)
    states, impulses, momentum, energy, places = [state], [], [], [], []
    energies = sb.compile(eq).energies
    change = np.zeros(6)
    with yade(particles, tool.radius) as move:
        for k in range(count):
            position, velocity, spin = where(k * step, state[:n], state[n:], silent, *p)
            guess = np.concatenate([velocity, spin]) + change / 2
            asked = {"position": position, "velocity": guess[:3], "spin": guess[3:]}
            answer = move({key: v.tolist() for key, v in asked.items()} | {"seconds": step, "places": k == count - 1})
            J = np.array(answer["impulse"] + answer["moment"])
            r = silent.copy()
            r[order] = J / step
            state = stepper.step(state, r, t=k * step)
            _, after, turned = where((k + 1) * step, state[:n], state[n:], silent, *p)
            change = np.concatenate([after - velocity, turned - spin])
            states.append(state)
            impulses.append(J)
            momentum.append(answer["momentum"])
            energy.append(answer["energy"] + sum(energies((k + 1) * step, state[:n], state[n:], silent, *p)))
            places = answer["places"]
    return CoupledMotion(
        step * np.arange(count + 1),
        np.array(states),
        np.array(momentum),
        np.array(impulses),
        np.array(energy) - energy[0],
        np.array(places),
    )


def where_parameters(eq: sb.Equations) -> Sequence[Any]:
    """Values of parameters, where there are any, as arguments of compiled functions."""
    return [sb.compile(eq).p] if eq.p else []


def hammer() -> tuple[sb.Equations, Tool]:
    """A ball of 0.5 kg at the end of a double pendulum of 0.4 m."""
    m = sb.Model("hammer")
    m.gravity(0, 0, -9.81)
    upper = m.body("upper", mass=0.2, com=(0, 0, -0.1), inertia=(1e-3, 1e-3, 1e-4))
    lower = m.body("lower", mass=0.5, com=(0, 0, -0.2), inertia=(1e-3, 1e-3, 1e-4))
    m.revolute("a", m.ground, upper, axis="y")
    m.revolute("b", upper, lower, axis="y", at=(0, 0, -0.2))
    tool = Tool(m, "head", lower.frame.translate(0, 0, -0.2), 0.05)
    return sb.derive(m), tool


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    bed = np.mgrid[:8, :6, :4].reshape(3, -1).T * 0.042 + (-0.05, -0.105, -0.5)
    bed = bed + rng.uniform(-0.001, 0.001, bed.shape)
    eq, tool = hammer()
    for step in (2e-3, 1e-3):
        found = coupled_motion(eq, tool, Particles(bed, 0.02, floor=-0.52), 0.5, step, {"a": 1.2})
        print(
            f"H = {step}: energy that the coupling made {found.balance[-1]:.2e} J, impulse {found.impulses.sum(axis=0)[:3]}"
        )
