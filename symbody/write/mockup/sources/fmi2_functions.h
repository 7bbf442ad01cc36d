/* The functions of FMI 2.0 for one model. */

#include "fmi_functions.h"

static void say2(Instance *m, int status, const char *text)
{
    const fmi2CallbackFunctions *callbacks = (const fmi2CallbackFunctions *)m->callbacks;
    if (callbacks->logger != NULL) {
        callbacks->logger(m->environment, m->name, STATUS(status), LOG_CATEGORY(status), "%s", text);
    }
}

static void *reserve_by(const fmi2CallbackFunctions *callbacks, size_t size)
{
    return callbacks->allocateMemory != NULL ? callbacks->allocateMemory(1, size) : calloc(1, size);
}

static void release_by(const fmi2CallbackFunctions *callbacks, void *memory)
{
    if (callbacks->freeMemory != NULL) {
        callbacks->freeMemory(memory);
    } else {
        free(memory);
    }
}

static void *reserve(Instance *m, size_t size)
{
    return reserve_by((const fmi2CallbackFunctions *)m->callbacks, size);
}

static void release(Instance *m, void *memory)
{
    release_by((const fmi2CallbackFunctions *)m->callbacks, memory);
}

/* ------------------------------------------------------------------------------------------------ life of an instance */

EXPORTED const char *FMI(GetTypesPlatform)(void)
{
    return "default";
}

EXPORTED const char *FMI(GetVersion)(void)
{
    return "2.0";
}

EXPORTED fmi2Component FMI(Instantiate)(
    fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
    fmi2Boolean logs)
{
    (void)resources;
    (void)visible;
    if (callbacks == NULL || name == NULL || guid == NULL) {
        return NULL;
    }
    if (strcmp(guid, MODEL_TOKEN) != 0 || (type == fmi2CoSimulation ? !HAS_STEPS : !HAS_EXCHANGE)) {
        if (callbacks->logger != NULL) {
            callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", "%s",
                              strcmp(guid, MODEL_TOKEN) != 0 ? "the GUID is not that of this model" : "this interface is not in this FMU");
        }
        return NULL;
    }
    Instance *m = (Instance *)reserve_by(callbacks, sizeof *m);
    char *copy = (char *)reserve_by(callbacks, strlen(name) + 1);
    if (m == NULL || copy == NULL) {
        if (m != NULL) {
            release_by(callbacks, m);
        }
        if (copy != NULL) {
            release_by(callbacks, copy);
        }
        return NULL;
    }
    memset(m, 0, sizeof *m);
    m->name = strcpy(copy, name);
    m->callbacks = callbacks;
    m->environment = callbacks->componentEnvironment;
    m->say = say2;
    m->logs = logs;
    m->is_for_steps = type == fmi2CoSimulation;
    set_to_start(m);
    return m;
}

EXPORTED void FMI(FreeInstance)(fmi2Component instance)
{
    Instance *m = (Instance *)instance;
    if (m != NULL) {
        const fmi2CallbackFunctions *callbacks = (const fmi2CallbackFunctions *)m->callbacks;
        release_by(callbacks, m->name);
        release_by(callbacks, m);
    }
}

EXPORTED fmi2Status FMI(SetupExperiment)(
    fmi2Component instance, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    INSTANCE
    NEEDS(m->now.mode == INSTANTIATED, "SetupExperiment")
    (void)has_stop;
    (void)stop;
    return set_up_experiment(m, has_tolerance, tolerance, start);
}

EXPORTED fmi2Status FMI(EnterInitializationMode)(fmi2Component instance)
{
    INSTANCE
    NEEDS(m->now.mode == INSTANTIATED, "EnterInitializationMode")
    m->now.mode = INITIALIZATION;
    return fmi2OK;
}

/* ------------------------------------------------------------------------------------------------ values */

EXPORTED fmi2Status FMI(GetReal)(fmi2Component instance, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    INSTANCE
    return get_values(m, references, n, values);
}

EXPORTED fmi2Status FMI(SetReal)(fmi2Component instance, const fmi2ValueReference references[], size_t n, const fmi2Real values[])
{
    INSTANCE
    NEEDS(m->now.mode != TERMINATED, "SetReal")
    return set_values(m, references, n, values);
}

