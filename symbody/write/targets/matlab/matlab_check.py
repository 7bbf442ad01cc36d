"""The check of a MATLAB folder: every m-file and its compiled form at one point, and the reference motion by two
integrators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...artefacts.artefact import Artefact, Numbers
from .matlab_printer import matlab_array, matlab_literal

AGREEMENT: Final = 1e-9
BY_ODE45: Final = 1e-6


def matlab_check(made: Artefact) -> str:
    """Text of `name_check.m`, which returns how much is wrong."""
    n, point = made.identifier, made.check
    assert point is not None
    lines = [
        f"function wrong = {n}_check()",
        f"% Checks the functions of {n}; returns how many are wrong.",
        "    wrong = 0;",
    ]
    lines += [
        f"    p = {n}_parameters();",
        f"    t = {matlab_literal(point.t)};",
        *_array("x", point.x),
        *_array("r", point.r),
    ]
    lines += [f"    has_mex = exist('{n}_mex', 'file') == 3;"]
    for f in made.functions:
        if f.name in point.values:
            check = point.values[f.name]
            inputs = [f"in_{k}" for k in range(len(check.inputs))]
            shapes = [o.shape if len(o.shape) == 2 and not o.is_sparse else None for o in f.program.outputs]
            lines += _compared(
                n,
                f.name,
                [*zip(inputs, check.inputs, strict=True)],
                ["t", "x", "r", "p", *inputs],
                check.outputs,
                shapes,
            )
    for a in made.algorithms:
        if a.name in point.values:
            check = point.values[a.name]
            inputs = [f"in_{k}" for k in range(len(check.inputs))]
            given = ["t", inputs[0], "r", "p", *inputs[1:]]
            lines += _compared(
                n, a.name, [*zip(inputs, check.inputs, strict=True)], given, check.outputs, [None] * len(check.outputs)
            )
    lines += [*_flags(made), *_motion(made)]
    lines += [
        "    if wrong",
        "        disp('SOMETHING IS WRONG');",
        "    else",
        "        disp('all good');",
        "    end",
        "end",
        "",
    ]
    return "\n".join([*lines, *_VERDICT, *(_step(made) if made.reference else []), ""])


def _array(name: str, values: Numbers) -> list[str]:
    return ["    " + line for line in matlab_array(name, [matlab_literal(v) for v in values])]


def _compared(
    n: str, name: str, inputs: list[tuple[str, Numbers]], given: list[str], outputs: tuple[Numbers, ...], shapes: Sequence[tuple[int, ...] | None]
) -> list[str]:  # fmt: skip
    lines = [line for k, values in inputs for line in _array(k, values)]
    results = ", ".join(f"out_{k}" for k in range(len(outputs)))
    worst = []
    for k, (values, shape) in enumerate(zip(outputs, shapes, strict=True)):
        lines += _array(f"wanted_{k}", values)
        worst.append(f"difference(out_{k}{'.' + chr(39) if shape else ''}, wanted_{k})")
    largest = f"max([{', '.join(worst)}])"
    tail = f"{matlab_literal(AGREEMENT)});"
    lines += [
        f"    [{results}] = {n}_{name}({', '.join(given)});",
        f"    wrong = wrong + verdict('{name}', {largest}, {tail}",
    ]
    call = f"[{results}] = {n}_mex('{name}', {', '.join(given)});"
    return [
        *lines,
        "    if has_mex",
        f"        {call}",
        f"        wrong = wrong + verdict('{name} by mex', {largest}, {tail}",
        "    end",
    ]


def _flags(made: Artefact) -> list[str]:
    """ODE files, with parameters as numbers: against the functions that stand behind their flags."""
    n, tail = made.identifier, f"{matlab_literal(AGREEMENT)});"
    compared = {
        "": ("rhs", "{0}_rhs(t, x, r, p)"),
        "jacobian": ("rhs_x", "{0}_rhs_x(t, x, r, p)"),
        "events": ("events", "{0}_events(t, x, r, p)"),
    }
    numbers = "cell2mat(struct2cell(p))" if made.parameters else "zeros(0, 1)"
    lines = []
    for flag, (needs, wanted) in compared.items():
        if made.has("rhs") and made.has(needs):
            got = f"{n}_ode(t, x, '{flag}', {numbers}, r)"
            lines.append(
                f"    wrong = wrong + verdict('ode file {flag}', difference({got}, {wanted.format(n)}), {tail}"
            )
    return lines


def _motion(made: Artefact) -> list[str]:
    ref, n = made.reference, made.identifier
    if ref is None:
        return []
    lines = [
        *_array("times", ref.times),
        *_array("states", tuple(v for row in ref.states for v in row)),
        *_array("scales", ref.scales),
    ]
    lines += [
        f"    states = reshape(states, {len(made.state)}, {len(ref.times)});",
        f"    [t, x, r] = {n}_start();",
        "    worst = 0;",
    ]
    lines += [
        f"    f = @(t, x) {n}_rhs(t, x, r, p);",
        "    if has_mex",
        f"        f = @(t, x) {n}_mex('rhs', t, x, r, p);",
        "    end",
    ]
    lines += [
        f"    for k = 1:{len(ref.times) - 1}",
        f"        h = (times(k + 1) - times(k)) / {ref.steps};",
        f"        for s = 1:{ref.steps}",
    ]
    lines += ["            x = step(f, times(k) + h * (s - 1), h, x, r, p, has_mex);", "        end"]
    lines += ["        worst = max(worst, max(abs(x - states(:, k + 1)) ./ scales));", "    end"]
    lines += [f"    wrong = wrong + verdict('motion', worst, {matlab_literal(ref.tolerance)});"]
    lines += [
        f"    [~, x] = {n}_start();",
        "    options = odeset('RelTol', 1e-9, 'AbsTol', 1e-10);",
        "    [~, xs] = ode45(f, times([1, end]), x, options);",
    ]
    return [
        *lines,
        (
            "    wrong = wrong + verdict('motion by ode45', max(abs(xs(end, :).' - states(:, end)) ./ scales), "
            f"{matlab_literal(BY_ODE45)});"
        ),
    ]


_VERDICT: Final = [
    "function worst = difference(got, wanted)", "    worst = 0;", "    if ~isempty(wanted)",
    "        worst = max(abs(got(:) - wanted(:))) / (1 + max(abs(wanted(:))));", "    end", "    if ~(worst <= realmax)", "        worst = Inf;", "    end", "end", "",
    "function is_wrong = verdict(what, worst, allowed)", "    is_wrong = ~(worst <= allowed);", "    if is_wrong", "        word = 'WRONG';", "    else", "        word = 'good ';",
    "    end", "    fprintf('%-36s %s off by %.2e of at most %.2e\\n', what, word, worst, allowed);", "end", "",
]  # fmt: skip


def _step(made: Artefact) -> list[str]:
    n = made.identifier
    project = []
    if made.has("project"):
        project = [
            "    if has_mex",
            f"        x = {n}_mex('project', t + h, x, r, p);",
            "    else",
            f"        x = {n}_project(t + h, x, r, p);",
            "    end",
        ]
    return [
        "function x = step(f, t, h, x, r, p, has_mex)", "    k1 = f(t, x);", "    k2 = f(t + h / 2, x + h / 2 * k1);", "    k3 = f(t + h / 2, x + h / 2 * k2);",
        "    k4 = f(t + h, x + h * k3);", "    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);", *project, "end",
    ]  # fmt: skip
