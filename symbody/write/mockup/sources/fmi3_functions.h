/* The functions of FMI 3.0 for one model: all of them, as the standard wants; what the model has nothing of says so. */

#include "fmi_functions.h"

typedef struct {
    fmi3LogMessageCallback log;
} Callbacks3;

static void *reserve(Instance *m, size_t size)
{
    (void)m;
    return calloc(1, size);
}

static void release(Instance *m, void *memory)
{
    (void)m;
    free(memory);
}

static void say3(Instance *m, int status, const char *text)
{
    fmi3LogMessageCallback log;
    memcpy(&log, m->callbacks, sizeof log);
    if (log != NULL) {
        log(m->environment, STATUS(status), LOG_CATEGORY(status), text);
    }
}

/* ------------------------------------------------------------------------------------------------ life of an instance */

EXPORTED const char *FMI(GetVersion)(void)
{
    return "3.0";
}

static fmi3Instance instantiated3(
    fmi3String name, fmi3String token, int is_for_steps, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    if (name == NULL || token == NULL || strcmp(token, MODEL_TOKEN) != 0 || (is_for_steps ? !HAS_STEPS : !HAS_EXCHANGE)) {
        if (log != NULL) {
            log(environment, fmi3Error, "logStatusError", "the instantiation token is not that of this model, or this interface is not in this FMU");
        }
        return NULL;
    }
    const size_t length = strlen(name) + 1;
    char *memory = (char *)calloc(1, sizeof(Instance) + sizeof(Callbacks3) + length);
    if (memory == NULL) {
        return NULL;
    }
    Instance *m = (Instance *)(void *)memory;
    Callbacks3 *callbacks = (Callbacks3 *)(void *)(m + 1);
    callbacks->log = log;
    m->name = (char *)memcpy(callbacks + 1, name, length);
    m->callbacks = callbacks;
    m->environment = environment;
    m->say = say3;
    m->is_for_steps = is_for_steps;
    set_to_start(m);
    return m;
}

EXPORTED fmi3Instance FMI(InstantiateModelExchange)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log)
{
    (void)resources, (void)visible, (void)logs;
    return instantiated3(name, token, 0, environment, log);
}

EXPORTED fmi3Instance FMI(InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3Boolean uses_event_mode,
    fmi3Boolean allows_early_return, const fmi3ValueReference intermediate[], size_t n_intermediate, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)resources, (void)visible, (void)logs, (void)intermediate, (void)n_intermediate, (void)update;
    Instance *const m = (Instance *)instantiated3(name, token, 1, environment, log);
    if (m != NULL) {
        m->has_event_mode = uses_event_mode != 0;
        m->stops_at_events = m->has_event_mode && allows_early_return;
    }
    return m;
}

EXPORTED fmi3Instance FMI(InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)update, (void)lock, (void)unlock;
    if (log != NULL) {
        log(environment, fmi3Error, "logStatusError", "scheduled execution is not in this FMU");
    }
    return NULL;
}

EXPORTED void FMI(FreeInstance)(fmi3Instance instance)
{
    free(instance);
}

EXPORTED fmi3Status FMI(EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    INSTANCE
    NEEDS(m->now.mode == INSTANTIATED, "EnterInitializationMode")
    (void)has_stop;
    (void)stop;
    m->now.mode = INITIALIZATION;
    return set_up_experiment(m, has_tolerance, tolerance, start);
}

/* ------------------------------------------------------------------------------------------------ values */

EXPORTED fmi3Status FMI(GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3Float64 values[], size_t n_values)
{
    INSTANCE
    NEEDS(n == n_values, "GetFloat64 with another number of values than of references")
    return get_values(m, references, n, values);
}

EXPORTED fmi3Status FMI(SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Float64 values[], size_t n_values)
{
    INSTANCE
    NEEDS(n == n_values && m->now.mode != TERMINATED, "SetFloat64")
    return set_values(m, references, n, values);
}

