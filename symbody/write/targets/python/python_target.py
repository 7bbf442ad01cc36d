"""The JAX and CasADi targets: a Python module whose functions trace, batch and differentiate, with derivatives of the
graph attached."""

from __future__ import annotations

from collections.abc import Mapping

from ....errors import ProgramError, listed
from ....escaping import as_python_docstring, in_one_line
from ...artefacts.artefact import Artefact, CheckValues, Numbers
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from .array_python import CASADI, HELPERS, JAX, ArrayDialect, ArrayText, ModuleDialect

CORRECTIONS = 4  # of positions in a projection: each squares what is left


def jax_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n = made.identifier
    text = module_text(
        made,
        JAX,
        ["import jax", "import jax.numpy as jnp", *_QUICK],
        [*array_functions(made, JAX), *_jax_function(made)],
    )
    words = LanguageWords(
        "functions of JAX",
        f"python {n}_check.py",
        _JAX_EXAMPLE.format(n),
        "python",
        f"{n}_jax.",
        module_files(n, "jax"),
        (*_JAX_MORE, *supplied_words(made, "`jax.numpy`")),
    )
    return {f"{n}_jax.py": text, f"{n}_check.py": _check(made, "jax"), "README.md": readme(made, words)}


def casadi_files(made: Artefact) -> dict[str, str]:
    n = made.identifier
    text = module_text(made, CASADI, ["import casadi"], [*array_functions(made, CASADI), *_casadi_function(made)])
    words = LanguageWords(
        "CasADi functions",
        f"python {n}_check.py",
        _CASADI_EXAMPLE.format(n),
        "python",
        f"{n}_casadi.",
        module_files(n, "casadi"),
        (*_CASADI_MORE, *supplied_words(made, "functions of CasADi that take SX")),
    )
    return {f"{n}_casadi.py": text, f"{n}_check.py": _check(made, "casadi"), "README.md": readme(made, words)}


def module_files(n: str, which: str) -> dict[str, str]:
    return {
        f"{n}_{which}.py": "the module: all you need",
        f"{n}_check.py": "compares every function, its derivatives, and a motion",
    }


_QUICK = [
    "",
    "# Compiler options for CPUs: XLA takes most of its time for fusing long functions.",
    'QUICK = {"xla_disable_hlo_passes": "fusion"}',
]
_JAX_EXAMPLE = """\
import jax
import {0}_jax as model

jax.config.update("jax_enable_x64", True)
t, x, r = model.initial_state()
p = model.default_parameters()
model.rhs(t, x, r, p)
jax.jacfwd(model.rhs, 1)(t, x, r, p)             # by the derivatives of the graph; jacrev, grad, vmap and jit too"""
_JAX_MORE = (
    "`rhs` has its derivative attached (`custom_jvp`): forward and reverse mode, and what is built on them, use the derivative of the graph, in which "
    "linear systems are solved with the matrix of the rates. `traced_rhs` is the same without it. Parameters are an array in the order below.",
    (
        "XLA fuses long functions for a long time: `jax.jit(f, compiler_options=model.QUICK)` compiles several "
        "times faster, for calls that take up to twice as long, on CPUs."
    ),
)
_CASADI_EXAMPLE = """\
import {0}_casadi as model

t, x, r = model.initial_state()
p = model.default_parameters()
f = model.function("rhs")                        # a casadi.Function of t, x, r, p
f(t, x, r, p)
model.function("rhs_x")(t, x, r, p)              # exact derivatives of the graph"""
_CASADI_MORE = (
    "`function(name)` makes a `casadi.Function` from SX symbols. The function of `rhs` has its Jacobian attached where `rhs_x` is written (option "
    "`custom_jacobian`); all of CasADi works on it: integrators, nlpsol, code generation. Parameters are a column in the order below.",
)


def module_text(made: Artefact, dialect: ModuleDialect, imports: list[str], definitions: list[str]) -> str:
    """A module: what it is about, names, numbers of the model, samples, then its functions."""
    head = [f"{made.title}: {dialect.title}", "", *described(made)]
    names = ", ".join(repr(v.name) for v in made.state), ", ".join(repr(v.name) for v in made.parameters)
    lines = [
        as_python_docstring(head),
        "",
        *imports,
        *_supplied(made),
        "",
        f"STATE = ({names[0]},)",
        f"PARAMETERS = ({names[1]}{',' if names[1] else ''})",
        "",
    ]
    t, x, r = made.start
    lines += [
        "",
        "def default_parameters():",
        '    """Parameters as in the model."""',
        f"    return {_array(made.defaults, dialect)}",
    ]
    lines += [
        "",
        "",
        "def initial_state():",
        '    """t, x, r where motions begin."""',
        f"    return {t!r}, {_array(x, dialect)}, {_array(r, dialect)}",
    ]
    return "\n".join([*lines, *_tables(made, dialect), *definitions, ""])


