// A motion in the page: the loop of `simulate`, printed from its text as `march`, around the functions of `model`.
// `live` has what the page was written with: samples, events, and the constants of the method.
const RTOL = 1e-7, ATOL = 1e-9, MOST_STEPS = 200000, CHUNK = 32, MOST_EVENTS = 2000;
const ROUNDING = 1e-14; // of event functions
const { STATUS, WIDTH, PIECES, MAX_GROWTH, LEVEL, SWITCHING } = live.march;
const samples = live.samples, events = live.events;
const numbers = (k) => new Float64Array(k);
const brief = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4)));

/** A motion in the making: `go` takes steps until the time is up, `states` are the samples that there are so far. */
class Motion {
  constructor({ t, x, r, p }, until) {
    Object.assign(this, { x, r, p, begin: t, end: t + until, trouble: "", ended: "", done: false, marks: [], states: [] });
    const n = x.length, count = events.length;
    this.times = Float64Array.from({ length: samples }, (_, k) => t + (until * k) / (samples - 1));
    this.method = { k: numbers(WIDTH * n), before: 0, error_before: 0, error: 0 };
    this.steps = {
      n, t, h: 0, error: 0, is_new: 1, t_end: this.end, rtol: RTOL, max_step: Infinity, max_growth: MAX_GROWTH, atol: numbers(n).fill(ATOL),
      y: x, y_end: numbers(n), r: numbers(PIECES * n), w: numbers(n), note: numbers(1),
      counts: { steps: 0, rejected: 0, evaluations: 0, corrections: 0, most_corrections: 0, limit: 0 },
      results: { capacity: 1, stored: 0, requested: samples, reached: 0, times: this.times, at_times: numbers(samples * n) },
      watched: {
        count, event: 0, values: numbers(2 * count), earlier: numbers(2 * count), later: numbers(2 * count), inner: numbers(2 * count),
        side: numbers(count), least: numbers(count), sense: events.map((e) => e.sense), watch: null,
      },
      growth: { count: n, passed: 0, level: LEVEL, last: 0, before: 0, per_size: x.map((v) => 1 / Math.max(Math.abs(v), ATOL / RTOL, 1)) },
      switching: {
        ...SWITCHING, lines: numbers(SWITCHING.size * Math.max(SWITCHING.count, 1)), is_told: count ? 1 : 0, is_jump: 0, before: 0, after: 0, rest: 0,
        lines_at: model.switching_lines ? (t, y, lines) => model.switching_lines(t, y, r, p, lines) : null,
      },
      rhs: (t, y, dy) => model.rhs(t, y, r, p, dy),
      settle: null,
    };
    if (model.project) this.steps.settle = (t, y, out, note) => {
      out.set(y.subarray(0, n)); // y may be the rest of a longer array
      note[0] = model.project(t, out, r, p) === 0 ? 0 : -1;
    };
    if (count) this.steps.watched.watch = (t, y, values) => {
      values.set(model.events(t, y, r, p));
      values.set(model.event_rates(t, y, r, p), count);
    };
    if (model.project && model.project(t, x, r, p) !== 0) this.stop("the mechanism cannot be put together with these values");
    else if (!x.every(Number.isFinite)) this.stop("the start has no numbers");
    else if (!model.rhs(t, x, r, p).every(Number.isFinite)) this.stop("the equations have no solution at the start");
    else {
      this.sample(t);
      if (count) this.setSides([]);
    }
  }

  get t() { return this.steps.t; }

  get taken() { return this.steps.counts.steps + this.steps.counts.rejected; }

  stop(why) {
    this.done = true;
    this.trouble = why;
  }

  go(milliseconds) {
    const until = performance.now() + milliseconds;
    do this.goOn(CHUNK); while (!this.done && performance.now() < until);
  }

