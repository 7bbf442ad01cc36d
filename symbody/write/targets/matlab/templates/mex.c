// {{part file}}
/* Gateway of MATLAB and Octave to {{name}}.c: mex {{name}}_mex.c {{name}}.c */

#include "{{name}}.h"

#include <mex.h>
#include <string.h>

/* Numbers of an argument; sizes are checked. */
static const double *numbers(const mxArray *a, size_t n, const char *what)
{
    if (!mxIsDouble(a) || mxIsComplex(a) || mxGetNumberOfElements(a) != n) {
        mexErrMsgIdAndTxt("{{name}}:argument", "%s: expected %d real numbers", what, (int)n);
    }
    return mxGetPr(a);
}

/* Parameters: a structure with a field for each, or numbers in order. */
static void parameters(const mxArray *a, {{name}}_parameters *p)
{
    double *const places[] = {{{fields}}};
    static const char *const names[] = {{{keys}}};
    {{name}}_default_parameters(p);
    if (!mxIsStruct(a)) {
        const double *given = numbers(a, {{upper}}_NP, "p");
        for (int k = 0; k < {{upper}}_NP; k++) {
            *places[k] = given[k];
        }
        return;
    }
    for (int k = 0; k < {{upper}}_NP; k++) {
        const mxArray *field = mxGetField(a, 0, names[k]);
        if (field != 0) {
            *places[k] = *numbers(field, 1, names[k]);
        }
    }
}

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

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    char name[64];
    {{name}}_parameters p;
    int status = 0;
    (void)nlhs;
    if (nrhs < 5 || mxGetString(prhs[0], name, sizeof name) != 0) {
        mexErrMsgIdAndTxt("{{name}}:call", "{{name}}_mex('function', t, x, r, p, ...)");
    }
    const double t = *numbers(prhs[1], 1, "t");
    const double *r = numbers(prhs[3], {{upper}}_NR, "r");
    parameters(prhs[4], &p);
    {{cases}} else {
        mexErrMsgIdAndTxt("{{name}}:call", "there is no function %s", name);
    }
    if (status != 0) {
        mexErrMsgIdAndTxt("{{name}}:status", "%s: status %d", name, status);
    }
}

// {{part case}}
if (strcmp(name, "{{function}}") == 0) {
        {{statements}}
    }

// {{part function}}
const double *x = numbers(prhs[2], {{state}}, "x");
{{inputs}}
{{outputs}}
status = {{name}}_{{function}}({{arguments}});
{{results}}

// {{part arguments}}
if (nrhs < {{least}}) {
    mexErrMsgIdAndTxt("{{name}}:call", "{{function}} takes {{count}} arguments");
}

// {{part changes}}
const double *x = numbers(prhs[2], {{state}}, "x");
double changed[{{state}}];
memcpy(changed, x, {{state}} * sizeof *changed);
status = {{name}}_{{function}}(t, changed, r, &p);
put(&plhs[0], changed, {{state}}, 1);
