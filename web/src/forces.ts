// Contact forces as arrows. With a part selected: only what acts on it, each arrow the way that part feels it.

import { Vector3 } from "three";
import { type Arrow, Arrows } from "./arrows";
import type { Bodies } from "./bodies";
import { type Rgb, rgb } from "./ramp";
import type { Scene } from "./scene";

export const PUSH_COLORS: Record<string, Rgb> = { press: rgb("#2f86cc"), pull: rgb("#e07b00"), load: rgb("#8b4fb0") };
const LONGEST = 0.2; // view units, of the largest force
const SHORTEST = 0.004;

export class Forces {
  readonly arrows = new Arrows();
  readonly largest: number; // N
  visible = false;

  constructor(
    private readonly scene: Scene,
    private readonly bodies: Bodies,
  ) {
    const force = scene.arrows?.force ?? [];
    let largest = 0;
    for (let i = 0; i < force.length; i += 3) largest = Math.max(largest, Math.hypot(force[i], force[i + 1], force[i + 2]));
    this.largest = largest;
  }

  update(selected: number | null): void {
    this.arrows.show(this.visible ? this.chosen(selected) : [], Math.min(0.0032, this.bodies.fine(0.035)));
  }

  private chosen(selected: number | null): Arrow[] {
    const found = this.scene.arrows;
    if (!found || this.largest === 0) return [];
    const [arrows, shift] = [[] as Arrow[], new Vector3()];
    for (let i = 0; i < found.push.length; i++) {
      if (selected !== null && found.first[i] !== selected && found.second[i] !== selected) continue;
      const flipped = selected !== null && found.first[i] === selected;
      const vector = new Vector3(found.force[3 * i], found.force[3 * i + 1], found.force[3 * i + 2]);
      const size = vector.length();
      const length = (LONGEST * size) / this.largest;
      if (length < SHORTEST) continue;
      vector.multiplyScalar(((flipped ? -1 : 1) * length) / size);
      const tail = new Vector3(found.point[3 * i], found.point[3 * i + 1], found.point[3 * i + 2]);
      tail.add(this.bodies.shift(flipped ? found.first[i] : found.second[i], shift));
      if (found.pushes[found.push[i]] === "load") tail.sub(vector); // a load's tip is where it acts
      arrows.push({ tail, vector, color: PUSH_COLORS[found.pushes[found.push[i]]] });
    }
    return arrows;
  }
}
