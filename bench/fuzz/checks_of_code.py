"""Questions to code: machine code, batches, NumPy and C against `evaluate`; files, pickles and trajectories against
what was written."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb

from .oracle import Numbers
from .subject import DisagreementError, NotComparableError, Subject, agree

TOLERANCE = 1e-8  # of the largest number of an output, at well-conditioned states


def outputs_of(s: Subject) -> dict[str, Any]:
    """Everything that the equations say, as outputs of a program."""
    eq = s.eq
    own = {
        f"y_{n}": x
        for n, x in zip(eq.outputs, sb.derivation.in_own_terms(eq, list(eq.outputs.values()), solved=True), strict=True)
    }
    out = {"M": eq.M, "f": eq.f, "rates": eq.rates, "udot": eq.udot, **({} if s.is_redundant else own)}
    if eq.lam:
        out |= {"phi": eq.phi, "Jc": eq.Jc, "c": eq.c} | ({} if s.is_redundant else {"lam": eq.multipliers})
    return {k: v for k, v in out.items() if not isinstance(v, sb.Matrix) or v.entries}


def arguments(s: Subject, at: Numbers) -> list[Any]:
    """t, q, u, then z, r and p where there are some."""
    eq = s.eq
    groups = [(eq.q, True), (eq.u, True), (eq.z, False), (eq.r, False), (eq.p, False)]
    return [at.values[eq.t], *(np.array([at.values[x] for x in g], dtype=float) for g, always in groups if g or always)]


def flat(thing: Any) -> Any:
    """Entries of whatever an output is."""
    return np.array(thing, dtype=float).reshape(-1)


def expected(s: Subject, outputs: dict[str, Any]) -> list[list[np.ndarray]]:
    """Values by `evaluate`, for each state and output."""
    return [[flat(sb.evaluate(x, at.values)) for x in outputs.values()] for at in s.states]


def code(s: Subject) -> None:
    """LLVM for one state and for many, NumPy, and C by the compiler of the machine: the numbers of `evaluate`."""
    outputs = outputs_of(s)
    f = sb.compile(s.eq)
    program = f.program("everything", outputs)
    given, values = [arguments(s, at) for at in s.states], expected(s, outputs)
    compiled = f.function("everything", outputs)
    runs = {"machine code": compiled, "NumPy": sb.emit.numpy_function(program), "C": c_function(program)}
    for name, run in runs.items():
        for args, want in zip(given, values, strict=True):
            for out, a, b in zip(outputs, _several(run(*args)), want, strict=True):
                agree(f"{out} by {name}", flat(a), b, TOLERANCE, np.abs(b).max(initial=0.0) + 1.0)
    lanes = [np.stack([np.asarray(given[k % 2][i]) for k in range(5)]) for i in range(len(given[0]))]
    for out, a, b in zip(outputs, _several(compiled.batch(*lanes)), zip(*values, strict=True), strict=True):
        want = np.stack([b[k % 2] for k in range(5)])
        agree(f"{out} in a batch", np.asarray(a).reshape(5, -1), want, TOLERANCE, np.abs(want).max(initial=0.0) + 1.0)
    _functions(s, f, given)


def _several(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def _functions(s: Subject, f: Any, given: list[list[Any]]) -> None:
    """Functions that are compiled by other ways than the equations' own: articulated bodies, derivatives."""
    for at, args in zip(s.states, given, strict=True):
        size = np.abs(at.udot).max(initial=0.0) + 1.0
        agree("f.udot", f.udot(*args), at.udot, 1e-7, size)
        agree("f.qdot", f.qdot(*args), at.rates, TOLERANCE, np.abs(at.rates).max(initial=0.0) + 1.0)
        forces = at.at(dict(zip((u.dot for u in s.eq.u), at.udot, strict=True))).array(sb.joint_forces(s.eq))
        agree(
            "joint_forces",
            forces,
            at.M @ at.udot - at.f,
            1e-7,
            (np.abs(at.M) @ np.abs(at.udot) + np.abs(at.f)).max(initial=0.0) + 1.0,
        )


