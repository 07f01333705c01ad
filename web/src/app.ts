// The page: one scene, a view of it, and the panels around it.

import { Vector3 } from "three";
import { breakLegend, choice, forceLegend, heldLegend, legend, sectionSlider, slider, type Switch, switches } from "./controls";
import { stateOf } from "./coloring";
import { el } from "./dom";
import { Eyes } from "./eyes";
import { factsCard, footerOf, headerOf } from "./frame";
import { onKey } from "./keys";
import { Player } from "./player";
import { Plots } from "./plots";
import { buildSteps } from "./printing";
import { partsWithRole, type Scene } from "./scene";
import { partCard } from "./selection";
import { tablesOf } from "./tables";
import { isDark, onSystemTheme, toggleTheme } from "./theme";
import { View } from "./view";

const PICTURE = "#picture"; // the page without panels, nothing moving: what --png photographs; #picture-film: --gif and --mp4
const VIEWS: [string, Vector3][] = [
  ["Front", new Vector3(0, -1, 0.02)],
  ["Side", new Vector3(1, 0, 0.02)],
  ["Top", new Vector3(0, -0.001, 1)],
];

// What a live page adds to each part's card, and above all panels.
export interface Extras {
  card(part: number): HTMLElement[];
  bar: HTMLElement;
}

export class App {
  private readonly picture = location.hash.startsWith(PICTURE);
  private readonly card = el("section", { class: "card selection", id: "selection", "aria-live": "polite" });
  private readonly keys = el("div", { class: "keys" });
  private readonly panes = el("div", { class: "panes", hidden: true });
  private readonly themeButton = el("button", { type: "button", class: "quiet", id: "theme", onclick: () => (toggleTheme(), this.theme()) });
  private readonly slots = { header: el("div"), facts: el("div"), look: el("section", { class: "card look" }), tables: el("div"), footer: el("div") };
  private readonly paper = el("section", { class: "build-steps", "aria-label": "Build steps" });
  private readonly timeSlot = el("div");
  private readonly listSlot = el("section", { class: "card" });
  private readonly view: View;
  private readonly plots: Plots;
  private readonly eyes: Eyes;
  private player: Player | null = null;
  private compared = false;
  private tabled: Scene["tables"] | null = null; // the tables that are shown

  constructor(
    private scene: Scene,
    private readonly extras: Extras | null = null,
  ) {
    this.view = new View(scene, this.picture, location.hash === PICTURE);
    this.plots = new Plots(scene, (time) => this.player?.pause(time));
    this.eyes = new Eyes(scene);
    this.makePlayer();
  }

  start(root: HTMLElement): void {
    const { slots, view, scene } = this;
    document.body.classList.toggle("picture", this.picture);
    const aside = el("aside", {}, this.extras?.bar, slots.facts, slots.look, this.card, this.player && this.player.list.childElementCount ? this.listSlot : null);
    root.replaceChildren(slots.header, el("main", {}, this.stageArea(), aside), ...(this.plots.section ? [this.plots.section] : []), slots.tables, this.paper, slots.footer);
    this.listen();
    this.panels();
    this.theme();
    view.refresh();
    view.fit();
    view.illuminate();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || this.picture;
    if (view.motion.visible && !calm) view.playMotion();
    if (scene.timeline?.kind === "frames" && !calm) this.player?.toggle();
  }

  onFirstFrame(done: () => void): void {
    this.view.stage.onFirstFrame = done;
  }

