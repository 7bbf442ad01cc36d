"""The Scilab target: the C library, entries for Scilab's `call`, which passes everything by its address, and functions
of Scilab around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ....emit.text.infix import filled
from ....errors import listed
from ....escaping import as_scilab_string, in_scilab_comment
from ...artefacts.artefact import Algorithm, Artefact, ExportedFunction, Numbers
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from ..c.c_library import CLibrary, CVariant

AGREEMENT: Final = 1e-9
BY_ODE: Final = 1e-6


def scilab_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    name, library = made.identifier, CLibrary(made, CVariant())
    entries = [*map(_function_entry, made.functions), *map(_algorithm_entry, made.algorithms)]
    source = library.source()  # first: helpers are known once functions are written
    return {
        f"{name}.h": library.header(),
        f"{name}.c": source,
        f"{name}_scilab.c": _gateway(made, library, entries),
        f"{name}.sci": _functions(made, entries),
        f"{name}_check.sce": _check(made),
        "Makefile": _makefile(made),
        "README.md": readme(made, _words(made)),
    }


@dataclass(frozen=True)
class ScilabEntry:
    """A function as Scilab calls it: arrays that come in after t, x, r, p, and matrices that come out (rows, columns,
    numbers).

    changes   the result takes the place of the state
    """

    name: str
    about: str
    state: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[int, int, int], ...]
    changes: bool = False


def _function_entry(f: ExportedFunction) -> ScilabEntry:
    outputs = []
    for o in f.program.outputs:
        rows, columns = o.shape if len(o.shape) == 2 and not o.is_sparse else (len(o.values), 1)
        outputs.append((int(rows), int(columns), len(o.values)))
    inputs = tuple((g.name, len(g)) for g in f.program.inputs[4:])
    return ScilabEntry(f.name, f"{f.about}; {f.program.cost}", len(f.program.inputs[1]), inputs, tuple(outputs))


def _algorithm_entry(a: Algorithm) -> ScilabEntry:
    sizes = [a.state[1]] if a.changes else list(a.results.values())
    return ScilabEntry(a.name, a.about, a.state[1], tuple(a.more.items()), tuple((n, 1, n) for n in sizes), a.changes)


# ---------------------------------------------------------------------------------------------------- C


def _gateway(made: Artefact, library: CLibrary, entries: list[ScilabEntry]) -> str:
    n = made.identifier
    fields = library.fields if made.parameters else ()
    copied = [f"    p->{f} = values[{k}];" for k, f in enumerate(fields)] or ["    (void)values;"]
    head = [
        f"/* Entries of {n}.c for Scilab: every argument by its address, parameters as an array in order. */\n",
        f'#include "{n}.h"\n',
        "\n".join(
            [
                f"static void parameters(const double *values, {n}_parameters *p)",
                "{",
                f"    {n}_default_parameters(p);",
                *copied,
                "}",
                "",
            ]
        ),
    ]
    return "\n".join([*head, *(_c_entry(n, e) for e in entries)])


def _c_entry(n: str, e: ScilabEntry) -> str:
    ins = [f"in_{k}" for k in range(len(e.inputs))]
    outs = [f"out_{k}" for k in range(len(e.outputs))]
    declared = [
        "const double *t",
        "const double *x",
        "const double *r",
        "const double *p",
        *(f"const double *{k}" for k in ins),
    ]
    declared += [*(f"double *{k}" for k in outs), "int *status"]
    body = [f"    {n}_parameters held;", "    parameters(p, &held);"]
    given = ["*t", "x", "r", "&held", *ins, *outs]
    if e.changes:
        body += [f"    for (int i = 0; i < {e.state}; i++) {{", "        out_0[i] = x[i];", "    }"]
        given = ["*t", "out_0", "r", "&held", *ins]
    body.append(f"    *status = {n}_{e.name}({', '.join(given)});")
    head = f"void {n}_{e.name}_call({', '.join(declared)})"
    return "\n".join([f"{head};", head, "{", *body, "}", ""])


# ---------------------------------------------------------------------------------------------------- Scilab


def _functions(made: Artefact, entries: list[ScilabEntry]) -> str:
    n = made.identifier
    t, x, r = made.start
    lines = [f"// {in_scilab_comment(line)}".rstrip() for line in (f"{made.title}: Scilab", "", *described(made))]
    lines += [
        "",
        f'{n}_folder = get_absolute_file_path("{n}.sci");',
        "",
        f"function {n}_link(folder)",
        "    // Loads the compiled library.",
    ]
    names = [f'"{n}_{e.name}_call"' for e in entries]
    lines += ["    names = [..", *(f"        {line} .." for line in filled(names, "", 100)), "    ];"]
    lines += [f'    link(folder + "lib{n}" + getdynlibext(), names, "c");', "endfunction", ""]
    lines += [
        f"function p = {n}_parameters()",
        "    // Parameters as in the model, in order.",
        *_array("p", made.defaults),
        "endfunction",
        "",
    ]
    for what, rows in (("state", made.state), ("parameter", made.parameters)):
        texts = [as_scilab_string(v.name) for v in rows]
        lines += [f"function names = {n}_{what}_names()", *_texts("names", texts), "endfunction", ""]
    lines += [
        f"function [t, x, r] = {n}_start()",
        "    // Where motions begin.",
        f"    t = {t!r};",
        *_array("x", x),
        *_array("r", r),
        "endfunction",
        "",
    ]
    lines += _HELPERS.format(n).splitlines()
    for e in entries:
        lines += ["", *_scilab_function(made, e)]
    return "\n".join([*lines, "", f"{n}_link({n}_folder);", ""])


_HELPERS: Final = """\
function {0}_good(status, what)
    // Refuses what a function of C refuses.
    if status <> 0 then
        error(msprintf("%s: status %d", what, double(status)));
    end