def array_functions(made: Artefact, dialect: ArrayDialect) -> list[str]:
    """The functions as text on arrays, and the projection."""
    lines = []
    for f in made.functions:
        name = "traced_rhs" if f.name == "rhs" and dialect is not CASADI else f.name
        lines += ["", "", *ArrayText(f.program, name, dialect).definition(f"{in_docstring(f.about)}; {f.program.cost}")]
    return [*lines, "", "", *_project(made, dialect)] if made.has("project") else lines


def in_docstring(text: str) -> str:
    return in_one_line(text).replace('"', "'").replace("\\", "/")


def _supplied(made: Artefact) -> list[str]:
    """External functions, of which only who has the module can write a form that is traced."""
    names = [f.name for f in made.externals if f.table is None]
    own = {
        *made.names,
        "np",
        "jax",
        "jnp",
        "casadi",
        "torch",
        "lookup",
        "function",
        "default_parameters",
        "initial_state",
        "traced_rhs",
        "QUICK",
        "_Rhs",
        *HELPERS,
    }
    if taken := [n for n in names if n in own]:
        raise ProgramError(
            f"export of {made.title!r}: external function {taken[0]!r} has a name that the module uses "
            "itself; give it another"
        )
    return ["", f"from {made.identifier}_functions import {', '.join(names)}"] if names else []


def supplied_words(made: Artefact, example: str, purpose: str = "so that they can be traced") -> tuple[str, ...]:
    names = [f"`{f.name}`" for f in made.externals if f.table is None]
    if not names:
        return ()
    return (
        (
            f"You supply {listed(names)} in a file `{made.identifier}_functions.py` beside the module, written "
            f"with {example}, {purpose}."
        ),
    )


def _tables(made: Artefact, dialect: ModuleDialect) -> list[str]:
    """Piecewise polynomials: constant before the first and after the last time; as rates zero there."""
    found = [f for f in made.externals if f.table is not None]
    lines = ["", "", *dialect.lookup.splitlines()] if found else []
    for f in found:
        assert f.table is not None
        times, coefficients = list(f.table.times), [list(row) for row in f.table.coefficients]
        value = f"lookup({f.name}_TIMES, {f.name}_COEFFICIENTS, x)"
        if f.table.is_rate:
            inside = dialect.both[0].format(f"x >= {times[0]!r}", f"x <= {times[-1]!r}")
            value = dialect.where.format(inside, value, "0.0")
        lines += ["", "", f"{f.name}_TIMES, {f.name}_COEFFICIENTS = {times!r}, {coefficients!r}"]
        lines += ["", "", f"def {f.name}(x):", f"    return {value}"]
    return lines


def _array(values: Numbers, dialect: ModuleDialect) -> str:
    return dialect.array.format(", ".join(map(repr, values))) if values else dialect.nothing


def _project(made: Artefact, dialect: ArrayDialect) -> list[str]:
    n_q = len(made.function("correct_positions").program.outputs[0].values)
    n_u = len(made.function("correct_speeds").program.outputs[0].values)
    before, after, rest = (dialect.entry.format("x", k) for k in (f":{n_q}", f"{n_q}:", f"{n_q + n_u}:"))
    return [
        "def project(t, x, r, p):", (
                '    """The state onto the constraints, by a fixed number of corrections, so that it can be '
                'traced."""'),
        f"    for _ in range({CORRECTIONS}):", f"        x = {dialect.join.format(f'correct_positions(t, x, r, p)[0], {after}')}",
        f"    return {dialect.join.format(f'{before}, correct_speeds(t, x, r, p)[0], {rest}')}",
    ]  # fmt: skip


