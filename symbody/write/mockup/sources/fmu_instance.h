/* One instance of a model: its numbers, and what follows from them.

   The file that includes this one says what the model is: NX states, NR inputs, NP parameters, NY outputs, NG event functions, the
   functions model_... and the tables about them. Nothing here is global: instances are independent of each other. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(n) ((n) > 0 ? (n) : 1)

/* Value references: time, states, their derivatives, inputs, parameters, outputs, event functions */
enum {
    TIME_AT = 0,
    STATES_AT = 1,
    RATES_AT = STATES_AT + NX,
    INPUTS_AT = RATES_AT + NX,
    PARAMETERS_AT = INPUTS_AT + NR,
    OUTPUTS_AT = PARAMETERS_AT + NP,
    INDICATORS_AT = OUTPUTS_AT + NY,
    END_OF_VALUES = INDICATORS_AT + NG
};

/* The numbers are those of fmi2Status and fmi3Status. */
enum { OK = 0, DISCARD = 2, FAILED = 3 };

typedef enum { INSTANTIATED, INITIALIZATION, EVENTS, CONTINUOUS, STEPS, TERMINATED } Mode;

enum { KNOWS_RATES = 1, KNOWS_OUTPUTS = 2, KNOWS_EVENTS = 4 };

/* Everything that a copy of the state of an instance holds. */
typedef struct {
    double t;
    double x[LENGTH(NX)];
    double start[LENGTH(NX)];      /* as given; x is the nearest state on the constraints */
    double r[LENGTH(NR)];          /* inputs as they were set at the time set_at, with their derivatives from there on */
    double set_at[LENGTH(NR)];
    double slope[LENGTH(NR)];
    double bend[LENGTH(NR)];
    int has_slope[LENGTH(NR)];
    model_parameters p;
    double tolerance;
    double step;                   /* probable next step of co-simulation; 0: none is known */
    int mode;
    int starts;                    /* whether x is still to be found from the start */
    int drifts;                    /* whether x is to be put back onto the constraints */
    int ended;                     /* whether a terminal event happened */
    int side[LENGTH(NG)];          /* of zero, on which event functions are */
    double slack[LENGTH(NG)];      /* how far on the other side one may still be that has just been handled; -1: not at all */
} Numbers;

typedef struct Instance Instance;
typedef void (*Say)(Instance *m, int status, const char *text);

struct Instance {
    Numbers now;
    int known;
    double xdot[LENGTH(NX)], y[LENGTH(NY)], g[LENGTH(NG)];
    double k[STAGES + 1][LENGTH(NX)], w[LENGTH(NX)], end[LENGTH(NX)]; /* memory for a step */
    int is_for_steps;              /* co-simulation */
    int logs;
    char *name;
    Say say;
    const void *callbacks;         /* of the environment */
    void *environment;
};

