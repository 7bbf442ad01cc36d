"""The Simulink target: a level-2 C S-function around the C library, with a driver that checks it on a stand-in for
Simulink's header.

Continuous states are x, the input port r; output ports are the state and the outputs of the model; events are zero
crossings, and states are projected onto the constraints after steps. MATLAB is not needed to check it, and is not what
it is checked with.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from ....errors import ProgramError, listed
from ....escaping import in_block_comment
from ...artefacts.artefact import Artefact
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from ..c.c_driver import CDriver
from ..c.c_library import CLibrary, CVariant

FUNCTIONS: Final = ("rhs", "outputs", "events", "event_handling", "correct_positions", "correct_speeds")
STAND_IN: Final = ("simstruc.h", "simulink.c")


def simulink_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    if made.has("event_handling"):
        raise ProgramError(
            f"export of {made.title!r} to Simulink: an S-function has zero crossings, but no guards and "
            "resets of events; export an FMU, which Simulink imports"
        )
    name, library = made.identifier, CLibrary(made, CVariant())
    source = library.source()  # first: helpers are known once functions are written
    return {
        f"{name}.h": library.header(),
        f"{name}.c": source,
        f"{name}_sfun.c": _SFunction(made, library).text(),
        f"{name}_sfun_check.c": _SimulinkDriver(made, library, CVariant()).text(),
        **{f"stand_in/{f}": (_stand_in(f)) for f in STAND_IN},
        "Makefile": _makefile(made),
        "README.md": readme(made, _words(made)),
    }


def _stand_in(name: str) -> str:
    return (files(__package__) / "stand_in" / name).read_text(encoding="utf-8")


# ---------------------------------------------------------------------------------------------------- the S-function


class _SFunction:
    """Text of the S-function."""

    def __init__(self, made: Artefact, library: CLibrary) -> None:
        self.made, self.library, self.n = made, library, made.identifier
        self.n_x, self.n_r = len(made.state), len(made.inputs)
        self.n_y = _size(made, "outputs")
        self.n_g = _size(made, "events")

    def text(self) -> str:
        parts = [
            self._head(),
            self._parameters(),
            self._check_parameters(),
            self._sizes(),
            self._times(),
            *([self._start()] if self.n_x else []),
            self._outputs(),
            *([self._derivatives()] if self.n_x else []),
        ]
        parts += [self._zero_crossings()] if self.n_g else []
        parts += [self._projection()] if self.made.has("project") else []
        return "\n".join([*parts, _TAIL])

    def _head(self) -> str:
        lines = [f"{self.made.title}: a level-2 S-function; mex {self.n}_sfun.c {self.n}.c", "", *described(self.made)]
        comment = "\n".join(["/*", *(f" * {in_block_comment(line)}".rstrip() for line in lines), " */"])
        return f"""{comment}

#define S_FUNCTION_NAME {self.n}_sfun
#define S_FUNCTION_LEVEL 2

#include "simstruc.h"

#include "{self.n}.h"

/* Parameters of the block: those of the model in order, and the state at the start; each may be [], which is as in the model. */
enum {{ PARAMETERS, START, PARAMETER_COUNT }};
"""

    def _parameters(self) -> str:
        fields = self.library.fields if self.made.parameters else ()
        copied = [f"        p->{f} = given[{k}];" for k, f in enumerate(fields)] or ["        (void)given;"]
        inputs = "    return ssGetInputPortRealSignal(S, 0);" if self.n_r else "    UNUSED_ARG(S);\n    return 0;"
        return "\n".join(
            [
                f"static void parameters(SimStruct *S, {self.n}_parameters *p)", "{",
                "    const mxArray *const values = ssGetSFcnParam(S, PARAMETERS);", f"    {self.n}_default_parameters(p);",
                "    if (!mxIsEmpty(values)) {", "        const real_T *const given = mxGetPr(values);", *copied, "    }", "}", "",
                "static const real_T *inputs(SimStruct *S)", "{", inputs, "}", "",
                "static void refuse(SimStruct *S, int status)", "{", "    if (status != 0) {",
                (
                        f'        ssSetErrorStatus(S, "{self.n}: arguments are refused, or a projection does not '
                        'end");'), "    }", "}", "",
            ]
        )  # fmt: skip

    def _check_parameters(self) -> str:
        return f"""\
