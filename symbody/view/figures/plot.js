"use strict";
// Figures that answer: values under the cursor, zoom, pan, curves switched by the legend, and one time with the 3-D scene beside them.
(() => {
  if (window.symbodyPlots) { window.symbodyPlots.mountAll(); return; }
  const clamp = (x, a, b) => Math.min(Math.max(x, a), b);
  const element = (tag, of = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), of);
    made.append(...inside);
    return made;
  };
  const numbers = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

  /** Places of ticks: multiples of 1, 2 or 5 times a power of ten; on a logarithmic scale powers of ten, or 1, 2, 5 of them,
      or round numbers where it spans less than a decade. */
  function ticks(low, high, count, isLog) {
    const out = [];
    if (isLog && high - low < 0.8) return ticks(10 ** low, 10 ** high, count, false).filter((v) => v > 0).map(Math.log10);
    if (isLog) {
      const decades = high - low, step = Math.max(1, Math.ceil(decades / count));
      const parts = decades < 2.5 ? [1, 2, 5] : [1];
      for (let k = Math.floor(low); k <= Math.ceil(high); k += step)
        for (const p of parts) { const v = k + Math.log10(p); if (v >= low - 1e-9 && v <= high + 1e-9) out.push(v); }
      return out;
    }
    const rough = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9);
    for (let k = 0; k < 60 && (first + k) * step <= high + 1e-9 * step; k++) out.push((first + k) * step);
    return out;
  }
  const brief = (x, span) => {
    if (!Number.isFinite(x)) return "–";
    const size = Math.max(Math.abs(x), span || 0);
    if (size !== 0 && (size < 1e-3 || size >= 1e5)) return x === 0 ? "0" : x.toExponential(span ? clamp(Math.ceil(-Math.log10(span / size)) + 1, 0, 8) : 4).replace("e+", "e").replace(/\.?0+e/, "e");
    if (!span) return String(+x.toPrecision(6));
    return String(+x.toFixed(clamp(2 - Math.floor(Math.log10(span)), 0, 10)));
  };

  const signs = { circle: "○", ring: "○", square: "□", triangle: "△", diamond: "◇", cross: "×", plus: "+", star: "☆", pentagon: "⬠" };
  const styles = { dashed: "dashed", "dash-dotted": "dashed", dotted: "dotted" };
  const keyOf = (c) => { // line and mark of a curve
    const key = element("i", { className: "sbp-key" }), mark = element("i", { className: "sbp-mark", textContent: signs[c.mark] || "" });
    key.style.borderTopColor = mark.style.color = c.colour;
    key.style.borderTopStyle = styles[c.kind] || "solid";
    return element("span", { className: "sbp-keys" }, key, mark);
  };

  class Panel {
    constructor(plot, data, arrays) {
      Object.assign(this, { plot, data });
      this.curves = data.curves.map((c) => ({ ...c, x: arrays[c.x], y: arrays[c.y], on: true }));
      this.lines = this.curves.filter((c) => c.kind !== "vertical" && c.kind !== "level");
      this.isRow = this.lines.every((c) => { for (let i = 1; i < c.x.length; i++) if (c.x[i] < c.x[i - 1]) return false; return true; });
      this.canvas = element("canvas", { tabIndex: 0 });
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", `${data.yText} over ${data.xText}. Arrow keys move the cursor, plus and minus zoom, 0 shows everything.`);
      this.read = element("div", { className: "sbp-read", hidden: true });
      this.read.setAttribute("role", "status");
      this.box = element("div", { className: "sbp-panel" }, element("div", { className: "sbp-y", innerHTML: data.y }), this.legend(), this.canvas, this.read, element("div", { className: "sbp-x", innerHTML: data.x }));
      this.reset();
      this.listen();
    }

    legend() {
      const named = new Map();
      for (const c of this.curves) if (c.text) named.set(c.text, [...(named.get(c.text) || []), c]);
      const line = element("div", { className: "sbp-legend" });
      line.hidden = named.size < 2 && !(named.size === 1 && !this.data.yText.startsWith([...named.keys()][0]));
      for (const [, some] of named) {
        const button = element("button", { type: "button" }, keyOf(some[0]), element("span", { innerHTML: some[0].label }));
        button.setAttribute("aria-pressed", "true");
        button.addEventListener("click", () => {
          const on = !some[0].on;
          some.forEach((c) => (c.on = on));
          button.setAttribute("aria-pressed", String(on));
          this.fit();
          this.plot.refresh();
        });
        line.append(button);
      }
      return line;
    }

    // ------------------------------------------------------------------------------------------------ ranges
    a(v, axis) { return this.data[`${axis}Log`] ? Math.log10(v) : v; }
    back(v, axis) { return this.data[`${axis}Log`] ? 10 ** v : v; }

    extent(axis, inside) {
      let low = Infinity, high = -Infinity;
      for (const c of this.lines) {
        if (!c.on) continue;
        for (let i = 0; i < c.x.length; i++) {
          const x = this.a(c.x[i], "x"), v = this.a(c[axis][i], axis);
          if (!Number.isFinite(v) || !Number.isFinite(x) || (inside && (x < inside[0] || x > inside[1]))) continue;
          if (v < low) low = v;
          if (v > high) high = v;
        }
      }
      if (!(low <= high)) return [0, 1];
      const size = Math.max(Math.abs(low), Math.abs(high));
      if (high - low < 1e-12 * size || size === 0) { const d = size * (high > low ? 1e-11 : 0.05) || 0.5; return [low - d, high + d]; }  // rounding alone
      const d = (axis === "x" && this.isRow ? 0 : 0.05) * (high - low);
      return [low - d, high + d];
    }
    reset() {
      this.zoomed = false;
      this.rx = this.data.xRange ? this.data.xRange.map((v) => this.a(v, "x")) : this.extent("x");
      this.fit();
    }
    /** The range of y: of what is seen, unless the figure or a box says otherwise. */
    fit() {
      if (this.zoomedY) return;
      this.ry = this.data.yRange && !this.zoomed ? this.data.yRange.map((v) => this.a(v, "y")) : this.extent("y", this.isRow ? this.rx : null);
    }
    zoom(factor, at = (this.rx[0] + this.rx[1]) / 2) {
      const whole = this.extent("x"), most = whole[1] - whole[0];
      const width = clamp((this.rx[1] - this.rx[0]) * factor, 1e-7 * most, most);
      const share = (at - this.rx[0]) / (this.rx[1] - this.rx[0]);
      this.zoomed = width < most * 0.999;
      if (!this.zoomed) { this.zoomedY = false; this.reset(); return; }
      this.rx = [at - share * width, at + (1 - share) * width];
      if (!this.isRow) {
        const middle = (this.ry[0] + this.ry[1]) / 2, half = ((this.ry[1] - this.ry[0]) / 2) * factor;
        this.ry = [middle - half, middle + half];
        this.zoomedY = true;
      }
      this.fit();
    }
    pan(share, up = 0) {
      const d = share * (this.rx[1] - this.rx[0]), e = up * (this.ry[1] - this.ry[0]);
      this.zoomed = true;
      this.rx = this.rx.map((v) => v + d);
      if (up) { this.ry = this.ry.map((v) => v + e); this.zoomedY = true; }
      this.fit();
    }

    // ------------------------------------------------------------------------------------------------ drawing
    draw() {
      const width = this.canvas.clientWidth, ratio = window.devicePixelRatio || 1;
      if (!width) return;
      const height = this.data.equal ? clamp(0.8 * width, 180, 420) : clamp(0.34 * width, 170, 260);
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      const g = this.canvas.getContext("2d"), ink = getComputedStyle(this.plot.root).color;
      g.scale(ratio, ratio);
      g.font = "12px system-ui, sans-serif";
      const yt = ticks(...this.ry, height / 45, this.data.yLog);
      const spanY = this.ry[1] - this.ry[0], spanX = this.rx[1] - this.rx[0];
      const named = (v, axis, span) => (this.data[`${axis}Log`] ? brief(10 ** v) : brief(v, span / 10));
      const left = Math.max(30, ...yt.map((v) => g.measureText(named(v, "y", spanY)).width + 10));
      const f = (this.frame = { left, right: width - 10, top: 8, bottom: height - 22 });
      let rx = this.rx, ry = this.ry;
      if (this.data.equal) {
        const per = Math.max((rx[1] - rx[0]) / (f.right - f.left), (ry[1] - ry[0]) / (f.bottom - f.top));
        const grown = (r, size) => { const m = (r[0] + r[1]) / 2; return [m - (per * size) / 2, m + (per * size) / 2]; };
        rx = grown(rx, f.right - f.left); ry = grown(ry, f.bottom - f.top);
      }
      this.seen = { rx, ry };
      this.px = (x) => f.left + ((this.a(x, "x") - rx[0]) / (rx[1] - rx[0])) * (f.right - f.left);
      this.py = (y) => f.bottom - ((this.a(y, "y") - ry[0]) / (ry[1] - ry[0])) * (f.bottom - f.top);
      this.grid(g, f, ink, rx, ry, named, spanX, spanY);
      g.save();
      g.beginPath();
      g.rect(f.left, f.top - 2, f.right - f.left, f.bottom - f.top + 4);
      g.clip();
      for (const [low, high] of this.data.bands || []) {
        g.fillStyle = "rgba(0,158,115,.14)";
        g.fillRect(this.px(low), f.top, this.px(high) - this.px(low), f.bottom - f.top);
      }
      for (const c of this.curves) if (c.on) this.curve(g, c, f, ink);
      this.notes(g, ink);
      this.cursorLine(g, f, ink);
      if (this.brush) {
        g.fillStyle = "rgba(47,125,225,.18)";
        const [a, b] = this.brush, tall = this.isRow ? [f.top, f.bottom] : [a.y, b.y];
        g.fillRect(a.x, tall[0], b.x - a.x, tall[1] - tall[0]);
      }
      g.restore();
    }
    grid(g, f, ink, rx, ry, named, spanX, spanY) {
      g.strokeStyle = g.fillStyle = ink;
      g.lineWidth = 1;
      const line = (x0, y0, x1, y1, alpha) => { g.globalAlpha = alpha; g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); g.globalAlpha = 1; };
      g.textAlign = "center"; g.textBaseline = "top";
      for (const v of ticks(...rx, (f.right - f.left) / 80, this.data.xLog)) {
        const x = f.left + ((v - rx[0]) / (rx[1] - rx[0])) * (f.right - f.left);
        line(x, f.top, x, f.bottom, 0.12);
        g.fillText(named(v, "x", spanX), x, f.bottom + 6);
      }
      g.textAlign = "right"; g.textBaseline = "middle";
      for (const v of ticks(...ry, (f.bottom - f.top) / 40, this.data.yLog)) {
        const y = f.bottom - ((v - ry[0]) / (ry[1] - ry[0])) * (f.bottom - f.top);
        line(f.left, y, f.right, y, 0.12);
        g.fillText(named(v, "y", spanY), f.left - 5, y);
      }
      line(f.left, f.top, f.left, f.bottom, 0.7);
      line(f.left, f.bottom, f.right, f.bottom, 0.7);
      if (this.data.zero.includes("x") && ry[0] < 0 && ry[1] > 0) line(f.left, this.py(0), f.right, this.py(0), 0.45);
      if (this.data.zero.includes("y") && rx[0] < 0 && rx[1] > 0) line(this.px(0), f.top, this.px(0), f.bottom, 0.45);
    }
    curve(g, c, f, ink) {
      g.globalAlpha = c.faint ? 0.35 : 1;
      g.strokeStyle = g.fillStyle = c.colour;
      g.lineWidth = c.kind === "thin" ? 1 : 1.9;
      g.lineJoin = "round";
      g.setLineDash({ dashed: [7, 4], dotted: [2, 3], "dash-dotted": [7, 3, 2, 3] }[c.kind] || []);
      if (c.kind === "vertical" || c.kind === "level") {
        g.strokeStyle = ink; g.globalAlpha = 0.6; g.lineWidth = 1; g.setLineDash([5, 4]);
        for (let i = 0; i < c.x.length; i++) {
          g.beginPath();
          if (c.kind === "vertical") { g.moveTo(this.px(c.x[i]), f.top); g.lineTo(this.px(c.x[i]), f.bottom); }
          else { g.moveTo(f.left, this.py(c.y[i])); g.lineTo(f.right, this.py(c.y[i])); }
          g.stroke();
        }
      } else {
        if (c.kind !== "points" && c.kind !== "dots") {
          g.beginPath();
          let down = false;
          for (let i = 0; i < c.x.length; i++) {
            const x = this.px(c.x[i]), y = this.py(c.y[i]);
            if (!Number.isFinite(x) || !Number.isFinite(y)) { down = false; continue; }
            if (down) g.lineTo(x, clamp(y, -1e5, 1e5)); else g.moveTo(x, clamp(y, -1e5, 1e5));
            down = true;
          }
          g.stroke();
        }
        g.setLineDash([]);
        const every = c.kind === "points" || c.kind === "joined" || c.kind === "dots";
        if (every || c.mark) this.marks(g, c, every);
      }
      g.setLineDash([]);
      g.globalAlpha = 1;
    }
    marks(g, c, every) {
      let last = -1e9;
      const r = c.kind === "dots" ? 1 : 3;
      for (let i = 0; i < c.x.length; i++) {
        const x = this.px(c.x[i]), y = this.py(c.y[i]);
        if (!Number.isFinite(x + y) || (!every && Math.abs(x - last) < 60)) continue;
        last = x;
        g.beginPath();
        if (c.mark === "square") g.rect(x - r, y - r, 2 * r, 2 * r);
        else if (c.mark === "triangle") { g.moveTo(x, y - r - 1); g.lineTo(x + r + 1, y + r); g.lineTo(x - r - 1, y + r); g.closePath(); }
        else if (c.mark === "diamond") { g.moveTo(x, y - r - 1); g.lineTo(x + r + 1, y); g.lineTo(x, y + r + 1); g.lineTo(x - r - 1, y); g.closePath(); }
        else if (c.mark === "cross") { g.moveTo(x - r, y - r); g.lineTo(x + r, y + r); g.moveTo(x + r, y - r); g.lineTo(x - r, y + r); }
        else if (c.mark === "plus") { g.moveTo(x - r, y); g.lineTo(x + r, y); g.moveTo(x, y - r); g.lineTo(x, y + r); }
        else g.arc(x, y, r, 0, 2 * Math.PI);
        if (c.mark === "ring" || c.mark === "cross" || c.mark === "plus" || !every) { g.lineWidth = 1.4; g.stroke(); } else g.fill();
      }
    }
    notes(g, ink) {
      g.fillStyle = ink; g.textBaseline = "bottom";
      const taken = [];
      for (const n of this.data.notes || []) {
        const w = g.measureText(n.text).width, x = this.px(n.x), y = n.y === null ? this.frame.top + 14 : this.py(n.y);
        const left = n.side === "left" || x + 8 + w > this.frame.right ? x - 6 - w : x + 6;
        const highest = this.frame.top + 13;
        let low = Math.max(y - 3, highest), step = -13;
        while (taken.some((b) => b[0] < left + w && left < b[1] && Math.abs(b[2] - low) < 13)) {
          low += step;
          if (low < highest) { step = 13; low = Math.max(y + 16, highest); }
        }
        taken.push([left, left + w, low]);
        g.textAlign = "left";
        g.fillText(n.text, left, low);
      }
    }

    // ------------------------------------------------------------------------------------------------ cursor
    at(c, x) {
      let low = 0, high = c.x.length - 1;
      if (high < 0) return -1;
      while (high - low > 1) { const k = (low + high) >> 1; if (c.x[k] <= x) low = k; else high = k; }
      return Math.abs(c.x[low] - x) <= Math.abs(c.x[high] - x) ? low : high;
    }
    cursorLine(g, f, ink) {
      const now = this.data.isTime ? this.plot.time : null;
      if (now !== null && now !== undefined) {
        g.strokeStyle = "#2f7de1"; g.globalAlpha = 0.8; g.lineWidth = 1.2;
        g.beginPath(); g.moveTo(this.px(now), f.top); g.lineTo(this.px(now), f.bottom); g.stroke(); g.globalAlpha = 1;
      }
      const found = this.found();
      for (const [c, i] of found) {
        g.fillStyle = c.colour;
        g.beginPath(); g.arc(this.px(c.x[i]), this.py(c.y[i]), 3.6, 0, 2 * Math.PI); g.fill();
      }
      if (found.length && this.isRow) {
        g.strokeStyle = ink; g.globalAlpha = 0.5; g.lineWidth = 1;
        const x = this.px(this.cursor.x);
        g.beginPath(); g.moveTo(x, f.top); g.lineTo(x, f.bottom); g.stroke(); g.globalAlpha = 1;
      }
      this.tell(found);
    }
    /** Curves with the index of the point under the cursor: at its x, or the one that is nearest. */
    found() {
      if (!this.cursor) return [];
      const on = this.lines.filter((c) => c.on && c.x.length);
      if (this.isRow) return on.map((c) => [c, this.at(c, this.cursor.x)]).filter(([c, i]) => Number.isFinite(c.y[i]));
      let best = null, least = 40 ** 2;
      for (const c of on)
        for (let i = 0; i < c.x.length; i++) {
          const d = (this.px(c.x[i]) - this.px(this.cursor.x)) ** 2 + (this.py(c.y[i]) - this.py(this.cursor.y)) ** 2;
          if (d < least) { least = d; best = [c, i]; }
        }
      return best ? [best] : [];
    }
    tell(found) {
      this.read.hidden = !found.length || !this.active;
      if (this.read.hidden) return;
      const rows = [element("div", {}, element("span", { innerHTML: this.data.xName }), element("b", { textContent: `${brief(this.isRow ? this.cursor.x : found[0][0].x[found[0][1]])} ${this.data.xUnit}` }))];
      for (const [c, i] of found.slice(0, 12)) {
        rows.push(element("div", {}, keyOf(c), element("span", { innerHTML: c.label || this.data.yName }), element("b", { textContent: `${brief(c.y[i])} ${this.data.yUnit}` })));
      }
      this.read.replaceChildren(...rows);
      const x = this.px(this.isRow ? this.cursor.x : found[0][0].x[found[0][1]]), wide = this.read.offsetWidth;
      this.read.style.left = `${clamp(x + 14 + wide > this.canvas.clientWidth ? x - 14 - wide : x + 14, 0, Math.max(0, this.canvas.clientWidth - wide))}px`;
      this.read.style.top = `${this.canvas.offsetTop + 10}px`;
    }

    // ------------------------------------------------------------------------------------------------ hands and keys
    place(e) {
      const b = this.canvas.getBoundingClientRect(), f = this.frame, { rx, ry } = this.seen;
      const x = e.clientX - b.left, y = e.clientY - b.top;
      const sx = clamp((x - f.left) / (f.right - f.left), 0, 1), sy = clamp((f.bottom - y) / (f.bottom - f.top), 0, 1);
      return { x: clamp(x, f.left, f.right), y: clamp(y, f.top, f.bottom), ax: rx[0] + sx * (rx[1] - rx[0]), ay: ry[0] + sy * (ry[1] - ry[0]) };
    }
    point(p) { this.plot.setCursor(this, { x: this.back(p.ax, "x"), y: this.back(p.ay, "y") }); }
    listen() {
      const c = this.canvas, fingers = new Map();
      let begin = null, pinch = 0;
      c.addEventListener("pointerdown", (e) => {
        if (!this.frame || (e.pointerType === "mouse" && e.button !== 0)) return;
        c.setPointerCapture(e.pointerId);
        fingers.set(e.pointerId, e);
        begin = { ...this.place(e), pans: e.shiftKey };
        if (fingers.size === 2) { const [a, b] = [...fingers.values()]; pinch = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY); begin = null; }
        else if (e.pointerType !== "mouse") this.point(this.place(e));
      });
      c.addEventListener("pointermove", (e) => {
        if (!this.frame) return;
        const p = this.place(e);
        if (fingers.has(e.pointerId)) fingers.set(e.pointerId, e);
        if (fingers.size === 2) {
          const [a, b] = [...fingers.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
          if (pinch > 0 && now > 0) { this.plot.zoom(this, pinch / now, (this.place(a).ax + this.place(b).ax) / 2); pinch = now; }
          return;
        }
        if (begin && e.pointerType === "mouse") {
          if (begin.pans) {
            const f = this.frame;
            this.plot.pan(this, (begin.x - p.x) / (f.right - f.left), this.isRow ? 0 : (p.y - begin.y) / (f.bottom - f.top));
            begin = { ...this.place(e), pans: true };
          } else if (Math.abs(p.x - begin.x) > 4) { this.brush = [begin, p]; }
        }
        this.point(p);
      });
      const up = (e) => {
        fingers.delete(e.pointerId);
        if (this.brush) {
          const [a, b] = this.brush;
          this.brush = null;
          this.plot.select(this, [Math.min(a.ax, b.ax), Math.max(a.ax, b.ax)], [Math.min(a.ay, b.ay), Math.max(a.ay, b.ay)]);
        } else if (begin && !begin.pans && e.type === "pointerup") this.plot.seek(this);
        begin = null;
      };
      c.addEventListener("pointerup", up);
      c.addEventListener("pointercancel", up);
      c.addEventListener("pointerleave", (e) => { if (e.pointerType === "mouse" && !begin) this.plot.setCursor(this, null); });
      c.addEventListener("blur", () => this.plot.setCursor(this, null));
      c.addEventListener("dblclick", () => this.plot.reset());
      c.addEventListener("wheel", (e) => {
        if (!e.ctrlKey && !e.metaKey && document.activeElement !== c) return;
        e.preventDefault();
        this.plot.zoom(this, e.deltaY > 0 ? 1.2 : 1 / 1.2, this.place(e).ax);
      }, { passive: false });
      c.addEventListener("keydown", (e) => this.key(e));
    }
    key(e) {
      const width = this.rx[1] - this.rx[0], from = this.cursor ? this.a(this.cursor.x, "x") : (this.rx[0] + this.rx[1]) / 2;
      const side = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (side && e.shiftKey) this.plot.pan(this, 0.1 * side);
      else if (side && this.isRow) this.plot.setCursor(this, { x: this.back(clamp(from + (side * width) / 100, ...this.rx), "x"), y: 0 });
      else if (side) this.step(side);
      else if (e.key === "+" || e.key === "=") this.plot.zoom(this, 1 / 1.4, from);
      else if (e.key === "-") this.plot.zoom(this, 1.4, from);
      else if (e.key === "0" || e.key === "Escape") this.plot.reset();
      else if (e.key === "Enter" || e.key === " ") this.plot.seek(this);
      else return;
      e.preventDefault();
    }
    /** The next point of the curve under the cursor, where x goes back and forth. */
    step(side) {
      const c = this.lines.find((l) => l.on && l.x.length);
      if (!c) return;
      this.index = clamp((this.index ?? -1) + side * Math.max(1, Math.round(c.x.length / 200)), 0, c.x.length - 1);
      this.plot.setCursor(this, { x: c.x[this.index], y: c.y[this.index] });
    }
  }

  class Plot {
    constructor(root) {
      this.root = root;
      root.dataset.mounted = "yes";
      const data = JSON.parse(root.querySelector(".sbp-data").textContent), arrays = data.arrays.map(numbers);
      this.time = null;
      this.shares = data.shares;
      this.panels = data.panels.map((p) => new Panel(this, p, arrays));
      const live = element("div", { className: "sbp-live" });
      if (data.title) live.append(element("p", { className: "sbp-title", textContent: data.title }));
      const grid = element("div", { className: data.wide ? "sbp-wide" : "" }, ...this.panels.map((p) => p.box));
      if (this.shares && !data.wide) this.panels.slice(0, -1).forEach((p) => (p.box.querySelector(".sbp-x").hidden = true));
      const tool = (text, label, act) => {
        const made = element("button", { type: "button", textContent: text, title: label });
        made.setAttribute("aria-label", label);
        made.addEventListener("click", act);
        return made;
      };
      const all = (act) => () => { (this.shares ? this.panels.slice(0, 1) : this.panels).forEach(act); };
      live.append(grid, element("div", { className: "sbp-tools" },
        element("span", { className: "sbp-hint", textContent: "drag: zoom · shift-drag: pan · double click: all" + (this.panels.some((p) => p.data.isTime) && this.scene() ? " · click: this time in the scene" : "") }),
        tool("+", "Zoom in", all((p) => this.zoom(p, 1 / 1.5))), tool("−", "Zoom out", all((p) => this.zoom(p, 1.5))),
        tool("←", "Earlier part", all((p) => this.pan(p, -0.25))), tool("→", "Later part", all((p) => this.pan(p, 0.25))), tool("⤢", "Show everything", () => this.reset())));
      root.append(live);
      new ResizeObserver(() => this.refresh()).observe(live);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
      document.addEventListener("symbody-theme", () => this.refresh());
      new MutationObserver(() => this.refresh()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
      const scene = this.scene();
      if (scene) scene.addEventListener("sbv-time", (e) => { const v = scene.viewer; if (v && v.data.frequency === null) { this.time = v.data.begin + e.detail; this.refresh(); } });
      this.refresh();
    }
    /** The 3-D scene of the same part of the page. */
    scene() {
      const part = this.root.closest("section:not(.sbv), article, body");
      return part ? part.querySelector(".sbv") : null;
    }
    refresh() {
      if (this.waits) return;
      this.waits = true;
      requestAnimationFrame(() => { this.waits = false; this.panels.forEach((p) => p.draw()); });
    }
    linked(panel) { return this.shares ? this.panels : [panel]; }
    zoom(panel, factor, at) { this.linked(panel).forEach((p) => p.zoom(factor, at)); this.refresh(); }
    pan(panel, share, up) { this.linked(panel).forEach((p) => p.pan(share, p === panel ? up : 0)); this.refresh(); }
    select(panel, rx, ry) {
      for (const p of this.linked(panel)) { p.rx = [...rx]; p.zoomed = true; if (!p.isRow) { p.ry = [...ry]; p.zoomedY = true; } p.fit(); }
      this.refresh();
    }
    reset() { this.panels.forEach((p) => { p.zoomedY = false; p.reset(); }); this.refresh(); }
    /** One cursor for all panels with the same x, and for all figures over time on the page. */
    setCursor(panel, at) {
      for (const plot of window.symbodyPlots.plots)
        for (const p of plot.panels) {
          const same = p === panel || (plot === this && this.shares) || (p.data.isTime && panel.data.isTime);
          if (!same && at) continue;
          p.cursor = same ? at : p.cursor;
          p.active = p === panel && at !== null;
          plot.refresh();
        }
    }
    seek(panel) {
      const scene = this.scene();
      if (!panel.data.isTime || !panel.cursor || !scene || !scene.viewer || scene.viewer.data.frequency !== null) return;
      scene.viewer.play(false);
      scene.viewer.seek(panel.cursor.x - scene.viewer.data.begin);
    }
  }

  window.symbodyPlots = {
    plots: [],
    mountAll() { for (const root of document.querySelectorAll(".sbp:not([data-mounted])")) this.plots.push((root.plot = new Plot(root))); },
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => window.symbodyPlots.mountAll());
  else window.symbodyPlots.mountAll();
})();