/* All variables are real. */
#define NO_VARIABLES(name, type) \
    EXPORTED fmi2Status FMI(name)(fmi2Component instance, const fmi2ValueReference references[], size_t n, type values[]) \
    { \
        INSTANCE \
        (void)references; \
        (void)values; \
        return n == 0 ? fmi2OK : STATUS(complain(m, FAILED, "fmi2" #name ": all variables are real")); \
    }
NO_VARIABLES(GetInteger, fmi2Integer)
NO_VARIABLES(GetBoolean, fmi2Boolean)
NO_VARIABLES(GetString, fmi2String)
NO_VARIABLES(SetInteger, const fmi2Integer)
NO_VARIABLES(SetBoolean, const fmi2Boolean)
NO_VARIABLES(SetString, const fmi2String)

EXPORTED fmi2Status FMI(GetDirectionalDerivative)(
    fmi2Component instance, const fmi2ValueReference unknowns[], size_t n_unknowns, const fmi2ValueReference knowns[], size_t n_knowns,
    const fmi2Real seed[], fmi2Real result[])
{
    INSTANCE
    return derivative_along(m, unknowns, n_unknowns, knowns, n_knowns, seed, result);
}

/* ------------------------------------------------------------------------------------------------ model exchange */

EXPORTED fmi2Status FMI(NewDiscreteStates)(fmi2Component instance, fmi2EventInfo *info)
{
    INSTANCE
    NEEDS(m->now.mode == EVENTS, "NewDiscreteStates")
    int changes;
    if (handle_events(m, &changes) != OK) {
        return fmi2Error;
    }
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = changes;
    info->terminateSimulation = m->now.ended;
    info->nextEventTimeDefined = next_time_event(m, &info->nextEventTime);
    return fmi2OK;
}

/* ------------------------------------------------------------------------------------------------ co-simulation */

/* Derivatives of an input from this moment on. */
static int set_input_derivative(Instance *m, unsigned at, int order, double value)
{
    if (at < INPUTS_AT || at >= PARAMETERS_AT || order < 1 || order > 2 || !(value - value == 0.0)) {
        return complain(m, FAILED, "inputs have derivatives of first and second order; got order %d of value reference %u", order, at);
    }
    const unsigned k = at - INPUTS_AT;
    double *place = order == 1 ? m->now.slope : m->now.bend;
    place[k] = value;
    m->now.has_slope[k] = 1;
    m->known = 0;
    return OK;
}

EXPORTED fmi2Status FMI(SetRealInputDerivatives)(
    fmi2Component instance, const fmi2ValueReference references[], size_t n, const fmi2Integer orders[], const fmi2Real values[])
{
    INSTANCE
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = set_input_derivative(m, references[k], orders[k], values[k]);
    }
    return STATUS(status);
}

EXPORTED fmi2Status FMI(GetRealOutputDerivatives)(
    fmi2Component instance, const fmi2ValueReference references[], size_t n, const fmi2Integer orders[], fmi2Real values[])
{
    INSTANCE
    return output_derivatives(m, references, n, orders, values);
}

EXPORTED fmi2Status FMI(DoStep)(fmi2Component instance, fmi2Real t, fmi2Real h, fmi2Boolean is_final)
{
    INSTANCE
    (void)is_final;
    NEEDS(m->now.mode == STEPS, "DoStep")
    const int status = begin_step(m, t, h);
    if (status != OK) {
        return STATUS(status);
    }
    const int done = advance(m, t + h);
    return done == OK && m->now.ended ? fmi2Discard : STATUS(done);
}

EXPORTED fmi2Status FMI(CancelStep)(fmi2Component instance)
{
    INSTANCE
    return STATUS(complain(m, FAILED, "steps end before anything else can be called: there is none to cancel"));
}

EXPORTED fmi2Status FMI(GetRealStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Real *value)
{
    INSTANCE
    if (kind != fmi2LastSuccessfulTime) {
        return fmi2Discard;
    }
    *value = m->now.t;
    return fmi2OK;
}

EXPORTED fmi2Status FMI(GetBooleanStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    INSTANCE
    if (kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = m->now.ended;
    return fmi2OK;
}

/* Nothing is pending: steps end before they return. */
#define NO_STATUS(name, type) \
    EXPORTED fmi2Status FMI(name)(fmi2Component instance, const fmi2StatusKind kind, type *value) \
    { \
        INSTANCE \
        (void)m, (void)kind, (void)value; \
        return fmi2Discard; \
    }
NO_STATUS(GetStatus, fmi2Status)
NO_STATUS(GetIntegerStatus, fmi2Integer)
NO_STATUS(GetStringStatus, fmi2String)
