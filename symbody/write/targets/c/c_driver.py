"""The C driver: it calls every function and compares, then integrates and compares; or it prints a motion."""

from __future__ import annotations

from typing import Final

from ....emit import ir
from ...artefacts.artefact import Artefact
from .c_library import CLibrary, CVariant

AGREEMENT: Final = (
    1e-9  # of functions with expressions that were evaluated, in units of 1 + the largest number of an output
)
SINGLE_AGREEMENT: Final = 2e-3  # of floats, also after a motion


def c_driver(made: Artefact, library: CLibrary, variant: CVariant) -> str:
    """Text of the main program."""
    return CDriver(made, library, variant).text()


class CDriver:
    """Text of the main program, part by part."""

    def __init__(self, made: Artefact, library: CLibrary, variant: CVariant) -> None:
        self.made, self.library, self.variant = made, library, variant
        self.name, self.real = made.identifier, library.real
        self.literal = library.style.number.literal
        self.agreement = SINGLE_AGREEMENT if variant.single else AGREEMENT
        self.n_r = max(1, len(made.inputs))
        self.n = max(1, len(made.state))
        assert made.check is not None
        self.point, self.values = made.check, made.check.values

    def text(self) -> str:
        parts = [
            f"/* Checks {self.name}.c: `{self.name}_driver`. Prints a motion: `{self.name}_driver SECONDS STEP`. */\n",
            f'#include "{self.name}.h"\n\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n',
            *([self._differences()] if self.values else []),
            *([self._verdict()] if self.values or self.made.reference else []),
        ]
        if self.made.has("rhs"):
            parts += [self._step(), self._print()]
        parts += [self._check(), *([self._many()] if self.has_many else [])]
        parts += [*([self._motion()] if self.made.reference else []), self._main()]
        return "\n".join(parts)

    def array(self, name: str, values: tuple[float, ...]) -> list[str]:
        entries = [self.literal(v) for v in values] or [self.literal(0.0)]
        return [
            f"    static const {self.real} {name}[{len(entries)}] = {{",
            *ir.comma_lines(entries, "        "),
            "    };",
        ]

    def _differences(self) -> str:
        return f"""\
/* How far numbers are from those that are wanted, in units of 1 + the largest of these; huge where one is no number. */
static double difference(const {self.real} *got, const {self.real} *wanted, int n)
{{
    double scale = 1.0, worst = 0.0;
    for (int k = 0; k < n; k++) {{
        scale = fmax(scale, 1.0 + fabs((double)wanted[k]));
    }}
    for (int k = 0; k < n; k++) {{
        const double d = fabs((double)got[k] - (double)wanted[k]);
        if (!(d <= 1e300)) {{
            return HUGE_VAL;
        }}
        worst = fmax(worst, d);
    }}
    return worst / scale;
}}
"""

    def _verdict(self) -> str:
        return """\
static int verdict(const char *what, int status, double worst, double allowed)
{
    const int is_good = status == 0 && worst <= allowed;
    printf("%-28s %s  status %d, off by %.2e of at most %.2e\\n", what, is_good ? "good " : "WRONG", status, worst, allowed);
    return is_good ? 0 : 1;
}
"""

    # ------------------------------------------------------------------------------------------------ motion

    def _step(self) -> str:
        project = f"    return {self.name}_project(t + h, x, r, p);" if self.made.has("project") else "    return 0;"
        half, sixth, two = (self.literal(v) for v in (0.5, 6.0, 2.0))
        return f"""\
/* One step of the classical Runge-Kutta method{", then back onto the constraints" if self.made.has("project") else ""}. */
static int step({self.real} t, {self.real} h, {self.real} *x, const {self.real} *r, const {self.name}_parameters *p)
{{
    {self.real} k[4][{self.n}], y[{self.n}];
    const {self.real} at[4] = {{{self.literal(0.0)}, {half}, {half}, {self.literal(1.0)}}};
    for (int s = 0; s < 4; s++) {{
        for (int i = 0; i < {self.n}; i++) {{
            y[i] = s == 0 ? x[i] : x[i] + at[s] * h * k[s - 1][i];
        }}
        const int status = {self.name}_rhs(t + at[s] * h, y, r, p, k[s]);
        if (status != 0) {{
            return status;
        }}
    }}
    for (int i = 0; i < {self.n}; i++) {{
        x[i] += h / {sixth} * (k[0][i] + {two} * k[1][i] + {two} * k[2][i] + k[3][i]);
    }}
{project}
}}
"""

    def _print(self) -> str:
        names = ",".join(["t", *(v.name for v in self.made.state)])
        return f"""\
/* A motion as a table with commas. */
static int print_motion({self.real} seconds, {self.real} h)
{{
    {self.real} t, x[{self.n}], r[{self.n_r}];
    {self.name}_parameters p;
    {self.name}_default_parameters(&p);
    {self.name}_initial_state(&t, x, r);
    puts("{names}");
    const int steps = (int)(seconds / h + {self.literal(0.5)});
    for (int k = 0; k <= steps; k++) {{
        printf("%.17g", (double)t);
        for (int i = 0; i < {self.n}; i++) {{
            printf(",%.17g", (double)x[i]);
        }}
        putchar('\\n');
        const int status = step(t, h, x, r, &p);
        if (status != 0) {{
            fprintf(stderr, "status %d at t = %g\\n", status, (double)t);
            return 1;
        }}
        t += h;
    }}
    return 0;
}}
"""

    def _motion(self) -> str:
        ref = self.made.reference
        assert ref is not None
        steps = min(ref.steps, 64) if self.variant.single else ref.steps
        allowed = max(ref.tolerance, SINGLE_AGREEMENT) if self.variant.single else ref.tolerance
        states = tuple(v for row in ref.states for v in row)
        points = len(ref.times)
        lines = [
            "/* The reference motion, by steps of a fixed length. */", "static int check_motion(void)", "{",
            *self.array("times", ref.times), *self.array("states", states), *self.array("scales", ref.scales),
            f"    {self.real} t, x[{self.n}], r[{self.n_r}];", f"    {self.name}_parameters p;", "    double worst = 0.0;", "    int status;",
            f"    {self.name}_default_parameters(&p);", f"    {self.name}_initial_state(&t, x, r);", "    status = 0;",
            f"    for (int k = 0; k + 1 < {points} && status == 0; k++) {{",
            f"        const {self.real} h = (times[k + 1] - times[k]) / {self.literal(float(steps))};",
            f"        for (int s = 0; s < {steps} && status == 0; s++) {{",
            f"            status = step(times[k] + h * ({self.real})s, h, x, r, &p);", "        }",
            f"        for (int i = 0; i < {self.n}; i++) {{",
            (
                    f"            const double d = fabs((double)x[i] - (double)states[(k + 1) * {self.n} + i]) / "
                    "(double)scales[i];"),
            "            worst = d <= 1e300 ? fmax(worst, d) : HUGE_VAL;", "        }", "    }",
            f'    return verdict("motion", status, worst, {allowed!r});', "}", "",
        ]  # fmt: skip
        return "\n".join(lines)

    # ------------------------------------------------------------------------------------------------ functions

    def _check(self) -> str:
        point = self.point
        lines = ["/* Every function at one point, against values of the expressions that it was written from. */"]
        lines += ["static int check_functions(void)", "{", f"    {self.name}_parameters p;", "    int wrong = 0;"]
        lines += [
            f"    const {self.real} t = {self.literal(point.t)};",
            *self.array("x", point.x),
            *self.array("r", point.r),
        ]
        lines += [f"    {self.name}_default_parameters(&p);", "    (void)t;", "    (void)x;", "    (void)r;"]
        for f in self.made.functions:
            if f.name in self.values:
                outputs = [(o.name, len(o.values)) for o in f.program.outputs]
                lines += self._one(f.name, [(g.name, len(g)) for g in f.program.inputs[4:]], outputs)
        for a in self.made.algorithms:
            if a.name in self.values:
                lines += self._loop(a.name)
        return "\n".join([*lines, "    return wrong;", "}", ""])

    @property
    def has_many(self) -> bool:
        return "rhs" in self.values and bool(self.made.state)

    def _many(self) -> str:
        """States at once are those one by one, to the last digit."""
        n, real, N = self.name, self.real, f"{self.name.upper()}_NX"
        return f"""\
/* Many states at once, against one after the other. */
static int check_many(void)
{{
    enum {{ COUNT = 50 }};
    static {real} x[COUNT * {N}], xdot[COUNT * {N}];
    {real} t, first[{N}], one[{N}], r[{self.n_r}];
    {n}_parameters p;
    double worst = 0.0;
    {n}_default_parameters(&p);
    {n}_initial_state(&t, first, r);
    for (int k = 0; k < COUNT * {N}; k++) {{
        x[k] = first[k % {N}] + {self.literal(1e-4)} * ({real})k;
    }}
    int status = {n}_rhs_of_many(COUNT, t, x, r, &p, xdot);
    for (int k = 0; k < COUNT && status == 0; k++) {{
        status = {n}_rhs(t, x + k * {N}, r, &p, one);
        worst = fmax(worst, difference(xdot + k * {N}, one, {N}));
    }}
    return verdict("rhs_of_many", status, worst, 0.0);
}}
"""

    def _one(self, name: str, inputs: list[tuple[str, int]], outputs: list[tuple[str, int]]) -> list[str]:
        check = self.values[name]
        body: list[str] = []
        for (k, _), values in zip(inputs, check.inputs, strict=True):
            body += self.array(f"in_{k}", values)
        for (k, n), values in zip(outputs, check.outputs, strict=True):
            body += [*self.array(f"wanted_{k}", values), f"    {self.real} out_{k}[{max(1, n)}];"]
        given = ["t", "x", "r", "&p", *(f"in_{k}" for k, _ in inputs), *(f"out_{k}" for k, _ in outputs)]
        return self._compared(name, body, given, [(k, n) for k, n in outputs])

    def _compared(self, name: str, body: list[str], given: list[str], outputs: list[tuple[str, int]]) -> list[str]:
        worst = "0.0"
        for k, n in outputs:
            worst = f"fmax({worst}, difference(out_{k}, wanted_{k}, {n}))" if n else worst
        body += [
            f"    const int status = {self.name}_{name}({', '.join(given)});",
            f"    const double worst = {worst};",
        ]
        body += [f'    wrong += verdict("{name}", status, worst, {self.agreement!r});']
        return ["    {", *("    " + line for line in body), "    }"]

    def _loop(self, name: str) -> list[str]:
        a = next(a for a in self.made.algorithms if a.name == name)
        check = self.values[name]
        body = self.array("in_state", check.inputs[0])
        for k, values in zip(a.more, check.inputs[1:], strict=True):
            body += self.array(f"in_{k}", values)
        given = ["t", "in_state", "r", "&p", *(f"in_{k}" for k in a.more)]
        outputs = [(k, n) for k, n in a.results.items()]
        if a.changes:
            n = a.state[1]
            body += [*self.array("wanted_state", check.outputs[0]), f"    {self.real} out_state[{n}];"]
            body += [f"    for (int i = 0; i < {n}; i++) {{", "        out_state[i] = in_state[i];", "    }"]
            given[1], outputs = "out_state", [("state", n)]
        else:
            for (k, n), values in zip(outputs, check.outputs, strict=True):
                body += [*self.array(f"wanted_{k}", values), f"    {self.real} out_{k}[{max(1, n)}];"]
            given += [f"out_{k}" for k, _ in outputs]
        return self._compared(name, body, given, outputs)

    def _main(self) -> str:
        more = (" + check_many()" if self.has_many else "") + (" + check_motion()" if self.made.reference else "")
        lines = ["int main(int argc, char **argv)", "{"]
        if self.made.has("rhs"):
            lines += [
                "    if (argc == 3) {",
                f"        const {self.real} seconds = ({self.real})atof(argv[1]), h = ({self.real})atof(argv[2]);",
            ]
            lines += [f"        return h > {self.literal(0.0)} ? print_motion(seconds, h) : 2;", "    }"]
        else:
            lines += ["    (void)argc;", "    (void)argv;"]
        lines += [f"    const int wrong = check_functions(){more};"]
        lines += [
            '    puts(wrong == 0 ? "all good" : "SOMETHING IS WRONG");',
            "    return wrong == 0 ? 0 : 1;",
            "}",
            "",
        ]
        return "\n".join(lines)