/* All variables are of the type Float64. */
#define NO_VARIABLES(name, type) \
    EXPORTED fmi3Status FMI(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, type values[], size_t n_values) \
    { \
        INSTANCE \
        (void)references, (void)values, (void)n_values; \
        return n == 0 ? fmi3OK : STATUS(complain(m, FAILED, "fmi3" #name ": all variables are of the type Float64")); \
    }
NO_VARIABLES(GetFloat32, fmi3Float32)
NO_VARIABLES(GetInt8, fmi3Int8)
NO_VARIABLES(GetUInt8, fmi3UInt8)
NO_VARIABLES(GetInt16, fmi3Int16)
NO_VARIABLES(GetUInt16, fmi3UInt16)
NO_VARIABLES(GetInt32, fmi3Int32)
NO_VARIABLES(GetUInt32, fmi3UInt32)
NO_VARIABLES(GetInt64, fmi3Int64)
NO_VARIABLES(GetUInt64, fmi3UInt64)
NO_VARIABLES(GetString, fmi3String)
NO_VARIABLES(SetFloat32, const fmi3Float32)
NO_VARIABLES(SetInt8, const fmi3Int8)
NO_VARIABLES(SetUInt8, const fmi3UInt8)
NO_VARIABLES(SetInt16, const fmi3Int16)
NO_VARIABLES(SetUInt16, const fmi3UInt16)
NO_VARIABLES(SetInt32, const fmi3Int32)
NO_VARIABLES(SetUInt32, const fmi3UInt32)
NO_VARIABLES(SetInt64, const fmi3Int64)
NO_VARIABLES(SetUInt64, const fmi3UInt64)
NO_VARIABLES(SetString, const fmi3String)
NO_VARIABLES(GetBoolean, fmi3Boolean)
NO_VARIABLES(SetBoolean, const fmi3Boolean)

EXPORTED fmi3Status FMI(GetBinary)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, size_t sizes[], fmi3Binary values[], size_t n_values)
{
    INSTANCE
    (void)references, (void)sizes, (void)values, (void)n_values;
    return n == 0 ? fmi3OK : STATUS(complain(m, FAILED, "all variables are of the type Float64"));
}

EXPORTED fmi3Status FMI(SetBinary)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    INSTANCE
    (void)references, (void)sizes, (void)values, (void)n_values;
    return n == 0 ? fmi3OK : STATUS(complain(m, FAILED, "all variables are of the type Float64"));
}

/* ------------------------------------------------------------------------------------------------ what there is nothing of: clocks */

static fmi3Status no_clocks(fmi3Instance instance, size_t n)
{
    INSTANCE
    return n == 0 ? fmi3OK : STATUS(complain(m, FAILED, "there are no clocks"));
}

#define NO_CLOCKS(name, ...) \
    EXPORTED fmi3Status FMI(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, __VA_ARGS__) \
    { \
        (void)references, (void)a; \
        return no_clocks(instance, n); \
    }
#define NO_CLOCKS_2(name, ...) \
    EXPORTED fmi3Status FMI(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, __VA_ARGS__) \
    { \
        (void)references, (void)a, (void)b; \
        return no_clocks(instance, n); \
    }
NO_CLOCKS(GetClock, fmi3Clock a[])
NO_CLOCKS(SetClock, const fmi3Clock a[])
NO_CLOCKS_2(GetIntervalDecimal, fmi3Float64 a[], fmi3IntervalQualifier b[])
NO_CLOCKS(GetShiftDecimal, fmi3Float64 a[])
NO_CLOCKS_2(GetShiftFraction, fmi3UInt64 a[], fmi3UInt64 b[])
NO_CLOCKS(SetIntervalDecimal, const fmi3Float64 a[])
NO_CLOCKS_2(SetIntervalFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])
NO_CLOCKS(SetShiftDecimal, const fmi3Float64 a[])
NO_CLOCKS_2(SetShiftFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])

EXPORTED fmi3Status FMI(GetIntervalFraction)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[], fmi3IntervalQualifier c[])
{
    (void)references, (void)a, (void)b, (void)c;
    return no_clocks(instance, n);
}

EXPORTED fmi3Status FMI(ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 t)
{
    (void)clock;
    (void)t;
    return no_clocks(instance, 1);
}

