/* Functions that FMI 2.0 and 3.0 have in common, but for names of types; each version includes this. */

#define FMI_JOINED(a, b) a##b
#define FMI_PASTED(a, b) FMI_JOINED(a, b)

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif

#define STATUS(s) ((s) == OK ? FMI_OK : (s) == DISCARD ? FMI_DISCARD : FMI_ERROR)
#define INSTANCE \
    Instance *m = (Instance *)instance; \
    if (m == NULL) { \
        return FMI_ERROR; \
    }
#define NEEDS(condition, what) \
    if (!(condition)) { \
        return STATUS(complain(m, FAILED, "%s is called when it may not be", FMI_VERSION what)); \
    }
#define LOG_CATEGORY(status) ((status) == DISCARD ? "logStatusDiscard" : "logStatusError")

static void *reserve(Instance *m, size_t size); /* memory of the environment, or of the C library */
static void release(Instance *m, void *memory);

/* ------------------------------------------------------------------------------------------------ life of an instance */

EXPORTED FmiStatus FMI(SetDebugLogging)(FmiInstance instance, FmiBoolean on, size_t n, const FmiString categories[])
{
    INSTANCE
    (void)n;
    (void)categories;
    m->logs = on;
    return FMI_OK;
}

static FmiStatus set_up_experiment(Instance *m, int has_tolerance, double tolerance, double start)
{
    if (has_tolerance && tolerance > 0.0) {
        m->now.tolerance = fmax(tolerance, 1e-14);
    }
    m->now.starts = 1;
    return STATUS(set_time(m, start));
}

EXPORTED FmiStatus FMI(ExitInitializationMode)(FmiInstance instance)
{
    INSTANCE
    NEEDS(m->now.mode == INITIALIZATION, "ExitInitializationMode")
    if (begin_motion(m) != OK) {
        return FMI_ERROR;
    }
    m->now.mode = m->is_for_steps && !m->has_event_mode ? STEPS : EVENTS;
    return FMI_OK;
}

EXPORTED FmiStatus FMI(Terminate)(FmiInstance instance)
{
    INSTANCE
    m->now.mode = TERMINATED;
    return FMI_OK;
}

EXPORTED FmiStatus FMI(Reset)(FmiInstance instance)
{
    INSTANCE
    set_to_start(m);
    return FMI_OK;
}

/* ------------------------------------------------------------------------------------------------ values */

static FmiStatus get_values(Instance *m, const FmiReference references[], size_t n, FmiReal values[])
{
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = get_value(m, references[k], &values[k]);
    }
    return STATUS(status);
}

static FmiStatus set_values(Instance *m, const FmiReference references[], size_t n, const FmiReal values[])
{
    int status = OK;
    for (size_t k = 0; k < n && status == OK; k++) {
        status = set_value(m, references[k], values[k]);
    }
    return STATUS(status);
}

static FmiStatus derivative_along(
    Instance *m, const FmiReference unknowns[], size_t n_unknowns, const FmiReference knowns[], size_t n_knowns, const FmiReal seed[],
    FmiReal result[])
{
#if HAS_ALONG
    return STATUS(directional_derivative(m, unknowns, n_unknowns, knowns, n_knowns, seed, result));
#else
    (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)result;
    return STATUS(complain(m, FAILED, "this model has no derivatives"));
#endif
}

static FmiStatus output_derivatives(
    Instance *m, const FmiReference references[], size_t n, const FmiOrder orders[], FmiReal values[])
{
    for (size_t k = 0; k < n; k++) {
        if (orders[k] != 1) {
            return STATUS(complain(m, FAILED, "outputs have derivatives of first order; got order %d", (int)orders[k]));
        }
    }
#if HAS_ALONG
    return STATUS(output_rates(m, references, n, values));
#else
    (void)references, (void)values;
    return STATUS(complain(m, FAILED, "this model has no derivatives"));
#endif
}

/* ------------------------------------------------------------------------------------------------ copies of the state */

static FmiStatus copy_state(Instance *m, const Numbers *from, FmiState *state)
{
    if (*state == NULL) {
        *state = reserve(m, sizeof *from);
    }
    if (*state == NULL) {
        return STATUS(complain(m, FAILED, "there is no memory for a copy of the state"));
    }
    memcpy(*state, from, sizeof *from);
    return FMI_OK;
}

