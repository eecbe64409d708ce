// SPDX-License-Identifier: Apache-2.0
//
// A line chart of the last five minutes, drawn as SVG. Series differ in dashes as well as in colour. The legend shows the
// current figures, or those of the second that the pointer or the arrow keys select, in all charts at once.

const WINDOW = 300_000; // milliseconds
const GAP = 2_600; // what is further apart is not joined by a line
const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

const svg = (name, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
};

const html = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

const charts = [];
let pointed = null; // the time that is pointed at, or null for now

function point(time) {
  pointed = time;
  for (const chart of charts) chart.draw();
}

// series: [{ name, colour, value: sample => number or null }]; format: number => string;
// ceiling: the lowest upper end of the axis, or the fixed one with `fixed`; log: a logarithmic axis; bytes: one of powers of
// 1024; idle: a series that is nothing but zero is not drawn.
export class Chart {
  constructor(parent, { title, unit = "", series, format, ceiling = 1, fixed = false, log = false, bytes = false, idle = false }) {
    Object.assign(this, { title, series, format, ceiling, fixed, log, bytes, idle, samples: [] });
    this.time = html("time", { hidden: true });
    this.plot = html("div", { className: "plot", tabIndex: 0 });
    this.plot.setAttribute("role", "img");
    this.legend = html("ul", { className: "legend" });
    const heading = html("h2", { textContent: title });
    if (unit) heading.append(html("small", { textContent: unit }));
    parent.append(html("figure", { className: "chart" }, html("figcaption", {}, heading, this.time), this.plot, this.legend));
    this.plot.addEventListener("pointermove", (event) => this.follow(event));
    this.plot.addEventListener("pointerleave", () => point(null));
    this.plot.addEventListener("blur", () => point(null));
    this.plot.addEventListener("keydown", (event) => this.step(event));
    new ResizeObserver(() => this.draw()).observe(this.plot);
    this.legendOf(series);
    charts.push(this);
  }

  // A chart may have as many series as the server has loops.
  legendOf(series) {
    this.series = series;
    this.values = series.map(() => html("b", { textContent: "–" }));
    this.legend.replaceChildren(...series.map((one, i) => {
      const swatch = svg("svg", { viewBox: "0 0 22 8", class: one.colour, "aria-hidden": "true" });
      swatch.append(svg("path", { d: "M1 4H21", class: "series", "stroke-dasharray": DASHES[i % DASHES.length] }));
      return html("li", {}, swatch, one.name, this.values[i]);
    }));
  }

  update(samples) {
    this.samples = samples;
    this.draw();
  }

  follow(event) {
    if (!this.samples.length) return;
    const share = (event.offsetX - LEFT) / (this.plot.clientWidth - LEFT - RIGHT);
    point(this.samples.at(-1).time - (1 - Math.min(1, Math.max(0, share))) * WINDOW);
  }