def c_function(program: Any) -> Any:
    """A program as a function of C, compiled with warnings as errors."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise NotComparableError("there is no C compiler")
    source = sb.c_source(program)
    with tempfile.TemporaryDirectory(prefix="symbody-fuzz-") as folder:
        _, path = source.write(Path(folder))
        library = Path(folder) / "generated.so"
        command = [
            compiler,
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O0",
            "-fPIC",
            "-shared",
            str(path),
            "-o",
            str(library),
            "-lm",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DisagreementError(f"the C compiler refuses the generated code: {done.stderr[:800]}")
        function = getattr(ctypes.CDLL(str(library)), source.name)
    function.restype = None

    def call(*args: Any) -> tuple[Any, ...]:
        outs = [np.full(o.shape, np.nan) for o in program.outputs]
        groups = zip(program.inputs, args, strict=True)
        held = [
            ctypes.c_double(float(a)) if g.is_scalar else np.array(a, dtype=float)
            for g, a in groups
            if g.is_scalar or len(g)
        ]
        function(*(a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in (*held, *outs)))
        return tuple(outs)

    return call


# ---------------------------------------------------------------------------------------------------- files and pickles


def model_file(s: Subject) -> None:
    """The model written in the style of frames and read again: the same equations, and outputs."""
    try:
        again = Subject(sb.write.model_text(s.file.mechanism), s.seed)
        _same_equations(s, again.eq, "read again")
    except sb.errors.SymbodyError as reason:
        raise DisagreementError(f"what was written is refused: {reason}") from reason


def _same_equations(s: Subject, eq: Any, how: str) -> None:
    for group in ("q", "u", "z", "r", "p", "lam"):
        if [x.name for x in getattr(s.eq, group)] != [x.name for x in getattr(eq, group)]:
            raise DisagreementError(f"{how}: {group} is {getattr(s.eq, group)} and {getattr(eq, group)}")
    if list(s.eq.outputs) != list(eq.outputs) or list(s.eq.labels) != list(eq.labels):
        raise DisagreementError(
            f"{how}: outputs {list(s.eq.outputs)} and {list(eq.outputs)}, labels {list(s.eq.labels)} and {list(eq.labels)}"
        )
    for at in s.states:
        other = Numbers(eq, at.values)
        for part in ("M", "f", "rates", "phi", "Jc", "b", "c"):
            a, b = at.array(getattr(s.eq, part)), other.array(getattr(eq, part))
            agree(f"{part} {how}", b, a, 1e-9, np.abs(a).max(initial=0.0) + 1.0)
        known = {u.dot: x for u, x in zip(s.eq.u, at.udot, strict=True)}
        for name in s.eq.outputs:
            a, b = (flat(sb.evaluate(e.outputs[name], {**at.values, **known})) for e in (s.eq, eq))
            agree(f"output {name} {how}", b, a, 1e-9, np.abs(a).max(initial=0.0) + 1.0)


def pickles(s: Subject) -> None:
    """Equations, models and states pass through pickle; in one process nodes are the same objects."""
    things = {"model": s.file.model, "mechanism": s.file.mechanism, "equations": s.eq}
    again = {name: pickle.loads(pickle.dumps(x)) for name, x in things.items()}
    for part in ("M", "f", "Jc", "phi", "rates", "h"):
        if getattr(again["equations"], part) != getattr(s.eq, part):
            raise DisagreementError(f"pickle: {part} of the equations is another")
    for name in ("model", "mechanism"):
        eq = sb.derive(again[name], redundant=True)
        _same_equations(s, eq, f"after a pickle of the {name}")
    state = pickle.loads(pickle.dumps(s.start))
    agree("pickled state", list(state.values.values()), list(s.start.values.values()), 0.0)


def trajectory_file(s: Subject) -> None:
    """A motion saved and loaded, or pickled, is the same: times, states, outputs, energy."""
    sim = s.motion
    with tempfile.TemporaryDirectory(prefix="symbody-fuzz-") as folder:
        sim.save(Path(folder) / "run.npz")
        others = {
            "loaded": sb.write.load_trajectory(Path(folder) / "run.npz", s.closed),
            "pickled": pickle.loads(pickle.dumps(sim)),
        }
    middle = sim.t[0] + 0.37 * (sim.t[-1] - sim.t[0])
    for how, other in others.items():
        agree(f"{how} times", other.t, sim.t, 0.0)
        agree(f"{how} states", other.y, sim.y, 0.0)
        agree(f"{how} energy", other.energy, sim.energy, 1e-13)
        agree(f"{how} between steps", other.at([middle]).y, sim.at([middle]).y, 0.0)
        for name in sim.columns():
            agree(f"{how} column {name}", other.columns()[name], sim.columns()[name], 1e-13)