#define MDL_CHECK_PARAMETERS
static void mdlCheckParameters(SimStruct *S)
{{
    const size_t sizes[PARAMETER_COUNT] = {{{self.n.upper()}_NP, {self.n.upper()}_NX}};
    for (int k = 0; k < PARAMETER_COUNT; k++) {{
        const mxArray *const given = ssGetSFcnParam(S, k);
        if (!mxIsDouble(given) || mxIsComplex(given) || (!mxIsEmpty(given) && mxGetNumberOfElements(given) != sizes[k])) {{
            ssSetErrorStatus(S, "{self.n}: parameters are [p, x0]: so many real numbers as the model has, or []");
            return;
        }}
    }}
}}
"""

    def _sizes(self) -> str:
        lines = [
            "static void mdlInitializeSizes(SimStruct *S)", "{", "    ssSetNumSFcnParams(S, PARAMETER_COUNT);",
            "    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {", "        return;", "    }", "    mdlCheckParameters(S);",
            f"    ssSetNumContStates(S, {self.n.upper()}_NX);", "    ssSetNumDiscStates(S, 0);",
            f"    if (!ssSetNumInputPorts(S, {1 if self.n_r else 0})) {{", "        return;", "    }",
        ]  # fmt: skip
        if self.n_r:
            lines += [f"    ssSetInputPortWidth(S, 0, {self.n_r});", "    ssSetInputPortRequiredContiguous(S, 0, 1);"]
            lines.append(f"    ssSetInputPortDirectFeedThrough(S, 0, {int(self._feeds_through())});")
        widths = [n for n in (self.n_x, self.n_y) if n]
        lines += [f"    if (!ssSetNumOutputPorts(S, {len(widths)})) {{", "        return;", "    }"]
        lines += [f"    ssSetOutputPortWidth(S, {k}, {n});" for k, n in enumerate(widths)]
        lines += [
            "    ssSetNumSampleTimes(S, 1);",
            f"    ssSetNumNonsampledZCs(S, {self.n_g});",
            "    ssSetSimStateCompliance(S, USE_DEFAULT_SIM_STATE);",
        ]
        return "\n".join([*lines, "    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);", "}", ""])

    def _feeds_through(self) -> bool:
        """Whether outputs or zero crossings read the inputs."""
        programs = [f.program for f in self.made.functions if f.name in ("outputs", "events")]
        return any(i.op == "input" and i.data[0] == 2 for p in programs for i in p.code)

    def _times(self) -> str:
        return """\
static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, CONTINUOUS_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
}
"""

    def _start(self) -> str:
        n_r = max(1, self.n_r)
        return f"""\
#define MDL_INITIALIZE_CONDITIONS
static void mdlInitializeConditions(SimStruct *S)
{{
    const mxArray *const given = ssGetSFcnParam(S, START);
    real_T *const x = ssGetContStates(S);
    real_T t, r[{n_r}];
    {self.n}_initial_state(&t, x, r);
    if (!mxIsEmpty(given)) {{
        for (int i = 0; i < {self.n.upper()}_NX; i++) {{
            x[i] = mxGetPr(given)[i];
        }}
    }}
}}
"""

    def _outputs(self) -> str:
        """The state, then the outputs of the model; a model without states has only the latter."""
        lines = ["static void mdlOutputs(SimStruct *S, int_T tid)", "{"]
        lines += [f"    {self.n}_parameters p;"] if self.n_y else []
        lines += ["    UNUSED_ARG(tid);"]
        if self.n_x:
            lines += [
                f"    for (int i = 0; i < {self.n.upper()}_NX; i++) {{",
                "        ssGetOutputPortRealSignal(S, 0)[i] = ssGetContStates(S)[i];",
                "    }",
            ]
        if self.n_y:
            port = 1 if self.n_x else 0
            given = (
                f"ssGetT(S), {'ssGetContStates(S)' if self.n_x else '0'}, inputs(S), &p, "
                f"ssGetOutputPortRealSignal(S, {port})"
            )
            lines += ["    parameters(S, &p);", f"    refuse(S, {self.n}_outputs({given}));"]
        return "\n".join([*lines, "}", ""])

    def _derivatives(self) -> str:
        return self._called(
            "DERIVATIVES", "Derivatives", f"{self.n}_rhs(ssGetT(S), ssGetContStates(S), inputs(S), &p, ssGetdX(S))"
        )

    def _zero_crossings(self) -> str:
        return self._called(
            "ZERO_CROSSINGS",
            "ZeroCrossings",
            f"{self.n}_events(ssGetT(S), ssGetContStates(S), inputs(S), &p, ssGetNonsampledZCs(S))",
        )

    def _projection(self) -> str:
        return self._called(
            "PROJECTION", "Projection", f"{self.n}_project(ssGetT(S), ssGetContStates(S), inputs(S), &p)"
        )

    def _called(self, macro: str, name: str, call: str) -> str:
        return f"""\