EXPORTED fmi3Status FMI(GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference reference, size_t *n)
{
    INSTANCE
    (void)reference;
    (void)n;
    return STATUS(complain(m, FAILED, "dependencies are in modelDescription.xml"));
}

EXPORTED fmi3Status FMI(GetVariableDependencies)(
    fmi3Instance instance, fmi3ValueReference dependent, size_t elements_of_dependent[], fmi3ValueReference independents[],
    size_t elements_of_independents[], fmi3DependencyKind kinds[], size_t n)
{
    INSTANCE
    (void)dependent, (void)elements_of_dependent, (void)independents, (void)elements_of_independents, (void)kinds, (void)n;
    return STATUS(complain(m, FAILED, "dependencies are in modelDescription.xml"));
}

/* ------------------------------------------------------------------------------------------------ derivatives */

EXPORTED fmi3Status FMI(GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 result[], size_t n_result)
{
    INSTANCE
    NEEDS(n_seed == n_knowns && n_result == n_unknowns, "GetDirectionalDerivative")
    return derivative_along(m, unknowns, n_unknowns, knowns, n_knowns, seed, result);
}

EXPORTED fmi3Status FMI(GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 result[], size_t n_result)
{
    INSTANCE
    NEEDS(n_seed == n_unknowns && n_result == n_knowns, "GetAdjointDerivative")
#if HAS_ADJOINT
    return STATUS(adjoint_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, result));
#else
    (void)unknowns, (void)knowns, (void)seed, (void)result;
    return STATUS(complain(m, FAILED, "this model has no derivatives"));
#endif
}

/* ------------------------------------------------------------------------------------------------ modes and events */

EXPORTED fmi3Status FMI(EnterConfigurationMode)(fmi3Instance instance)
{
    INSTANCE
    return STATUS(complain(m, FAILED, "there are no structural parameters"));
}

EXPORTED fmi3Status FMI(ExitConfigurationMode)(fmi3Instance instance)
{
    INSTANCE
    return STATUS(complain(m, FAILED, "there are no structural parameters"));
}

EXPORTED fmi3Status FMI(EvaluateDiscreteStates)(fmi3Instance instance)
{
    INSTANCE
    return fmi3OK;
}

EXPORTED fmi3Status FMI(UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
    fmi3Boolean *has_next, fmi3Float64 *next)
{
    INSTANCE
    NEEDS(m->now.mode == EVENTS, "UpdateDiscreteStates")
    int changes;
    if (handle_events(m, &changes) != OK) {
        return fmi3Error;
    }
    *again = false;
    *terminate = m->now.ended != 0;
    *nominals_changed = false;
    *values_changed = changes != 0;
    *has_next = next_time_event(m, next) != 0;
    return fmi3OK;
}

EXPORTED fmi3Status FMI(EnterStepMode)(fmi3Instance instance)
{
    INSTANCE
    NEEDS(m->now.mode == EVENTS && m->has_event_mode, "EnterStepMode")
    m->now.mode = STEPS;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ model exchange */

EXPORTED fmi3Status FMI(GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    INSTANCE
    *n = NG;
    return fmi3OK;
}

EXPORTED fmi3Status FMI(GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    INSTANCE
    *n = NX;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ co-simulation */

EXPORTED fmi3Status FMI(GetOutputDerivatives)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values)
{
    INSTANCE
    NEEDS(n == n_values, "GetOutputDerivatives")
    return output_derivatives(m, references, n, orders, values);
}

EXPORTED fmi3Status FMI(DoStep)(
    fmi3Instance instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean is_final, fmi3Boolean *needs_events, fmi3Boolean *terminate,
    fmi3Boolean *early_return, fmi3Float64 *last_time)
{
    INSTANCE
    (void)is_final;
    NEEDS(m->now.mode == STEPS, "DoStep")
    *needs_events = *terminate = *early_return = false;
    *last_time = m->now.t;
    int status = begin_step(m, t, h);
    if (status == OK) {
        status = advance(m, t + h);
    }
    *needs_events = m->is_at_event != 0;
    *early_return = m->is_at_event && m->now.t < t + h;
    *terminate = m->now.ended != 0;
    *last_time = m->now.t;
    return STATUS(status);
}
