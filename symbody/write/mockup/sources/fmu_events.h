/* Events: zero crossings of event functions, what follows, and the way back to the constraints. */

/* On which side of zero an event function is: where it is zero, the side to which it goes. */
static int side_of(double g, double rate, int before)
{
    if (g != 0.0) {
        return g > 0.0 ? 1 : -1;
    }
    return rate > 0.0 ? 1 : rate < 0.0 ? -1 : before;
}

static int rates_of_events(Instance *m, double *rate)
{
    double r[LENGTH(NR)];
    rate[0] = 0.0;
    inputs_at(&m->now, m->now.t, r);
    return evaluated(m, model_event_rates(m->now.t, m->now.x, r, &m->now.p, rate), "rates of event functions");
}

/* Sides at a new state. `before`: event functions at the event, of which `fired` were zero; one that the reset did not move is on the side to
   which it goes from there. */
static int renew_sides(Instance *m, const double *before, const int *fired)
{
    double rate[LENGTH(NG)];
    if (know_events(m) != OK || rates_of_events(m, rate) != OK) {
        return FAILED;
    }
    for (int k = 0; k < NG; k++) {
        const int is_at_zero = m->g[k] == 0.0 || (fired != NULL && fired[k] && fabs(m->g[k]) <= 2.0 * fabs(before[k]) + 1e-14);
        m->now.side[k] = side_of(is_at_zero ? 0.0 : m->g[k], rate[k], m->now.side[k]);
        m->now.slack[k] = is_at_zero ? 2.0 * fabs(m->g[k]) : -1.0;
    }
    return OK;
}

/* Whether a function is beyond zero, seen from its side. */
static int is_beyond(const Instance *m, int k, double g)
{
    const double ahead = -m->now.side[k] * g;
    return m->now.slack[k] < 0.0 ? ahead >= 0.0 : ahead > m->now.slack[k];
}

/* Which event functions have crossed zero in a direction that counts. */
static int crossings(const Instance *m, const double *g, int *fired)
{
    int any = 0;
    for (int k = 0; k < NG; k++) {
        fired[k] = m->now.side[k] * DIRECTION[k] <= 0 && is_beyond(m, k, g[k]);
        any |= fired[k];
    }
    return any;
}

/* At a state without events: sides of functions that crossed zero in a direction that does not count, and those that have left zero. */
static void follow_sides(Instance *m)
{
    for (int k = 0; k < NG; k++) {
        if (m->now.side[k] * m->g[k] > 0.0) {
            m->now.slack[k] = -1.0;
        } else if (m->g[k] != 0.0 && is_beyond(m, k, m->g[k])) {
            m->now.side[k] = -m->now.side[k];
            m->now.slack[k] = -1.0;
        }
    }
}

/* Guards of events that have none. */
static inline void all_hold(double *holds)
{
    for (int k = 0; k < NG; k++) {
        holds[k] = 1.0;
    }
}

/* One event: its guard, its reset. */
static int handle_event(Instance *m, int k, int *changes)
{
    double r[LENGTH(NR)], holds[LENGTH(NG)], after[LENGTH(NG) * LENGTH(NX)];
    inputs_at(&m->now, m->now.t, r);
    if (evaluated(m, model_event_handling(m->now.t, m->now.x, r, &m->now.p, holds, after), "what follows an event") != OK) {
        return FAILED;
    }
    if (holds[k] == 0.0) {
        return OK;
    }
    m->now.ended |= IS_TERMINAL[k];
    if (RESETS[k]) {
        memcpy(m->now.x, after + k * NX, sizeof m->now.x);
        m->known = 0;
        *changes = 1;
        return project(m, m->now.t, m->now.x);
    }
    return OK;
}

/* Everything that happens at this moment. `changes`: whether the state jumps. */
static int handle_events(Instance *m, int *changes)
{
    int fired[LENGTH(NG)];
    double before[LENGTH(NG)];
    int resets = 0;
    *changes = 0;
    if (m->now.drifts) {
        m->now.drifts = 0;
        m->known = 0;
        *changes = 1;
        if (project(m, m->now.t, m->now.x) != OK) {
            return FAILED;
        }
    }
    if (NG == 0) {
        return OK;
    }
    if (know_events(m) != OK) {
        return FAILED;
    }
    memcpy(before, m->g, sizeof before);
    const int any = crossings(m, before, fired);
    if (m->now.event >= 0) {
        fired[m->now.event] = 1; /* a step ended at its zero, to rounding */
        m->now.event = -1;
    } else if (!any) {
        follow_sides(m);
        return OK;
    }
    for (int k = 0; k < NG; k++) {
        if (fired[k] && handle_event(m, k, &resets) != OK) {
            return FAILED;
        }
    }
    *changes |= resets;
    if (resets) {
        return renew_sides(m, before, fired);
    }
    for (int k = 0; k < NG; k++) {
        if (fired[k]) {
            m->now.side[k] = -m->now.side[k];
            m->now.slack[k] = 2.0 * fabs(m->g[k]);
        }
    }
    return OK;
}

/* Where the motion begins. */
static int begin_motion(Instance *m)
{
    if (settle_start(m) != OK) {
        return FAILED;
    }
    m->now.step = 0.0;
    m->now.drifts = 0;
    m->now.ended = 0;
    m->now.event = -1;
    m->now.before = m->now.after = HUGE_VAL;
    m->now.old_before = m->now.old_after = -HUGE_VAL;
    return NG > 0 ? renew_sides(m, NULL, NULL) : OK;
}

/* Whether the state has drifted off the constraints so far that it is to be put back. */
static int has_drifted(Instance *m)
{
#if HAS_PROJECTION
    double r[LENGTH(NR)], corrected[LENGTH(NX)], position = 0.0, speed = 0.0;
    inputs_at(&m->now, m->now.t, r);
    if (model_correct_positions(m->now.t, m->now.x, r, &m->now.p, corrected, &position) != 0
        || model_correct_speeds(m->now.t, m->now.x, r, &m->now.p, corrected, &speed) != 0) {
        return 1;
    }
    return !(position <= DRIFT && speed <= DRIFT);
#else
    (void)m;
    return 0;
#endif
}

/* After a step of the importer: whether events are to be handled, which also puts the state back onto the constraints. */
static int completed_step(Instance *m)
{
    if (NG > 0 && know_events(m) == OK) {
        int fired[LENGTH(NG)];
        if (!crossings(m, m->g, fired)) {
            follow_sides(m);
        }
    }
    if (has_drifted(m)) {
        m->now.drifts = 1;
    }
    return m->now.drifts;
}
