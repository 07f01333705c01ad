// Time: frames of a motion, or steps of a plan. Either puts the parts where they are at a moment.

import { Quaternion, Vector3 } from "three";
import { type Bodies, HIDDEN } from "./bodies";
import { number } from "./numbers";
import type { Frames, Poses, Scene, Steps } from "./scene";

export interface Mark {
  time: number;
  label: string;
  detail: string;
  kind: string; // "break", "join" or "note"; of a step "placing" or "failed"
  parts: number[];
}

export interface Timeline {
  readonly end: number;
  readonly pace: number; // of its time a second of watching
  readonly poster: number; // where it stands when the page opens
  readonly marks: Mark[]; // events, or the ends of steps, in time
  readonly opens: boolean; // whether it knows how to take the parts apart
  apply(time: number, bodies: Bodies, opened: number): void; // bodies are home and shown; `opened`, 0 to 1: taken apart
  held(time: number): number[];
  marked(time: number): number[]; // parts to which something happens
  caption(time: number): string;
  current(time: number): number; // the mark that is under way, −1 before the first
  title(mark: Mark, number: number): string;
}

export function timelineOf(scene: Scene): Timeline | null {
  if (!scene.timeline) return null;
  return scene.timeline.kind === "frames" ? new FrameLine(scene.timeline) : new StepLine(scene, scene.timeline);
}

// When each part comes, 0 to 1: by steps where there are some, else by the order in the file.
export function orderOf(scene: Scene, line: Steps | Frames | null): Float32Array {
  const count = scene.parts.names.length;
  const order = Float32Array.from({ length: count }, (_, part) => part / Math.max(1, count - 1));
  if (line?.kind !== "steps") return order;
  const { steps } = line;
  order.fill(0);
  steps.forEach((step, k) => step.placed.forEach((part) => (order[part] = (k + 1) / steps.length)));
  return order;
}

const FLASH = 0.3; // s: how long the parts of an event are marked
const [SHORTEST, LONGEST] = [2, 30]; // s of watching: quicker motions are slowed down, longer ones hurried

class FrameLine implements Timeline {
  readonly end: number;
  readonly pace: number;
  readonly poster: number;
  readonly marks: Mark[];
  readonly opens = false;

  constructor(private readonly frames: Frames) {
    this.end = frames.times[frames.times.length - 1];
    this.poster = Math.min(this.end, frames.poster);
    this.pace = this.end / Math.min(LONGEST, Math.max(SHORTEST, this.end));
    this.marks = frames.events.map((event) => ({ ...event, detail: "" }));
  }

  apply(time: number, bodies: Bodies): void {
    const { times, moving, low, side, position, quaternion } = this.frames;
    const next = Math.min(times.length - 1, Math.max(1, firstAt(times.length, (i) => times[i] >= time)));
    const share = Math.min(1, Math.max(0, (time - times[next - 1]) / (times[next] - times[next - 1])));
    const [a, b] = [new Quaternion(), new Quaternion()];
    for (let i = 0; i < moving.length; i++) {
      const part = moving[i];
      const [before, after] = [(next - 1) * moving.length + i, next * moving.length + i];
      for (let k = 0; k < 3; k++) {
        const step = position[3 * before + k] + (position[3 * after + k] - position[3 * before + k]) * share;
        bodies.position[3 * part + k] = low[3 * i + k] + (side[3 * i + k] * step) / 65535;
      }
      read(a, quaternion, before, 32767).slerp(read(b, quaternion, after, 32767), share);
      bodies.quaternion.set([a.w, a.x, a.y, a.z], 4 * part);
    }
  }

  held(): number[] {
    return [];
  }

  marked(time: number): number[] {
    const [first, last] = [firstAt(this.marks.length, (i) => this.marks[i].time >= time - FLASH * this.pace), this.current(time)];
    return this.marks.slice(first, last + 1).flatMap((mark) => mark.parts);
  }

  caption(time: number): string {
    const speed = this.pace === 1 ? "" : this.pace < 1 ? `, slowed ${number(1 / this.pace)} times` : `, ${number(this.pace)} times as fast`;
    return `${time.toFixed(2)} s of ${this.end.toFixed(2)} s${speed}`;
  }

  current(time: number): number {
    return firstAt(this.marks.length, (i) => this.marks[i].time > time + 1e-6) - 1;
  }

  title(mark: Mark): string {
    return `${mark.time.toFixed(2)} s`;
  }
}

const ARRIVAL = 0.35; // view units: from how high a part comes that has no path

export class StepLine implements Timeline {
  readonly end: number;
  readonly pace = 1.25;
  readonly poster: number;
  readonly marks: Mark[];
  readonly opens: boolean;
  private readonly comes: Float32Array; // the step that places each part, −1 for those there from the start
  private readonly turns: Quaternion[]; // how the model lies before each step, and at the end

