// The page: one scene, one view of it, and everything that changes how it is looked at.

import { type Box3, Color, LineBasicMaterial, Vector3 } from "three";
import { Bodies, GHOST, SOLID } from "./bodies";
import { colorModes, partColor, stateOf } from "./coloring";
import { breakLegend, choice, forceLegend, legend, sectionSlider, slider, type Switch, switches } from "./controls";
import { Section } from "./cut";
import { el } from "./dom";
import { Forces } from "./forces";
import { factsCard, footerOf, headerOf } from "./frame";
import { Joints } from "./joints";
import { Motion } from "./motion";
import { Player } from "./player";
import { power } from "./power";
import { partsWithRole, roleOf, type Scene } from "./scene";
import { partCard } from "./selection";
import { Stage } from "./stage";
import { tablesOf } from "./tables";
import { isDark, onSystemTheme, toggleTheme } from "./theme";
import { orderOf, type Timeline, timelineOf } from "./timeline";

const EXPLODED = 0.9; // of each part's distance from the foot's middle, at the end of the slider
const WIDE_GROUND = 1.5; // against the parts: a ground that is wider does not have to be in view
const FEW_ARROWS = 400; // are shown from the start
const PICTURE = "#picture"; // the page without panels, nothing moving: what --png photographs
const VIEWS: [string, Vector3][] = [
  ["Front", new Vector3(0, -1, 0.02)],
  ["Side", new Vector3(1, 0, 0.02)],
  ["Top", new Vector3(0, -0.001, 1)],
];

export class App {
  private readonly view = el("div", { class: "view", id: "view", tabIndex: 0, role: "application", "aria-label": "The assembly in 3D" });
  private readonly card = el("section", { class: "card selection", id: "selection", "aria-live": "polite" });
  private readonly keys = el("div", { class: "keys" });
  private readonly themeButton = el("button", { type: "button", class: "quiet", id: "theme", onclick: () => (toggleTheme(), this.theme()) });
  private readonly stage: Stage;
  private readonly bodies: Bodies;
  private readonly forces: Forces;
  private readonly motion: Motion;
  private readonly joints: Joints;
  private readonly timeline: Timeline | null;
  private readonly player: Player | null;
  private readonly section = new Section();
  private readonly modes;
  private readonly order: Float32Array;
  private readonly outline = new LineBasicMaterial({ color: 0xe8590c, depthTest: false, transparent: true });
  private readonly picture = location.hash === PICTURE;
  private mode;
  private selected: number | null = null;
  private held = new Set<number>();
  private edges = true;

  constructor(private readonly scene: Scene) {
    this.modes = colorModes(scene);
    this.mode = this.modes.find((mode) => mode.key === scene.colorBy) ?? this.modes[0];
    this.order = orderOf(scene);
    const able = power(this.picture);
    this.stage = new Stage(this.view, able);
    this.bodies = new Bodies(scene, able.shadows);
    this.forces = new Forces(scene, this.bodies);
    this.motion = new Motion(scene, this.bodies);
    this.joints = new Joints(scene, this.bodies);
    this.timeline = timelineOf(scene);
    this.player = this.timeline && new Player(this.timeline, this.stage, () => this.refresh());
    this.stage.scene.add(this.bodies.group, this.forces.arrows.group, this.motion.arrows.group);
    if (this.joints.mesh) this.stage.scene.add(this.joints.mesh);
    this.motion.visible = scene.motion !== null;
    this.stage.shadowEvery = this.bodies.count > 300 ? 4 : 1;
    this.motion.phase = this.picture ? 0.35 : 0;
    this.forces.visible = scene.arrows !== null && !scene.joints && scene.arrows.push.length <= FEW_ARROWS;
  }

