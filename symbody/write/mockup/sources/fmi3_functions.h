/* The functions of FMI 3.0 for one model: all of them, as the standard wants; what the model has nothing of says so. */

#define STATUS3(s) ((s) == OK ? fmi3OK : (s) == DISCARD ? fmi3Discard : fmi3Error)
#define INSTANCE3 \
    Instance *m = (Instance *)instance; \
    if (m == NULL) { \
        return fmi3Error; \
    }
#define NEEDS3(condition, what) \
    if (!(condition)) { \
        return STATUS3(complain(m, FAILED, "%s is called when it may not be", what)); \
    }

typedef struct {
    fmi3LogMessageCallback log;
} Callbacks3;

static void say3(Instance *m, int status, const char *text)
{
    fmi3LogMessageCallback log;
    memcpy(&log, m->callbacks, sizeof log);
    if (log != NULL) {
        log(m->environment, STATUS3(status), status == DISCARD ? "logStatusDiscard" : "logStatusError", text);
    }
}

/* ------------------------------------------------------------------------------------------------ life of an instance */

EXPORTED const char *FMI3(GetVersion)(void)
{
    return "3.0";
}

EXPORTED fmi3Status FMI3(SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    INSTANCE3
    (void)n;
    (void)categories;
    m->logs = on;
    return fmi3OK;
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

EXPORTED fmi3Instance FMI3(InstantiateModelExchange)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log)
{
    (void)resources, (void)visible, (void)logs;
    return instantiated3(name, token, 0, environment, log);
}

EXPORTED fmi3Instance FMI3(InstantiateCoSimulation)(
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

EXPORTED fmi3Instance FMI3(InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)update, (void)lock, (void)unlock;
    if (log != NULL) {
        log(environment, fmi3Error, "logStatusError", "scheduled execution is not in this FMU");
    }
    return NULL;
}

EXPORTED void FMI3(FreeInstance)(fmi3Instance instance)
{
    free(instance);
}

EXPORTED fmi3Status FMI3(EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop)
{
    INSTANCE3
    NEEDS3(m->now.mode == INSTANTIATED, "fmi3EnterInitializationMode")
    (void)has_stop;
    (void)stop;
    if (has_tolerance && tolerance > 0.0) {
        m->now.tolerance = fmax(tolerance, 1e-14);
    }
    m->now.starts = 1;
    m->now.mode = INITIALIZATION;
    return STATUS3(set_time(m, start));
}

