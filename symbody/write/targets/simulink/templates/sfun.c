// {{part file}}
/*
{{about}}
 */

#define S_FUNCTION_NAME {{name}}_sfun
#define S_FUNCTION_LEVEL 2

#include "simstruc.h"

#include "{{name}}.h"

/* Parameters of the block: those of the model in order, and the state at the start; each may be [], which is as in the model. */
enum { PARAMETERS, START, PARAMETER_COUNT };

static void parameters(SimStruct *S, {{name}}_parameters *p)
{
    const mxArray *const values = ssGetSFcnParam(S, PARAMETERS);
    {{name}}_default_parameters(p);
    if (!mxIsEmpty(values)) {
        const real_T *const given = mxGetPr(values);
        {{fields}}
    }
}

static const real_T *inputs(SimStruct *S)
{
    {{inputs}}
}

static void refuse(SimStruct *S, int status)
{
    if (status != 0) {
        ssSetErrorStatus(S, "{{name}}: arguments are refused, or a projection does not end");
    }
}

#define MDL_CHECK_PARAMETERS
static void mdlCheckParameters(SimStruct *S)
{
    const size_t sizes[PARAMETER_COUNT] = {{{upper}}_NP, {{upper}}_NX};
    for (int k = 0; k < PARAMETER_COUNT; k++) {
        const mxArray *const given = ssGetSFcnParam(S, k);
        if (!mxIsDouble(given) || mxIsComplex(given) || (!mxIsEmpty(given) && mxGetNumberOfElements(given) != sizes[k])) {
            ssSetErrorStatus(S, "{{name}}: parameters are [p, x0]: so many real numbers as the model has, or []");
            return;
        }
    }
}

static void mdlInitializeSizes(SimStruct *S)
{
    ssSetNumSFcnParams(S, PARAMETER_COUNT);
    if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {
        return;
    }
    mdlCheckParameters(S);
    ssSetNumContStates(S, {{upper}}_NX);
    ssSetNumDiscStates(S, 0);
    if (!ssSetNumInputPorts(S, {{input_ports}})) {
        return;
    }
    {{input_port}}
    if (!ssSetNumOutputPorts(S, {{output_ports}})) {
        return;
    }
    {{output_widths}}
    ssSetNumSampleTimes(S, 1);
    ssSetNumNonsampledZCs(S, {{n_g}});
    ssSetSimStateCompliance(S, USE_DEFAULT_SIM_STATE);
    ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);
}

static void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, CONTINUOUS_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
}

{{start}}

static void mdlOutputs(SimStruct *S, int_T tid)
{
    {{outputs}}
}

{{methods}}

static void mdlTerminate(SimStruct *S)
{
    UNUSED_ARG(S);
}

#ifdef MATLAB_MEX_FILE
#include "simulink.c"
#else
#include "cg_sfun.h"
#endif

// {{part input_port}}
ssSetInputPortWidth(S, 0, {{n_r}});
ssSetInputPortRequiredContiguous(S, 0, 1);
ssSetInputPortDirectFeedThrough(S, 0, {{feeds_through}});

// {{part start}}
#define MDL_INITIALIZE_CONDITIONS
static void mdlInitializeConditions(SimStruct *S)
{
    const mxArray *const given = ssGetSFcnParam(S, START);
    real_T *const x = ssGetContStates(S);
    real_T t, r[{{n_r}}];
    {{name}}_initial_state(&t, x, r);
    if (!mxIsEmpty(given)) {
        for (int i = 0; i < {{upper}}_NX; i++) {
            x[i] = mxGetPr(given)[i];
        }
    }
}

// {{part states}}
for (int i = 0; i < {{upper}}_NX; i++) {
    ssGetOutputPortRealSignal(S, 0)[i] = ssGetContStates(S)[i];
}

// {{part method}}
#define MDL_{{macro}}
static void mdl{{method}}(SimStruct *S)
{
    {{name}}_parameters p;
    parameters(S, &p);
    refuse(S, {{name}}_{{function}}(ssGetT(S), ssGetContStates(S), inputs(S), &p{{result}}));
}