#define MDL_{macro}
static void mdl{name}(SimStruct *S)
{{
    {self.n}_parameters p;
    parameters(S, &p);
    refuse(S, {call});
}}
"""


_TAIL: Final = """\
static void mdlTerminate(SimStruct *S)
{
    UNUSED_ARG(S);
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif
"""


def _size(made: Artefact, name: str) -> int:
    return len(made.function(name).program.outputs[0].values) if made.has(name) else 0


# ---------------------------------------------------------------------------------------------------- driver


class _SimulinkDriver(CDriver):
    """What Simulink would call, on the stand-in: sizes, the start, derivatives, outputs, zero crossings, projection;
    and a motion."""

    def text(self) -> str:
        head = [
            f"/* Checks {self.name}_sfun.c on the stand-in for Simulink's header, without Simulink. */\n",
            f'#include "simstruc.h"\n\n#include "{self.name}.h"\n\n#include <math.h>\n#include <stdio.h>\n',
        ]
        parts = [*head, self._differences(), self._verdict(), self._block(), self._check()]
        if self.made.reference:
            parts += [self._rates(), self._step(), self._motion()]
        return "\n".join([*parts, self._main()])

    def _block(self) -> str:
        n_y, n_g = max(1, _size(self.made, "outputs")), max(1, _size(self.made, "events"))
        state = f"state[{self.n}], " if self.made.state else ""
        return f"""\
/* The block, with empty parameters, as Simulink would set it up. */
static double x[{self.n}], xdot[{self.n}], {state}y[{n_y}], g[{n_g}], r[{self.n_r}];
static const mxArray nothing = {{0, 0}};

static SimStruct *block(void)
{{
    static SimStruct S;
    S.parameters[0] = S.parameters[1] = &nothing;
    S.parameters_given = 2;
    S.x = x;
    S.xdot = xdot;
    S.y[0] = {"state" if self.made.state else "y"};
    S.y[1] = y;
    S.g = g;
    S.u[0] = r;
    return &S;
}}
"""

    def _rates(self) -> str:
        return f"""\
static int rates(double t, const double *at, double *out)
{{
    SimStruct *const S = block();
    S->t = t;
    for (int i = 0; i < {self.n}; i++) {{
        x[i] = at[i];
    }}
    stand_in_derivatives(S);
    for (int i = 0; i < {self.n}; i++) {{
        out[i] = xdot[i];
    }}
    return S->error != 0;
}}
"""

    def _check(self) -> str:
        lines = ["static int check_block(void)", "{", "    SimStruct *const S = block();", "    int wrong = 0;"]
        lines += [
            *self.array("at", self.point.x),
            *self.array("held", self.point.r),
            *self.array("start", self.made.start[1]),
        ]
        ports = (
            f"S->states != {len(self.made.state)} || S->input_ports != {1 if self.made.inputs else 0} || "
            f"S->input_width[0] != {len(self.made.inputs)}"
        )
        lines += [
            "    stand_in_sizes(S);",
            f'    wrong += verdict("sizes", {ports}, 0.0, 0.0);',
            "    stand_in_start(S);",
        ]
        lines += [
            (
                f'    wrong += verdict("start", S->error != 0, difference(x, start, {len(self.made.state)}), '
                f"{self.agreement!r});"
            )
        ]
        lines += [
            f"    for (int k = 0; k < {len(self.made.inputs)}; k++) {{",
            "        r[k] = held[k];",
            "    }",
            f"    S->t = {self.literal(self.point.t)};",
        ]
        lines += ["    (void)at;", "    (void)held;"]
        calls = {
            "rhs": ("derivatives", "xdot"),
            "outputs": ("outputs", "y"),
            "events": ("zero_crossings", "g"),
            "project": ("projection", "x"),
        }
        for name, (called, result) in calls.items():
            if name in self.values:
                wanted = self.values[name].outputs[0]
                lines += [
                    "    {",
                    *("    " + v for v in self.array("wanted", wanted)),
                    f"        for (int i = 0; i < {self.n}; i++) {{",
                    "            x[i] = at[i];",
                    "        }",
                ]
                lines += [
                    f"        stand_in_{called}(S);",
                    (
                        f'        wrong += verdict("{called}", S->error != 0, difference({result}, wanted, '
                        f"{len(wanted)}), {self.agreement!r});"
                    ),
                    "    }",
                ]
        return "\n".join([*lines, "    return wrong;", "}", ""])

    def _step(self) -> str:
        project = ["    stand_in_projection(block());"] if self.made.has("project") else []
        return "\n".join(
            [
                "/* One step of the classical Runge-Kutta method, as a solver of Simulink would make it. */",
                "static int step(double t, double h, double *z)", "{", f"    double k[4][{self.n}], w[{self.n}];", "    const double at[4] = {0.0, 0.5, 0.5, 1.0};",
                "    for (int s = 0; s < 4; s++) {", f"        for (int i = 0; i < {self.n}; i++) {{",
                "            w[i] = s == 0 ? z[i] : z[i] + at[s] * h * k[s - 1][i];", "        }", "        if (rates(t + at[s] * h, w, k[s])) {",
                "            return 1;", "        }", "    }", f"    for (int i = 0; i < {self.n}; i++) {{",
                "        x[i] = z[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);", "    }", "    block()->t = t + h;", *project,
                f"    for (int i = 0; i < {self.n}; i++) {{", "        z[i] = x[i];", "    }", "    return block()->error != 0;", "}", "",
            ]
        )  # fmt: skip

    def _motion(self) -> str:
        ref = self.made.reference
        assert ref is not None
        held = [f"    r[{k}] = {self.literal(v)};" for k, v in enumerate(self.made.start[2])]
        lines = [
            "static int check_motion(void)", "{", *self.array("times", ref.times), *self.array("states", tuple(v for row in ref.states for v in row)),
            *self.array("scales", ref.scales), f"    double z[{self.n}], worst = 0.0;", "    int status = 0;", *held, "    stand_in_start(block());",
            f"    for (int i = 0; i < {self.n}; i++) {{", "        z[i] = x[i];", "    }",
            f"    for (int k = 0; k + 1 < {len(ref.times)} && status == 0; k++) {{", f"        const double h = (times[k + 1] - times[k]) / {float(ref.steps)!r};",
            f"        for (int s = 0; s < {ref.steps} && status == 0; s++) {{", "            status = step(times[k] + h * s, h, z);", "        }",
            f"        for (int i = 0; i < {self.n}; i++) {{",
            f"            const double d = fabs(z[i] - states[(k + 1) * {self.n} + i]) / scales[i];", "            worst = d <= 1e300 ? fmax(worst, d) : HUGE_VAL;",
            "        }", "    }", f'    return verdict("motion", status, worst, {ref.tolerance!r});', "}", "",
        ]  # fmt: skip
        return "\n".join(lines)

    def _main(self) -> str:
        motion = " + check_motion()" if self.made.reference else ""
        return f"""\
int main(void)
{{
    const int wrong = check_block(){motion};
    puts(wrong == 0 ? "all good" : "SOMETHING IS WRONG");
    return wrong == 0 ? 0 : 1;
}}
"""


# ---------------------------------------------------------------------------------------------------- words


def _makefile(made: Artefact) -> str:
    name = made.identifier
    return f"""\
# make check compiles the S-function with a stand-in for Simulink's header, and checks it by a driver. For Simulink, in MATLAB: mex {name}_sfun.c {name}.c
CC ?= cc
CFLAGS ?= -O2 -std=c99 -Wall -Wextra -pedantic
HOOKS ?=

check: {name}_sfun_check
	./{name}_sfun_check

{name}_sfun_check: {name}_sfun_check.c {name}_sfun.c {name}.c {name}.h stand_in/simstruc.h stand_in/simulink.c $(HOOKS)
	$(CC) $(CFLAGS) -DMATLAB_MEX_FILE -I stand_in {name}_sfun_check.c {name}_sfun.c {name}.c $(HOOKS) -o $@ -lm

clean:
	rm -f {name}_sfun_check

.PHONY: check clean
"""


def _words(made: Artefact) -> LanguageWords:
    n = made.identifier
    ports = [f"the input port has {len(made.inputs)} signals"] if made.inputs else ["there is no input port"]
    ports += ["output port 1 is the state"] if made.state else []
    ports += (
        [f"{'port 2' if made.state else 'the output port'} has the {_size(made, 'outputs')} outputs of the model"]
        if made.has("outputs")
        else []
    )
    more = [
        (
            f"In a model: a block *S-Function*, its name `{n}_sfun`, its modules `{n}`, its parameters `p, x0` "
            f"(or `[], []` for the values below). {', '.join(ports).capitalize()}."
        ),
        (
            "`make check` compiles the S-function with a stand-in for Simulink's header that stands in "
            "`stand_in`, and compares what Simulink would call. It was not run in Simulink."
        ),
    ]
    if made.hooks:
        more.append(f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.c`.")
    files_ = {
        f"{n}_sfun.c": "the S-function",
        f"{n}.c, {n}.h": "the library that it calls",
        f"{n}_sfun_check.c, stand_in/simstruc.h, stand_in/simulink.c": "driver and stand-in for checks without Simulink",
        "Makefile": "builds the check",
    }
    return LanguageWords(
        "a level-2 C S-function of Simulink",
        "make check",
        f"mex {n}_sfun.c {n}.c",
        "matlab",
        f"{n}_",
        files_,
        tuple(more),
    )
