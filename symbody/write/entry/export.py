"""`sb.write.c(eq, folder)` and so on: a model as a complete folder in another language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Final, Protocol

from ...argument_kinds import answered
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...errors import ProgramError, existing, listed, unknown
from ...integrate.events.valid_region import with_own_events
from ...integrate.inputs.inputs import closed_loop
from ...integrate.start.state import Start
from ...whole_files import write_bytes, write_text
from ..artefacts.artefact import Artefact
from ..artefacts.catalogue import DEFAULT_GROUPS, GROUPS_WITH_PRODUCTS
from ..artefacts.exported_equations import ATTRACTION
from ..artefacts.make_artefact import ExportOptions, artefact
from ..live.live_page import live_page
from ..mockup.fmu import fmu
from ..targets.auto.auto_target import auto_files, auto_functions, check_autonomous
from ..targets.c.c_library import CVariant
from ..targets.c.c_target import c_files
from ..targets.fortran.fortran_target import fortran_files
from ..targets.javascript.javascript_target import javascript_files
from ..targets.matlab.matlab_target import matlab_files
from ..targets.modelica.modelica_target import FUNCTIONS as MODELICA_FUNCTIONS
from ..targets.modelica.modelica_target import modelica_files
from ..targets.python.casadi_target import casadi_files
from ..targets.python.jax_target import jax_files
from ..targets.python.numpy_target import numpy_files
from ..targets.python.sympy_target import sympy_files
from ..targets.python.torch_target import torch_files
from ..targets.rust.rust_target import rust_files
from ..targets.scilab.scilab_target import scilab_files
from ..targets.simulink.simulink_target import FUNCTIONS as SIMULINK_FUNCTIONS
from ..targets.simulink.simulink_target import simulink_files
from ..targets.wasm.wasm_target import wasm_files


@of_equations
def c(
    equations: Equations,
    folder: str | Path,
    *,
    functions: Iterable[str] | str = DEFAULT_GROUPS,
    start: Start | None = None,
    name: str | None = None,
    events: Mapping[str, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    reference: float | None = 1.0,
    single_precision: bool = False,
    embedded: bool = False,
) -> Path:
    """A C99 library with driver, Makefile, CMakeLists.txt and README in a folder; `make check` there builds and checks
    it. Returns the folder.

    functions          names of functions or of groups (docs/export.md), or "all"
    start              initial state, or values by name
    name               of files and functions; by default that of the model
    events             expressions, events, or names of variables and outputs, by name: zeros are events
    inputs             laws as in `simulate`: expressions, samples; inputs without a law remain arguments
    reference          duration in seconds of a reference motion that the driver reproduces; None to omit it
    single_precision   floats
    embedded           use only sine, cosine and square root of the C library

    >>> x = sb.symbol("x", "variable")
    >>> folder = sb.write.c(sb.from_equations({x: -x}, name="decay"), "decay_c", reference=None)
    >>> sorted(path.suffix for path in folder.iterdir())
    ['', '.c', '.c', '.h', '.md', '.txt']

    See also: `c_source`, `write.fortran`, `write.fmu`.
    """
    options = ExportOptions(functions, start, name, events, reference)
    made = artefact(_with_laws(equations, inputs), options)
    return _write_folder(folder, c_files(made, CVariant(single_precision, embedded)))


Files = Mapping[str, str] | Mapping[str, str | bytes]


class FolderWriter(Protocol):
    """A function that writes a folder; options are those of `c`."""

    def __call__(
        self, equations: Equations, folder: str | Path, *, functions: Iterable[str] | str = DEFAULT_GROUPS, start: Start | None = None, name: str | None = None,
        events: Mapping[str, Any] | None = None, inputs: Mapping[Any, Any] | None = None, reference: float | None = 1.0,
    ) -> Path: ...  # fmt: skip


ABOUT_WRITER: Final = """{about}, in a folder. Options are those of `c`. Returns the folder.

>>> x = sb.symbol("x", "variable")
>>> folder = sb.write.{name}(sb.from_equations({{x: -x}}, name="decay"), "decay_{name}", reference=None)
>>> (folder / "README.md").exists()
True

See also: {see_also}.
"""
ABOUT_WASM: Final = """{about}, in a folder. Options are those of `c`. Returns the folder.

>>> x = sb.symbol("x", "variable")
>>> eq = sb.from_equations({{x: -x}}, name="decay")
>>> try:
...     folder = sb.write.{name}(eq, "decay_{name}", reference=None)
... except sb.errors.CompileError:  # needs the package ziglang
...     folder = sb.write.javascript(eq, "decay_{name}", reference=None)
>>> (folder / "README.md").exists()
True

