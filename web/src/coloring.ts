// What a part's colour says: its own, its state, its place in the order, or a number.

import { along, mix, type Rgb, rgb } from "./ramp";
import { roleOf, type Scalar, type Scene } from "./scene";

export const STATE_COLORS: Record<string, string> = {
  falls: "#e07a3f",
  held: "#0072b2",
  fixed: "#4d5560",
  stands: "#c9c5bc",
  ground: "#b9bcbd",
};
const NO_NUMBER = rgb("#b4b6b8");
const HELD_TINT = rgb(STATE_COLORS.held);

export interface ColorMode {
  key: string;
  label: string;
  scalar: Scalar | null;
  ramp: "load" | "viridis" | null;
}

export function colorModes(scene: Scene): ColorMode[] {
  const plain = (key: string, label: string): ColorMode => ({ key, label, scalar: null, ramp: null });
  return [
    plain("part", "Part"),
    plain("state", "State"),
    { key: "order", label: "Order", scalar: null, ramp: "viridis" },
    ...scene.scalars.map((scalar): ColorMode => ({ key: scalar.label, label: scalar.label, scalar, ramp: "load" })),
  ];
}

// `held` are the parts held at this moment; `order` is when each part comes, 0 to 1.
export function partColor(scene: Scene, mode: ColorMode, part: number, held: Set<number>, order: Float32Array): Rgb {
  const { parts } = scene;
  const role = roleOf(scene, part);
  if (mode.key === "state") return rgb(STATE_COLORS[stateOf(scene, part, held)]);
  let color = rgb(parts.colors[parts.color[part]]);
  if (mode.scalar) {
    const { values, known, low, high } = mode.scalar;
    color = known[part] ? along("load", (values[part] - low) / (high - low)) : NO_NUMBER;
  } else if (mode.key === "order") {
    color = role === "ground" ? NO_NUMBER : along("viridis", order[part]);
  }
  return held.has(part) ? mix(color, HELD_TINT, 0.65) : color;
}

export function stateOf(scene: Scene, part: number, held: Set<number>): string {
  const role = roleOf(scene, part);
  if (scene.parts.falling[part]) return "falls";
  if (held.has(part)) return "held";
  return role === "fixed" || role === "ground" ? role : "stands";
}