EXPORTED fmi3Status FMI3(ExitInitializationMode)(fmi3Instance instance)
{
    INSTANCE3
    NEEDS3(m->now.mode == INITIALIZATION, "fmi3ExitInitializationMode")
    if (begin_motion(m) != OK) {
        return fmi3Error;
    }
    m->now.mode = m->is_for_steps && !m->has_event_mode ? STEPS : EVENTS;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(Terminate)(fmi3Instance instance)
{
    INSTANCE3
    m->now.mode = TERMINATED;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(Reset)(fmi3Instance instance)
{
    INSTANCE3
    set_to_start(m);
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ values */

EXPORTED fmi3Status FMI3(GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3Float64 values[], size_t n_values)
{
    INSTANCE3
    NEEDS3(n == n_values, "fmi3GetFloat64 with another number of values than of references")
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = get_value(m, references[k], &values[k]);
    }
    return STATUS3(status);
}

EXPORTED fmi3Status FMI3(SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Float64 values[], size_t n_values)
{
    INSTANCE3
    NEEDS3(n == n_values && m->now.mode != TERMINATED, "fmi3SetFloat64")
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = set_value(m, references[k], values[k]);
    }
    return STATUS3(status);
}

/* All variables are of the type Float64. */
#define NONE3(name, type) \
    EXPORTED fmi3Status FMI3(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, type values[], size_t n_values) \
    { \
        INSTANCE3 \
        (void)references, (void)values, (void)n_values; \
        return n == 0 ? fmi3OK : STATUS3(complain(m, FAILED, "fmi3" #name ": all variables are of the type Float64")); \
    }
NONE3(GetFloat32, fmi3Float32)
NONE3(GetInt8, fmi3Int8)
NONE3(GetUInt8, fmi3UInt8)
NONE3(GetInt16, fmi3Int16)
NONE3(GetUInt16, fmi3UInt16)
NONE3(GetInt32, fmi3Int32)
NONE3(GetUInt32, fmi3UInt32)
NONE3(GetInt64, fmi3Int64)
NONE3(GetUInt64, fmi3UInt64)
NONE3(GetString, fmi3String)
NONE3(SetFloat32, const fmi3Float32)
NONE3(SetInt8, const fmi3Int8)
NONE3(SetUInt8, const fmi3UInt8)
NONE3(SetInt16, const fmi3Int16)
NONE3(SetUInt16, const fmi3UInt16)
NONE3(SetInt32, const fmi3Int32)
NONE3(SetUInt32, const fmi3UInt32)
NONE3(SetInt64, const fmi3Int64)
NONE3(SetUInt64, const fmi3UInt64)
NONE3(SetString, const fmi3String)
NONE3(GetBoolean, fmi3Boolean)
NONE3(SetBoolean, const fmi3Boolean)

EXPORTED fmi3Status FMI3(GetBinary)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, size_t sizes[], fmi3Binary values[], size_t n_values)
{
    INSTANCE3
    (void)references, (void)sizes, (void)values, (void)n_values;
    return n == 0 ? fmi3OK : STATUS3(complain(m, FAILED, "all variables are of the type Float64"));
}

EXPORTED fmi3Status FMI3(SetBinary)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const size_t sizes[], const fmi3Binary values[], size_t n_values)
{
    INSTANCE3
    (void)references, (void)sizes, (void)values, (void)n_values;
    return n == 0 ? fmi3OK : STATUS3(complain(m, FAILED, "all variables are of the type Float64"));
}

/* ------------------------------------------------------------------------------------------------ what there is nothing of: clocks */

static fmi3Status no_clocks(fmi3Instance instance, size_t n)
{
    INSTANCE3
    return n == 0 ? fmi3OK : STATUS3(complain(m, FAILED, "there are no clocks"));
}

#define NO_CLOCKS3(name, ...) \
    EXPORTED fmi3Status FMI3(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, __VA_ARGS__) \
    { \
        (void)references, (void)a; \
        return no_clocks(instance, n); \
    }
#define NO_CLOCKS3_2(name, ...) \
    EXPORTED fmi3Status FMI3(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, __VA_ARGS__) \
    { \
        (void)references, (void)a, (void)b; \
        return no_clocks(instance, n); \
    }
NO_CLOCKS3(GetClock, fmi3Clock a[])
NO_CLOCKS3(SetClock, const fmi3Clock a[])
NO_CLOCKS3_2(GetIntervalDecimal, fmi3Float64 a[], fmi3IntervalQualifier b[])
NO_CLOCKS3(GetShiftDecimal, fmi3Float64 a[])
NO_CLOCKS3_2(GetShiftFraction, fmi3UInt64 a[], fmi3UInt64 b[])
NO_CLOCKS3(SetIntervalDecimal, const fmi3Float64 a[])
NO_CLOCKS3_2(SetIntervalFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])
NO_CLOCKS3(SetShiftDecimal, const fmi3Float64 a[])
NO_CLOCKS3_2(SetShiftFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])

EXPORTED fmi3Status FMI3(GetIntervalFraction)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, fmi3UInt64 a[], fmi3UInt64 b[], fmi3IntervalQualifier c[])
{
    (void)references, (void)a, (void)b, (void)c;
    return no_clocks(instance, n);
}

EXPORTED fmi3Status FMI3(ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 t)
{
    (void)clock;
    (void)t;
    return no_clocks(instance, 1);
}

