/* Co-simulation: the loop of `simulate` (fmu_march.h is printed from its text), by an explicit Runge-Kutta method with step control. Every step
   ends on the constraints, and at an event where one is inside. */

#define MOST_STEPS 10000000

/* ------------------------------------------------------------------------------------------------ what the loop calls */

/* Rates of a state; none of them is a number where they cannot be computed. */
static void rhs(Instance *m, double t, const double *x, double *xdot)
{
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    if (model_rhs(t, x, r, &m->now.p, xdot) != 0) {
        for (int i = 0; i < NX; i++) {
            xdot[i] = NAN;
        }
    }
}

#if HAS_PROJECTION
/* A state put back onto the constraints; note is negative where that fails. */
static void settle(Instance *m, double t, const double *x, double *corrected, double *note)
{
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    memcpy(corrected, x, NX * sizeof *x);
    note[0] = model_project(t, corrected, r, &m->now.p) == 0 ? 0.0 : -1.0;
}
#endif

#if NG > 0
/* Event functions, then their rates; none of them is a number where they cannot be computed. */
static void watch(Instance *m, double t, const double *x, double *values)
{
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    if (model_events(t, x, r, &m->now.p, values) != 0 || model_event_rates(t, x, r, &m->now.p, (values + NG)) != 0) {
        for (int k = 0; k < 2 * NG; k++) {
            values[k] = NAN;
        }
    }
}
#endif

#if NW > 0
/* Functions of time that switch: lines that take a time to their knots. */
static void lines_at(Instance *m, double t, const double *x, double *lines)
{
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    if (model_switching_lines(t, x, r, &m->now.p, lines) != 0) {
        memset(lines, 0, LINE * NW * sizeof *lines);
    }
}
#endif

#include "fmu_march.h"

/* ------------------------------------------------------------------------------------------------ the loop */

/* Everything is in its place for steps to t_end from the present state, of which nothing is remembered. */
static void begin_march(Instance *m, double t_end)
{
    Steps *s = &m->steps;
    memset(s, 0, sizeof *s);
    memset(&m->method, 0, sizeof m->method);
    m->method.k = m->k;
    s->n = NX;
    s->is_new = 1;
    s->t = m->now.t;
    s->h = m->now.step;
    s->t_end = t_end;
    s->rtol = m->now.tolerance;
    s->max_step = HUGE_VAL;
    s->max_growth = MAX_GROWTH;
    for (int i = 0; i < NX; i++) {
        m->atol[i] = m->now.tolerance;
    }
    s->atol = m->atol;
    s->y = m->now.x;
    s->y_end = m->end;
    s->r = m->polynomial;
    s->w = m->w;
    s->results.capacity = 1;
#if HAS_PROJECTION
    s->note = m->note;
#endif
#if NW > 0
    s->switching.count = NW;
    s->switching.is_told = NG > 0;
    s->switching.rounding = ROUNDING;
    s->switching.first = FIRST_KNOT;
    s->switching.knots = (double *)KNOTS; /* only read */
    s->switching.lines = m->lines;
#endif
#if NG > 0
    s->watched.count = NG;
    s->watched.values = m->values;
    s->watched.earlier = m->earlier;
    s->watched.later = m->later;
    s->watched.inner = m->inner;
    s->watched.side = m->sides;
    s->watched.least = m->least;
    s->watched.sense = DIRECTION;
#endif
}

/* One step, or the part of it up to the first event. */
static int march_once(Instance *m)
{
    Steps *s = &m->steps;
    const double planned = s->h;
    s->counts.limit = s->counts.steps + 1;
    for (int k = 0; k < NG; k++) {
        m->sides[k] = m->now.side[k];
        m->least[k] = fmax(m->now.slack[k], 0.0);
    }
    const int status = MARCH(m, &m->method, s);
    m->now.t = s->t;
    m->known = 0;
    if (status == MARCH_DONE) { /* cut short at the end, which says nothing about the next step */
        s->h = fmax(s->h, planned);
    }
    m->now.step = s->h;
    for (int k = 0; k < NG; k++) {
        m->now.side[k] = (m->sides[k] > 0.0) - (m->sides[k] < 0.0);
    }
    return status;
}