EXPORTED FmiStatus FMI_GET_STATE(FmiInstance instance, FmiState *state)
{
    INSTANCE
    return copy_state(m, &m->now, state);
}

EXPORTED FmiStatus FMI_SET_STATE(FmiInstance instance, FmiState state)
{
    INSTANCE
    NEEDS(state != NULL, "SetFMUState")
    memcpy(&m->now, state, sizeof m->now);
    m->known = 0;
    return FMI_OK;
}

EXPORTED FmiStatus FMI_FREE_STATE(FmiInstance instance, FmiState *state)
{
    INSTANCE
    if (state != NULL && *state != NULL) {
        release(m, *state);
        *state = NULL;
    }
    return FMI_OK;
}

EXPORTED FmiStatus FMI_STATE_SIZE(FmiInstance instance, FmiState state, size_t *size)
{
    (void)instance;
    (void)state;
    *size = LABEL_SIZE + sizeof(Numbers);
    return FMI_OK;
}

EXPORTED FmiStatus FMI_WRITE_STATE(FmiInstance instance, FmiState state, FmiByte bytes[], size_t size)
{
    INSTANCE
    NEEDS(state != NULL && size >= LABEL_SIZE + sizeof(Numbers), "SerializeFMUState")
    write_copy((const Numbers *)state, bytes);
    return FMI_OK;
}

EXPORTED FmiStatus FMI_READ_STATE(FmiInstance instance, const FmiByte bytes[], size_t size, FmiState *state)
{
    INSTANCE
    Numbers found;
    return read_copy(m, bytes, size, &found) == OK ? copy_state(m, &found, state) : FMI_ERROR;
}

/* ------------------------------------------------------------------------------------------------ model exchange */

EXPORTED FmiStatus FMI(EnterEventMode)(FmiInstance instance)
{
    INSTANCE
    NEEDS(m->now.mode == CONTINUOUS || m->now.mode == EVENTS || (m->now.mode == STEPS && m->has_event_mode), "EnterEventMode")
    m->now.mode = EVENTS;
    return FMI_OK;
}

EXPORTED FmiStatus FMI(EnterContinuousTimeMode)(FmiInstance instance)
{
    INSTANCE
    NEEDS(m->now.mode == EVENTS && !m->is_for_steps, "EnterContinuousTimeMode")
    m->now.mode = CONTINUOUS;
    return FMI_OK;
}

EXPORTED FmiStatus FMI(CompletedIntegratorStep)(
    FmiInstance instance, FmiBoolean is_final, FmiBoolean *enter_event_mode, FmiBoolean *terminate)
{
    INSTANCE
    (void)is_final;
    *enter_event_mode = completed_step(m) != 0;
    *terminate = 0;
    return FMI_OK;
}

EXPORTED FmiStatus FMI(SetTime)(FmiInstance instance, FmiReal t)
{
    INSTANCE
    return STATUS(set_time(m, t));
}

EXPORTED FmiStatus FMI(SetContinuousStates)(FmiInstance instance, const FmiReal x[], size_t n)
{
    INSTANCE
    return STATUS(set_states(m, x, n));
}

EXPORTED FmiStatus FMI_GET_DERIVATIVES(FmiInstance instance, FmiReal derivatives[], size_t n)
{
    INSTANCE
    NEEDS(n == NX, "GetDerivatives")
    const int status = know_rates(m);
    memcpy(derivatives, m->xdot, n * sizeof *derivatives);
    return STATUS(status);
}

EXPORTED FmiStatus FMI(GetEventIndicators)(FmiInstance instance, FmiReal indicators[], size_t n)
{
    INSTANCE
    NEEDS(n == NG, "GetEventIndicators")
    const int status = know_events(m);
    memcpy(indicators, m->g, n * sizeof *indicators);
    return STATUS(status);
}

EXPORTED FmiStatus FMI(GetContinuousStates)(FmiInstance instance, FmiReal x[], size_t n)
{
    INSTANCE
    NEEDS(n == NX, "GetContinuousStates")
    const int status = settle_start(m);
    memcpy(x, m->now.x, n * sizeof *x);
    return STATUS(status);
}

EXPORTED FmiStatus FMI(GetNominalsOfContinuousStates)(FmiInstance instance, FmiReal nominals[], size_t n)
{
    INSTANCE
    NEEDS(n == NX, "GetNominalsOfContinuousStates")
    for (size_t k = 0; k < n; k++) {
        nominals[k] = 1.0;
    }
    return FMI_OK;
}