def _jax_function(made: Artefact) -> list[str]:
    """`rhs`, with its derivative attached where that is written."""
    if not made.has("rhs"):
        return []
    if not made.has("rhs_along"):
        return ["", "", "rhs = traced_rhs"]
    groups = [g.name for g in made.function("rhs_along").program.inputs[4:]]
    tangents = {"dt": "jnp.reshape(dt, (1,))", "dx": "dx", "dr": "dr", "dp": "dp"}
    return [
        "", "", "@jax.custom_jvp", "def rhs(t, x, r, p):", '    """x\' = (q\', u\', z\')"""', "    return traced_rhs(t, x, r, p)", "", "",
        "@rhs.defjvp", "def _rhs_jvp(primals, tangents):", "    dt, dx, dr, dp = tangents",
        f"    return traced_rhs(*primals), rhs_along(*primals, {', '.join(tangents[g] for g in groups)})",
    ]  # fmt: skip


def _casadi_function(made: Artefact) -> list[str]:
    sizes = {"t": 1, "x": len(made.state), "r": len(made.inputs), "p": len(made.parameters)}
    directions = {f.name: {g.name: len(g) for g in f.program.inputs[4:]} for f in made.functions if f.directions}
    has_jacobian = made.has("rhs") and made.has("rhs_x")
    wrt = [g for g in "xrp" if sizes[g]]
    blocks = [f"rhs_{g}(*symbols)" if sizes[g] else f"casadi.SX({sizes['x']}, 0)" for g in "xrp"]
    lines = [
        "", "", f"SIZES = {sizes!r}", f"DIRECTIONS = {directions!r}", "", "", "def function(name, **options):",
        '    """A casadi.Function of t, x, r, p (and directions), by the name of a function of this module."""',
        "    sizes = {**SIZES, **DIRECTIONS.get(name, {})}", "    symbols = [casadi.SX.sym(k, n) for k, n in sizes.items()]",
        "    outputs = globals()[name](*symbols)", "    outputs = outputs if isinstance(outputs, tuple) else (outputs,)",
    ]  # fmt: skip
    if has_jacobian and all(made.has(f"rhs_{g}") for g in wrt):
        lines += [
            '    if name == "rhs":', f"        t, {', '.join('xrp')} = symbols", "        out = casadi.SX(casadi.Sparsity(outputs[0].shape))",
            "        by_time = casadi.jacobian(outputs[0], t)", f"        blocks = [by_time, {', '.join(blocks)}]",
            '        options["custom_jacobian"] = casadi.Function(', f'            "jac_{made.identifier}_rhs", [*symbols, out], blocks,',
            '            [*sizes, "out_o0"], [f"jac_o0_{k}" for k in sizes],', "        )",
            '        options.setdefault("never_inline", True)', '        options.setdefault("jac_penalty", 0)',
        ]  # fmt: skip
    return [
        *lines,
        (
            f'    return casadi.Function(f"{made.identifier}_{{name}}", symbols, outputs, [*sizes], [f"o{{k}}" '
            "for k in range(len(outputs))], options)"
        ),
    ]


def _check(made: Artefact, which: str) -> str:
    lines = check_head(made, which, _JAX_IMPORT if which == "jax" else [])
    lines += _JAX_CHECK.splitlines() if which == "jax" else _CASADI_CHECK.splitlines()
    if made.has("rhs") and made.has("rhs_x") and made.has("rhs_along") and which == "jax":
        lines += _JAX_DERIVATIVES.splitlines()
    if made.has("rhs") and made.has("rhs_x") and which == "casadi":
        lines += _CASADI_DERIVATIVES.splitlines()
    made_by = "jax.jit(model.{0})" if which == "jax" else 'model.function("{0}")'
    return "\n".join([*lines, *motion_lines(made, made_by), *CHECK_END])


def check_head(made: Artefact, which: str, imports: list[str]) -> list[str]:
    """Imports, the point where everything is checked with values there, and `verdict`."""
    n, point = made.identifier, made.check
    assert point is not None
    lines = [f'"""Checks {n}_{which}.py."""', "", "import sys", "", "import numpy as np", *imports, ""]
    lines += [f"import {n}_{which} as model", ""]
    lines += [f"T, X, R = {point.t!r}, {list(point.x)!r}, {list(point.r)!r}"]
    lines += check_values("VALUES", {f.name: point.values[f.name] for f in made.functions if f.name in point.values})
    return [*lines, "wrong = 0", "", "", *VERDICT, "", ""]


