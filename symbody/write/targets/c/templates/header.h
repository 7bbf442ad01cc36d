// {{part file}}
/*
{{about}}
 *
 * Every function returns 0, or a status that says what is wrong with its arguments. They allocate nothing, have no state of
 * their own and may run in several threads at once. Results may not overlap what is read. Matrices lie row after row.
 * Compiled with -D{{upper}}_NO_CHECKS, functions do not look at their arguments.
 */
#ifndef SYMBODY_{{upper}}_H
#define SYMBODY_{{upper}}_H

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers */
{{sizes}}

/* What functions return */
enum {
    {{upper}}_OK = 0,
    {{upper}}_NULL_ARGUMENT = 1,
    {{upper}}_OVERLAPPING_ARGUMENTS = 2,
    {{upper}}_ARGUMENT_NOT_FINITE = 3,
    {{upper}}_DIVERGED = {{diverged}}
};

/* Parameters */
typedef struct {
    {{fields}}
} {{name}}_parameters;

{{hooks}}

/* Parameters as in the model */
void {{name}}_default_parameters({{name}}_parameters *p);

/* Where motions begin */
{{start}};

{{functions}}

{{many}}

{{algorithms}}

{{patterns}}

{{senses}}

{{texts}}

#ifdef __cplusplus
}
#endif

#endif

// {{part many}}
/* x' of many states, which lie one after the other; inputs and parameters are the same for all. Compiled with OpenMP: on all cores. Returns the largest status */
{{prototype}};

// {{part patterns}}
/* Compressed rows of sparse results: where each row starts among the entries, and the end; then the column of each entry */
{{tables}}
