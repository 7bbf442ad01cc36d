// {{part file}}
/* Checks {{name}}.c: `{{name}}_driver`. Prints a motion: `{{name}}_driver SECONDS STEP`. */

#include "{{name}}.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

{{difference}}

{{verdict}}

{{step}}

{{print}}

/* Every function at one point, against values of the expressions that it was written from. */
static int check_functions(void)
{
    {{name}}_parameters p;
    int wrong = 0;
    const {{real}} t = {{t}};
    {{numbers}}
    {{name}}_default_parameters(&p);
    (void)t;
    (void)x;
    (void)r;
    {{checks}}
    return wrong;
}

{{many}}

{{motion}}

int main(int argc, char **argv)
{
    {{arguments}}
    const int wrong = {{wrong}};
    puts(wrong == 0 ? "all good" : "SOMETHING IS WRONG");
    return wrong == 0 ? 0 : 1;
}

// {{part difference}}
/* How far numbers are from those that are wanted, in units of 1 + the largest of these; huge where one is no number. */
static double difference(const {{real}} *got, const {{real}} *wanted, int n)
{
    double scale = 1.0, worst = 0.0;
    for (int k = 0; k < n; k++) {
        scale = fmax(scale, 1.0 + fabs((double)wanted[k]));
    }
    for (int k = 0; k < n; k++) {
        const double d = fabs((double)got[k] - (double)wanted[k]);
        if (!(d <= 1e300)) {
            return HUGE_VAL;
        }
        worst = fmax(worst, d);
    }
    return worst / scale;
}

// {{part verdict}}
static int verdict(const char *what, int status, double worst, double allowed)
{
    const int is_good = status == 0 && worst <= allowed;
    printf("%-28s %s  status %d, off by %.2e of at most %.2e\n", what, is_good ? "good " : "WRONG", status, worst, allowed);
    return is_good ? 0 : 1;
}

// {{part step}}
{{fixed_step}}

/* One step of the classical Runge-Kutta method{{then}}. */
static int step({{real}} t, {{real}} h, {{real}} *x, const {{real}} *r, const {{name}}_parameters *p)
{
    enum { N = {{n}}, STAGES = {{stages}} };
    {{table}}
    {{real}} w[N], k[N * STAGES], d[N];
    const int status = fixed_step(N, STAGES, t, h, table, x, w, k, d, r, p);
    return {{status}};
}

// {{part print}}
/* A motion as a table with commas. */
static int print_motion({{real}} seconds, {{real}} h)
{
    {{real}} t, x[{{n}}], r[{{n_r}}];
    {{name}}_parameters p;
    {{name}}_default_parameters(&p);
    {{name}}_initial_state(&t, x, r);
    puts("{{names}}");
    const int steps = (int)(seconds / h + {{half}});
    for (int k = 0; k <= steps; k++) {
        printf("%.17g", (double)t);
        for (int i = 0; i < {{n}}; i++) {
            printf(",%.17g", (double)x[i]);
        }
        putchar('\n');
        const int status = step(t, h, x, r, &p);
        if (status != 0) {
            fprintf(stderr, "status %d at t = %g\n", status, (double)t);
            return 1;
        }
        t += h;
    }
    return 0;
}

// {{part function}}
{
    {{numbers}}
    const int status = {{name}}_{{what}}({{arguments}});
    const double worst = {{worst}};
    wrong += verdict("{{what}}", status, worst, {{allowed}});
}

// {{part changed}}
for (int i = 0; i < {{n}}; i++) {
    out_state[i] = in_state[i];
}

// {{part many}}
/* Many states at once, against one after the other. */
static int check_many(void)
{
    enum { COUNT = 50 };
    static {{real}} x[COUNT * {{upper}}_NX], xdot[COUNT * {{upper}}_NX];
    {{real}} t, first[{{upper}}_NX], one[{{upper}}_NX], r[{{n_r}}];
    {{name}}_parameters p;
    double worst = 0.0;
    {{name}}_default_parameters(&p);
    {{name}}_initial_state(&t, first, r);
    for (int k = 0; k < COUNT * {{upper}}_NX; k++) {
        x[k] = first[k % {{upper}}_NX] + {{little}} * ({{real}})k;
    }
    int status = {{name}}_rhs_of_many(COUNT, t, x, r, &p, xdot);
    for (int k = 0; k < COUNT && status == 0; k++) {
        status = {{name}}_rhs(t, x + k * {{upper}}_NX, r, &p, one);
        worst = fmax(worst, difference(xdot + k * {{upper}}_NX, one, {{upper}}_NX));
    }
    return verdict("rhs_of_many", status, worst, 0.0);
}

// {{part motion}}
/* The reference motion, by steps of a fixed length. */
static int check_motion(void)
{
    {{numbers}}
    {{real}} t, x[{{n}}], r[{{n_r}}];
    {{name}}_parameters p;
    double worst = 0.0;
    int status;
    {{name}}_default_parameters(&p);
    {{name}}_initial_state(&t, x, r);
    status = 0;
    for (int k = 0; k + 1 < {{points}} && status == 0; k++) {
        const {{real}} h = (times[k + 1] - times[k]) / {{steps}};
        for (int s = 0; s < {{count}} && status == 0; s++) {
            status = step(times[k] + h * ({{real}})s, h, x, r, &p);
        }
        for (int i = 0; i < {{n}}; i++) {
            const double d = fabs((double)x[i] - (double)states[(k + 1) * {{n}} + i]) / (double)scales[i];
            worst = d <= 1e300 ? fmax(worst, d) : HUGE_VAL;
        }
    }
    return verdict("motion", status, worst, {{allowed}});
}

// {{part seconds}}
if (argc == 3) {
    const {{real}} seconds = ({{real}})atof(argv[1]), h = ({{real}})atof(argv[2]);
    return h > {{zero}} ? print_motion(seconds, h) : 2;
}

// {{part no_arguments}}
(void)argc;
(void)argv;