endfunction

function numbers = {0}_numbers(given, n, what)
    // So many numbers; where there are none, one that is not looked at.
    if size(given, "*") <> n then
        error(msprintf("%s: expected %d numbers, got %d", what, n, size(given, "*")));
    end
    numbers = matrix(given, -1, 1);
    if n == 0 then
        numbers = 0;
    end
endfunction"""


def _scilab_function(made: Artefact, e: ScilabEntry) -> list[str]:
    n = made.identifier
    ins = [f"in_{k}" for k in range(len(e.inputs))]
    outs = [f"out_{k}" for k in range(len(e.outputs))]
    lines = [
        f"function [{', '.join(outs)}] = {n}_{e.name}({', '.join(['t', 'x', 'r', 'p', *ins])})",
        f"    // {in_scilab_comment(e.about)}",
    ]
    given = [
        ("x", e.state),
        ("r", len(made.inputs)),
        ("p", len(made.parameters)),
        *((k, size) for k, (_, size) in zip(ins, e.inputs, strict=True)),
    ]
    arguments = ['t, 1, "d"']
    for place, (k, size) in enumerate(given):
        lines.append(f'    {k} = {n}_numbers({k}, {size}, "{k}");')
        arguments.append(f'{k}, {place + 2}, "d"')
    at = len(arguments)
    arguments.append('"out"')
    for place, (rows, columns, _) in enumerate(e.outputs):  # rows of C are columns of Scilab
        arguments.append(f'[{max(1, columns)}, {max(1, rows)}], {at + place + 1}, "d"')
    arguments.append(f'[1, 1], {at + len(outs) + 1}, "i"')
    call = f'    [{", ".join([*outs, "status"])}] = call("{n}_{e.name}_call", ..'
    lines += [
        call,
        *(f"        {line} .." for line in filled(arguments, "", 100)),
        "    );",
        f'    {n}_good(status, "{e.name}");',
    ]
    lines += [
        f"    {k} = {k}.';" if size else f"    {k} = [];" for k, (_, _, size) in zip(outs, e.outputs, strict=True)
    ]
    return [*lines, "endfunction"]


def _array(name: str, values: Numbers) -> list[str]:
    return _texts(name, [repr(float(v)) for v in values])


def _texts(name: str, entries: list[str]) -> list[str]:
    if not entries:
        return [f"    {name} = [];"]
    return [f"    {name} = [..", *(f"        {line} .." for line in filled(entries, "", 100)), "    ].';"]


# ---------------------------------------------------------------------------------------------------- check


def _check(made: Artefact) -> str:
    n, point = made.identifier, made.check
    assert point is not None
    lines = [
        f"// Checks {n}: scilab-cli -nb -f {n}_check.sce",
        f'exec("{n}.sci", -1);',
        *_VERDICT.splitlines(),
        "",
        "wrong = 0;",
    ]
    lines += [f"p = {n}_parameters();", f"t = {point.t!r};", *_array("x", point.x), *_array("r", point.r)]
    for f in made.functions:
        if f.name in point.values:
            check = point.values[f.name]
            ins = [f"in_{k}" for k in range(len(check.inputs))]
            lines += _compared(
                n, f.name, [*zip(ins, check.inputs, strict=True)], ["t", "x", "r", "p", *ins], check.outputs
            )
    for a in made.algorithms:
        if a.name in point.values:
            check = point.values[a.name]
            ins = [f"in_{k}" for k in range(len(check.inputs))]
            lines += _compared(
                n, a.name, [*zip(ins, check.inputs, strict=True)], ["t", ins[0], "r", "p", *ins[1:]], check.outputs
            )
    lines += _motion(made)
    return "\n".join(
        [
            *lines,
            "if wrong then",
            '    mprintf("SOMETHING IS WRONG\\n");',
            "    exit(1);",
            "end",
            'mprintf("all good\\n");',
            "exit(0);",
            "",
        ]
    )


def _compared(
    n: str, name: str, inputs: list[tuple[str, Numbers]], given: list[str], outputs: tuple[Numbers, ...]
) -> list[str]:
    lines = [line for k, values in inputs for line in _array(k, values)]
    for k, values in enumerate(outputs):
        lines += _array(f"wanted_{k}", values)
    results = [f"out_{k}" for k in range(len(outputs))]
    worst = ", ".join(f"difference({k}, wanted_{i})" for i, k in enumerate(results))
    return [
        *lines,
        f"[{', '.join(results)}] = {n}_{name}({', '.join(given)});",
        f'wrong = wrong + verdict("{name}", max([{worst}]), {AGREEMENT!r});',
    ]


_VERDICT: Final = """
function worst = difference(got, wanted)
    worst = 0;
    if wanted <> [] then
        worst = max(abs(matrix(got.', -1, 1) - wanted)) / (1 + max(abs(wanted)));
    end
    if ~(worst <= 1e300) then
        worst = %inf;
    end
endfunction

function is_wrong = verdict(what, worst, allowed)
    is_wrong = bool2s(~(worst <= allowed));
    word = "good ";
    if is_wrong then
        word = "WRONG";
    end
    mprintf("%-36s %s off by %.2e of at most %.2e\\n", what, word, worst, allowed);
endfunction"""


def _motion(made: Artefact) -> list[str]:
    ref, n = made.reference, made.identifier
    if ref is None:
        return []
    projected = [f"    x = {n}_project(t + h, x, r, p);"] if made.has("project") else []
    return [
        "", "function x = step(t, h, x, r, p)", f"    k1 = {n}_rhs(t, x, r, p);", f"    k2 = {n}_rhs(t + h / 2, x + h / 2 * k1, r, p);",
        f"    k3 = {n}_rhs(t + h / 2, x + h / 2 * k2, r, p);", f"    k4 = {n}_rhs(t + h, x + h * k3, r, p);", "    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);",
        *projected, "endfunction", "", "function xdot = f(t, x)", f"    xdot = {n}_rhs(t, x, r, p);", "endfunction", "",
        *_array("times", ref.times), *_array("states", tuple(v for row in ref.states for v in row)), *_array("scales", ref.scales),
        f"states = matrix(states, {len(made.state)}, {len(ref.times)});", f"[t, x, r] = {n}_start();", "worst = 0;",
        f"for k = 1:{len(ref.times) - 1}", f"    h = (times(k + 1) - times(k)) / {ref.steps};", f"    for s = 1:{ref.steps}",
        "        x = step(times(k) + h * (s - 1), h, x, r, p);", "    end", "    worst = max(worst, max(abs(x - states(:, k + 1)) ./ scales));", "end",
        f'wrong = wrong + verdict("motion", worst, {ref.tolerance!r});', f"[t, x, r] = {n}_start();",
        "found = ode(x, times(1), times($), 1e-10, 1e-11, f);",
        f'wrong = wrong + verdict("motion by ode", max(abs(found - states(:, $)) ./ scales), {BY_ODE!r});',
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------- words


def _makefile(made: Artefact) -> str:
    name = made.identifier
    return f"""\
# make check builds the library for Scilab and checks everything by it. HOOKS=my_functions.c adds functions that you supply.
CC ?= cc
CFLAGS ?= -O2 -std=c99 -Wall -Wextra -pedantic
SCILAB ?= scilab-cli
HOOKS ?=

check: lib{name}.so
	$(SCILAB) -nb -f {name}_check.sce < /dev/null

lib{name}.so: {name}.c {name}_scilab.c {name}.h $(HOOKS)
	$(CC) $(CFLAGS) -fPIC -shared {name}.c {name}_scilab.c $(HOOKS) -o $@ -lm

clean:
	rm -f lib{name}.so

.PHONY: check clean
"""


def _words(made: Artefact) -> LanguageWords:
    n = made.identifier
    example = f"""\
exec("{n}.sci", -1);                                   // links lib{n}.so, which make builds
p = {n}_parameters();
[t, x, r] = {n}_start();
function xdot = f(t, x), xdot = {n}_rhs(t, x, r, p), endfunction
xs = ode(x, t, t + (0:0.01:1), f);"""
    more = ["Functions are those of the C library, called by `call`. Parameters are a column in the order below."]
    if made.hooks:
        more.append(f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.c`.")
    files = {
        f"{n}.sci": "functions of Scilab; `exec` it",
        f"{n}.c, {n}.h, {n}_scilab.c": "the C library, and its entries for Scilab",
        f"{n}_check.sce": "compares everything, and integrates by Runge-Kutta steps and by ode",
        "Makefile": "build file",
    }
    return LanguageWords("functions of Scilab", "make check", example, "scilab", f"{n}_", files, tuple(more))