def check_values(name: str, values: Mapping[str, CheckValues]) -> list[str]:
    """Inputs and outputs of functions, by their names."""
    pairs = {k: tuple([list(a) for a in group] for group in (v.inputs, v.outputs)) for k, v in values.items()}
    return [f"{name} = {{", *(f"    {k!r}: {pair!r}," for k, pair in pairs.items()), "}"]


_JAX_IMPORT = ["import jax", "", 'jax.config.update("jax_enable_x64", True)']
CHECK_END = ['print("SOMETHING IS WRONG" if wrong else "all good")', "sys.exit(1 if wrong else 0)", ""]
VERDICT = """\
def verdict(what, got, wanted, allowed=1e-9):
    global wrong
    wanted = np.asarray(wanted, dtype=float)
    got = np.asarray(got, dtype=float)
    off = np.max(np.abs(got - wanted), initial=0.0) / (1 + np.max(np.abs(wanted), initial=0.0))
    is_good = bool(off <= allowed)
    wrong += not is_good
    print(f"{what:28s} {'good ' if is_good else 'WRONG'} off by {off:.2e} of at most {allowed:.2e}")""".splitlines()

_JAX_CHECK = """\
t, x, r, p = T, jax.numpy.array(X), jax.numpy.array(R), model.default_parameters()
for name, (inputs, outputs) in VALUES.items():
    found = jax.jit(getattr(model, name))(t, x, r, p, *map(jax.numpy.array, inputs))
    found = found if isinstance(found, tuple) else (found,)
    verdict(name, np.concatenate([np.ravel(f) for f in found]), np.concatenate(outputs))
"""
_JAX_DERIVATIVES = """\
J = jax.jit(model.rhs_x)(t, x, r, p)
verdict("jacfwd", jax.jit(jax.jacfwd(model.rhs, 1))(t, x, r, p), J)
verdict("jacrev", jax.jit(jax.jacrev(model.rhs, 1))(t, x, r, p), J)
many = jax.numpy.stack([x, 1.1 * x, 0.9 * x])
rhs = jax.jit(model.rhs)
verdict("vmap", jax.jit(jax.vmap(model.rhs, (None, 0, None, None)))(t, many, r, p), [rhs(t, y, r, p) for y in many])
"""
_CASADI_CHECK = """\
t, x, r, p = T, X, R, model.default_parameters()
for name, (inputs, outputs) in VALUES.items():
    f = model.function(name)
    found = f.call([t, x, r, p, *inputs])
    verdict(name, np.concatenate([np.ravel(np.array(o)) for o in found]), np.concatenate(outputs))
"""
_CASADI_DERIVATIVES = """\
f = model.function("rhs")
J = np.array(model.function("rhs_x")(t, x, r, p))
verdict("jacobian", np.array(f.jacobian()(t, x, r, p, 0)[1]), J)
y = model.casadi.MX.sym("y", len(X))
traced = model.casadi.Function("traced", [y], [model.casadi.jacobian(f(t, y, r, p), y)])
verdict("jacobian of MX", np.array(traced(x)), J)
"""


def motion_lines(made: Artefact, made_by: str) -> list[str]:
    """Lines that reproduce the reference motion; `made_by` makes a function of arrays from its name."""
    ref = made.reference
    if ref is None:
        return []
    used = ["rhs", *(["project"] if made.has("project") else [])]
    return [
        f"TIMES, STATES = {list(ref.times)!r}, {[list(s) for s in ref.states]!r}", *(f"{f} = {made_by.format(f)}" for f in used), "", "",
        "def step(t, h, x):", "    k1 = rhs(t, x, r, p)", "    k2 = rhs(t + h / 2, x + h / 2 * k1, r, p)",
        "    k3 = rhs(t + h / 2, x + h / 2 * k2, r, p)", "    k4 = rhs(t + h, x + h * k3, r, p)", "    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)",
        f"    return {'project(t + h, x, r, p)' if len(used) > 1 else 'x'}", "", "",
        "t, x, r = model.initial_state()", "motion = [x]", "for begin, end in zip(TIMES[:-1], TIMES[1:]):", f"    h = (end - begin) / {ref.steps}",
        f"    for k in range({ref.steps}):", "        x = step(begin + k * h, h, x)", "    motion.append(x)",
        f'verdict("motion", np.array([np.ravel(np.array(m)) for m in motion]), STATES, {ref.tolerance!r})',
    ]  # fmt: skip
