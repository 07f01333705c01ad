// The time line under the view: play, scrub, marks, and the list of steps or events.

import { el } from "./dom";
import type { Stage } from "./stage";
import type { Timeline } from "./timeline";

export class Player {
  readonly bar: HTMLElement;
  readonly list: HTMLElement;
  private readonly button = el("button", { class: "play", type: "button", onclick: () => this.toggle() });
  private readonly slider: HTMLInputElement;
  private readonly caption = el("output", { class: "caption" });
  private readonly rows: HTMLButtonElement[];
  private playing = false;
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
      value: timeline.end,
      "aria-label": "Time",
      oninput: () => this.pause(this.time),
    });
    const ticks = el("div", { class: "ticks", "aria-hidden": "true" }, ...timeline.marks.map((mark) => this.tick(mark.time)));
    this.bar = el("div", { class: "player" }, this.button, el("div", { class: "track" }, this.slider, ticks), this.caption);
    this.rows = timeline.marks.map((mark, number) =>
      el("button", { type: "button", class: "step", onclick: () => this.pause(mark.time) }, `${number + 1}  ${mark.label}`),
    );
    this.list = el("ol", { class: "steps" }, ...this.rows.map((row) => el("li", {}, row)));
    this.show();
  }

  get time(): number {
    return Number(this.slider.value);
  }

  set(time: number): void {
    this.slider.value = String(Math.min(this.timeline.end, Math.max(0, time)));
    this.show();
    this.onTime(this.time);
  }

  toggle(): void {
    if (this.playing) return this.pause(this.time);
    if (this.time >= this.timeline.end) this.set(0);
    this.playing = true;
    this.last = 0;
    this.show();
    this.stage.animate((now) => this.advance(now));
  }

  // To the next mark, or the one before.
  step(by: 1 | -1): void {
    const times = [0, ...this.timeline.marks.map((mark) => mark.time), this.timeline.end];
    const [ahead, behind] = [times.filter((time) => time > this.time + 1e-6), times.filter((time) => time < this.time - 1e-6)];
    this.pause(by > 0 ? Math.min(this.timeline.end, ...ahead) : Math.max(0, ...behind));
  }

  private pause(time: number): void {
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
    const now = this.timeline.current(this.time);
    this.rows.forEach((row, number) => row.toggleAttribute("aria-current", number === now));
  }

  private tick(time: number): HTMLElement {
    const tick = el("i");
    tick.style.left = `${(100 * time) / this.timeline.end}%`;
    return tick;
  }
}
