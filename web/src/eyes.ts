// What the cameras saw, over the view: of each camera the last picture before the moment, and what goes on then.

import { el, name } from "./dom";
import type { Scene, Snapshot } from "./scene";
import type { Timeline } from "./timeline";

export class Eyes {
  readonly panel: HTMLElement | null = null;
  private readonly cameras: { shots: Snapshot[]; image: HTMLImageElement; caption: HTMLElement; figure: HTMLElement; shown: number }[];
  private readonly doing = el("p", { class: "doing" });

  constructor(scene: Scene) {
    const names = [...new Set(scene.snapshots.map((one) => one.camera))];
    this.cameras = names.map((camera) => {
      const image = el("img", { alt: `What the camera ${camera} saw` });
      const caption = el("span", { class: "muted" });
      const figure = el("figure", { hidden: true }, image, el("figcaption", {}, name(camera), " ", caption));
      return { shots: scene.snapshots.filter((one) => one.camera === camera), image, caption, figure, shown: -1 };
    });
    if (names.length) this.panel = el("div", { class: "eyes", id: "eyes" }, this.doing, ...this.cameras.map((one) => one.figure));
  }

  get visible(): boolean {
    return this.panel !== null && !this.panel.hidden;
  }

  show(on: boolean): void {
    if (this.panel) this.panel.hidden = !on;
  }

  at(time: number, timeline: Timeline): void {
    if (!this.panel) return;
    const mark = timeline.marks[timeline.current(time)];
    this.doing.replaceChildren(`${time.toFixed(1)} s  `, mark ? name(mark.label) : "");
    for (const one of this.cameras) {
      const now = one.shots.findLastIndex((shot) => shot.time <= time + 1e-6);
      if (now === one.shown) continue;
      one.shown = now;
      one.figure.hidden = now < 0;
      if (now < 0) continue;
      one.image.src = one.shots[now].src;
      one.caption.textContent = one.shots[now].caption;
    }
  }
}