  start(root: HTMLElement): void {
    document.title = `${this.scene.headline.word} – ${this.scene.title} – Falsework`;
    document.body.classList.toggle("picture", this.picture);
    root.append(headerOf(this.scene, this.themeButton), el("main", {}, this.stageArea(), this.panel()), tablesOf(this.scene, (part) => this.select(part, true)), footerOf(this.scene));
    this.listen();
    this.theme();
    this.refresh();
    this.fit();
    const all = this.bodies.bounds(true);
    this.stage.illuminate(all.getCenter(new Vector3()), Math.min(0.5 * all.getSize(new Vector3()).length(), 4), all.min.z - 1e-3);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || this.picture;
    if (this.motion.visible && !calm) this.play();
  }

  onFirstFrame(done: () => void): void {
    this.stage.onFirstFrame = done;
  }

  // Everything that depends on what is chosen, drawn anew.
  private refresh(): void {
    const { bodies, scene, player } = this;
    bodies.home();
    for (let part = 0; part < bodies.count; part++) bodies.shown[part] = roleOf(scene, part) === "absent" ? GHOST : SOLID;
    this.held = new Set(partsWithRole(scene, "held"));
    if (player && this.timeline) {
      this.timeline.apply(player.time, bodies);
      for (const part of this.timeline.held(player.time)) this.held.add(part);
    }
    this.motion.apply();
    this.paint();
    this.forces.update(this.selected);
    this.motion.update();
    this.joints.update();
    this.stage.draw(true);
  }

  private paint(): void {
    for (let part = 0; part < this.bodies.count; part++) {
      this.bodies.color[part] = partColor(this.scene, this.mode, part, this.held, this.order);
    }
    this.bodies.update();
  }

  private select(part: number | null, look = false): void {
    this.selected = part;
    this.bodies.outlined(part === null ? [] : [part], this.outline);
    this.describe();
    if (look && part !== null) this.view.scrollIntoView({ block: "nearest" });
    this.refresh();
  }

  private describe(): void {
    this.card.replaceChildren(
      ...(this.selected === null
        ? [el("p", { class: "muted" }, "Click a part to see what it is and what it carries.")]
        : partCard(this.scene, this.selected, this.held, (other) => this.select(other))),
    );
  }