EXPORTED fmi3Status FMI3(GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference reference, size_t *n)
{
    INSTANCE3
    (void)reference;
    (void)n;
    return STATUS3(complain(m, FAILED, "dependencies are in modelDescription.xml"));
}

EXPORTED fmi3Status FMI3(GetVariableDependencies)(
    fmi3Instance instance, fmi3ValueReference dependent, size_t elements_of_dependent[], fmi3ValueReference independents[],
    size_t elements_of_independents[], fmi3DependencyKind kinds[], size_t n)
{
    INSTANCE3
    (void)dependent, (void)elements_of_dependent, (void)independents, (void)elements_of_independents, (void)kinds, (void)n;
    return STATUS3(complain(m, FAILED, "dependencies are in modelDescription.xml"));
}

/* ------------------------------------------------------------------------------------------------ derivatives */

EXPORTED fmi3Status FMI3(GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 result[], size_t n_result)
{
    INSTANCE3
    NEEDS3(n_seed == n_knowns && n_result == n_unknowns, "fmi3GetDirectionalDerivative")
#if HAS_ALONG
    return STATUS3(directional_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, result));
#else
    (void)unknowns, (void)knowns, (void)seed, (void)result;
    return STATUS3(complain(m, FAILED, "this model has no derivatives"));
#endif
}

EXPORTED fmi3Status FMI3(GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 result[], size_t n_result)
{
    INSTANCE3
    NEEDS3(n_seed == n_unknowns && n_result == n_knowns, "fmi3GetAdjointDerivative")
#if HAS_ADJOINT
    return STATUS3(adjoint_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, result));
#else
    (void)unknowns, (void)knowns, (void)seed, (void)result;
    return STATUS3(complain(m, FAILED, "this model has no derivatives"));
#endif
}

/* ------------------------------------------------------------------------------------------------ copies of the state */

EXPORTED fmi3Status FMI3(GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    INSTANCE3
    if (*state == NULL) {
        *state = calloc(1, sizeof m->now);
    }
    if (*state == NULL) {
        return STATUS3(complain(m, FAILED, "there is no memory for a copy of the state"));
    }
    memcpy(*state, &m->now, sizeof m->now);
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    INSTANCE3
    NEEDS3(state != NULL, "fmi3SetFMUState")
    memcpy(&m->now, state, sizeof m->now);
    m->known = 0;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)instance;
    (void)state;
    *size = LABEL_SIZE + sizeof(Numbers);
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    INSTANCE3
    NEEDS3(state != NULL && size >= LABEL_SIZE + sizeof(Numbers), "fmi3SerializeFMUState")
    write_copy((const Numbers *)state, bytes);
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    INSTANCE3
    Numbers found;
    if (read_copy(m, bytes, size, &found) != OK) {
        return fmi3Error;
    }
    if (*state == NULL) {
        *state = calloc(1, sizeof found);
    }
    if (*state == NULL) {
        return STATUS3(complain(m, FAILED, "there is no memory for a copy of the state"));
    }
    memcpy(*state, &found, sizeof found);
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ modes and events */

EXPORTED fmi3Status FMI3(EnterConfigurationMode)(fmi3Instance instance)
{
    INSTANCE3
    return STATUS3(complain(m, FAILED, "there are no structural parameters"));
}

EXPORTED fmi3Status FMI3(ExitConfigurationMode)(fmi3Instance instance)
{
    INSTANCE3
    return STATUS3(complain(m, FAILED, "there are no structural parameters"));
}

