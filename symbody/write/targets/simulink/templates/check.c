// {{part file}}
/* Checks {{name}}_sfun.c on the stand-in for Simulink's header, without Simulink. */

#include "simstruc.h"

#include "{{name}}.h"

#include <math.h>
#include <stdio.h>

{{difference}}

{{verdict}}

{{stages}}

/* The block, with empty parameters, as Simulink would set it up. */
static double x[{{n}}], xdot[{{n}}], {{state}}y[{{n_y}}], g[{{n_g}}], r[{{n_r}}];
static const mxArray nothing = {0, 0};

static SimStruct *block(void)
{
    static SimStruct S;
    S.parameters[0] = S.parameters[1] = &nothing;
    S.parameters_given = 2;
    S.x = x;
    S.xdot = xdot;
    S.y[0] = {{first_port}};
    S.y[1] = y;
    S.g = g;
    S.u[0] = r;
    return &S;
}

static int check_block(void)
{
    SimStruct *const S = block();
    int wrong = 0;
    {{numbers}}
    stand_in_sizes(S);
    wrong += verdict("sizes", S->states != {{n_x}} || S->input_ports != {{input_ports}} || S->input_width[0] != {{inputs}}, 0.0, 0.0);
    stand_in_start(S);
    wrong += verdict("start", S->error != 0, difference(x, start, {{n_x}}), {{allowed}});
    for (int k = 0; k < {{inputs}}; k++) {
        r[k] = held[k];
    }
    S->t = {{t}};
    (void)at;
    (void)held;
    {{checks}}
    return wrong;
}

{{motion}}

int main(void)
{
    const int wrong = {{wrong}};
    puts(wrong == 0 ? "all good" : "SOMETHING IS WRONG");
    return wrong == 0 ? 0 : 1;
}

// {{part method}}
{
    {{wanted}}
    for (int i = 0; i < {{n}}; i++) {
        x[i] = at[i];
    }
    stand_in_{{called}}(S);
    wrong += verdict("{{called}}", S->error != 0, difference({{result}}, wanted, {{size}}), {{allowed}});
}

// {{part stages}}
static int rates(double t, const double *at, double *out);

{{fixed_step}}

// {{part motion}}
static int rates(double t, const double *at, double *out)
{
    SimStruct *const S = block();
    S->t = t;
    for (int i = 0; i < {{n}}; i++) {
        x[i] = at[i];
    }
    stand_in_derivatives(S);
    for (int i = 0; i < {{n}}; i++) {
        out[i] = xdot[i];
    }
    return S->error != 0;
}

/* One step of the classical Runge-Kutta method, as a solver of Simulink would make it. */
static int step(double t, double h, double *z)
{
    enum { N = {{n}}, STAGES = {{count_of_stages}} };
    {{table}}
    double w[N], k[N * STAGES], d[N];
    if (fixed_step(N, STAGES, t, h, table, z, w, k, d) != 0) {
        return 1;
    }
    for (int i = 0; i < N; i++) {
        x[i] = z[i];
    }
    block()->t = t + h;
    {{project}}
    for (int i = 0; i < N; i++) {
        z[i] = x[i];
    }
    return block()->error != 0;
}

static int check_motion(void)
{
    {{numbers}}
    double z[{{n}}], worst = 0.0;
    int status = 0;
    {{held}}
    stand_in_start(block());
    for (int i = 0; i < {{n}}; i++) {
        z[i] = x[i];
    }
    for (int k = 0; k + 1 < {{points}} && status == 0; k++) {
        const double h = (times[k + 1] - times[k]) / {{steps}};
        for (int s = 0; s < {{count}} && status == 0; s++) {
            status = step(times[k] + h * s, h, z);
        }
        for (int i = 0; i < {{n}}; i++) {
            const double d = fabs(z[i] - states[(k + 1) * {{n}} + i]) / scales[i];
            worst = d <= 1e300 ? fmax(worst, d) : HUGE_VAL;
        }
    }
    return verdict("motion", status, worst, {{allowed}});
}