  private play(): void {
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

  private fit(from?: Vector3): void {
    const [parts, all] = [this.bodies.bounds(false), this.bodies.bounds(true)];
    const size = (box: Box3): number => box.getSize(new Vector3()).length();
    const box = size(all) < WIDE_GROUND * size(parts) ? all : parts;
    this.stage.fit(this.motion.visible ? box.expandByScalar(0.08) : box, from?.clone().normalize());
  }

  private cut(axis: "x" | "y" | "z", share: number): void {
    const box = this.bodies.bounds(false);
    Object.assign(this.section, { axis, share });
    this.section.place(box.min[axis], box.max[axis]);
    const planes = this.section.active ? [this.section.plane] : null;
    this.bodies.solidMaterial.clippingPlanes = this.bodies.creaseMaterial.clippingPlanes = planes;
    this.bodies.solidMaterial.needsUpdate = this.bodies.creaseMaterial.needsUpdate = true;
    this.stage.draw(true);
  }

  private stageArea(): HTMLElement {
    const views = VIEWS.map(([label, from]) => el("button", { type: "button", onclick: () => this.fit(from) }, label));
    const bar = el("div", { class: "viewbar" }, el("button", { type: "button", id: "reset", onclick: () => this.fit() }, "Reset"), ...views);
    const area = el("div", { class: "stage" }, this.view, this.keys, bar);
    if (this.player) area.append(this.player.bar);
    this.legends();
    return area;
  }

  private panel(): HTMLElement {
    this.describe();
    return el(
      "aside",
      {},
      factsCard(this.scene),
      el(
        "section",
        { class: "card look" },
        choice("Colour by", this.modes.map((mode): [string, string] => [mode.key, mode.label]), this.mode.key, (key) => this.recolor(key)),
        switches(this.switches()),
        slider("explode", "Explode", 0, (value) => this.spread(value)),
        sectionSlider((axis, share) => this.cut(axis, share)),
      ),
      this.card,
      this.player && this.player.list.childElementCount ? el("section", { class: "card" }, this.player.list) : null,
    );
  }

  private switches(): Switch[] {
    const list: Switch[] = [];
    const { scene } = this;
    if (scene.arrows) list.push({ key: "forces", label: "Forces", on: this.forces.visible, change: (on) => this.toggle(this.forces, on) });
    if (scene.joints) list.push({ key: "joints", label: "Joints", on: false, change: (on) => this.toggle(this.joints, on) });
    if (scene.motion) list.push({ key: "motion", label: "Motion", on: true, change: (on) => (this.toggle(this.motion, on), on && this.play()) });
    list.push({ key: "edges", label: "Edges", on: true, change: (on) => ((this.bodies.creaseMaterial.visible = this.edges = on), this.stage.draw()) });
    return list;
  }

  private toggle(layer: { visible: boolean }, on: boolean): void {
    layer.visible = on;
    this.legends();
    this.refresh();
  }

  private recolor(key: string): void {
    this.mode = this.modes.find((mode) => mode.key === key) ?? this.mode;
    this.legends();
    this.refresh();
  }

  private legends(): void {
    const { scene } = this;
    const held = new Set(partsWithRole(scene, "held"));
    if (scene.timeline?.kind === "steps") scene.timeline.steps.forEach((step) => step.held.forEach((part) => held.add(part)));
    const states = new Set(scene.parts.names.map((_, part) => stateOf(scene, part, held)));
    if (held.size) states.add("stands");
    this.keys.replaceChildren(legend(this.mode, states, scene.timeline?.kind === "steps"));
    const shares = this.modes.find((mode) => mode.scalar?.unit === "%");
    if (this.joints.visible && shares && shares !== this.mode) this.keys.append(legend(shares, states, false));
    if (this.joints.visible && scene.joints?.breaking.some((breaks) => breaks > 0)) this.keys.append(breakLegend());
    if (this.forces.visible && scene.arrows) {
      const pushes = new Set(Array.from(scene.arrows.push, (push) => scene.arrows!.pushes[push]));
      this.keys.append(forceLegend(pushes, this.forces.largest));
    }
  }

  private spread(value: number): void {
    this.bodies.explode = EXPLODED * value;
    this.stage.showFloor(value === 0);
    this.refresh();
    this.fit(this.stage.direction());
  }

  private theme(): void {
    this.bodies.creaseMaterial.color = new Color(isDark() ? 0x0b0d10 : 0x23272e);
    this.themeButton.textContent = isDark() ? "Light" : "Dark";
    this.motion.update();
    this.stage.draw();
  }

  private listen(): void {
    let down = { x: 0, y: 0 };
    const canvas = this.stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5 || event.button !== 0) return;
      this.select(this.bodies.pick(this.stage.ray(event), (point) => this.section.keeps(point)));
    });
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.stage.onPace = (hurried) => (this.bodies.creaseMaterial.visible = this.edges && !hurried);
    onSystemTheme(() => this.theme());
  }

  private key(event: KeyboardEvent): void {
    const turns: Record<string, [number, number, number?]> = {
      ArrowLeft: [-0.12, 0],
      ArrowRight: [0.12, 0],
      ArrowUp: [0, 0.1],
      ArrowDown: [0, -0.1],
      "+": [0, 0, 1.15],
      "=": [0, 0, 1.15],
      "-": [0, 0, 1 / 1.15],
    };
    const count = this.bodies.count;
    const { selected, player } = this;
    if (turns[event.key]) this.stage.orbit(...turns[event.key]);
    else if (event.key === "0" || event.key === "Home") this.fit();
    else if (event.key === "]") this.select(selected === null ? 0 : (selected + 1) % count);
    else if (event.key === "[") this.select(selected === null ? count - 1 : (selected + count - 1) % count);
    else if (event.key === "Escape") this.select(null);
    else if (event.key === " " && player) player.toggle();
    else if (event.key === "." && player) player.step(1);
    else if (event.key === "," && player) player.step(-1);
    else return;
    event.preventDefault();
  }
}