EXPORTED fmi3Status FMI3(EnterEventMode)(fmi3Instance instance)
{
    INSTANCE3
    NEEDS3(m->now.mode == CONTINUOUS || m->now.mode == EVENTS || (m->now.mode == STEPS && m->has_event_mode), "fmi3EnterEventMode")
    m->now.mode = EVENTS;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(EvaluateDiscreteStates)(fmi3Instance instance)
{
    INSTANCE3
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
    fmi3Boolean *has_next, fmi3Float64 *next)
{
    INSTANCE3
    NEEDS3(m->now.mode == EVENTS, "fmi3UpdateDiscreteStates")
    int changes;
    if (handle_events(m, &changes) != OK) {
        return fmi3Error;
    }
    *again = false;
    *terminate = m->now.ended != 0;
    *nominals_changed = false;
    *values_changed = changes != 0;
    *has_next = false;
    *next = 0.0;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(EnterContinuousTimeMode)(fmi3Instance instance)
{
    INSTANCE3
    NEEDS3(m->now.mode == EVENTS && !m->is_for_steps, "fmi3EnterContinuousTimeMode")
    m->now.mode = CONTINUOUS;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(EnterStepMode)(fmi3Instance instance)
{
    INSTANCE3
    NEEDS3(m->now.mode == EVENTS && m->has_event_mode, "fmi3EnterStepMode")
    m->now.mode = STEPS;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ model exchange */

EXPORTED fmi3Status FMI3(CompletedIntegratorStep)(
    fmi3Instance instance, fmi3Boolean is_final, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate)
{
    INSTANCE3
    (void)is_final;
    *enter_event_mode = completed_step(m) != 0;
    *terminate = false;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(SetTime)(fmi3Instance instance, fmi3Float64 t)
{
    INSTANCE3
    return STATUS3(set_time(m, t));
}

EXPORTED fmi3Status FMI3(SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[], size_t n)
{
    INSTANCE3
    return STATUS3(set_states(m, x, n));
}

EXPORTED fmi3Status FMI3(GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 derivatives[], size_t n)
{
    INSTANCE3
    NEEDS3(n == NX, "fmi3GetContinuousStateDerivatives")
    const int status = know_rates(m);
    memcpy(derivatives, m->xdot, n * sizeof *derivatives);
    return STATUS3(status);
}

EXPORTED fmi3Status FMI3(GetEventIndicators)(fmi3Instance instance, fmi3Float64 indicators[], size_t n)
{
    INSTANCE3
    NEEDS3(n == NG, "fmi3GetEventIndicators")
    const int status = know_events(m);
    memcpy(indicators, m->g, n * sizeof *indicators);
    return STATUS3(status);
}

EXPORTED fmi3Status FMI3(GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n)
{
    INSTANCE3
    NEEDS3(n == NX, "fmi3GetContinuousStates")
    const int status = settle_start(m);
    memcpy(x, m->now.x, n * sizeof *x);
    return STATUS3(status);
}

EXPORTED fmi3Status FMI3(GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t n)
{
    INSTANCE3
    NEEDS3(n == NX, "fmi3GetNominalsOfContinuousStates")
    for (size_t k = 0; k < n; k++) {
        nominals[k] = 1.0;
    }
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    INSTANCE3
    *n = NG;
    return fmi3OK;
}

EXPORTED fmi3Status FMI3(GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    INSTANCE3
    *n = NX;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------------ co-simulation */

EXPORTED fmi3Status FMI3(GetOutputDerivatives)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t n, const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values)
{
    INSTANCE3
    NEEDS3(n == n_values, "fmi3GetOutputDerivatives")
    for (size_t k = 0; k < n; k++) {
        NEEDS3(orders[k] == 1, "fmi3GetOutputDerivatives of another order than one")
    }
#if HAS_ALONG
    return STATUS3(output_rates(m, references, n, values));
#else
    (void)references, (void)values;
    return STATUS3(complain(m, FAILED, "this model has no derivatives"));
#endif
}

EXPORTED fmi3Status FMI3(DoStep)(
    fmi3Instance instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean is_final, fmi3Boolean *needs_events, fmi3Boolean *terminate,
    fmi3Boolean *early_return, fmi3Float64 *last_time)
{
    INSTANCE3
    (void)is_final;
    NEEDS3(m->now.mode == STEPS, "fmi3DoStep")
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
    return STATUS3(status);
}
