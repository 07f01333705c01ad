// A page with a server behind it: parts can be removed, held and loaded, and the verdict follows.
// One question is under way at a time, the last one wins; the margin is asked for when nothing else is.

import type { App, Extras } from "./app";
import { el, name } from "./dom";
import { number } from "./numbers";
import { type Answer, merged, readAnswer, readScene, roleOf, type Scene } from "./scene";

const PAUSE_MS = 350; // of nobody asking, before the margin is looked for
const WAYS: [string, number[]][] = [
  ["down", [0, 0, -1]],
  ["up", [0, 0, 1]],
  ["+x", [1, 0, 0]],
  ["−x", [-1, 0, 0]],
  ["+y", [0, 1, 0]],
  ["−y", [0, -1, 0]],
];

export interface LivePage {
  file: string;
  files: string[];
  version: number;
}

type Depth = "verdict" | "margin";

export class Live implements Extras {
  readonly bar: HTMLElement;
  onScene: (scene: Scene) => void = () => undefined; // the file has changed
  private app: App | null = null;
  private readonly absent = new Set<number>();
  private readonly held = new Set<number>();
  private readonly loads = new Map<number, { way: number; newtons: number }>();
  private readonly changes = el("div", { class: "changes" });
  private readonly status = el("p", { class: "muted", id: "live-status", role: "status" });
  private asking = false;
  private wanted: Depth | null = null;
  private begun = 0;
  private pause = 0;
  private margin: AbortController | null = null; // the question that nobody has to wait for

  constructor(
    private readonly page: LivePage,
    private scene: Scene,
  ) {
    this.bar = el("section", { class: "card live", "aria-label": "Changes" }, this.files(), this.changes, this.status);
    this.show();
    this.listen();
    this.later();
  }

  attach(app: App): void {
    this.app = app;
  }

  card(part: number): HTMLElement[] {
    const role = roleOf(this.scene, part);
    if (role === "ground" || this.scene.kind !== "check") return [];
    const toggle = (id: string, set: Set<number>, on: string, off: string): HTMLElement =>
      el("button", { type: "button", class: "quiet", id, onclick: () => this.flip(set, part) }, set.has(part) ? off : on);
    const acts = [];
    if (role !== "fixed") acts.push(toggle("remove", this.absent, "Remove", "Put back"));
    if (role !== "fixed" && !this.absent.has(part)) acts.push(toggle("hold", this.held, "Hold", "Let go"));
    return [el("div", { class: "acts" }, ...acts), ...(this.absent.has(part) ? [] : [this.loadRow(part)])];
  }

  private loadRow(part: number): HTMLElement {
    const known = this.loads.get(part) ?? { way: 0, newtons: 0 };
    const newtons = el("input", { type: "number", id: "load", min: 0, step: "any", value: known.newtons, "aria-label": "Load in newtons" });
    const ways = WAYS.map(([label], k) => el("option", { value: k, selected: k === known.way }, label));
    const way = el("select", { id: "load-way", "aria-label": "Direction of the load" }, ...ways);
    const apply = (): void => {
      const size = Number(newtons.value);
      if (Number.isFinite(size) && size > 0) this.loads.set(part, { way: Number(way.value), newtons: size });
      else this.loads.delete(part);
      this.ask();
    };
    newtons.addEventListener("change", apply);
    way.addEventListener("change", apply);
    return el("label", { class: "load" }, el("span", {}, "Load (N)"), newtons, way);
  }

  private flip(set: Set<number>, part: number): void {
    if (!set.delete(part)) set.add(part);
    if (this.absent.has(part)) this.held.delete(part);
    this.ask();
  }

  private reset(): void {
    for (const kind of [this.absent, this.held, this.loads]) kind.clear();
    this.ask();
  }

  private ask(depth: Depth = "verdict"): void {
    clearTimeout(this.pause);
    if (depth === "verdict") {
      this.margin?.abort();
      if (this.wanted !== "verdict") this.begun = performance.now();
      this.show();
    }
    this.wanted = depth;
    if (!this.asking) void this.send();
  }

  private later(): void {
    clearTimeout(this.pause);
    if (this.scene.kind === "check") this.pause = window.setTimeout(() => this.ask("margin"), PAUSE_MS);
  }

  private async send(): Promise<void> {
    this.asking = true;
    while (this.wanted) {
      const depth: Depth = this.wanted;
      this.wanted = null;
      this.margin = depth === "margin" ? new AbortController() : null;
      try {
        await this.sent(depth);
      } catch (why) {
        if (this.margin?.signal.aborted) continue;
        this.say(`The server does not answer (${String(why)}); is falsework still running?`);
      }
    }
    this.asking = false;
  }