  step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") point(null);
    if (!by || !this.samples.length) return;
    event.preventDefault();
    const at = this.samples.indexOf(this.nearest()) + by;
    point(this.samples[Math.min(this.samples.length - 1, Math.max(0, at))].time);
  }

  nearest() {
    if (pointed === null) return this.samples.at(-1);
    return this.samples.reduce((best, sample) =>
      Math.abs(sample.time - pointed) < Math.abs(best.time - pointed) ? sample : best);
  }

  draw() {
    const width = this.plot.clientWidth;
    const height = this.plot.clientHeight;
    if (!width) return;
    const end = this.samples.length ? this.samples.at(-1).time : 0;
    const rows = this.series.map((one) => this.samples.map((sample) => one.value(sample)));
    const scale = this.scale(rows);
    const x = (time) => LEFT + (1 - (end - time) / WINDOW) * (width - LEFT - RIGHT);
    const y = (value) => TOP + (1 - scale.share(value)) * (height - TOP - BOTTOM);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const tick of scale.ticks) {
      drawing.append(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) }));
      drawing.append(svg("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, this.format(tick, true)));
    }
    for (let minute = 0; minute <= 5; minute++) {
      if (width < 420 && minute % 2 === 0 && minute) continue;
      const at = x(end - minute * 60_000);
      const anchor = minute === 0 ? "end" : minute === 5 ? "start" : "middle";
      drawing.append(svg("text", { x: at, y: height - 4, "text-anchor": anchor }, minute ? `−${minute} min` : "now"));
    }
    const some = rows.some((row) => row.some((value) => value !== null));
    if (!some) {
      const text = this.samples.length ? "nothing in the last five minutes" : "waiting for the first second";
      drawing.append(svg("text", { class: "blank", x: (LEFT + width) / 2, y: height / 2 }, text));
    }
    for (let i = rows.length - 1; i >= 0; i--) { // the first one on top
      if (this.idle && rows[i].every((value) => !value)) continue;
      this.line(drawing, this.series[i], rows[i], DASHES[i % DASHES.length], x, y);
    }
    this.mark(drawing, x, y, height);
    this.plot.replaceChildren(drawing);
  }

  line(drawing, one, row, dashes, x, y) {
    let path = "";
    let before = null; // the sample that the line has come to
    this.samples.forEach((sample, i) => {
      if (row[i] === null) {
        before = null;
        return;
      }
      const joined = before && sample.time - before.time <= GAP;
      path += `${joined ? "L" : "M"}${x(sample.time).toFixed(1)} ${y(row[i]).toFixed(1)}${joined ? "" : "h.01"}`;
      before = sample;
    });
    const group = svg("g", { class: one.colour });
    group.append(svg("path", { class: "series", d: path, "stroke-dasharray": dashes }));
    drawing.append(group);
  }

  // The figures of the legend, and where they are in the chart.
  mark(drawing, x, y, height) {
    const sample = this.samples.length ? this.nearest() : null;
    this.series.forEach((one, i) => {
      const value = sample && one.value(sample);
      this.values[i].textContent = value === null ? "–" : this.format(value);
      if (sample && pointed !== null && value !== null) {
        const group = svg("g", { class: one.colour });
        group.append(svg("circle", { class: "dot", fill: "currentColor", cx: x(sample.time), cy: y(value), r: 4 }));
        drawing.append(group);
      }
    });
    this.time.hidden = pointed === null || !sample;
    if (!this.time.hidden) {
      this.time.textContent = new Date(sample.time).toLocaleTimeString();
      drawing.prepend(svg("line", { class: "rule", x1: x(sample.time), x2: x(sample.time), y1: TOP, y2: height - BOTTOM }));
    }
    const figures = this.series.map((one, i) => `${one.name} ${this.values[i].textContent}`).join(", ");
    this.plot.setAttribute("aria-label", `${this.title}: ${figures}. Arrow keys move through the last five minutes.`);
  }

  scale(rows) {
    const all = rows.flat().filter((value) => value !== null);
    return this.log ? logarithmic(all) : linear(this.fixed ? this.ceiling : Math.max(this.ceiling, ...all), this.bytes, this.fixed ? [2.5] : [1, 2, 5, 10]);
  }
}

// Two to four round steps from zero.
function linear(highest, bytes, round) {
  const unit = bytes ? 1024 ** Math.floor(Math.log2(Math.max(1, highest)) / 10) : 1;
  const rough = highest / unit / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = round.map((n) => n * power).find((n) => n >= rough * 0.999) * unit;
  const top = Math.ceil(highest / step - 1e-9) * step;
  const ticks = [];
  for (let tick = 0; tick <= top + step / 2; tick += step) ticks.push(tick);
  return { ticks, floor: 0, share: (value) => value / top };
}

// Whole powers of ten around all values, two at least.
function logarithmic(all) {
  const low = all.length ? Math.floor(Math.log10(Math.max(1, Math.min(...all)))) : 2;
  const high = Math.max(low + 2, all.length ? Math.ceil(Math.log10(Math.max(1, ...all))) : 5);
  const ticks = [];
  for (let power = low; power <= high; power++) ticks.push(10 ** power);
  return { ticks, floor: 10 ** low, share: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low) };
}
