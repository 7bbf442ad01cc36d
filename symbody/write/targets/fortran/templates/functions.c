// {{part file}}
/* Functions of {{name}}.f90 that are written in C. */
#include <math.h>

{{functions}}

// {{part function}}
{{text}}

double {{name}}({{declared}});

double {{name}}({{declared}})
{
    return {{function}}({{given}});
}
