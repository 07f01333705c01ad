// The card of switches and sliders: how to look at it.

import type { Axis } from "./cut";
import { type ColorMode, STATE_COLORS } from "./coloring";
import { el } from "./dom";
import { PUSH_COLORS } from "./forces";
import { BREAKS } from "./joints";
import { withUnit } from "./numbers";
import { css, gradient, rgb } from "./ramp";

export interface Switch {
  key: string;
  label: string;
  on: boolean;
  change: (on: boolean) => void;
}

export function switches(list: Switch[]): HTMLElement {
  return el(
    "div",
    { class: "switches" },
    ...list.map((one) =>
      el(
        "label",
        {},
        el("input", {
          type: "checkbox",
          id: `show-${one.key}`,
          checked: one.on,
          onchange: (event: Event) => one.change((event.target as HTMLInputElement).checked),
        }),
        one.label,
      ),
    ),
  );
}

// A few exclusive choices as a row of buttons.
export function choice(label: string, options: [string, string][], chosen: string, change: (key: string) => void): HTMLElement {
  const group = `choice-${label.toLowerCase().replaceAll(" ", "-")}`;
  return el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, label),
    ...options.map(([key, text], number) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name: group, id: `${group}-${number}`, value: key, checked: key === chosen, onchange: () => change(key) }),
        el("span", {}, text),
      ),
    ),
  );
}

export function slider(id: string, label: string, value: number, change: (value: number) => void): HTMLElement {
  const input = el("input", { type: "range", id, min: 0, max: 1, step: 0.005, value, oninput: () => change(Number(input.value)) });
  return el("label", { class: "slider" }, el("span", {}, label), input);
}

export function sectionSlider(now: { axis: Axis; share: number }, change: (axis: Axis, share: number) => void): HTMLElement {
  let { axis, share } = now;
  const pick = el(
    "select",
    { id: "section-axis", "aria-label": "Section axis", onchange: () => change((axis = pick.value as Axis), share) },
    ...["x", "y", "z"].map((one) => el("option", { value: one, selected: one === axis }, one)),
  );
  const row = slider("section", "Section", share, (value) => change(axis, (share = value)));
  row.append(pick);
  return row;
}

// What the colours mean.
export function legend(mode: ColorMode, states: Set<string>, steps: boolean): HTMLElement {
  if (mode.ramp) {
    const bar = el("i", { class: "ramp" });
    bar.style.background = gradient(mode.ramp);
    const ends = mode.scalar
      ? [withUnit(mode.scalar.low, mode.scalar.unit), withUnit(mode.scalar.high, mode.scalar.unit)]
      : steps ? ["first step", "last step"] : ["first part", "last part"];
    const title = mode.scalar ? mode.scalar.label : "Order";
    return el("div", { class: "legend" }, el("b", {}, title), el("span", {}, ends[0]), bar, el("span", {}, ends[1]));
  }
  if (mode.key !== "state") return el("div", { class: "legend", hidden: true });
  const known = Object.keys(STATE_COLORS).filter((state) => states.has(state));
  return el("div", { class: "legend" }, ...known.map((state) => swatch(state, css(rgb(STATE_COLORS[state])))));
}

export function forceLegend(pushes: Set<string>, largest: number): HTMLElement {
  const words: Record<string, string> = { press: "presses", pull: "pulls", load: "load" };
  const swatches = [...pushes].map((push) => swatch(words[push] ?? push, css(PUSH_COLORS[push])));
  return el("div", { class: "legend" }, ...swatches, el("span", { class: "muted" }, `longest ${withUnit(largest, "N")}`));
}

export function heldLegend(): HTMLElement {
  return el("div", { class: "legend" }, swatch("pin: held", css(rgb(STATE_COLORS.held))));
}

export function breakLegend(): HTMLElement {
  return el("div", { class: "legend" }, swatch("joint that breaks", css(BREAKS)));
}

function swatch(text: string, color: string): HTMLElement {
  const dot = el("i", { class: "swatch" });
  dot.style.background = color;
  return el("span", { class: "keyed" }, dot, text);
}
