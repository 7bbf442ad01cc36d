// {{part file}}
/* Entries of {{name}}.c for Scilab: every argument by its address, parameters as an array in order. */

#include "{{name}}.h"

static void parameters(const double *values, {{name}}_parameters *p)
{
    {{name}}_default_parameters(p);
    {{fields}}
}

{{entries}}

// {{part entry}}
void {{name}}_{{function}}_call({{declared}});
void {{name}}_{{function}}_call({{declared}})
{
    {{name}}_parameters held;
    parameters(p, &held);
    {{copied}}
    *status = {{name}}_{{function}}({{arguments}});
}

// {{part copied}}
for (int i = 0; i < {{state}}; i++) {
    out_0[i] = x[i];
}
