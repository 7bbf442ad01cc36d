/* One instance of a model: its numbers, and what follows from them.

   The file that includes this one says what the model is: NX states, NR inputs, NP parameters, NY outputs, NG event functions, the
   functions model_... and the tables about them. Nothing here is global: instances are independent of each other. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(n) ((n) > 0 ? (n) : 1)

typedef struct Instance Instance;
typedef Instance Owner;

#include "fmu_march_types.h"

/* Value references: time, states, their derivatives, inputs, parameters, outputs, event functions; of a system of differential-algebraic
   equations also multipliers and residuals: positions, speeds, accelerations */
enum {
    TIME_AT = 0,
    STATES_AT = 1,
    RATES_AT = STATES_AT + NX,
    INPUTS_AT = RATES_AT + NX,
    PARAMETERS_AT = INPUTS_AT + NR,
    OUTPUTS_AT = PARAMETERS_AT + NP,
    INDICATORS_AT = OUTPUTS_AT + NY,
    MULTIPLIERS_AT = INDICATORS_AT + NG,
    RESIDUALS_AT = MULTIPLIERS_AT + NL,
    END_OF_VALUES = RESIDUALS_AT + N_RESIDUALS
};

/* The numbers are those of fmi2Status and fmi3Status. */
enum { OK = 0, DISCARD = 2, FAILED = 3 };

typedef enum { INSTANTIATED, INITIALIZATION, EVENTS, CONTINUOUS, STEPS, TERMINATED } Mode;

enum { KNOWS_RATES = 1, KNOWS_OUTPUTS = 2, KNOWS_EVENTS = 4, KNOWS_RESIDUALS = 8 };

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
    double lam[LENGTH(NL)];        /* multipliers that the importer finds; has_lam: whether it does */
    int has_lam;
    model_parameters p;
    double tolerance;
    double step;                   /* probable next step of co-simulation; 0: none is known */
    int mode;
    int starts;                    /* whether x is still to be found from the start */
    int drifts;                    /* whether x is to be put back onto the constraints */
    int ended;                     /* whether a terminal event happened */
    double before, after;          /* last time before the next switching time, and first one behind it */
    double old_before, old_after;  /* those of the one that was passed last */
    int event;                     /* the event function whose zero ended the last step; -1: none did */
    int side[LENGTH(NG)];          /* of zero, on which event functions are */
    double slack[LENGTH(NG)];      /* how far on the other side one may still be that has just been handled; -1: not at all */
} Numbers;

typedef void (*Say)(Instance *m, int status, const char *text);

struct Instance {
    Numbers now;
    int known;
    double xdot[LENGTH(NX)], y[LENGTH(NY)], g[LENGTH(NG)], residuals[LENGTH(N_RESIDUALS)];
    RungeKutta method;             /* steps of co-simulation, and their memory */
    Steps steps;
    double k[TABLEAU_WIDTH * LENGTH(NX)], atol[LENGTH(NX)], w[LENGTH(NX)], end[LENGTH(NX)], polynomial[PIECES * LENGTH(NX)], note[1];
    double values[2 * LENGTH(NG)], earlier[2 * LENGTH(NG)], later[2 * LENGTH(NG)], inner[2 * LENGTH(NG)], sides[LENGTH(NG)], least[LENGTH(NG)];
    double lines[LENGTH(NW) * LINE]; /* of functions of time that switch */
    int is_for_steps;              /* co-simulation */
    int has_event_mode;            /* of co-simulation: whether the importer uses it */
    int stops_at_events;           /* and whether a step may then end early, at an event */
    int is_at_event;               /* whether the last step did */
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

#if NL > 0
/* Multipliers as the importer gives them, or those that keep the constraints. */
static int multipliers(Instance *m, double *lam)
{
    double r[LENGTH(NR)];
    if (settle_start(m) != OK) {
        return FAILED;
    }
    if (m->now.has_lam) {
        memcpy(lam, m->now.lam, sizeof m->now.lam);
        return OK;
    }
    inputs_at(&m->now, m->now.t, r);
    return evaluated(m, model_multipliers(m->now.t, m->now.x, r, &m->now.p, lam), "multipliers");
}

/* Residuals, and rates with the multipliers as they are. */
static int know_residuals(Instance *m)
{
    double r[LENGTH(NR)], lam[LENGTH(NL)];
    if (settle_start(m) != OK || multipliers(m, lam) != OK) {
        return FAILED;
    }
    if (m->known & KNOWS_RESIDUALS) {
        return OK;
    }
    inputs_at(&m->now, m->now.t, r);
    double *phi = m->residuals, *psi = phi + N_POSITIONS, *acc = psi + NL;
    const int status =
        evaluated(m, model_semi_explicit(m->now.t, m->now.x, r, &m->now.p, lam, m->xdot, phi, psi, acc), "residuals");
    (void)phi;
    m->known |= status == OK ? KNOWS_RESIDUALS | KNOWS_RATES : 0;
    return status;
}

static int set_multiplier(Instance *m, unsigned k, double value)
{
    if (!m->now.has_lam) {
        const int status = multipliers(m, m->now.lam);
        if (status != OK) {
            return status;
        }
        m->now.has_lam = 1;
    }
    m->now.lam[k] = value;
    return OK;
}
#endif

static int know_rates(Instance *m)
{
    double r[LENGTH(NR)];
    if (settle_start(m) != OK) {
        return FAILED;
    }
    if (m->known & KNOWS_RATES) {
        return OK;
    }
#if NL > 0
    if (m->now.has_lam) {
        return know_residuals(m);
    }
#endif
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
    } else if (at < MULTIPLIERS_AT) {
        status = know_events(m);
        *value = m->g[at - INDICATORS_AT];
#if NL > 0
    } else if (at < RESIDUALS_AT) {
        double lam[LENGTH(NL)] = {0.0};
        status = multipliers(m, lam);
        *value = lam[at - MULTIPLIERS_AT];
    } else if (at < END_OF_VALUES) {
        status = know_residuals(m);
        *value = m->residuals[at - RESIDUALS_AT];
#endif
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
#if NL > 0
    } else if (at >= MULTIPLIERS_AT && at < RESIDUALS_AT) {
        return set_multiplier(m, at - MULTIPLIERS_AT, value);
#endif
    } else {
        return complain(m, FAILED, "the variable with the value reference %u cannot be set", at);
    }
    return OK;
}

