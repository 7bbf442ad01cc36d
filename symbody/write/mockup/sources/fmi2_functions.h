/* The functions of FMI 2.0 for one model. */

#define STATUS2(s) ((s) == OK ? fmi2OK : (s) == DISCARD ? fmi2Discard : fmi2Error)
#define INSTANCE2 \
    Instance *m = (Instance *)c; \
    if (m == NULL) { \
        return fmi2Error; \
    }
#define NEEDS2(condition, what) \
    if (!(condition)) { \
        return STATUS2(complain(m, FAILED, "%s is called when it may not be", what)); \
    }

static void say2(Instance *m, int status, const char *text)
{
    const fmi2CallbackFunctions *callbacks = (const fmi2CallbackFunctions *)m->callbacks;
    if (callbacks->logger != NULL) {
        callbacks->logger(m->environment, m->name, STATUS2(status), status == DISCARD ? "logStatusDiscard" : "logStatusError", "%s", text);
    }
}

static void *reserve2(const fmi2CallbackFunctions *callbacks, size_t size)
{
    return callbacks->allocateMemory != NULL ? callbacks->allocateMemory(1, size) : calloc(1, size);
}

static void release2(const fmi2CallbackFunctions *callbacks, void *memory)
{
    if (callbacks->freeMemory != NULL) {
        callbacks->freeMemory(memory);
    } else {
        free(memory);
    }
}

/* ------------------------------------------------------------------------------------------------ life of an instance */

EXPORTED const char *FMI2(GetTypesPlatform)(void)
{
    return "default";
}

EXPORTED const char *FMI2(GetVersion)(void)
{
    return "2.0";
}

EXPORTED fmi2Status FMI2(SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    INSTANCE2
    (void)n;
    (void)categories;
    m->logs = on;
    return fmi2OK;
}

