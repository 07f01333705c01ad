// Curves in time: plotted with the events of the time line, read off at its moment, copied as CSV.

import { type Cell, csv } from "./csv";
import { copyButton, el, name, svg } from "./dom";
import { number, withUnit } from "./numbers";
import type { Curve, Scene } from "./scene";

const [WIDTH, HEIGHT] = [560, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 12, 10, 26];
// Okabe and Ito's colours, which most people can tell apart, and dashes for all others.
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "4 2", "1 4"];
const MARKS = 400; // events on a plot

export class Plots {
  readonly section: HTMLElement | null = null;
  private readonly plots: Plot[];

  // `seek` is called with the time that somebody points at.
  constructor(scene: Scene, seek: (time: number) => void) {
    const groups = new Map<string, Curve[]>();
    for (const curve of scene.curves) {
      const key = JSON.stringify([curve.plot, curve.unit]);
      groups.set(key, [...(groups.get(key) ?? []), curve]);
    }
    const marks = scene.timeline?.kind === "frames" ? scene.timeline.events.slice(0, MARKS) : [];
    const span = spanOf(scene);
    this.plots = [...groups.values()].map((curves) => new Plot(curves, span, marks, seek));
    if (this.plots.length) this.section = el("section", { class: "plots", "aria-label": "Plots" }, ...this.plots.map((plot) => plot.figure));
  }

  at(time: number): void {
    for (const plot of this.plots) plot.at(time);
  }
}

class Plot {
  readonly figure: HTMLElement;
  private readonly cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
  private readonly readings: HTMLElement[];
  private readonly high: number;
  private readonly low: number;

