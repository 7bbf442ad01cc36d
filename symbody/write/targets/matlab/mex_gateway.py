"""The mex gateway: name_mex('function', t, x, r, p, ...) calls the C library from MATLAB and Octave."""

from __future__ import annotations

from typing import Final

from ....algebra.printing.target_names import is_matlab_reserved
from ....escaping import as_c_string
from ...artefacts.artefact import Artefact
from ..c.c_library import CLibrary
from .matlab_printer import MatlabNames


def mex_gateway(made: Artefact, library: CLibrary) -> str:
    n = made.identifier
    head = (
        f'/* Gateway of MATLAB and Octave to {n}.c: mex {n}_mex.c {n}.c */\n\n#include "{n}.h"\n\n#include '
        "<mex.h>\n#include <string.h>\n"
    )
    return "\n".join([head, _numbers(n), _parameters(made, library), _PUT, _main(made)])


def _numbers(n: str) -> str:
    return f"""\
/* Numbers of an argument; sizes are checked. */
static const double *numbers(const mxArray *a, size_t n, const char *what)
{{
    if (!mxIsDouble(a) || mxIsComplex(a) || mxGetNumberOfElements(a) != n) {{
        mexErrMsgIdAndTxt("{n}:argument", "%s: expected %d real numbers", what, (int)n);
    }}
    return mxGetPr(a);
}}
"""


def _parameters(made: Artefact, library: CLibrary) -> str:
    n = made.identifier
    fields = ", ".join(f"&p->{f}" for f in library.fields) if made.parameters else "&p->unused"
    keys = ", ".join(as_c_string(f) for f in _matlab_fields(made)) if made.parameters else '"unused"'
    return f"""\
/* Parameters: a structure with a field for each, or numbers in order. */
static void parameters(const mxArray *a, {n}_parameters *p)
{{
    double *const places[] = {{{fields}}};
    static const char *const names[] = {{{keys}}};
    {n}_default_parameters(p);
    if (!mxIsStruct(a)) {{
        const double *given = numbers(a, {n.upper()}_NP, "p");
        for (int k = 0; k < {n.upper()}_NP; k++) {{
            *places[k] = given[k];
        }}
        return;
    }}
    for (int k = 0; k < {n.upper()}_NP; k++) {{
        const mxArray *field = mxGetField(a, 0, names[k]);
        if (field != 0) {{
            *places[k] = *numbers(field, 1, names[k]);
        }}
    }}
}}
"""


_PUT: Final = """\
/* A matrix that lies row after row, as one that lies column after column. */
static void put(mxArray **out, const double *values, int rows, int columns)
{
    *out = mxCreateDoubleMatrix(rows, columns, mxREAL);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            mxGetPr(*out)[j * rows + i] = values[i * columns + j];
        }
    }
}
"""


def _main(made: Artefact) -> str:
    n = made.identifier
    cases = [_function_case(made, f.name) for f in made.functions]
    cases += [_algorithm_case(made, a.name) for a in made.algorithms]
    return f"""\
void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{{
    char name[64];
    {n}_parameters p;
    int status = 0;
    (void)nlhs;
    if (nrhs < 5 || mxGetString(prhs[0], name, sizeof name) != 0) {{
        mexErrMsgIdAndTxt("{n}:call", "{n}_mex('function', t, x, r, p, ...)");
    }}
    const double t = *numbers(prhs[1], 1, "t");
    const double *r = numbers(prhs[3], {n.upper()}_NR, "r");
    parameters(prhs[4], &p);
    {" else ".join(cases)} else {{
        mexErrMsgIdAndTxt("{n}:call", "there is no function %s", name);
    }}
    if (status != 0) {{
        mexErrMsgIdAndTxt("{n}:status", "%s: status %d", name, status);
    }}
}}
"""


def _matlab_fields(made: Artefact) -> tuple[str, ...]:
    names = MatlabNames(is_matlab_reserved)
    return tuple(names.new(v.name) for v in made.parameters)


def _function_case(made: Artefact, name: str) -> str:
    program = made.function(name).program
    inputs = [(g.name, len(g)) for g in program.inputs[4:]]
    shapes = [
        (len(o.values), 1) if o.is_sparse or len(o.shape) == 1 else (1, 1) if not o.shape else o.shape
        for o in program.outputs
    ]
    return _case(made, name, len(made.state), inputs, [(int(a), int(b)) for a, b in shapes])


def _algorithm_case(made: Artefact, name: str) -> str:
    a = next(a for a in made.algorithms if a.name == name)
    if not a.changes:
        return _case(made, name, a.state[1], list(a.more.items()), [(n, 1) for n in a.results.values()])
    n = a.state[1]
    lines = [
        f'const double *x = numbers(prhs[2], {n}, "x");',
        f"double changed[{n}];",
        f"memcpy(changed, x, {n} * sizeof *changed);",
    ]
    lines += [f"status = {made.identifier}_{name}(t, changed, r, &p);", f"put(&plhs[0], changed, {n}, 1);"]
    return _block(name, lines)


def _case(made: Artefact, name: str, state: int, inputs: list[tuple[str, int]], shapes: list[tuple[int, int]]) -> str:
    lines = [f'const double *x = numbers(prhs[2], {state}, "x");']
    if inputs:
        lines += [
            f"if (nrhs < {5 + len(inputs)}) {{",
            f'    mexErrMsgIdAndTxt("{made.identifier}:call", "{name} takes {4 + len(inputs)} arguments");',
            "}",
        ]
    lines += [f'const double *in_{k} = numbers(prhs[{5 + k}], {n}, "{g}");' for k, (g, n) in enumerate(inputs)]
    for k, (rows, columns) in enumerate(shapes):
        lines.append(f"double out_{k}[{max(1, rows * columns)}];")
    given = ["t", "x", "r", "&p", *(f"in_{k}" for k in range(len(inputs))), *(f"out_{k}" for k in range(len(shapes)))]
    lines += [f"status = {made.identifier}_{name}({', '.join(given)});"]
    for k, (rows, columns) in enumerate(shapes):
        put = f"put(&plhs[{k}], out_{k}, {rows}, {columns});"
        lines += [f"if (nlhs > {k}) {{", f"    {put}", "}"] if k else [put]
    return _block(name, lines)


def _block(name: str, lines: list[str]) -> str:
    return "\n".join([f'if (strcmp(name, "{name}") == 0) {{', *(f"        {line}" for line in lines), "    }"])
