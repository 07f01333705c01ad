// Build steps on paper: one picture a step, or of several steps where there are too many to draw in a few seconds.

import { el, name } from "./dom";
import type { Stage } from "./stage";
import type { Timeline } from "./timeline";

const [WIDTH, HEIGHT] = [560, 420]; // pixels of a picture
const PATIENCE_MS = 8000;
const [FEWEST, MOST] = [12, 300]; // pictures

// `show` puts the view to a time without drawing it.
export function buildSteps(timeline: Timeline, stage: Stage, show: (time: number) => void): HTMLElement[] {
  const { marks } = timeline;
  const begun = performance.now();
  const first = picture(stage, marks[0].time, show);
  const affordable = Math.floor(PATIENCE_MS / Math.max(1, performance.now() - begun));
  const each = Math.ceil(marks.length / Math.min(MOST, Math.max(FEWEST, affordable)));
  const figures: HTMLElement[] = [];
  for (let from = 0; from < marks.length; from += each) {
    const several = marks.slice(from, from + each);
    const last = several[several.length - 1];
    const drawn = from === 0 && each === 1 ? first : picture(stage, last.time, show);
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", `After step ${from + several.length}`);
    const words = several.map((mark, k) => el("li", { value: from + k + 1 }, name(mark.label), mark.detail ? el("small", {}, name(mark.detail)) : null));
    figures.push(el("figure", { class: "build-step" }, drawn, el("ol", {}, ...words)));
  }
  return figures;
}

function picture(stage: Stage, time: number, show: (time: number) => void): HTMLCanvasElement {
  show(time);
  return stage.snapshot(WIDTH, HEIGHT);
}
