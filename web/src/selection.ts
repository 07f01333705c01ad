// What is known about one part: the card beside the view.

import { stateOf } from "./coloring";
import { el, name } from "./dom";
import { mass, number, percent, withUnit } from "./numbers";
import { labelOf, roleOf, type Scene } from "./scene";

const NEIGHBOURS = 12;

interface Neighbour {
  part: number;
  force: number; // N, magnitude of the resultant
  share: number | null; // utilisation of the joint
  vector: [number, number, number];
}

export function partCard(scene: Scene, part: number, held: Set<number>, select: (part: number) => void): HTMLElement[] {
  const rows: [string, string][] = [
    ["Kind", labelOf(scene, part)],
    ["State", roleOf(scene, part) === "absent" ? "absent" : stateOf(scene, part, held)],
    ["Mass", mass(scene.parts.mass[part])],
  ];
  for (const scalar of scene.scalars) {
    rows.push([scalar.label, scalar.known[part] ? withUnit(scalar.values[part], scalar.unit) : "–"]);
  }
  const twist = scene.motion?.twist;
  if (twist) {
    const size = Math.hypot(twist[6 * part], twist[6 * part + 1], twist[6 * part + 2]) * scene.view.size;
    const turning = Math.hypot(twist[6 * part + 3], twist[6 * part + 4], twist[6 * part + 5]);
    rows.push(["Accelerates", `${number(size)} m/s²`], ["Turns", `${number(turning)} rad/s²`]);
  }
  const near = neighbours(scene, part);
  const list = el("ul", { class: "neighbours" }, ...near.slice(0, NEIGHBOURS).map((one) => neighbourRow(scene, one, select)));
  return [
    el("h3", {}, name(scene.parts.names[part])),
    facts(rows),
    ...(near.length ? [el("h4", {}, near.length > NEIGHBOURS ? `Touches ${near.length} parts; the most loaded` : "Touches"), list] : []),
  ];
}

export function facts(rows: [string, string][]): HTMLElement {
  return el("dl", { class: "facts" }, ...rows.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, name(value)))));
}

function neighbourRow(scene: Scene, one: Neighbour, select: (part: number) => void): HTMLElement {
  const words = [one.force > 0 ? `${number(one.force)} N` : "", one.share === null ? "" : percent(one.share)];
  return el(
    "li",
    {},
    one.part < 0
      ? el("span", {}, "load")
      : el("button", { type: "button", onclick: () => select(one.part) }, name(scene.parts.names[one.part])),
    el("span", { class: "muted" }, words.filter(Boolean).join(" · ")),
  );
}

// Resultant forces and joints by the part at the other side, the most loaded first.
function neighbours(scene: Scene, part: number): Neighbour[] {
  const found = new Map<number, Neighbour>();
  const at = (other: number): Neighbour => {
    const known = found.get(other) ?? { part: other, force: 0, share: null, vector: [0, 0, 0] };
    found.set(other, known);
    return known;
  };
  const { arrows, joints } = scene;
  for (let i = 0; arrows && i < arrows.push.length; i++) {
    if (arrows.first[i] !== part && arrows.second[i] !== part) continue;
    const one = at(arrows.first[i] === part ? arrows.second[i] : arrows.first[i]);
    for (let k = 0; k < 3; k++) one.vector[k] += arrows.force[3 * i + k];
    one.force = Math.hypot(...one.vector);
  }
  for (let i = 0; joints && i < joints.values.length; i++) {
    const [a, b] = [joints.bodies[2 * i], joints.bodies[2 * i + 1]];
    if (a !== part && b !== part) continue;
    const one = at(a === part ? b : a);
    if (joints.known[i]) one.share = Math.max(one.share ?? 0, joints.values[i]);
  }
  return [...found.values()].sort((a, b) => (b.share ?? 0) - (a.share ?? 0) || b.force - a.force);
}