/* What follows at an event: the importer is told, or it is handled here. */
static int pass_event(Instance *m)
{
    int jumps = 0;
#if NG > 0
    m->now.event = m->steps.watched.event;
#endif
    m->is_at_event = m->stops_at_events;
    if (!m->is_at_event && handle_events(m, &jumps) != OK) {
        return complain(m, DISCARD, "t = %.17g: what follows an event cannot be computed", m->now.t);
    }
    m->steps.is_new = jumps;
    return OK;
}

/* Event functions may jump with a function of time. */
static int pass_jump(Instance *m)
{
    int jumps = 0, fired[LENGTH(NG)];
    if (m->stops_at_events) {
        m->is_at_event = know_events(m) == OK && crossings(m, m->g, fired);
        return OK;
    }
    if (handle_events(m, &jumps) != OK) {
        return complain(m, DISCARD, "t = %.17g: what follows an event cannot be computed", m->now.t);
    }
    m->steps.is_new |= jumps;
    return OK;
}

static int march_failed(Instance *m, int status)
{
    switch (status) {
    case MARCH_NOT_FINITE:
        return complain(m, DISCARD, "t = %.17g: derivatives of the state cannot be computed", m->now.t);
    case MARCH_UNSETTLED:
        return complain(m, DISCARD, "t = %.17g: the constraints cannot be kept", m->now.t);
    default:
        return complain(m, DISCARD, "t = %.17g: the tolerance %g is not met by any step", m->now.t, m->now.tolerance);
    }
}

/* The motion until t_end, or until a terminal event; or until any event, which event mode is to handle. */
static int advance(Instance *m, double t_end)
{
    int jumps = 0;
    m->is_at_event = 0;
    if (!m->stops_at_events && handle_events(m, &jumps) != OK) {
        return complain(m, DISCARD, "t = %.17g: what follows an event cannot be computed", m->now.t);
    }
    begin_march(m, t_end);
    while (m->now.t < t_end && !m->now.ended && !m->is_at_event) {
        const int status = march_once(m);
        if (status == MARCH_AT_EVENT) {
            if (pass_event(m) != OK) {
                return DISCARD;
            }
        } else if (status == MARCH_AT_SWITCH) {
            if (pass_jump(m) != OK) {
                return DISCARD;
            }
        } else if (status != MARCH_DONE && status != MARCH_GOES_ON) {
            return march_failed(m, status);
        } else if (NG > 0 && know_events(m) == OK) {
            follow_sides(m);
        }
        if (m->steps.counts.steps >= MOST_STEPS) {
            return complain(m, DISCARD, "t = %.17g: too many steps", m->now.t);
        }
    }
    return OK;
}

/* Whether a step from t over h can be made. */
static int begin_step(Instance *m, double t, double h)
{
    if (!(h > 0.0) || !(h < HUGE_VAL)) {
        return complain(m, FAILED, "the communication step %g is not a positive number", h);
    }
    if (fabs(t - m->now.t) > 1e-9 * (fabs(t) + h)) {
        return complain(m, FAILED, "a step from t = %.17g is asked for, but t = %.17g has been reached", t, m->now.t);
    }
    if (m->now.ended) {
        return complain(m, DISCARD, "t = %.17g: the motion has ended by an event", m->now.t);
    }
    m->now.t = t;
    m->known = 0;
    return OK;
}

/* ------------------------------------------------------------------------------------------------ model exchange */

/* In event mode: what held before a switching time holds no longer. Whether there is a next one, at which the importer ends a step. */
static int next_time_event(Instance *m, double *next)
{
    *next = 0.0;
#if NW > 0
    if (m->is_for_steps) {
        return 0;
    }
    if (m->now.t >= m->now.before) {
        m->now.old_before = m->now.before;
        m->now.old_after = m->now.after;
        m->now.t = m->now.after;
        m->known = 0;
    }
    begin_march(m, HUGE_VAL);
    lines_at(m, m->now.t, m->now.x, m->lines);
    *next = NEXT_SWITCH(&m->steps.switching, m->now.t, HUGE_VAL);
    m->now.before = m->steps.switching.before;
    m->now.after = m->steps.switching.after;
    return *next < HUGE_VAL;
#else
    (void)m;
    return 0;
#endif
}