/* At a switching time, to rounding: what holds before it until event mode, then what holds behind it. */
static double time_on_its_side(const Numbers *s, double t)
{
    if (t > s->before && t <= s->after) {
        return s->before;
    }
    return t >= s->old_before && t < s->old_after ? s->old_after : t;
}

static int set_time(Instance *m, double t)
{
    if (!(t - t == 0.0)) {
        return complain(m, FAILED, "time is a finite number");
    }
    m->now.t = time_on_its_side(&m->now, t);
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
/* Derivatives along a change of time, state, inputs, parameters and multipliers. */
typedef struct {
    double t, x[LENGTH(NX)], r[LENGTH(NR)], p[LENGTH(NP)], lam[LENGTH(NL)];
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
    if (NL > 0 && at >= MULTIPLIERS_AT && at < RESIDUALS_AT) {
        return &c->lam[at - MULTIPLIERS_AT];
    }
    return NULL;
}

/* Changes of rates, and of residuals where there are some. */
static int changed_rates(Instance *m, const Change *c, const double *r, double *xdot, double *residuals)
{
    const Numbers *s = &m->now;
#if NL > 0
    double lam[LENGTH(NL)], *phi = residuals, *psi = phi + N_POSITIONS, *acc = psi + NL;
    if (multipliers(m, lam) != OK) {
        return 1;
    }
    const int status =
        model_semi_explicit_along(s->t, s->x, r, &s->p, lam, c->x, c->r, c->p, &c->t, c->lam, xdot, phi, psi, acc);
    (void)phi;
    if (status != 0 || s->has_lam) {
        return status;
    }
#else
    (void)residuals;
#endif
    return model_rhs_along(s->t, s->x, r, &s->p, c->x, c->r, c->p, &c->t, xdot);
}

/* What changes with c: derivatives of the state, outputs and event functions, of which only those are computed that are asked for. */
static int changed_values(Instance *m, const Change *c, const unsigned *of, size_t n, double *result)
{
    double r[LENGTH(NR)], xdot[LENGTH(NX)], y[LENGTH(NY)], g[LENGTH(NG)], residuals[LENGTH(N_RESIDUALS)];
    const Numbers *s = &m->now;
    int is_known = 0, status = 0;
    inputs_at(s, s->t, r);
    for (size_t i = 0; i < n && status == 0; i++) {
        const unsigned at = of[i];
        if (at >= STATES_AT && at < RATES_AT) {
            result[i] = c->x[at - STATES_AT];
        } else if (at >= RATES_AT && at < INPUTS_AT) {
            status = is_known & KNOWS_RATES ? 0 : changed_rates(m, c, r, xdot, residuals);
            is_known |= KNOWS_RATES;
            result[i] = xdot[at - RATES_AT];
        } else if (at >= OUTPUTS_AT && at < INDICATORS_AT) {
            status = is_known & KNOWS_OUTPUTS ? 0 : model_outputs_along(s->t, s->x, r, &s->p, c->x, c->r, c->p, &c->t, y);
            is_known |= KNOWS_OUTPUTS;
            result[i] = y[at - OUTPUTS_AT];
        } else if (NL > 0 && at >= RESIDUALS_AT && at < END_OF_VALUES) {
            status = is_known & KNOWS_RATES ? 0 : changed_rates(m, c, r, xdot, residuals);
            is_known |= KNOWS_RATES;
            result[i] = residuals[at - RESIDUALS_AT];
        } else if (at >= INDICATORS_AT && at < MULTIPLIERS_AT) {
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

#if HAS_ADJOINT
static void add(Change *total, const Change *part)
{
    for (int k = 0; k < NX; k++) {
        total->x[k] += part->x[k];
    }
    for (int k = 0; k < NR; k++) {
        total->r[k] += part->r[k];
    }
    for (int k = 0; k < NP; k++) {
        total->p[k] += part->p[k];
    }
}

/* Weights of unknowns, by group, added up where one is asked for twice. */
typedef struct {
    double x[LENGTH(NX)], xdot[LENGTH(NX)], y[LENGTH(NY)], g[LENGTH(NG)];
    int has_xdot, has_y, has_g;
} Weights;

static int weigh(Instance *m, Weights *w, const unsigned *unknowns, size_t n, const double *seed)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned at = unknowns[i];
        if (at >= STATES_AT && at < RATES_AT) {
            w->x[at - STATES_AT] += seed[i];
        } else if (at >= RATES_AT && at < INPUTS_AT) {
            w->xdot[at - RATES_AT] += seed[i];
            w->has_xdot = 1;
        } else if (at >= OUTPUTS_AT && at < INDICATORS_AT) {
            w->y[at - OUTPUTS_AT] += seed[i];
            w->has_y = 1;
        } else if (at >= INDICATORS_AT && at < MULTIPLIERS_AT) {
            w->g[at - INDICATORS_AT] += seed[i];
            w->has_g = 1;
        } else {
            return complain(m, FAILED, "the variable with the value reference %u is no unknown that has derivatives", at);
        }
    }
    return OK;
}

/* Weights times derivatives by time: along a change of time alone. */
static int weighted_by_time(Instance *m, const Weights *w, double *result)
{
    double r[LENGTH(NR)], xdot[LENGTH(NX)] = {0.0}, y[LENGTH(NY)] = {0.0}, g[LENGTH(NG)] = {0.0};
    const Numbers *s = &m->now;
    Change c;
    memset(&c, 0, sizeof c);
    c.t = 1.0;
    inputs_at(s, s->t, r);
    int status = model_rhs_along(s->t, s->x, r, &s->p, c.x, c.r, c.p, &c.t, xdot);
    status = status != 0 ? status : model_outputs_along(s->t, s->x, r, &s->p, c.x, c.r, c.p, &c.t, y);
    status = status != 0 ? status : model_events_along(s->t, s->x, r, &s->p, c.x, c.r, c.p, &c.t, g);
    *result = 0.0;
    for (int k = 0; k < NX; k++) {
        *result += w->xdot[k] * xdot[k];
    }
    for (int k = 0; k < NY; k++) {
        *result += w->y[k] * y[k];
    }
    for (int k = 0; k < NG; k++) {
        *result += w->g[k] * g[k];
    }
    return status;
}

static int adjoint_derivative(
    Instance *m, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns, size_t n_knowns, const double *seed, double *result)
{
    double r[LENGTH(NR)];
    Weights w;
    Change total, part;
    const Numbers *s = &m->now;
    memset(&w, 0, sizeof w);
    memset(&total, 0, sizeof total);
    memset(&part, 0, sizeof part);
    if (is_before_start(m) && HAS_PROJECTION) {
        return complain(m, FAILED, "derivatives of a start that is put onto constraints are not known: ask after the initialization");
    }
    if (settle_start(m) != OK || weigh(m, &w, unknowns, n_unknowns, seed) != OK) {
        return FAILED;
    }
    inputs_at(s, s->t, r);
    memcpy(total.x, w.x, sizeof total.x);
    int status = 0;
    if (w.has_xdot) {
        status = model_rhs_adjoint(s->t, s->x, r, &s->p, w.xdot, part.x, part.r, part.p);
        add(&total, &part);
    }
    if (w.has_y && status == 0) {
        status = model_outputs_adjoint(s->t, s->x, r, &s->p, w.y, part.x, part.r, part.p);
        add(&total, &part);
    }
    if (w.has_g && status == 0) {
        status = model_events_adjoint(s->t, s->x, r, &s->p, w.g, part.x, part.r, part.p);
        add(&total, &part);
    }
    for (size_t j = 0; j < n_knowns && status == 0; j++) {
        const double *place = place_of(&total, knowns[j]);
        if (place == NULL) {
            return complain(m, FAILED, "the variable with the value reference %u is not known before the others", knowns[j]);
        }
        if (knowns[j] == TIME_AT) {
            status = weighted_by_time(m, &w, &result[j]);
        } else {
            result[j] = *place;
        }
    }
    return evaluated(m, status, "an adjoint derivative");
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
