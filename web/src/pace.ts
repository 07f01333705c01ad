// Where drawing is slow (no graphics card), what changes is shown soon with fewer pixels and less detail,
// and well once it has come to rest.

import type { OrbitControls } from "three/addons/controls/OrbitControls.js";

const SLOW_MS = 120; // a frame
const PAUSE_MS = 1500; // longer than that, it is the person who waits
const REST_MS = 250; // without another change

export class Pace {
  private turning = false;
  private rest = 0;

  constructor(
    private readonly change: (hurried: boolean) => void,
    private readonly slow: boolean, // known to be, from the start
  ) {}

  // Something that a person waits for is about to be drawn.
  soon(): void {
    if (!this.slow) return;
    this.change(true);
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.turning || this.change(false), REST_MS);
  }

  // Turning is hurried when it proves slow, until the person lets go.
  watch(controls: OrbitControls): void {
    let [last, slow] = [0, 0];
    controls.addEventListener("start", () => ([this.turning, last, slow] = [true, 0, 0]));
    controls.addEventListener("change", () => {
      const now = performance.now();
      if (this.turning && last && now - last > SLOW_MS && now - last < PAUSE_MS && ++slow === 2) this.change(true);
      last = now;
    });
    controls.addEventListener("end", () => {
      this.turning = false;
      this.change(false);
    });
  }
}