  constructor(
    private readonly scene: Scene,
    private readonly line: Steps,
  ) {
    this.end = this.poster = line.steps.length;
    this.marks = line.steps.map(({ label, detail, placed, failed }, k) => ({ time: k + 1, label, detail, kind: failed ? "failed" : "placing", parts: placed }));
    this.comes = new Float32Array(scene.parts.names.length).fill(-1);
    line.steps.forEach((step, k) => step.placed.forEach((part) => (this.comes[part] = k)));
    this.opens = line.steps.some((step) => step.apart);
    this.turns = [new Quaternion()];
    for (const step of line.steps) this.turns.push(step.turn ? read(new Quaternion(), step.turn, 0, 1) : this.turns.at(-1)!);
  }

  apply(time: number, bodies: Bodies, opened: number): void {
    for (let part = 0; part < bodies.count; part++) if (this.comes[part] >= time) bodies.shown[part] = HIDDEN;
    const now = Math.floor(time);
    if (now < this.end && time > now) this.arrive(now, time - now, bodies);
    if (opened > 0) this.open(now, opened, bodies);
    const [before, after] = [this.turns[now], this.turns[Math.min(now + 1, this.end)]];
    bodies.lay(before === after ? before : before.clone().slerp(after, eased(time - now)));
  }

  held(time: number): number[] {
    const now = Math.floor(time);
    const done = now > 0 ? this.line.steps[now - 1].held : this.line.held;
    return time > now && now < this.end ? [...done, ...this.line.steps[now].placed] : done;
  }

  marked(time: number): number[] {
    return time > 0 && time < this.end ? this.line.steps[Math.ceil(time) - 1].placed : [];
  }

  caption(time: number): string {
    const done = Math.ceil(time);
    return done === 0 ? `start of ${this.end} steps` : `step ${done} of ${this.end}: ${this.line.steps[done - 1].label}`;
  }

  current(time: number): number {
    return Math.ceil(time - 1e-6) - 1;
  }

  title(_: Mark, number: number): string {
    return String(number + 1);
  }

  // The parts of a step on their way; from above where no path is known.
  private arrive(number: number, share: number, bodies: Bodies): void {
    const { path, placed } = this.line.steps[number];
    if (!placed.length) return;
    if (path) return this.move(placed, path, eased(share), bodies);
    const { place, turn } = this.home(placed[0]);
    place.z += ARRIVAL * (1 - eased(share));
    this.carry(placed, place, turn, bodies);
  }

  // The exploded view: of what is there, the last to come leaves first, each along its own path.
  private open(now: number, opened: number, bodies: Bodies): void {
    const there = this.line.steps.slice(0, now).filter((step) => step.apart);
    there.reverse().forEach(({ apart, placed }, k) => {
      const share = Math.min(1, opened * there.length - k);
      if (share > 0) this.move(placed, apart!, share, bodies);
    });
  }

  private move(parts: number[], { position, quaternion }: Poses, share: number, bodies: Bodies): void {
    const last = position.length / 3 - 1;
    const at = share * last;
    const low = Math.min(Math.floor(at), Math.max(0, last - 1));
    const high = Math.min(low + 1, last);
    const place = new Vector3().fromArray(position, 3 * low).lerp(new Vector3().fromArray(position, 3 * high), at - low);
    const turn = read(new Quaternion(), quaternion, low, 1).slerp(read(new Quaternion(), quaternion, high, 1), at - low);
    this.carry(parts, place, turn, bodies);
  }

  // Put parts where they are when the first of them is there: all move as it does.
  private carry(parts: number[], place: Vector3, turn: Quaternion, bodies: Bodies): void {
    const home = this.home(parts[0]);
    const change = turn.clone().multiply(home.turn.clone().invert());
    for (const part of parts) {
      const own = this.home(part);
      own.place.sub(home.place).applyQuaternion(change).add(place).toArray(bodies.position, 3 * part);
      own.turn.premultiply(change);
      bodies.quaternion.set([own.turn.w, own.turn.x, own.turn.y, own.turn.z], 4 * part);
    }
  }

  private home(part: number): { place: Vector3; turn: Quaternion } {
    const { position, quaternion } = this.scene.parts;
    return { place: new Vector3().fromArray(position, 3 * part), turn: read(new Quaternion(), quaternion, part, 1) };
  }
}

function eased(share: number): number {
  return 1 - (1 - share) ** 2;
}

// The first of `count` numbers for which something holds that holds for all after it; `count` where it holds for none.
function firstAt(count: number, holds: (i: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function read(out: Quaternion, wxyz: ArrayLike<number>, at: number, scale: number): Quaternion {
  out.set(wxyz[4 * at + 1] / scale, wxyz[4 * at + 2] / scale, wxyz[4 * at + 3] / scale, wxyz[4 * at] / scale);
  return out.normalize();
}