  // Another answer about the same parts; what was chosen stays chosen. `soon` when a person waits for it.
  adopt(scene: Scene, soon: boolean): void {
    const focus = document.activeElement?.id;
    const still = !this.view.motion.visible;
    this.scene = scene;
    this.view.adopt(scene, soon);
    this.panels();
    if (this.view.motion.visible && still && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.view.playMotion();
    if (focus) document.getElementById(focus)?.focus();
  }

  // Gives the graphics memory back.
  end(): void {
    this.view.stage.end();
  }

  // Go to a moment, 0 to 1, and stand still there: what films are made of. What does not move is walked around.
  seek(share: number): void {
    const { view } = this;
    if (this.player && view.timeline) this.player.pause(share * view.timeline.end);
    else if (view.motion.visible) {
      view.motion.phase = share ** 2;
      view.refresh();
    } else view.stage.around(share);
  }

  private panels(): void {
    const { scene, slots, view } = this;
    document.title = `${scene.headline.word} – ${scene.title} – Falsework`;
    slots.header.replaceChildren(headerOf(scene, this.themeButton));
    slots.facts.replaceChildren(factsCard(scene) ?? "");
    const colors = choice("Colour by", view.modes.map((mode): [string, string] => [mode.key, mode.label]), view.mode.key, (key) => (view.recolor(key), this.legends()));
    const explode = slider("explode", view.timeline?.opens ? "Take apart" : "Explode", view.exploded, (value) => view.spread(value));
    const section = sectionSlider(view.section, (axis, share) => view.cut(axis, share));
    slots.look.replaceChildren(...this.ways(), colors, switches(this.switches()), explode, section);
    if (scene.tables !== this.tabled) slots.tables.replaceChildren(tablesOf(scene, (part) => this.select(part, true)));
    slots.tables.classList.toggle("stale", scene.tables === this.tabled); // they come with the margin
    this.tabled = scene.tables;
    slots.footer.replaceChildren(footerOf(scene));
    this.describe();
    this.legends();
  }

  private select(part: number | null, look = false): void {
    this.view.select(part);
    this.describe();
    if (look && part !== null) this.view.host.scrollIntoView({ block: "nearest" });
  }

  private describe(): void {
    const { selected, held } = this.view;
    const hint = el("p", { class: "muted" }, "Click a part to see what it is and what it carries.");
    const known = selected === null ? [hint] : partCard(this.scene, selected, held, (other) => this.select(other));
    this.card.replaceChildren(...known, ...(selected === null || !this.extras ? [] : this.extras.card(selected)));
  }

  private stageArea(): HTMLElement {
    const { view } = this;
    view.host.append(this.panes);
    const views = VIEWS.map(([label, from]) => el("button", { type: "button", onclick: () => view.fit(from) }, label));
    const bar = el("div", { class: "viewbar" }, el("button", { type: "button", id: "reset", onclick: () => view.fit() }, "Reset"), ...views);
    return el("div", { class: "stage" }, view.host, this.keys, this.eyes.panel, bar, this.timeSlot);
  }

  // Which of several plans, all of them beside each other, and steps on paper.
  private ways(): HTMLElement[] {
    const { alternatives, timeline } = this.scene;
    if (timeline?.kind !== "steps") return [];
    const print = el("button", { type: "button", class: "quiet", id: "print", onclick: () => window.print() }, "Print build steps");
    if (!alternatives.length) return [print];
    const names = [timeline, ...alternatives].map((steps, number): [string, string] => [String(number), steps.label || `Plan ${number + 1}`]);
    const pick = choice("Plan", names, String(this.view.chosen), (key) => this.follow(Number(key)));
    return [pick, switches([{ key: "compare", label: "Side by side", on: this.compared, change: (on) => this.compare(on, names) }]), print];
  }

  private follow(line: number): void {
    this.view.chosen = line;
    this.makePlayer();
    this.view.refresh();
    this.describe();
  }

  private compare(on: boolean, names: [string, string][]): void {
    this.compared = on;
    this.panes.hidden = !on;
    this.panes.replaceChildren(...names.map(([, label]) => el("span", {}, label)));
    this.view.compare(on);
  }

  private makePlayer(): void {
    const { view } = this;
    const { timeline } = view;
    if (!timeline) return;
    const held = this.player ? view.share : timeline.poster / timeline.end;
    this.player = new Player(timeline, view.stage, (time) => {
      view.share = time / timeline.end;
      view.refresh();
      this.plots.at(time);
      this.eyes.at(time, timeline);
      if (view.selected !== null && timeline.marks.length) this.describe();
    });
    if (this.timeSlot.isConnected) this.player.pause(held * timeline.end);
    this.timeSlot.replaceChildren(this.player.bar);
    this.listSlot.replaceChildren(this.player.list);
    this.plots.at(held * timeline.end);
    this.eyes.at(held * timeline.end, timeline);
  }

  private switches(): Switch[] {
    const list: Switch[] = [];
    const { scene, view } = this;
    const layer = (of: { visible: boolean }, on: boolean): void => {
      of.visible = on;
      this.legends();
      view.refresh();
    };
    if (scene.arrows) list.push({ key: "forces", label: "Forces", on: view.forces.visible, change: (on) => layer(view.forces, on) });
    if (scene.joints) list.push({ key: "joints", label: "Joints", on: view.joints.visible, change: (on) => layer(view.joints, on) });
    if (scene.motion) list.push({ key: "motion", label: "Motion", on: view.motion.visible, change: (on) => (layer(view.motion, on), on && view.playMotion()) });
    if (this.eyes.panel) list.push({ key: "eyes", label: "Cameras", on: this.eyes.visible, change: (on) => this.eyes.show(on) });
    list.push({ key: "edges", label: "Edges", on: view.edges, change: (on) => view.showEdges(on) });
    return list;
  }

  private legends(): void {
    const { scene, view } = this;
    const held = new Set(partsWithRole(scene, "held"));
    const orders = [scene.timeline, ...scene.alternatives].filter((line) => line?.kind === "steps");
    for (const order of orders) for (const step of order.steps) for (const part of step.held) held.add(part);
    const states = new Set(scene.parts.names.map((_, part) => stateOf(scene, part, held)));
    if (held.size) states.add("stands");
    this.keys.replaceChildren(legend(view.mode, states, orders.length > 0));
    if (held.size || orders.length) this.keys.append(heldLegend());
    const shares = view.modes.find((mode) => mode.scalar?.unit === "%");
    if (view.joints.visible && shares && shares !== view.mode) this.keys.append(legend(shares, states, false));
    if (view.joints.visible && scene.joints?.breaking.some((breaks) => breaks > 0)) this.keys.append(breakLegend());
    if (view.forces.visible && scene.arrows) {
      const pushes = new Set(Array.from(scene.arrows.push, (push) => scene.arrows!.pushes[push]));
      this.keys.append(forceLegend(pushes, view.forces.largest));
    }
  }

  private theme(): void {
    this.view.theme();
    this.themeButton.textContent = isDark() ? "Light" : "Dark";
  }

  private listen(): void {
    let down = { x: 0, y: 0 };
    const canvas = this.view.stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5 || event.button !== 0) return;
      this.select(this.view.pick(event));
    });
    this.view.host.addEventListener("keydown", (event) => onKey(event, this.view, this.player, (part) => this.select(part)));
    addEventListener("beforeprint", () => this.prepareSheets());
    onSystemTheme(() => this.theme());
  }

  private prepareSheets(): void {
    const { view, player } = this;
    const { timeline } = view;
    if (!player || !timeline || this.scene.timeline?.kind !== "steps") return;
    const before = player.time;
    const show = (time: number): void => {
      view.share = time / timeline.end;
      view.refresh();
    };
    this.paper.replaceChildren(el("h2", {}, "Build steps"), ...buildSteps(timeline, view.stage, show));
    show(before);
  }
}
