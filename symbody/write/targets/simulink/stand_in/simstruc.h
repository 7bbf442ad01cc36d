/* A stand-in for Simulink's simstruc.h, written for checks without MATLAB: the macros that the S-function beside it uses, on a structure that a driver
 * fills. It is not MathWorks' file, and says nothing about Simulink itself; mex finds the real one. */

#ifndef SYMBODY_STAND_IN_SIMSTRUC_H
#define SYMBODY_STAND_IN_SIMSTRUC_H

#include <stddef.h>

typedef double real_T;
typedef int int_T;

typedef struct {
    const double *numbers;
    size_t count;
} mxArray;

#define mxGetPr(a) ((a)->numbers)
#define mxGetNumberOfElements(a) ((a)->count)
#define mxIsEmpty(a) ((a)->count == 0)
#define mxIsDouble(a) ((a) != 0)
#define mxIsComplex(a) ((a) == 0)

enum { MOST_PORTS = 2, MOST_PARAMETERS = 2 };

typedef struct {
    const mxArray *parameters[MOST_PARAMETERS];
    int parameters_given, parameters_expected;
    int states, discrete_states, input_ports, output_ports, sample_times, zero_crossings;
    int input_width[MOST_PORTS], input_is_contiguous[MOST_PORTS], input_feeds_through[MOST_PORTS], output_width[MOST_PORTS];
    double sample_time, offset;
    double t, *x, *xdot, *y[MOST_PORTS], *g;
    const double *u[MOST_PORTS];
    const char *error;
} SimStruct;

#define CONTINUOUS_SAMPLE_TIME 0.0
#define SS_OPTION_EXCEPTION_FREE_CODE 1u
#define USE_DEFAULT_SIM_STATE 1
#define UNUSED_ARG(a) ((void)(a))

#define ssSetNumSFcnParams(S, n) ((S)->parameters_expected = (n))
#define ssGetNumSFcnParams(S) ((S)->parameters_expected)
#define ssGetSFcnParamsCount(S) ((S)->parameters_given)
#define ssGetSFcnParam(S, k) ((S)->parameters[k])
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((S)->discrete_states = (n))
#define ssSetNumInputPorts(S, n) (((S)->input_ports = (n)) <= MOST_PORTS)
#define ssSetNumOutputPorts(S, n) (((S)->output_ports = (n)) <= MOST_PORTS)
#define ssSetInputPortWidth(S, k, n) ((S)->input_width[k] = (n))
#define ssSetInputPortRequiredContiguous(S, k, is) ((S)->input_is_contiguous[k] = (is))
#define ssSetInputPortDirectFeedThrough(S, k, is) ((S)->input_feeds_through[k] = (is))
#define ssSetOutputPortWidth(S, k, n) ((S)->output_width[k] = (n))
#define ssSetNumSampleTimes(S, n) ((S)->sample_times = (n))
#define ssSetNumNonsampledZCs(S, n) ((S)->zero_crossings = (n))
#define ssSetSimStateCompliance(S, value) ((void)(S), (void)(value))
#define ssSetOptions(S, value) ((void)(S), (void)(value))
#define ssSetSampleTime(S, k, value) ((S)->sample_time = (value))
#define ssSetOffsetTime(S, k, value) ((S)->offset = (value))
#define ssGetT(S) ((S)->t)
#define ssGetContStates(S) ((S)->x)
#define ssGetdX(S) ((S)->xdot)
#define ssGetInputPortRealSignal(S, k) ((S)->u[k])
#define ssGetOutputPortRealSignal(S, k) ((S)->y[k])
#define ssGetNonsampledZCs(S) ((S)->g)
#define ssSetErrorStatus(S, text) ((S)->error = (text))

/* What a driver calls: defined by the stand-in for simulink.c. */
void stand_in_sizes(SimStruct *S);
void stand_in_start(SimStruct *S);
void stand_in_outputs(SimStruct *S);
void stand_in_derivatives(SimStruct *S);
void stand_in_zero_crossings(SimStruct *S);
void stand_in_projection(SimStruct *S);

#endif