EXPORTED fmi2Component FMI2(Instantiate)(
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
    Instance *m = (Instance *)reserve2(callbacks, sizeof *m);
    char *copy = (char *)reserve2(callbacks, strlen(name) + 1);
    if (m == NULL || copy == NULL) {
        if (m != NULL) {
            release2(callbacks, m);
        }
        if (copy != NULL) {
            release2(callbacks, copy);
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

EXPORTED void FMI2(FreeInstance)(fmi2Component c)
{
    Instance *m = (Instance *)c;
    if (m != NULL) {
        const fmi2CallbackFunctions *callbacks = (const fmi2CallbackFunctions *)m->callbacks;
        release2(callbacks, m->name);
        release2(callbacks, m);
    }
}

EXPORTED fmi2Status FMI2(SetupExperiment)(
    fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    INSTANCE2
    NEEDS2(m->now.mode == INSTANTIATED, "fmi2SetupExperiment")
    (void)has_stop;
    (void)stop;
    if (has_tolerance && tolerance > 0.0) {
        m->now.tolerance = fmax(tolerance, 1e-14);
    }
    m->now.starts = 1;
    return STATUS2(set_time(m, start));
}

EXPORTED fmi2Status FMI2(EnterInitializationMode)(fmi2Component c)
{
    INSTANCE2
    NEEDS2(m->now.mode == INSTANTIATED, "fmi2EnterInitializationMode")
    m->now.mode = INITIALIZATION;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(ExitInitializationMode)(fmi2Component c)
{
    INSTANCE2
    NEEDS2(m->now.mode == INITIALIZATION, "fmi2ExitInitializationMode")
    if (begin_motion(m) != OK) {
        return fmi2Error;
    }
    m->now.mode = m->is_for_steps ? STEPS : EVENTS;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(Terminate)(fmi2Component c)
{
    INSTANCE2
    m->now.mode = TERMINATED;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(Reset)(fmi2Component c)
{
    INSTANCE2
    set_to_start(m);
    return fmi2OK;
}

/* ------------------------------------------------------------------------------------------------ values */

EXPORTED fmi2Status FMI2(GetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    INSTANCE2
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = get_value(m, references[k], &values[k]);
    }
    return STATUS2(status);
}

EXPORTED fmi2Status FMI2(SetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Real values[])
{
    INSTANCE2
    NEEDS2(m->now.mode != TERMINATED, "fmi2SetReal")
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = set_value(m, references[k], values[k]);
    }
    return STATUS2(status);
}

/* All variables are real. */
#define NONE2(name, type) \
    EXPORTED fmi2Status FMI2(name)(fmi2Component c, const fmi2ValueReference references[], size_t n, type values[]) \
    { \
        INSTANCE2 \
        (void)references; \
        (void)values; \
        return n == 0 ? fmi2OK : STATUS2(complain(m, FAILED, "fmi2" #name ": all variables are real")); \
    }
NONE2(GetInteger, fmi2Integer)
NONE2(GetBoolean, fmi2Boolean)
NONE2(GetString, fmi2String)
NONE2(SetInteger, const fmi2Integer)
NONE2(SetBoolean, const fmi2Boolean)
NONE2(SetString, const fmi2String)

EXPORTED fmi2Status FMI2(GetDirectionalDerivative)(
    fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns, const fmi2ValueReference knowns[], size_t n_knowns,
    const fmi2Real seed[], fmi2Real result[])
{
    INSTANCE2
#if HAS_ALONG
    return STATUS2(directional_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, result));
#else
    (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)result;
    return STATUS2(complain(m, FAILED, "this model has no derivatives"));
#endif
}

/* ------------------------------------------------------------------------------------------------ copies of the state */

EXPORTED fmi2Status FMI2(GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    INSTANCE2
    if (*state == NULL) {
        *state = reserve2((const fmi2CallbackFunctions *)m->callbacks, sizeof m->now);
    }
    if (*state == NULL) {
        return STATUS2(complain(m, FAILED, "there is no memory for a copy of the state"));
    }
    memcpy(*state, &m->now, sizeof m->now);
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    INSTANCE2
    NEEDS2(state != NULL, "fmi2SetFMUstate")
    memcpy(&m->now, state, sizeof m->now);
    m->known = 0;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    INSTANCE2
    if (state != NULL && *state != NULL) {
        release2((const fmi2CallbackFunctions *)m->callbacks, *state);
        *state = NULL;
    }
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c;
    (void)state;
    *size = LABEL_SIZE + sizeof(Numbers);
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    INSTANCE2
    NEEDS2(state != NULL && size >= LABEL_SIZE + sizeof(Numbers), "fmi2SerializeFMUstate")
    write_copy((const Numbers *)state, bytes);
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    INSTANCE2
    Numbers found;
    if (read_copy(m, bytes, size, &found) != OK) {
        return fmi2Error;
    }
    if (*state == NULL) {
        *state = reserve2((const fmi2CallbackFunctions *)m->callbacks, sizeof found);
    }
    if (*state == NULL) {
        return STATUS2(complain(m, FAILED, "there is no memory for a copy of the state"));
    }
    memcpy(*state, &found, sizeof found);
    return fmi2OK;
}

/* ------------------------------------------------------------------------------------------------ model exchange */

EXPORTED fmi2Status FMI2(EnterEventMode)(fmi2Component c)
{
    INSTANCE2
    NEEDS2(m->now.mode == CONTINUOUS || m->now.mode == EVENTS, "fmi2EnterEventMode")
    m->now.mode = EVENTS;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info)
{
    INSTANCE2
    NEEDS2(m->now.mode == EVENTS, "fmi2NewDiscreteStates")
    int changes;
    if (handle_events(m, &changes) != OK) {
        return fmi2Error;
    }
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = changes;
    info->terminateSimulation = m->now.ended;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(EnterContinuousTimeMode)(fmi2Component c)
{
    INSTANCE2
    NEEDS2(m->now.mode == EVENTS, "fmi2EnterContinuousTimeMode")
    m->now.mode = CONTINUOUS;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(CompletedIntegratorStep)(
    fmi2Component c, fmi2Boolean is_final, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate)
{
    INSTANCE2
    (void)is_final;
    *enter_event_mode = completed_step(m);
    *terminate = 0;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(SetTime)(fmi2Component c, fmi2Real t)
{
    INSTANCE2
    return STATUS2(set_time(m, t));
}

EXPORTED fmi2Status FMI2(SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n)
{
    INSTANCE2
    return STATUS2(set_states(m, x, n));
}

EXPORTED fmi2Status FMI2(GetDerivatives)(fmi2Component c, fmi2Real derivatives[], size_t n)
{
    INSTANCE2
    NEEDS2(n == NX, "fmi2GetDerivatives")
    const int status = know_rates(m);
    memcpy(derivatives, m->xdot, n * sizeof *derivatives);
    return STATUS2(status);
}

EXPORTED fmi2Status FMI2(GetEventIndicators)(fmi2Component c, fmi2Real indicators[], size_t n)
{
    INSTANCE2
    NEEDS2(n == NG, "fmi2GetEventIndicators")
    const int status = know_events(m);
    memcpy(indicators, m->g, n * sizeof *indicators);
    return STATUS2(status);
}

EXPORTED fmi2Status FMI2(GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n)
{
    INSTANCE2
    NEEDS2(n == NX, "fmi2GetContinuousStates")
    const int status = settle_start(m);
    memcpy(x, m->now.x, n * sizeof *x);
    return STATUS2(status);
}

EXPORTED fmi2Status FMI2(GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t n)
{
    INSTANCE2
    NEEDS2(n == NX, "fmi2GetNominalsOfContinuousStates")
    for (size_t k = 0; k < n; k++) {
        nominals[k] = 1.0;
    }
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

EXPORTED fmi2Status FMI2(SetRealInputDerivatives)(
    fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Integer orders[], const fmi2Real values[])
{
    INSTANCE2
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = set_input_derivative(m, references[k], orders[k], values[k]);
    }
    return STATUS2(status);
}

EXPORTED fmi2Status FMI2(GetRealOutputDerivatives)(
    fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Integer orders[], fmi2Real values[])
{
    INSTANCE2
    for (size_t k = 0; k < n; k++) {
        NEEDS2(orders[k] == 1, "fmi2GetRealOutputDerivatives of another order than one")
    }
#if HAS_ALONG
    return STATUS2(output_rates(m, references, n, values));
#else
    (void)references, (void)values;
    return STATUS2(complain(m, FAILED, "this model has no derivatives"));
#endif
}

EXPORTED fmi2Status FMI2(DoStep)(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean is_final)
{
    INSTANCE2
    (void)is_final;
    NEEDS2(m->now.mode == STEPS, "fmi2DoStep")
    const int status = begin_step(m, t, h);
    if (status != OK) {
        return STATUS2(status);
    }
    const int done = advance(m, t + h);
    return done == OK && m->now.ended ? fmi2Discard : STATUS2(done);
}

EXPORTED fmi2Status FMI2(CancelStep)(fmi2Component c)
{
    INSTANCE2
    return STATUS2(complain(m, FAILED, "steps end before anything else can be called: there is none to cancel"));
}

EXPORTED fmi2Status FMI2(GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    INSTANCE2
    (void)kind;
    (void)value;
    return fmi2Discard;
}

EXPORTED fmi2Status FMI2(GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    INSTANCE2
    if (kind != fmi2LastSuccessfulTime) {
        return fmi2Discard;
    }
    *value = m->now.t;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    INSTANCE2
    (void)kind;
    (void)value;
    return fmi2Discard;
}

EXPORTED fmi2Status FMI2(GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    INSTANCE2
    if (kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = m->now.ended;
    return fmi2OK;
}

EXPORTED fmi2Status FMI2(GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    INSTANCE2
    (void)kind;
    (void)value;
    return fmi2Discard;
}