static int complain(Instance *m, int status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (m->say != NULL) {
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        m->say(m, status, text);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ inputs and start */

/* r(t) = r + slope dt + bend dt^2 / 2; where such derivatives are given, rates that the equations contain are these. */
static void inputs_at(const Numbers *s, double t, double *r)
{
    r[0] = 0.0;
    for (int k = 0; k < NR; k++) {
        const double dt = t - s->set_at[k];
        r[k] = s->r[k] + dt * (s->slope[k] + 0.5 * dt * s->bend[k]);
    }
    for (int k = 0; k < NR; k++) {
        const int of = RATE_OF[k];
        if (of >= 0 && s->has_slope[of]) {
            r[k] = ORDER_OF[k] == 1 ? s->slope[of] + (t - s->set_at[of]) * s->bend[of] : s->bend[of];
        }
    }
}

static int project(Instance *m, double t, double *x)
{
#if HAS_PROJECTION
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    const int status = model_project(t, x, r, &m->now.p);
    return status == 0 ? OK : complain(m, DISCARD, "t = %.17g: no state on the constraints is found near this one", t);
#else
    (void)m;
    (void)t;
    (void)x;
    return OK;
#endif
}

/* The state at the start: the nearest to what is given that keeps the constraints, with the parameters as they are now. */
static int settle_start(Instance *m)
{
    if (!m->now.starts) {
        return OK;
    }
    memcpy(m->now.x, m->now.start, sizeof m->now.x);
    if (project(m, m->now.t, m->now.x) != OK) {
        return FAILED;
    }
    m->now.starts = 0;
    m->known = 0;
    return OK;
}

static void set_to_start(Instance *m)
{
    double t, r[LENGTH(NR)];
    memset(&m->now, 0, sizeof m->now);
    model_default_parameters(&m->now.p);
    model_initial_state(&t, m->now.start, r);
    m->now.t = t;
    memcpy(m->now.x, m->now.start, sizeof m->now.x);
    for (int k = 0; k < NR; k++) {
        m->now.r[k] = r[k];
    }
    m->now.tolerance = TOLERANCE;
    m->now.mode = INSTANTIATED;
    m->now.starts = 1;
    m->known = 0;
}

/* ------------------------------------------------------------------------------------------------ what follows from the numbers */

static int evaluated(Instance *m, int status, const char *what)
{
    return status == 0 ? OK : complain(m, DISCARD, "t = %.17g: %s cannot be computed (status %d)", m->now.t, what, status);
}

static int know_rates(Instance *m)
{
    double r[LENGTH(NR)];
    if (settle_start(m) != OK) {
        return FAILED;
    }
    if (m->known & KNOWS_RATES) {
        return OK;
    }
    inputs_at(&m->now, m->now.t, r);
    const int status = evaluated(m, model_rhs(m->now.t, m->now.x, r, &m->now.p, m->xdot), "derivatives of the state");
    m->known |= status == OK ? KNOWS_RATES : 0;
    return status;
}

static int know_outputs(Instance *m)
{
    double r[LENGTH(NR)];
    if (settle_start(m) != OK) {
        return FAILED;
    }
    if (m->known & KNOWS_OUTPUTS) {
        return OK;
    }
    inputs_at(&m->now, m->now.t, r);
    const int status = evaluated(m, model_outputs(m->now.t, m->now.x, r, &m->now.p, m->y), "outputs");
    m->known |= status == OK ? KNOWS_OUTPUTS : 0;
    return status;
}

static int know_events(Instance *m)
{
    double r[LENGTH(NR)];
    if (settle_start(m) != OK) {
        return FAILED;
    }
    if (m->known & KNOWS_EVENTS) {
        return OK;
    }
    inputs_at(&m->now, m->now.t, r);
    const int status = evaluated(m, model_events(m->now.t, m->now.x, r, &m->now.p, m->g), "event functions");
    m->known |= status == OK ? KNOWS_EVENTS : 0;
    return status;
}

/* ------------------------------------------------------------------------------------------------ values by reference */

static double *parameter(Instance *m, unsigned k)
{
    return (double *)&m->now.p + k; /* a structure of numbers of one kind */
}

static int get_value(Instance *m, unsigned at, double *value)
{
    int status = OK;
    if (at == TIME_AT) {
        *value = m->now.t;
    } else if (at < RATES_AT) {
        status = settle_start(m);
        *value = m->now.x[at - STATES_AT];
    } else if (at < INPUTS_AT) {
        status = know_rates(m);
        *value = m->xdot[at - RATES_AT];
    } else if (at < PARAMETERS_AT) {
        double r[LENGTH(NR)];
        inputs_at(&m->now, m->now.t, r);
        *value = r[at - INPUTS_AT];
    } else if (at < OUTPUTS_AT) {
        *value = *parameter(m, at - PARAMETERS_AT);
    } else if (at < INDICATORS_AT) {
        status = know_outputs(m);
        *value = m->y[at - OUTPUTS_AT];
    } else if (at < END_OF_VALUES) {
        status = know_events(m);
        *value = m->g[at - INDICATORS_AT];
    } else {
        status = complain(m, FAILED, "there is no variable with the value reference %u", at);
    }
    return status;
}

static int is_before_start(const Instance *m)
{
    return m->now.mode == INSTANTIATED || m->now.mode == INITIALIZATION;
}

static void set_state(Instance *m, unsigned k, double value)
{
    if (is_before_start(m)) {
        m->now.start[k] = value;
        m->now.starts = 1;
    } else {
        m->now.x[k] = value;
    }
}

static void set_input(Instance *m, unsigned k, double value)
{
    m->now.r[k] = value;
    m->now.set_at[k] = m->now.t;
    m->now.slope[k] = m->now.bend[k] = 0.0;
    m->now.has_slope[k] = 0;
    m->now.starts |= is_before_start(m);
}

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

static int set_parameter(Instance *m, unsigned k, double value)
{
    if (!is_before_start(m) && !IS_TUNABLE[k]) {
        return complain(m, FAILED, "parameter %u is fixed: it can be set before the end of the initialization only", k);
    }
    *parameter(m, k) = value;
    m->now.starts |= is_before_start(m);
    m->now.drifts = !is_before_start(m) && HAS_PROJECTION;
    return OK;
}

static int set_value(Instance *m, unsigned at, double value)
{
    if (!(value - value == 0.0)) {
        return complain(m, FAILED, "the variable with the value reference %u cannot be set to a number that is not finite", at);
    }
    m->known = 0;
    if (at >= STATES_AT && at < RATES_AT) {
        set_state(m, at - STATES_AT, value);
    } else if (at >= INPUTS_AT && at < PARAMETERS_AT) {
        set_input(m, at - INPUTS_AT, value);
    } else if (at >= PARAMETERS_AT && at < OUTPUTS_AT) {
        return set_parameter(m, at - PARAMETERS_AT, value);
    } else {
        return complain(m, FAILED, "the variable with the value reference %u cannot be set", at);
    }
    return OK;
}

static int set_time(Instance *m, double t)
{
    if (!(t - t == 0.0)) {
        return complain(m, FAILED, "time is a finite number");
    }
    m->now.t = t;
    m->known = 0;
    return OK;
}

static int set_states(Instance *m, const double *x, size_t n)
{
    if (n != NX) {
        return complain(m, FAILED, "there are %d states, not %d", NX, (int)n);
    }
    memcpy(m->now.x, x, sizeof m->now.x);
    m->known = 0;
    return OK;
}

/* ------------------------------------------------------------------------------------------------ derivatives */

#if HAS_ALONG
/* Derivatives along a change of time, state, inputs and parameters. */
typedef struct {
    double t, x[LENGTH(NX)], r[LENGTH(NR)], p[LENGTH(NP)];
} Change;

static double *place_of(Change *c, unsigned at)
{
    if (at == TIME_AT) {
        return &c->t;
    }
    if (at >= STATES_AT && at < RATES_AT) {
        return &c->x[at - STATES_AT];
    }
    if (at >= INPUTS_AT && at < PARAMETERS_AT) {
        return &c->r[at - INPUTS_AT];
    }
    if (at >= PARAMETERS_AT && at < OUTPUTS_AT) {
        return &c->p[at - PARAMETERS_AT];
    }
    return NULL;
}

/* What changes with c: derivatives of the state, outputs and event functions, of which only those are computed that are asked for. */
static int changed_values(Instance *m, const Change *c, const unsigned *of, size_t n, double *result)
{
    double r[LENGTH(NR)], xdot[LENGTH(NX)], y[LENGTH(NY)], g[LENGTH(NG)];
    const Numbers *s = &m->now;
    int is_known = 0, status = 0;
    inputs_at(s, s->t, r);
    for (size_t i = 0; i < n && status == 0; i++) {
        const unsigned at = of[i];
        if (at >= STATES_AT && at < RATES_AT) {
            result[i] = c->x[at - STATES_AT];
        } else if (at >= RATES_AT && at < INPUTS_AT) {
            status = is_known & KNOWS_RATES ? 0 : model_rhs_along(s->t, s->x, r, &s->p, c->x, c->r, c->p, &c->t, xdot);
            is_known |= KNOWS_RATES;
            result[i] = xdot[at - RATES_AT];
        } else if (at >= OUTPUTS_AT && at < INDICATORS_AT) {
            status = is_known & KNOWS_OUTPUTS ? 0 : model_outputs_along(s->t, s->x, r, &s->p, c->x, c->r, c->p, &c->t, y);
            is_known |= KNOWS_OUTPUTS;
            result[i] = y[at - OUTPUTS_AT];
        } else if (at >= INDICATORS_AT && at < END_OF_VALUES) {
            status = is_known & KNOWS_EVENTS ? 0 : model_events_along(s->t, s->x, r, &s->p, c->x, c->r, c->p, &c->t, g);
            is_known |= KNOWS_EVENTS;
            result[i] = g[at - INDICATORS_AT];
        } else {
            return complain(m, FAILED, "the variable with the value reference %u is no unknown that has derivatives", at);
        }
    }
    return evaluated(m, status, "a directional derivative");
}

static int directional_derivative(
    Instance *m, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns, size_t n_knowns, const double *seed, double *result)
{
    Change c;
    memset(&c, 0, sizeof c);
    if (is_before_start(m) && HAS_PROJECTION) {
        return complain(m, FAILED, "derivatives of a start that is put onto constraints are not known: ask after the initialization");
    }
    if (settle_start(m) != OK) {
        return FAILED;
    }
    for (size_t j = 0; j < n_knowns; j++) {
        double *place = place_of(&c, knowns[j]);
        if (place == NULL) {
            return complain(m, FAILED, "the variable with the value reference %u is not known before the others", knowns[j]);
        }
        *place += seed[j];
    }
    return changed_values(m, &c, unknowns, n_unknowns, result);
}

/* Rates of outputs along the motion. */
static int output_rates(Instance *m, const unsigned *of, size_t n, double *result)
{
    Change c;
    memset(&c, 0, sizeof c);
    if (know_rates(m) != OK) {
        return FAILED;
    }
    c.t = 1.0;
    memcpy(c.x, m->xdot, sizeof c.x);
    for (int k = 0; k < NR; k++) {
        c.r[k] = m->now.slope[k] + (m->now.t - m->now.set_at[k]) * m->now.bend[k];
    }
    return changed_values(m, &c, of, n, result);
}
#endif

/* ------------------------------------------------------------------------------------------------ copies */

#define LABEL_SIZE (sizeof MODEL_TOKEN)

/* Bytes of a copy: the identity of the model, then its numbers. */
static int read_copy(Instance *m, const void *bytes, size_t size, Numbers *into)
{
    if (size != LABEL_SIZE + sizeof *into || memcmp(bytes, MODEL_TOKEN, LABEL_SIZE) != 0) {
        return complain(m, FAILED, "these bytes are no state of this model");
    }
    memcpy(into, (const char *)bytes + LABEL_SIZE, sizeof *into);
    return OK;
}

static void write_copy(const Numbers *from, void *bytes)
{
    memcpy(bytes, MODEL_TOKEN, LABEL_SIZE);
    memcpy((char *)bytes + LABEL_SIZE, from, sizeof *from);
}
