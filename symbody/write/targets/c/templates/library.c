// {{part file}}
/* {{title}}: {{hash}}, symbody {{version}}; see {{name}}.h */

#include "{{name}}.h"

{{mathematics}}

{{written}}

#ifndef {{upper}}_NO_CHECKS
static int {{name}}_is_finite(const {{real}} *v, int n)
{
    for (int k = 0; k < n; k++) {
        if (!(v[k] - v[k] == {{zero}})) {
            return 0;
        }
    }
    return 1;
}
#endif

{{helpers}}

void {{name}}_default_parameters({{name}}_parameters *p)
{
    {{defaults}}
}

{{start}}
{
    {{start_values}}
}

{{definitions}}

// {{part embedded}}
/* Define {{upper}}_SIN and the others to use functions of your own. */
#include <math.h>
{{functions}}

// {{part embedded_function}}
#ifndef {{upper}}_{{macro}}
#define {{upper}}_{{macro}} {{function}}
#endif

// {{part many}}
{{prototype}}
{
    int status = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(max : status)
#endif
    for (long k = 0; k < count; k++) {
        const int found = {{name}}_rhs(t, x + k * {{upper}}_NX, r, p, xdot + k * {{upper}}_NX);
        if (found > status) {
            status = found;
        }
    }
    return status;
}