  /** So many steps at most. */
  goOn(steps) {
    if (this.done) return;
    const { counts } = this.steps, at = () => `t = ${brief(this.t)} s`;
    counts.limit = counts.steps + steps;
    const status = march(this.method, this.steps);
    this.collect();
    if (status === STATUS.DONE) this.done = true;
    else if (status === STATUS.AT_EVENT) this.passEvents(this.steps.watched.event);
    else if (status === STATUS.AT_SWITCH) this.passEvents(-1);
    else if (status === STATUS.UNSETTLED) this.stop(`the constraints cannot be kept at ${at()}`);
    else if (status === STATUS.UNBOUNDED) this.stop(`the motion grows without bound; it is shown to ${at()}`);
    else if (status !== STATUS.TOO_MANY) this.stop(`the motion cannot be continued beyond ${at()}`);
    if (this.taken > MOST_STEPS && !this.done) this.stop(`the motion takes more than ${MOST_STEPS} steps; it is shown to ${at()}`);
  }

  /** States at the requested times that steps have passed. */
  collect() {
    const { n, results } = this.steps;
    for (let k = this.states.length; k < results.reached; k++) this.states.push(results.at_times.subarray(k * n, (k + 1) * n));
  }

  /** The present state as the next sample, at its time. */
  sample(t) {
    const { n, results } = this.steps, k = results.reached;
    if (k >= samples) return;
    this.times[k] = t;
    results.at_times.set(this.x, k * n);
    results.reached = k + 1;
    this.collect();
  }

  /** On which side of zero event functions are: where they are zero to rounding, the side to which they go. `zeros` are those that just were. */
  setSides(zeros) {
    const { watched: w, t, y } = this.steps;
    w.least.fill(0);
    for (const [k, g] of zeros) w.least[k] = 2 * Math.abs(g) + ROUNDING;
    w.watch(t, y, w.values);
    for (let k = 0; k < w.count; k++) {
      const g = w.values[k], rate = w.values[w.count + k];
      w.side[k] = Math.abs(g) > w.least[k] ? Math.sign(g) : Math.sign(rate) || w.side[k];
    }
  }

  /** Events at the present state: the one that a step ended at (-1: none did), and others that are beyond zero. */
  passEvents(first) {
    const { watched: w, t, y } = this.steps;
    w.watch(t, y, w.values);
    const crossed = (k) => k === first || (w.values[k] * w.side[k] < 0 && Math.abs(w.values[k]) > w.least[k] && w.sense[k] * w.side[k] <= 0);
    const which = events.map((_, k) => k).filter(crossed), zeros = which.map((k) => [k, w.values[k]]);
    this.happen(which);
    if (!this.done) this.setSides(zeros);
  }

  /** Those whose guard holds are marked and change the state; one may end the motion. */
  happen(which) {
    const { x, r, p, t, steps } = this, { n, results } = steps;
    for (const k of which) {
      const [holds, after] = model.event_handling ? model.event_handling(t, x, r, p) : [null, null];
      if (holds && !(holds[k] > 0)) continue;
      this.marks.push({ t, name: events[k].name });
      if (events[k].resets) {
        x.set(after.subarray(k * n, (k + 1) * n));
        steps.is_new = 1;
      }
      if (events[k].resets && model.project && model.project(t, x, r, p) !== 0) return this.stop(`the constraints cannot be kept after ${events[k].name} at t = ${brief(t)} s`);
      if (results.reached && this.times[results.reached - 1] === t) results.at_times.set(x, (results.reached - 1) * n);
      if (events[k].ends) {
        this.ended = `ended by ${events[k].name} at t = ${brief(t)} s`;
        this.done = true;
        return this.sample(t);
      }
    }
    if (this.marks.length > MOST_EVENTS || this.piled()) this.stop(`events follow each other ever faster; the motion is shown to t = ${brief(t)} s`);
  }

  /** Whether the last events are hardly apart, as bounces before rest. */
  piled() {
    const { marks } = this;
    return marks.length >= 10 && marks.at(-1).t - marks.at(-10).t < 1e-5;
  }
}
Motion.brief = brief;
