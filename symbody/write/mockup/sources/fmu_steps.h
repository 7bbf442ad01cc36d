/* Co-simulation: an explicit Runge-Kutta method with step control (Dormand and Prince; Hairer, Norsett, Wanner II.4, II.10), at the end of
   every step back onto the constraints, and with events found by the same steps, made shorter. */

#define SMALLEST_STEP(t) (16.0 * 2.220446049250313e-16 * (1.0 + fabs(t)))
#define MOST_STEPS 10000000

static int rates_at(Instance *m, double t, const double *x, double *xdot)
{
    double r[LENGTH(NR)];
    inputs_at(&m->now, t, r);
    return model_rhs(t, x, r, &m->now.p, xdot);
}

/* A step from the present state, of which k[0] are the rates: m->end is the state after it, on the constraints. 0 where there is none. */
static int take_step(Instance *m, double h)
{
    const double t = m->now.t, *x = m->now.x;
    for (int s = 1; s <= STAGES; s++) {
        double *to = s == STAGES ? m->end : m->w;
        for (int i = 0; i < NX; i++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++) {
                sum += TABLEAU_A[s * TABLEAU_WIDTH + j] * m->k[j][i];
            }
            to[i] = x[i] + h * sum;
        }
        if (s < STAGES && rates_at(m, t + TABLEAU_C[s] * h, m->w, m->k[s]) != 0) {
            return 0;
        }
    }
#if HAS_PROJECTION
    double r[LENGTH(NR)];
    inputs_at(&m->now, t + h, r);
    if (model_project(t + h, m->end, r, &m->now.p) != 0) {
        return 0;
    }
#endif
    return rates_at(m, t + h, m->end, m->k[STAGES]) == 0;
}

/* The local error of the step, in units of the tolerance; two estimates are combined as in DOP853. */
static double local_error(const Instance *m, double h)
{
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < NX; i++) {
        const double scale = m->now.tolerance * (1.0 + fmax(fabs(m->now.x[i]), fabs(m->end[i])));
        for (int e = 0; e < ESTIMATES; e++) {
            double sum = 0.0;
            for (int j = 0; j <= STAGES; j++) {
                sum += TABLEAU_E[e * TABLEAU_WIDTH + j] * m->k[j][i];
            }
            sums[e] += (sum / scale) * (sum / scale);
        }
    }
    if (ESTIMATES == 1) {
        return fabs(h) * sqrt(sums[0] / NX);
    }
    const double together = sums[0] + 0.01 * sums[1];
    return together == 0.0 ? 0.0 : fabs(h) * sums[0] / sqrt(together * NX);
}

static double size_of(const Instance *m, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < NX; i++) {
        const double part = v[i] / (m->now.tolerance * (1.0 + fabs(m->now.x[i])));
        sum += part * part;
    }
    return sqrt(sum / NX);
}

/* A first step that is probably accepted. */
static double first_step(Instance *m)
{
    const double d0 = size_of(m, m->now.x), d1 = size_of(m, m->k[0]);
    const double h0 = d0 >= 1e-5 && d1 >= 1e-5 ? 0.01 * d0 / d1 : 1e-6;
    for (int i = 0; i < NX; i++) {
        m->w[i] = m->now.x[i] + h0 * m->k[0][i];
    }
    if (rates_at(m, m->now.t + h0, m->w, m->k[1]) != 0) {
        return 1e-6;
    }
    for (int i = 0; i < NX; i++) {
        m->w[i] = m->k[1][i] - m->k[0][i];
    }
    const double bend = fmax(d1, size_of(m, m->w) / h0);
    const double h1 = bend > 1e-15 ? pow(0.01 / bend, 1.0 / TABLEAU_ORDER) : fmax(1e-6, 1e-3 * h0);
    return fmin(100.0 * h0, h1);
}

/* ------------------------------------------------------------------------------------------------ events within a step */

/* Event functions and their rates at the end of a step of length h. */
static int events_after(Instance *m, double h, double *g, double *rate)
{
    double r[LENGTH(NR)];
    g[0] = rate[0] = 0.0;
    if (!take_step(m, h)) {
        return 0;
    }
    inputs_at(&m->now, m->now.t + h, r);
    return model_events(m->now.t + h, m->end, r, &m->now.p, g) == 0
           && model_event_rates(m->now.t + h, m->end, r, &m->now.p, rate) == 0;
}

