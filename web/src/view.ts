// What is in the view: the parts and everything drawn with them, at one moment, in one colouring.

import { type Box3, Color, LineBasicMaterial, Vector3 } from "three";
import { Bodies, GHOST, SOLID } from "./bodies";
import { type ColorMode, colorModes, partColor } from "./coloring";
import { type Axis, Section } from "./cut";
import { el } from "./dom";
import { Forces } from "./forces";
import { Joints } from "./joints";
import { Motion } from "./motion";
import { Pins } from "./pins";
import { power } from "./power";
import { type Frames, partsWithRole, roleOf, type Scene, type Steps } from "./scene";
import { Stage } from "./stage";
import { isDark } from "./theme";
import { orderOf, StepLine, type Timeline, timelineOf } from "./timeline";

const EXPLODED = 0.9; // of each part's distance from the foot's middle, at the end of the slider
const WIDE_GROUND = 1.5; // against the parts: a ground that is wider does not have to be in view
const FEW_ARROWS = 400; // are shown from the start
const FEW_OUTLINES = 60; // parts that are marked at once

// A time line and when each part comes on it.
interface Line {
  timeline: Timeline | null;
  order: Float32Array;
}

export class View {
  readonly host = el("div", { class: "view", id: "view", tabIndex: 0, role: "application", "aria-label": "The assembly in 3D" });
  readonly stage: Stage;
  readonly bodies: Bodies;
  modes: ColorMode[];
  mode: ColorMode;
  forces!: Forces;
  motion!: Motion;
  joints!: Joints;
  lines: Line[];
  chosen = 0; // of the lines
  share = 1; // of the chosen line's time
  selected: number | null = null;
  held = new Set<number>();
  edges = true;
  exploded = 0; // of the slider
  readonly section = new Section();
  private readonly pins = new Pins();
  private readonly selectedLine = new LineBasicMaterial({ color: 0xe8590c, depthTest: false, transparent: true });
  private readonly markedLine = new LineBasicMaterial({ color: 0x14171b, depthTest: false, transparent: true });
  private outlines = "";

  constructor(
    private scene: Scene,
    private readonly picture: boolean,
    finest: boolean,
  ) {
    this.modes = colorModes(scene);
    this.mode = this.modes.find((mode) => mode.key === scene.colorBy) ?? this.modes[0];
    const able = power(finest);
    this.stage = new Stage(this.host, able);
    this.bodies = new Bodies(scene, able);
    if (!this.bodies.castsShadows) this.stage.withoutShadows();
    this.stage.shadowEvery = this.bodies.count > 300 ? 4 : 1;
    this.stage.scene.add(this.bodies.group, this.pins.group);
    this.stage.onHurry = (hurried) => (this.bodies.creaseMaterial.visible = this.edges && !hurried);
    const line = (time: Steps | Frames | null): Line => ({
      timeline: time?.kind === "steps" ? new StepLine(scene, time) : timelineOf(scene),
      order: orderOf(scene, time),
    });
    this.lines = [scene.timeline, ...scene.alternatives].map(line);
    this.share = this.timeline ? this.timeline.poster / this.timeline.end : 1;
    this.makeLayers(scene.arrows !== null && !scene.joints && scene.arrows.push.length <= FEW_ARROWS, false);
  }

  get timeline(): Timeline | null {
    return this.lines[this.chosen].timeline;
  }

  get order(): Float32Array {
    return this.lines[this.chosen].order;
  }

  // Another answer about the same parts; `soon` when a person waits for it.
  adopt(scene: Scene, soon: boolean): void {
    if (soon) this.stage.pace.soon();
    const shown = [this.forces.visible, this.joints.visible];
    const stood = this.scene.motion === null;
    this.scene = scene;
    this.modes = colorModes(scene);
    const wanted = stood === (scene.motion === null) ? this.mode.key : scene.colorBy;
    this.mode = this.modes.find((mode) => mode.key === wanted) ?? this.modes[0];
    for (const layer of [this.forces.arrows.group, this.motion.arrows.group, this.joints.mesh]) layer?.removeFromParent();
    this.joints.mesh?.dispose();
    this.makeLayers(shown[0], shown[1]);
    this.refresh();
  }

  // Everything that depends on what is chosen, drawn anew.
  refresh(): void {
    this.prepare(this.lines[this.chosen]);
    this.forces.update(this.selected);
    this.motion.update();
    this.joints.update();
    this.stage.draw(true);
  }

