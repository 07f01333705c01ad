// What frames the view: the verdict above, where it came from below; and the page of a browser that cannot draw.

import { el, name } from "./dom";
import type { Scene } from "./scene";
import { facts } from "./selection";
import { tablesOf } from "./tables";

const SIGNS = { yes: "✓", no: "✕", open: "?", plain: "" };
const KEYS = "Arrow keys turn, + and − zoom, 0 resets, [ and ] go through the parts, Esc lets go, Space plays.";

export function headerOf(scene: Scene, ...tools: HTMLElement[]): HTMLElement {
  const { headline, title } = scene;
  const sign = SIGNS[headline.tone];
  return el(
    "header",
    {},
    el(
      "div",
      { class: `verdict ${headline.tone}`, id: "verdict" },
      sign && el("span", { class: "sign", "aria-hidden": "true" }, sign),
      el("strong", {}, headline.word),
    ),
    el("div", { class: "heading" }, el("h1", {}, name(title)), el("p", {}, headline.sentence)),
    ...tools,
  );
}

export function footerOf(scene: Scene): HTMLElement {
  const rows = scene.provenance.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, name(value))));
  return el("footer", {}, el("dl", {}, ...rows), el("p", { class: "muted" }, KEYS));
}

export function factsCard(scene: Scene): HTMLElement | null {
  const notes = [...scene.notes, ...(scene.motion?.note ? [scene.motion.note] : [])];
  if (scene.facts.length + notes.length === 0) return null;
  return el("section", { class: "card" }, facts(scene.facts as [string, string][]), ...notes.map((note) => el("p", { class: "note" }, note)));
}

// Everything but the view, where WebGL is missing.
export function withoutView(scene: Scene, why: unknown): HTMLElement[] {
  const sorry = `The 3D view needs WebGL 2, which this browser does not offer here (${String(why)}). Everything else is below.`;
  const area = el("div", { class: "stage" }, el("p", { class: "failed" }, sorry));
  const card = factsCard(scene);
  return [headerOf(scene), el("main", { class: "without-view" }, area, el("aside", {}, card)), tablesOf(scene, () => undefined), footerOf(scene)];
}
