// The time line under the view: play, scrub, marks, and the list of steps or events.

import { el, name } from "./dom";
import type { Stage } from "./stage";
import type { Mark, Timeline } from "./timeline";

const ROWS = 240; // of the list at once: it follows the time
const TICKS = 600; // under the slider; more would be a bar

export class Player {
  readonly bar: HTMLElement;
  readonly list = el("ol", { class: "steps" });
  private readonly button = el("button", { class: "play", type: "button", onclick: () => this.toggle() });
  private readonly slider: HTMLInputElement;
  private readonly caption = el("output", { class: "caption" });
  private first = -1; // mark of the first row of the list
  private playing = false;
  private untouched = true;
  private last = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly stage: Stage,
    private readonly onTime: (time: number) => void,
  ) {
    this.slider = el("input", {
      type: "range",
      id: "time",
      min: 0,
      max: timeline.end,
      step: "any",
      value: timeline.poster,
      "aria-label": "Time",
      oninput: () => this.pause(this.time),
    });
    const thin = Math.ceil(timeline.marks.length / TICKS);
    const ticks = timeline.marks.filter((_, number) => number % thin === 0).map((mark) => this.tick(mark));
    const under = el("div", { class: "ticks", "aria-hidden": "true" }, ...ticks);
    this.bar = el("div", { class: "player" }, this.button, el("div", { class: "track" }, this.slider, under), this.caption);
    this.show();
  }

  get time(): number {
    return Number(this.slider.value);
  }

  get share(): number {
    return this.time / this.timeline.end;
  }

  set(time: number): void {
    this.untouched = false;
    this.slider.value = String(Math.min(this.timeline.end, Math.max(0, time)));
    this.show();
    this.onTime(this.time);
  }

  toggle(): void {
    if (this.playing) return this.pause(this.time);
    if (this.untouched || this.time >= this.timeline.end) this.set(0);
    this.playing = true;
    this.last = 0;
    this.show();
    this.stage.animate((now) => this.advance(now));
  }

  // To the next mark, or the one before.
  step(by: 1 | -1): void {
    const times = [0, ...this.timeline.marks.map((mark) => mark.time), this.timeline.end];
    const next = by > 0 ? times.find((time) => time > this.time + 1e-6) : times.findLast((time) => time < this.time - 1e-6);
    this.pause(next ?? (by > 0 ? this.timeline.end : 0));
  }

  pause(time: number): void {
    this.playing = false;
    this.set(time);
  }

  private advance(now: number): boolean {
    if (!this.playing) return false;
    const passed = this.last ? Math.min(0.1, now - this.last) : 0;
    this.last = now;
    this.set(this.time + passed * this.timeline.pace);
    if (this.time < this.timeline.end) return true;
    this.playing = false;
    this.show();
    return false;
  }

  private show(): void {
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.caption.textContent = this.timeline.caption(this.time);
    this.slider.setAttribute("aria-valuetext", this.caption.textContent);
    this.follow(this.timeline.current(this.time));
  }

  // Rows around the current one; long plans have more steps than a list should.
  private follow(now: number): void {
    const { marks } = this.timeline;
    const first = Math.max(0, Math.min(marks.length - ROWS, Math.round((2 * now) / ROWS - 1) * (ROWS / 2)));
    if (first !== this.first) {
      this.first = first;
      this.list.replaceChildren(...marks.slice(first, first + ROWS).map((mark, k) => this.row(mark, first + k)));
    }
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = this.list.children[now - first]?.firstElementChild;
    row?.setAttribute("aria-current", "step");
    const away = row && this.list.clientHeight ? row.getBoundingClientRect().top - this.list.getBoundingClientRect().top : 0;
    if (away < 0 || away > this.list.clientHeight - 30) this.list.scrollTop += away - this.list.clientHeight / 2;
  }

  private row(mark: Mark, number: number): HTMLElement {
    const when = el("span", { class: "when" }, this.timeline.title(mark, number));
    const words = el("span", {}, name(mark.label), mark.detail ? el("small", {}, name(mark.detail)) : null);
    return el("li", {}, el("button", { type: "button", class: `step ${mark.kind}`, onclick: () => this.pause(mark.time) }, when, words));
  }

  private tick(mark: Mark): HTMLElement {
    const tick = el("i", { class: `at-${mark.kind}` });
    tick.style.left = `${100 * Math.min(1, Math.max(0, mark.time / this.timeline.end))}%`;
    return tick;
  }
}
