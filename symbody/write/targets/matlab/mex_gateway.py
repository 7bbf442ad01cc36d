"""The mex gateway: name_mex('function', t, x, r, p, ...) calls the C library from MATLAB and Octave."""

from __future__ import annotations

from ....algebra.printing.target_names import is_matlab_reserved
from ....escaping import as_c_string
from ...artefacts.artefact import Algorithm, Artefact, ExportedFunction
from ...printers.templates import Template, template_parts
from ..c.c_library import CLibrary
from .matlab_printer import MatlabNames


def mex_gateway(made: Artefact, library: CLibrary) -> str:
    parts = template_parts(__package__, "mex.c")
    fields, keys = library.fields, [as_c_string(f) for f in _matlab_fields(made)]
    cases = [_function_case(made, f, parts) for f in made.functions]
    cases += [_algorithm_case(made, a, parts) for a in made.algorithms]
    return parts["file"].filled(
        name=made.identifier, upper=made.identifier.upper(), cases=" else ".join(cases),
        fields=", ".join(f"&p->{f}" for f in fields) if keys else "&p->unused", keys=", ".join(keys) or '"unused"',
    ) + "\n"  # fmt: skip


def _matlab_fields(made: Artefact) -> tuple[str, ...]:
    names = MatlabNames(is_matlab_reserved)
    return tuple(names.new(v.name) for v in made.parameters)


def _function_case(made: Artefact, f: ExportedFunction, parts: dict[str, Template]) -> str:
    inputs = [(g.name, len(g)) for g in f.program.inputs[4:]]
    shapes = []
    for o in f.program.outputs:
        rows, columns = o.shape if len(o.shape) == 2 and not o.is_sparse else (len(o.values), 1)
        shapes.append((int(rows), int(columns)))
    return _case(made, f.name, len(made.state), inputs, shapes, parts)


def _algorithm_case(made: Artefact, a: Algorithm, parts: dict[str, Template]) -> str:
    if not a.changes:
        return _case(made, a.name, a.state[1], list(a.more.items()), [(n, 1) for n in a.results.values()], parts)
    statements = parts["changes"].filled(state=a.state[1], name=made.identifier, function=a.name)
    return parts["case"].filled(function=a.name, statements=statements)


def _case(
    made: Artefact, name: str, state: int, inputs: list[tuple[str, int]], shapes: list[tuple[int, int]], parts: dict[str, Template]
) -> str:  # fmt: skip
    count = len(inputs)
    declared = [f'const double *in_{k} = numbers(prhs[{5 + k}], {n}, "{g}");' for k, (g, n) in enumerate(inputs)]
    few = parts["arguments"].filled(least=5 + count, name=made.identifier, function=name, count=4 + count)
    results = []
    for k, (rows, columns) in enumerate(shapes):
        put = f"put(&plhs[{k}], out_{k}, {rows}, {columns});"
        results += [f"if (nlhs > {k}) {{", f"    {put}", "}"] if k else [put]
    given = [*(f"in_{k}" for k in range(count)), *(f"out_{k}" for k in range(len(shapes)))]
    statements = parts["function"].filled(
        state=state, inputs=[few, *declared] if inputs else [], name=made.identifier, function=name, results=results,
        outputs=[f"double out_{k}[{max(1, rows * columns)}];" for k, (rows, columns) in enumerate(shapes)],
        arguments=", ".join(["t", "x", "r", "&p", *given]),
    )  # fmt: skip
    return parts["case"].filled(function=name, statements=statements)