  private async sent(depth: Depth): Promise<void> {
    const loads = [...this.loads].map(([part, { way, newtons }]) => [part, WAYS[way][1].map((axis) => axis * newtons)]);
    const body = JSON.stringify({ version: this.page.version, depth, absent: [...this.absent], held: [...this.held], loads });
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body, signal: this.margin?.signal };
    const response = await fetch(`ask?file=${encodeURIComponent(this.page.file)}`, request);
    if (!response.ok) return this.say(await trouble(response));
    const found = (await response.json()) as { answer?: Answer; ms: number };
    if (!found.answer) return; // the file has changed: the line of events brings the new one
    if (this.wanted === "verdict" && depth === "margin") return; // somebody has moved on
    this.scene = merged(this.scene, await readAnswer(found.answer));
    this.app?.adopt(this.scene, depth === "verdict");
    if (depth === "margin") return;
    const spent = performance.now() - this.begun;
    Object.assign(document.documentElement.dataset, { answerMs: spent.toFixed(1), solveMs: found.ms.toFixed(1) });
    this.say(`Answered in ${spent.toFixed(0)} ms, ${number(found.ms)} ms of them solving.`);
    if (!this.wanted) this.later();
  }

  // The file on disk: a new version is fetched whole, and what was done is done again to the parts of the same names.
  private listen(): void {
    const line = new EventSource(`events?file=${encodeURIComponent(this.page.file)}`);
    line.onmessage = (message) => {
      const news = JSON.parse(message.data as string) as { version?: number; trouble: string };
      if (news.trouble) this.say(news.trouble);
      else if (news.version !== undefined && news.version !== this.page.version) void this.reload();
    };
  }

  private async reload(): Promise<void> {
    const response = await fetch(`scene?file=${encodeURIComponent(this.page.file)}`);
    if (!response.ok) return this.say(await trouble(response));
    const found = (await response.json()) as { version: number; scene: unknown };
    const names = this.scene.parts.names;
    this.page.version = found.version;
    this.scene = await readScene(JSON.stringify(found.scene));
    const place = new Map(this.scene.parts.names.map((one, part): [string, number] => [one, part]));
    for (const set of [this.absent, this.held]) {
      const kept = [...set].flatMap((part) => place.get(names[part]) ?? []);
      set.clear();
      for (const part of kept) set.add(part);
    }
    const loads = [...this.loads].flatMap(([part, load]) => (place.has(names[part]) ? [[place.get(names[part])!, load] as const] : []));
    this.loads.clear();
    for (const [part, load] of loads) this.loads.set(part, load);
    this.onScene(this.scene);
    this.say("The file has changed.");
    this.show();
    if (this.absent.size + this.held.size + this.loads.size) this.ask();
    else this.later();
  }

  private files(): HTMLElement | null {
    if (this.page.files.length < 2) return null;
    const options = this.page.files.map((file) => el("option", { value: file, selected: file === this.page.file }, file));
    const open = (): void => location.assign(`?file=${encodeURIComponent(pick.value)}`);
    const pick: HTMLSelectElement = el("select", { id: "file", onchange: open }, ...options);
    return el("label", { class: "slider" }, el("span", {}, "File"), pick);
  }

  private say(text: string): void {
    this.status.textContent = text;
  }

  private show(): void {
    const { names } = this.scene.parts;
    const chip = (part: number, what: string, undo: () => void): HTMLElement =>
      el("button", { type: "button", class: "chip", "aria-label": `Undo: ${names[part]} ${what}`, onclick: () => (undo(), this.ask()) }, name(names[part]), ` ${what} ×`);
    const chips = [
      ...[...this.absent].map((part) => chip(part, "removed", () => this.absent.delete(part))),
      ...[...this.held].map((part) => chip(part, "held", () => this.held.delete(part))),
      ...[...this.loads].map(([part, { newtons, way }]) => chip(part, `${number(newtons)} N ${WAYS[way][0]}`, () => this.loads.delete(part))),
    ];
    const hint = el("p", { class: "muted" }, this.scene.kind === "check" ? "Select a part to remove, hold or load it." : "");
    const undo = el("button", { type: "button", class: "quiet", id: "undo-all", onclick: () => this.reset() }, "Undo all");
    this.changes.replaceChildren(...(chips.length ? [...chips, undo] : [hint]));
  }
}

async function trouble(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { trouble: string }).trouble);
  } catch {
    return text;
  }
}