  constructor(
    private readonly curves: Curve[],
    private readonly span: [number, number],
    marks: { time: number; kind: string }[],
    seek: (time: number) => void,
  ) {
    [this.low, this.high] = rangeOf(curves);
    this.readings = curves.map(() => el("span", { class: "reading" }));
    const lines = curves.map((curve, k) =>
      svg("path", { class: "curve", d: this.path(curve), stroke: COLORS[k % COLORS.length], "stroke-dasharray": DASHES[k % DASHES.length] }),
    );
    const events = marks.map((mark) => svg("line", { class: `event ${mark.kind}`, x1: this.x(mark.time), x2: this.x(mark.time), y1: TOP, y2: HEIGHT - BOTTOM }));
    const label = `${curves[0].plot} over time, ${withUnit(this.low, curves[0].unit)} to ${withUnit(this.high, curves[0].unit)}`;
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...this.axes(), ...events, ...lines, this.cursor);
    const point = (event: PointerEvent): void => {
      if (event.type === "pointermove" && !event.buttons) return;
      const box = drawing.getBoundingClientRect();
      const across = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
      seek(this.span[0] + Math.min(1, Math.max(0, across)) * (this.span[1] - this.span[0]));
    };
    drawing.addEventListener("pointerdown", point);
    drawing.addEventListener("pointermove", point);
    this.figure = el("figure", { class: "card plot" }, this.head(), drawing as unknown as HTMLElement);
    this.at(span[1]);
  }

  at(time: number): void {
    this.cursor.setAttribute("x1", String(this.x(time)));
    this.cursor.setAttribute("x2", String(this.x(time)));
    this.curves.forEach((curve, k) => {
      const value = valueAt(curve, time);
      this.readings[k].textContent = value === null ? "–" : withUnit(value, curve.unit);
    });
  }

  private head(): HTMLElement {
    const keys = this.curves.map((curve, k) => {
      const stroke = { x1: 0, x2: 26, y1: 5, y2: 5, stroke: COLORS[k % COLORS.length], "stroke-dasharray": DASHES[k % DASHES.length], class: "curve" };
      const sample = svg("svg", { viewBox: "0 0 26 10", class: "sample", "aria-hidden": "true" }, svg("line", stroke));
      return el("span", { class: "keyed" }, sample as unknown as HTMLElement, name(curve.label), this.readings[k]);
    });
    return el("figcaption", {}, el("b", {}, name(this.curves[0].plot)), ...keys, copyButton("Copy as CSV", () => this.csv()));
  }

  // One column of time where all curves have the same times, else one for each.
  private csv(): string {
    const { curves } = this;
    const shared = curves.every((curve) => curve.times.length === curves[0].times.length && curve.times.every((time, i) => time === curves[0].times[i]));
    const title = (curve: Curve): string => (curve.unit ? `${curve.label} (${curve.unit})` : curve.label);
    const header = shared ? ["Time (s)", ...curves.map(title)] : curves.flatMap((curve) => ["Time (s)", title(curve)]);
    const value = (curve: Curve, i: number): Cell => (curve.known[i] ? Number(curve.values[i].toPrecision(7)) : null);
    const time = (curve: Curve, i: number): Cell => (i < curve.times.length ? Number(curve.times[i].toPrecision(7)) : null);
    const rows = Math.max(...curves.map((curve) => curve.times.length));
    const lines = Array.from({ length: rows }, (_, i) =>
      shared ? [time(curves[0], i), ...curves.map((curve) => value(curve, i))] : curves.flatMap((curve) => [time(curve, i), value(curve, i)]),
    );
    return csv([header, ...lines]);
  }

  private path(curve: Curve): string {
    let [text, pen] = ["", "M"];
    for (let i = 0; i < curve.times.length; i++) {
      if (!curve.known[i]) pen = "M";
      else {
        text += `${pen}${this.x(curve.times[i]).toFixed(1)} ${this.y(curve.values[i]).toFixed(1)}`;
        pen = "L";
      }
    }
    return text;
  }

  private axes(): SVGElement[] {
    const across = ticks(this.low, this.high, 4).flatMap((value) => [
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(value), y2: this.y(value) }),
      svg("text", { x: LEFT - 7, y: this.y(value) + 4, "text-anchor": "end" }, number(value)),
    ]);
    const along = ticks(...this.span, 6).map((time) => svg("text", { x: this.x(time), y: HEIGHT - 8, "text-anchor": "middle" }, `${number(time)} s`));
    return [...across, ...along];
  }

  private x(time: number): number {
    const [from, to] = this.span;
    return LEFT + ((WIDTH - LEFT - RIGHT) * (Math.min(to, Math.max(from, time)) - from)) / (to - from);
  }

  private y(value: number): number {
    return HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - this.low)) / (this.high - this.low);
  }
}

function spanOf(scene: Scene): [number, number] {
  if (scene.timeline?.kind === "frames") return [0, scene.timeline.times[scene.timeline.times.length - 1]];
  const ends = scene.curves.map((curve) => [curve.times[0], curve.times[curve.times.length - 1]]);
  const [from, to] = [Math.min(...ends.map((end) => end[0])), Math.max(...ends.map((end) => end[1]))];
  return to > from ? [from, to] : [from, from + 1];
}

function rangeOf(curves: Curve[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { values, known } of curves) {
    for (let i = 0; i < values.length; i++) {
      if (known[i]) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
    }
  }
  if (!(low <= high)) return [0, 1];
  if (low > 0 && low < 0.5 * high) low = 0;
  const room = 0.04 * (high - low) || Math.abs(high) || 1;
  return [low === 0 ? 0 : low - room, high + room];
}

function ticks(low: number, high: number, about: number): number[] {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const found: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high && found.length < 20; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// Between the two nearest points; null where it is not known.
function valueAt(curve: Curve, time: number): number | null {
  const { times, values, known } = curve;
  let next = 0;
  while (next < times.length && times[next] < time) next++;
  const [a, b] = [Math.max(0, next - 1), Math.min(next, times.length - 1)];
  if (!known[a] || !known[b]) return known[b] ? values[b] : null;
  const share = times[b] > times[a] ? Math.min(1, Math.max(0, (time - times[a]) / (times[b] - times[a]))) : 1;
  return values[a] + share * (values[b] - values[a]);
}