/* A step inside which function k has an extremum beyond zero, though it is on one side at both ends; or 0. */
static double hidden_crossing(Instance *m, int k, double h, double rate_at_start, double rate_at_end)
{
    double g[LENGTH(NG)], rate[LENGTH(NG)], low = 0.0, high = h;
    const int side = m->now.side[k];
    if (side * rate_at_start >= 0.0 || side * rate_at_end <= 0.0) {
        return 0.0;
    }
    for (int n = 0; n < 60 && high - low > SMALLEST_STEP(m->now.t); n++) {
        const double middle = 0.5 * (low + high);
        if (!events_after(m, middle, g, rate)) {
            return 0.0;
        }
        if (side * g[k] < 0.0) {
            return middle;
        }
        if (side * rate[k] < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.0;
}

/* The shortest step, of at most h, after which an event function is zero or has just passed it: by false position (Illinois). */
static double step_to_event(Instance *m, double h)
{
    double g[LENGTH(NG)], rate[LENGTH(NG)];
    int fired[LENGTH(NG)];
    double high = h, low = 0.0, value_low = 0.0, value_high = 0.0;
    int which = -1, stuck = 0;
    for (int n = 0; n < 200; n++) {
        if (!events_after(m, high, g, rate)) {
            return 0.0;
        }
        crossings(m, g, fired);
        if (which < 0 || !fired[which]) {
            which = -1;
            for (int k = 0; k < NG && which < 0; k++) {
                which = fired[k] ? k : -1;
            }
            if (which < 0) {
                return high;
            }
            if (know_events(m) != OK) {
                return 0.0;
            }
            low = 0.0;
            value_low = m->g[which];
            stuck = 0;
        }
        value_high = g[which];
        if (high - low <= SMALLEST_STEP(m->now.t + high) || value_high == 0.0) {
            break;
        }
        double between = high - value_high * (high - low) / (value_high - value_low);
        if (!(between > low && between < high) || n % 4 == 3) {
            between = 0.5 * (low + high);
        }
        if (!events_after(m, between, g, rate)) {
            return 0.0;
        }
        if (crossings(m, g, fired)) {
            high = between;
            value_low *= stuck > 0 ? 0.5 : 1.0;
            stuck = 1;
        } else {
            low = between;
            value_low = g[which];
            stuck = 0;
        }
    }
    (void)take_step(m, high);
    return high;
}

/* How far to go in a step of h, which is accepted: all of it, or to the first event inside. */
static double length_to_event(Instance *m, double h, int *has_event)
{
    double g[LENGTH(NG)], rate[LENGTH(NG)], rate_at_start[LENGTH(NG)];
    int fired[LENGTH(NG)];
    *has_event = 0;
    if (NG == 0 || know_events(m) != OK || rates_of_events(m, rate_at_start) != OK || !events_after(m, h, g, rate)) {
        return h;
    }
    double until = crossings(m, g, fired) ? h : 0.0;
    for (int k = 0; k < NG; k++) {
        const double hidden = fired[k] ? 0.0 : hidden_crossing(m, k, h, rate_at_start[k], rate[k]);
        until = hidden > 0.0 && (until == 0.0 || hidden < until) ? hidden : until;
    }
    if (until == 0.0) {
        (void)take_step(m, h);
        return h;
    }
    const double length = step_to_event(m, until);
    *has_event = length > 0.0;
    return length;
}

/* ------------------------------------------------------------------------------------------------ the loop */

static void accept_step(Instance *m, double h, double t_end)
{
    const double t = m->now.t + h;
    m->now.t = fabs(t_end - t) <= SMALLEST_STEP(t_end) ? t_end : t;
    memcpy(m->now.x, m->end, sizeof m->now.x);
    memcpy(m->k[0], m->k[STAGES], sizeof m->k[0]);
    m->known = 0;
}

/* The motion until t_end, or until a terminal event; or until any event, which event mode is to handle. */
static int advance(Instance *m, double t_end)
{
    int is_again = 0;
    m->is_at_event = 0;
    if ((!m->stops_at_events && handle_events(m, &is_again) != OK) || rates_at(m, m->now.t, m->now.x, m->k[0]) != 0) {
        return complain(m, DISCARD, "t = %.17g: derivatives of the state cannot be computed", m->now.t);
    }
    if (!(m->now.step > 0.0)) {
        m->now.step = first_step(m);
    }
    is_again = 0;
    for (int n = 0; n < MOST_STEPS && m->now.t < t_end && !m->now.ended && !m->is_at_event; n++) {
        const double left = t_end - m->now.t;
        const int is_last = 1.01 * m->now.step >= left;
        double h = is_last ? left : m->now.step;
        const int is_taken = take_step(m, h);
        const double error = is_taken ? local_error(m, h) : HUGE_VAL;
        if (!(error <= 1.0)) {
            m->now.step = h * (is_taken && error < 1e300 ? fmax(0.1, 0.9 * pow(error, -1.0 / TABLEAU_ORDER)) : 0.25);
            is_again = 1;
            if (m->now.step <= SMALLEST_STEP(m->now.t)) {
                return complain(m, DISCARD, "t = %.17g: the tolerance %g is not met by any step", m->now.t, m->now.tolerance);
            }
            continue;
        }
        const double factor = error > 0.0 ? fmin(10.0, 0.9 * pow(error, -1.0 / TABLEAU_ORDER)) : 10.0;
        const double next = h * (is_again ? fmin(1.0, factor) : factor);
        m->now.step = is_last ? fmax(next, m->now.step) : next;
        is_again = 0;
        int has_event, jumps = 0;
        h = length_to_event(m, h, &has_event);
        if (!(h > 0.0)) {
            return complain(m, DISCARD, "t = %.17g: an event cannot be found", m->now.t);
        }
        accept_step(m, h, t_end);
        if (NG > 0 && !has_event && know_events(m) == OK) {
            follow_sides(m);
        }
        m->is_at_event = has_event && m->stops_at_events;
        if (has_event && !m->is_at_event && (handle_events(m, &jumps) != OK || rates_at(m, m->now.t, m->now.x, m->k[0]) != 0)) {
            return complain(m, DISCARD, "t = %.17g: what follows an event cannot be computed", m->now.t);
        }
    }
    return m->now.t >= t_end || m->now.ended || m->is_at_event ? OK : complain(m, DISCARD, "t = %.17g: too many steps", m->now.t);
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