See also: {see_also}.
"""


def _writer(
    name: str,
    files: Callable[[Artefact], Files],
    about: str,
    see_also: str,
    usual: Iterable[str] = DEFAULT_GROUPS,
    doc: str = ABOUT_WRITER,
) -> FolderWriter:
    """The function of a language that has no options of its own."""

    def write(
        equations: Equations, folder: str | Path, *, functions: Iterable[str] | str = usual, start: Start | None = None, name: str | None = None,
        events: Mapping[str, Any] | None = None, inputs: Mapping[Any, Any] | None = None, reference: float | None = 1.0,
    ) -> Path:  # fmt: skip
        options = ExportOptions(functions, start, name, events, reference)
        return _write_folder(folder, files(artefact(_with_laws(equations, inputs), options)))

    write.__name__ = write.__qualname__ = name
    others = ", ".join(f"`write.{other}`" for other in see_also.split())
    write.__doc__ = doc.format(about=about, name=name, see_also=others)
    return of_equations(write)


fortran = _writer("fortran", fortran_files, "A Fortran 2008 module with driver, Makefile and README", "c auto")
matlab = _writer(
    "matlab",
    matlab_files,
    "Functions of MATLAB and Octave with a mex function, a check, a Makefile and README",
    "simulink scilab",
)
rust = _writer(
    "rust",
    rust_files,
    "A Rust crate without the standard library (`no_std`), with a check, Cargo.toml, Makefile and README",
    "c javascript",
)
javascript = _writer(
    "javascript",
    javascript_files,
    "A JavaScript module without dependencies, with a check by node and README",
    "live_page wasm",
)
wasm = _writer(
    "wasm",
    wasm_files,
    "WebAssembly by our LLVM, linked by the package ziglang, behind the functions of the JavaScript target",
    "javascript live_page",
    doc=ABOUT_WASM,
)
numpy = _writer(
    "numpy", numpy_files, "Functions of NumPy that take many states at once, loops, with a check and README", "jax c"
)
jax = _writer(
    "jax",
    jax_files,
    (
        "Functions of JAX that trace, batch and differentiate, the derivative of the rates attached, with a "
        "check and README"
    ),
    "torch numpy",
    GROUPS_WITH_PRODUCTS,
)
torch = _writer(
    "torch",
    torch_files,
    (
        "Functions of PyTorch that batch and differentiate, both derivatives of the rates attached, with a check "
        "and README"
    ),
    "jax casadi",
    GROUPS_WITH_PRODUCTS,
)
casadi = _writer(
    "casadi",
    casadi_files,
    "Functions of CasADi, the Jacobian of the rates attached, with a check and README",
    "jax torch",
    GROUPS_WITH_PRODUCTS,
)
sympy = _writer(
    "sympy",
    sympy_files,
    "A module that gives SymPy's expressions of everything, with shared parts, and a check and README",
    "numpy c",
)
scilab = _writer(
    "scilab", scilab_files, "Functions of Scilab around the C library, with a check, a Makefile and README", "c matlab"
)


@of_equations
def auto(
    equations: Equations,
    folder: str | Path,
    *,
    vary: str | None = None,
    start: Start | None = None,
    name: str | None = None,
    inputs: Mapping[Any, Any] | None = None,
    reference: float | None = 1.0,
    attraction: float = ATTRACTION,
) -> Path:
    """An equations file of AUTO-07p with derivatives by states and parameters, constants of a first run, a driver that
    checks it, and README in a folder.

    vary   the parameter or input of the first run, along equilibria from the start; by default the first. Inputs are
           parameters of AUTO.

    attraction   rate, in 1/s, at which states are attracted to the constraints, if any

    Other options are those of `c`. Equations may not depend on time. Returns the folder.

    >>> x, a = sb.symbol("x", "variable"), sb.symbol("a")
    >>> folder = sb.write.auto(sb.from_equations({x: a - x}, {a: 1.0}, name="decay"), "decay_auto", reference=None)
    >>> (folder / "README.md").exists()
    True

    See also: `branch`, `write.fortran`.
    """
    closed = _with_laws(equations, inputs)
    options = ExportOptions(auto_functions(closed), start, name, reference=reference, attraction=attraction)
    made = artefact(closed, options)
    check_autonomous(made)
    return _write_folder(folder, auto_files(made, vary))


@of_equations
def simulink(
    equations: Equations,
    folder: str | Path,
    *,
    start: Start | None = None,
    name: str | None = None,
    events: Mapping[str, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    reference: float | None = 1.0,
) -> Path:
    """A level-2 C S-function of Simulink around the C library, with a driver that checks it on a stand-in for
    Simulink's header, and README in a folder.

    Events are zero crossings; the other options are those of `c`. Returns the folder.

    >>> x = sb.symbol("x", "variable")
    >>> folder = sb.write.simulink(sb.from_equations({x: -x}, name="decay"), "decay_simulink", reference=None)
    >>> (folder / "README.md").exists()
    True

    See also: `write.c`, `write.fmu`.
    """
    made = artefact(_with_laws(equations, inputs), ExportOptions(SIMULINK_FUNCTIONS, start, name, events, reference))
    return _write_folder(folder, simulink_files(made))


@of_equations
def modelica(
    equations: Equations,
    folder: str | Path,
    *,
    start: Start | None = None,
    name: str | None = None,
    events: Mapping[str, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    reference: float | None = 1.0,
) -> Path:
    """A flat model of Modelica with a check by rumoca, and README in a folder; options are those of `c`. Returns the
    folder.

    Events with resets, or that end the simulation, become when-equations.

    >>> x = sb.symbol("x", "variable")
    >>> folder = sb.write.modelica(sb.from_equations({x: -x}, name="decay"), "decay_modelica", reference=None)
    >>> (folder / "README.md").exists()
    True

    See also: `write.fmu`, `write.c`.
    """
    eq = _with_laws(equations, inputs)
    made = artefact(eq, ExportOptions(MODELICA_FUNCTIONS, start, name, events, reference))
    return _write_folder(folder, modelica_files(made, with_own_events(eq, events or {})))


TARGETS: Final[dict[str, Callable[..., Path]]] = {
    "c": c,
    "fortran": fortran,
    "auto": auto,
    "simulink": simulink,
    "scilab": scilab,
    "modelica": modelica,
    "matlab": matlab,
    "rust": rust,
    "javascript": javascript,
    "wasm": wasm,
    "numpy": numpy,
    "jax": jax,
    "torch": torch,
    "casadi": casadi,
    "sympy": sympy,
    "fmu": fmu,
    "page": live_page,
}


ADDED_TARGETS: Final[dict[str, Callable[..., Path]]] = {}
"""Languages that `add_target` made known."""


@answered
def add_target(
    name: str, files: Callable[[Artefact], Files], functions: Iterable[str] = DEFAULT_GROUPS
) -> FolderWriter:
    """Register your own target language for `export`. Returns the function that writes its folders, with the options of
    `c`.

    name        its name in `export`
    files       text (or bytes) of each file by its name, from an artefact
    functions   names or groups of functions that are written by default

    >>> def listing(made):
    ...     return {"functions.txt": " ".join(f.name for f in made.functions)}
    >>> x = sb.symbol("x", "variable")
    >>> listed = sb.write.add_target("listing", listing, ["rhs", "rhs_x"])
    >>> folder = sb.write.export(sb.from_equations({x: -x}, name="decay"), "listing", "decay_listing")
    >>> (folder / "functions.txt").read_text()
    'rhs rhs_x'

    See also: `write.export`, `write.Artefact`.
    """
    if name in TARGETS:
        raise ProgramError(f"add_target: {name!r} is a language of symbody; give yours another name")
    ADDED_TARGETS[name] = writer = _writer(
        name, files, f"A folder in the language {name!r}", "export", tuple(functions)
    )
    return writer


@of_equations
def source_files(equations: Equations, to: str) -> dict[str, str]:
    """Text of the source files that a folder in C or SymPy would have, with the functions of the group "core", and
    without driver and build files."""
    made = artefact(equations, ExportOptions(("core",), reference=None))
    files = c_files(made, CVariant()) if to == "c" else sympy_files(made)
    kept = (f"{made.identifier}.h", f"{made.identifier}.c", f"{made.identifier}_sympy.py")
    return {name: text for name, text in files.items() if name in kept}


@of_equations
def export(equations: Equations, to: str, folder: str | Path, **options: Any) -> Path:
    """A folder in the language `to`, by its name (an FMU and a page are files): `export(eq, "c", folder)` is `c(eq,
    folder)`, with the same options.

    >>> x = sb.symbol("x", "variable")
    >>> folder = sb.write.export(sb.from_equations({x: -x}, name="decay"), "c", "decay_c", reference=None)
    >>> sorted(path.name for path in folder.iterdir())[:3]
    ['CMakeLists.txt', 'Makefile', 'README.md']

    See also: `write.c`, `write.fmu`, `write.live_page`.
    """
    targets = {**TARGETS, **ADDED_TARGETS}
    if to not in targets:
        raise unknown(f"export of {equations.name!r}", "language", to, targets, ProgramError)
    known = signature(targets[to]).parameters
    if strange := [k for k in options if k not in known]:
        raise ProgramError(
            f"export of {equations.name!r}: {to} has no option {listed(strange)}; {existing(list(known)[2:], 30)}"
        )
    return targets[to](equations, folder, **options)


def _with_laws(equations: Equations, inputs: Mapping[Any, Any] | None) -> Equations:
    return closed_loop(equations, inputs) if inputs else equations


def _write_folder(folder: str | Path, files: Mapping[str, str] | Mapping[str, str | bytes]) -> Path:
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            write_bytes(place / name, text)
        else:
            write_text(place / name, text)
    return place
