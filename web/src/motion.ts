// The first motion as a short loop: every part goes along its acceleration, starting slowly, as things do that fall.

import { Quaternion, Vector3 } from "three";
import { type Arrow, Arrows } from "./arrows";
import type { Bodies } from "./bodies";
import { rgb } from "./ramp";
import type { Scene } from "./scene";
import { isDark } from "./theme";

const REACH = 0.2; // view units: how far the fastest part goes
const PERIOD = 2.6; // s, of which the last HOLD stand still
const HOLD = 0.7;
const LONGEST = 0.18; // view units, of the largest acceleration arrow
const [ON_LIGHT, ON_DARK] = [rgb("#1d2127"), rgb("#f4f1ea")];

export class Motion {
  readonly arrows = new Arrows();
  visible = false;
  phase = 0; // 0 to 1
  private readonly scale: number;
  private readonly fastest: number;

  constructor(
    private readonly scene: Scene,
    private readonly bodies: Bodies,
  ) {
    const twist = scene.motion?.twist ?? [];
    let [largest, fastest] = [0, 0];
    for (let part = 0; part < twist.length / 6; part++) {
      const [linear, angular] = [Math.hypot(...slice(twist, part, 0)), Math.hypot(...slice(twist, part, 3))];
      largest = Math.max(largest, linear + angular * bodies.radius[part]);
      fastest = Math.max(fastest, linear);
    }
    this.scale = largest > 0 ? REACH / largest : 0;
    this.fastest = fastest;
  }

  // Where in its loop the preview is at a time.
  at(seconds: number): void {
    const clock = seconds % PERIOD;
    this.phase = Math.min(1, clock / (PERIOD - HOLD)) ** 2;
  }

  // Put every part that moves where it is at this phase.
  apply(): void {
    const twist = this.scene.motion?.twist;
    if (!twist || !this.visible) return;
    const { com, position, quaternion } = this.scene.parts;
    const [turn, own, arm, centre] = [new Quaternion(), new Quaternion(), new Vector3(), new Vector3()];
    for (let part = 0; part < this.bodies.count; part++) {
      const spin = new Vector3(...slice(twist, part, 3)).multiplyScalar(this.scale * this.phase);
      const move = new Vector3(...slice(twist, part, 0)).multiplyScalar(this.scale * this.phase);
      const angle = spin.length();
      if (angle + move.length() < 1e-9) continue;
      turn.setFromAxisAngle(spin.divideScalar(angle || 1), angle);
      centre.set(com[3 * part], com[3 * part + 1], com[3 * part + 2]);
      arm.set(position[3 * part], position[3 * part + 1], position[3 * part + 2]).sub(centre).applyQuaternion(turn);
      arm.add(centre).add(move).toArray(this.bodies.position, 3 * part);
      own.set(quaternion[4 * part + 1], quaternion[4 * part + 2], quaternion[4 * part + 3], quaternion[4 * part]);
      own.premultiply(turn);
      this.bodies.quaternion.set([own.w, own.x, own.y, own.z], 4 * part);
    }
  }

  // Arrows at the centres of the parts that fall.
  update(): void {
    const twist = this.scene.motion?.twist;
    const arrows: Arrow[] = [];
    if (twist && this.visible && this.fastest > 0) {
      const { com, falling } = this.scene.parts;
      for (let part = 0; part < this.bodies.count; part++) {
        if (!falling[part]) continue;
        const vector = new Vector3(...slice(twist, part, 0)).multiplyScalar(LONGEST / this.fastest);
        if (vector.length() < 0.004) continue;
        const tail = new Vector3(com[3 * part], com[3 * part + 1], com[3 * part + 2]);
        arrows.push({ tail: tail.add(this.bodies.shift(part, new Vector3())), vector, color: isDark() ? ON_DARK : ON_LIGHT });
      }
    }
    this.arrows.show(arrows, Math.min(0.006, this.bodies.fine(0.05)));
  }
}

function slice(twist: ArrayLike<number>, part: number, from: number): [number, number, number] {
  const at = 6 * part + from;
  return [twist[at], twist[at + 1], twist[at + 2]];
}
