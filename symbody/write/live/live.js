"use strict";
// The model runs in this page: whenever a slider moves, its motion is computed anew by `model` (the equations, as JavaScript) and shown by the viewer.
// `live` has what the page was written with: sliders, curves, what is drawn; `Motion` computes (live_motion.js).
(() => {
  const PATIENCE = 14; // milliseconds of computing between two pictures
  const { frames, weights, curves, sliders, geometry } = live;
  const root = document.querySelector("#live"), $ = (selector) => root.querySelector(selector);
  const { brief } = Motion, start = model.initialState();

  // ---------------------------------------------------------------------------------------------------- values

  const chosen = new Map(); // slider -> number, where it is not that of the model
  const number = (s) => chosen.get(s) ?? s.value;

  function given() {
    const p = model.defaultParameters(), x = Float64Array.from(start.x), r = Float64Array.from(start.r);
    for (const s of sliders) {
      if (s.group === "p") p[s.key] = number(s);
      else (s.group === "x" ? x : r)[s.key] = number(s);
    }
    return { t: start.t, x, r, p };
  }

  // ---------------------------------------------------------------------------------------------------- one motion

  /** Euler parameters of a rotation matrix by rows, scalar first: the expression with the largest divisor (Shepperd 1978). */
  function eulerParameters(R, at) {
    const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = R.subarray(at, at + 9), ways = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz];
    const best = ways.indexOf(Math.max(...ways));
    const e = [
      [ways[0], zy - yz, xz - zx, yx - xy], [zy - yz, ways[1], yx + xy, xz + zx],
      [xz - zx, yx + xy, ways[2], zy + yz], [yx - xy, xz + zx, zy + yz, ways[3]],
    ][best];
    const length = Math.hypot(...e);
    return e.map((v) => v / length);
  }

  /** A motion, and what is shown of it. */
  class Run extends Motion {
    /** Poses of all frames, and weights of surfaces that deform, at the samples that there are. */
    shown() {
      const count = this.states.length, poses = {}, centre = new Float32Array(3 * count), bent = {};
      const after = 12 * frames.length + 3, found = new Float64Array(after + Object.values(weights).reduce((a, b) => a + b, 0));
      for (const [name, n] of Object.entries(weights)) bent[name] = new Float32Array(n * count);
      frames.forEach((name) => (poses[name] = { p: new Float32Array(3 * count), e: new Float32Array(4 * count) }));
      this.states.forEach((x, k) => {
        model.poses(this.times[k], x, this.r, this.p, found);
        frames.forEach((name, f) => {
          poses[name].e.set(eulerParameters(found, 12 * f), 4 * k);
          poses[name].p.set(found.subarray(12 * f + 9, 12 * f + 12), 3 * k);
        });
        centre.set(found.subarray(after - 3, after), 3 * k);
        let at = after;
        for (const [name, n] of Object.entries(weights)) { bent[name].set(found.subarray(at, at + n), n * k); at += n; }
      });
      return [Float32Array.from(this.times.slice(0, count), (t) => t - this.begin), poses, centre, bent];
    }

    /** Numbers of a curve at the samples. */
    curve({ kind, index }) {
      if (kind === "x") return this.states.map((x) => x[index]);
      return this.states.map((x, k) => {
        const found = model[kind](this.times[k], x, this.r, this.p);
        return kind === "energies" ? (index < 2 ? found[index][0] : found[0][0] + found[1][0]) : found[index];
      });
    }
  }

  // ---------------------------------------------------------------------------------------------------- shapes

  /** Numbers of the picture that follow parameters: in the order in which the page was written. */
  function places() {
    const d = viewer.data, out = [];
    for (const s of d.solids) for (const key of ["size", "p", "e"]) out.push([s, key]);
    for (const s of d.spans) for (const end of ["a", "b"]) out.push([s[end], "p"]);
    for (const x of [...d.traces, ...d.labels]) out.push([x.at, "p"]);
    return out.map(([owner, key]) => ({ owner, key, first: [...owner[key]] }));
  }

  function reshape() {
    for (const { owner, key, first } of shapes) owner[key] = [...first];
    for (const s of sliders) if (chosen.has(s) && geometry[s.key]) for (const [place, at, slope] of geometry[s.key]) {
      const { owner, key } = shapes[place];
      owner[key][at] += slope * (chosen.get(s) - s.value);
    }
    for (const s of viewer.data.solids) {
      s.size = s.size.map((v, i) => Math.max(v, 0.02 * shapes.find((x) => x.owner === s).first[i]));
      const length = Math.hypot(...s.e);
      s.e = s.e.map((v) => v / length);
    }
    viewer.reshape();
  }

  // ---------------------------------------------------------------------------------------------------- chart

  const SVG = "http://www.w3.org/2000/svg";
  function drawn(tag, attributes, text = "") {
    const e = document.createElementNS(SVG, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.textContent = text;
    return e;
  }

  function ticks(low, high, wanted) {
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(+(k * step).toPrecision(12));
    return out;
  }

  function draw(now, before) {
    const chart = $("#live-chart"), curve = curves[+$("#live-curve").value], width = chart.clientWidth || 600, height = chart.clientHeight || 220;
    const left = 58, right = 12, top = 10, bottom = 30, values = now.curve(curve), old = before ? before.curve(curve) : [];
    const all = [...values, ...old].filter(Number.isFinite);
    let low = all.length ? all.reduce((a, b) => Math.min(a, b)) : 0, high = all.length ? all.reduce((a, b) => Math.max(a, b)) : 1;
    const margin = 0.06 * (high - low) || Math.max(1e-9, 0.1 * Math.abs(high)) || 1;
    low -= margin;
    high += margin;
    const [begin, end] = [now.begin, now.end], x = (t) => left + ((t - begin) / (end - begin)) * (width - left - right), y = (v) => height - bottom - ((v - low) / (high - low)) * (height - top - bottom);
    chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = [];
    for (const v of ticks(low, high, 4)) parts.push(drawn("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" }), drawn("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, brief(v)));
    const times = ticks(begin, end, width < 500 ? 4 : 8);
    times.forEach((t, k) => parts.push(drawn("text", { x: Math.min(x(t), width - 14), y: height - 10, "text-anchor": "middle" }, k + 1 < times.length ? brief(t) : `${brief(t)} s`)));
    const line = (run, numbers, kind) => drawn("polyline", { class: kind, points: numbers.map((v, k) => (Number.isFinite(v) ? `${x(run.times[k]).toFixed(1)},${y(v).toFixed(1)}` : "")).join(" ") });
    if (before) parts.push(line(before, old, "before"));
    parts.push(line(now, values, "now"));
    for (const { t, name } of now.marks) {
      const mark = drawn("line", { x1: x(t), x2: x(t), y1: height - bottom, y2: height - bottom - 12, class: "event" });
      mark.append(drawn("title", {}, `${name} at ${brief(t)} s`));
      parts.push(mark);
    }
    cursor = drawn("line", { y1: top, y2: height - bottom, class: "cursor" });
    place = x;
    parts.push(cursor);
    chart.replaceChildren(...parts);
    chart.setAttribute("aria-label", `${curve.name} over time, from ${brief(values[0])} to ${brief(values[values.length - 1])}`);
    point();
  }

  let cursor = null, place = null;
  function point() {
    if (!cursor || !viewer) return;
    const at = place(start.t + viewer.time);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
  }

  // ---------------------------------------------------------------------------------------------------- sliders

  function element(tag, attributes = {}, ...inside) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...inside);
    return e;
  }

  const rows = new Map();
  function row(s) {
    const name = element("span", { class: "name" }, s.name), unit = element("span", { class: "unit" }, s.unit);
    const range = element("input", { type: "range", min: s.low, max: s.high, step: "any", "aria-label": s.name }), exact = element("input", { type: "number", step: "any", "aria-label": `${s.name}, exactly` });
    const show = () => {
      range.value = number(s);
      exact.value = +number(s).toPrecision(6);
      line.classList.toggle("changed", chosen.has(s));
    };
    const line = element("label", { class: "slider", title: s.about }, name, exact, unit, range);
    const take = (value) => {
      if (!Number.isFinite(value)) return;
      if (value === s.value) chosen.delete(s);
      else chosen.set(s, value);
      show();
      changed();
    };
    range.addEventListener("input", () => take(+range.value));
    exact.addEventListener("change", () => take(exact.value === "" ? s.value : +exact.value));
    range.addEventListener("dblclick", () => take(s.value));
    rows.set(s, show);
    show();
    return line;
  }

  // ---------------------------------------------------------------------------------------------------- the page

  let run = null, original = null, begun = 0, viewer = null, shapes = [], wanted = false;

  function changed() {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      begun = performance.now();
      run = new Run(given(), +$("#live-until").value || live.until);
      reshape();
      continued(run);
    });
  }

  function continued(mine) {
    if (mine !== run) return; // another motion was asked for
    mine.go(PATIENCE);
    if (mine.done || mine.states.length > 1) show(mine);
    if (!mine.done) requestAnimationFrame(() => continued(mine));
  }

  function show(mine) {
    if (!original && mine.done && chosen.size === 0) original = mine;
    if (mine.states.length > 1) viewer.replaceMotion(...mine.shown());
    const before = chosen.size && original && original.end === mine.end ? original : null;
    if (mine.states.length) draw(mine, before);
    $("#live-dashed").hidden = !before;
    const said = $("#live-said");
    said.classList.toggle("warning", Boolean(mine.trouble));
    const seconds = (performance.now() - begun) / 1000;
    said.textContent = mine.trouble ? mine.trouble[0].toUpperCase() + mine.trouble.slice(1) + "." : mine.done ? `Computed in ${brief(seconds)} s, ${mine.taken} steps.${told(mine)}` : `Computing: t = ${brief(mine.t)} s`;
    $("#live-reset").disabled = chosen.size === 0;
  }

  /** How a motion ended, and its events: of many the first ones. */
  function told({ ended, marks }) {
    const shown = marks.slice(0, 6).map(({ t, name }) => `${name} at ${brief(t)} s`), more = marks.length > shown.length ? `, and ${marks.length - shown.length} more` : "";
    return `${ended ? ` ${ended[0].toUpperCase()}${ended.slice(1)}.` : ""}${shown.length ? ` Events: ${shown.join(", ")}${more}.` : ""}`;
  }

  function begin() {
    viewer = $(".sbv").viewer;
    if (!viewer || !viewer.renderer) viewer = { data: viewer.data, time: 0, replaceMotion() {}, reshape() {} }; // a still picture; curves move all the same
    shapes = places();
    for (const [group, where] of [["p", "#live-parameters"], ["x", "#live-start"], ["r", "#live-inputs"]]) {
      const own = sliders.filter((s) => s.group === group), box = $(where);
      if (own.length) box.append(...own.map(row));
      else box.closest("details").remove();
    }
    curves.forEach((c, k) => $("#live-curve").append(element("option", { value: k }, c.unit ? `${c.name} (${c.unit})` : c.name)));
    $("#live-curve").addEventListener("change", () => show(run));
    $("#live-until").value = live.until;
    $("#live-until").addEventListener("change", () => { original = null; changed(); });
    $("#live-reset").addEventListener("click", () => { chosen.clear(); rows.forEach((f) => f()); changed(); });
    $(".sbv").addEventListener("sbv-time", point);
    new ResizeObserver(() => run && run.states.length && show(run)).observe($("#live-chart"));
    window.symbodyLive = { get run() { return run; }, get viewer() { return viewer; }, sliders, rows };
    changed();
  }

  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
})();