  // All lines beside each other at the same share of their time, or only the chosen one.
  compare(on: boolean): void {
    this.stage.panes = on ? this.lines.map((line) => () => this.prepare(line)) : [];
    this.stage.resize();
    this.fit(this.stage.direction());
    this.refresh();
  }

  select(part: number | null): void {
    this.selected = part;
    this.refresh();
  }

  recolor(key: string): void {
    this.mode = this.modes.find((mode) => mode.key === key) ?? this.mode;
    this.refresh();
  }

  // The first motion as a loop.
  playMotion(): void {
    this.stage.animate((now) => {
      if (!this.motion.visible) return false;
      this.motion.at(now);
      this.bodies.home();
      this.motion.apply();
      this.bodies.update();
      this.joints.update();
      return true;
    });
  }

  illuminate(): void {
    const all = this.bodies.bounds(true);
    this.stage.illuminate(all.getCenter(new Vector3()), Math.min(0.5 * all.getSize(new Vector3()).length(), 4), all.min.z - 1e-3);
  }

  fit(from?: Vector3): void {
    const [parts, all] = [this.bodies.bounds(false), this.bodies.bounds(true)];
    const size = (box: Box3): number => box.getSize(new Vector3()).length();
    const box = size(all) < WIDE_GROUND * size(parts) ? all : parts;
    this.stage.fit(this.motion.visible ? box.expandByScalar(0.08) : box, from?.clone().normalize());
  }

  cut(axis: Axis, share: number): void {
    const box = this.bodies.bounds(false);
    Object.assign(this.section, { axis, share });
    this.section.place(box.min[axis], box.max[axis]);
    const planes = this.section.active ? [this.section.plane] : null;
    this.bodies.solidMaterial.clippingPlanes = this.bodies.creaseMaterial.clippingPlanes = planes;
    this.bodies.solidMaterial.needsUpdate = this.bodies.creaseMaterial.needsUpdate = true;
    this.stage.draw(true);
  }

  spread(value: number): void {
    this.exploded = value;
    this.bodies.explode = this.timeline?.opens ? 0 : EXPLODED * value;
    this.stage.showFloor(value === 0);
    this.refresh();
    this.fit(this.stage.direction());
  }

  showEdges(on: boolean): void {
    this.bodies.creaseMaterial.visible = this.edges = on;
    this.stage.draw();
  }

  pick(event: PointerEvent): number | null {
    return this.bodies.pick(this.stage.ray(event), (point) => this.section.keeps(point));
  }

  theme(): void {
    this.bodies.creaseMaterial.color = new Color(isDark() ? 0x0b0d10 : 0x23272e);
    this.markedLine.color = new Color(isDark() ? 0xffffff : 0x14171b);
    this.motion.update();
    this.stage.draw();
  }

  private makeLayers(forces: boolean, joints: boolean): void {
    const { scene, bodies } = this;
    this.forces = new Forces(scene, bodies);
    this.motion = new Motion(scene, bodies);
    this.joints = new Joints(scene, bodies);
    this.forces.visible = forces;
    this.joints.visible = joints;
    this.motion.visible = scene.motion !== null;
    this.motion.phase = this.picture ? 0.35 : 0;
    this.stage.scene.add(this.forces.arrows.group, this.motion.arrows.group);
    if (this.joints.mesh) this.stage.scene.add(this.joints.mesh);
  }

  // Poses, colours and marks at the moment.
  private prepare({ timeline, order }: Line): void {
    const { bodies, scene } = this;
    bodies.home();
    for (let part = 0; part < bodies.count; part++) bodies.shown[part] = roleOf(scene, part) === "absent" ? GHOST : SOLID;
    this.held = new Set(partsWithRole(scene, "held"));
    let marked: number[] = [];
    if (timeline) {
      const time = this.share * timeline.end;
      timeline.apply(time, bodies, this.exploded);
      for (const part of timeline.held(time)) this.held.add(part);
      marked = timeline.marked(time);
    }
    this.motion.apply();
    for (let part = 0; part < bodies.count; part++) bodies.color[part] = partColor(scene, this.mode, part, this.held, order);
    this.outline(marked.slice(0, FEW_OUTLINES));
    bodies.update();
    this.pins.show(this.held, bodies);
  }

  private outline(marked: number[]): void {
    const wanted = `${this.selected}|${marked.join()}`;
    if (wanted === this.outlines) return;
    this.outlines = wanted;
    const parts = marked.map((part): [number, LineBasicMaterial] => [part, this.markedLine]);
    if (this.selected !== null) parts.push([this.selected, this.selectedLine]);
    this.bodies.outlined(parts);
  }
}
