// The scene as the page holds it: what studio/encoding.py wrote, arrays unpacked.
// Lengths are view units: the origin is the middle of the parts, 1 their largest extent.

import { type Numbers, type Packed, unpack } from "./unpack";

type Unpacked<T> = T extends Packed
  ? Numbers
  : T extends readonly (infer U)[]
    ? Unpacked<U>[]
    : T extends object
      ? { [K in keyof T]: Unpacked<T[K]> }
      : T;

interface RawColumn {
  label: string;
  kind: "text" | "number" | "share" | "part";
  values: (string | number | null)[];
}

interface RawTable {
  title: string;
  caption: string;
  columns: RawColumn[];
}

interface RawPoses {
  position: Packed;
  quaternion: Packed;
}

interface RawStep {
  label: string;
  detail: string;
  placed: number[];
  held: number[];
  path?: RawPoses; // of the first placed part, from free to final
  apart?: RawPoses; // of it, from its place to its place in the exploded view
  failed?: boolean;
  turn?: number[]; // wxyz: how the model lies from this step on
}

interface RawSteps {
  kind: "steps";
  label: string;
  held: number[]; // before the first step
  steps: RawStep[];
}

interface RawFrames {
  kind: "frames";
  times: Packed;
  moving: Packed;
  low: Packed; // of each moving part
  side: Packed;
  position: Packed; // in 16-bit steps between them
  quaternion: Packed;
  poster: number; // s: the moment that a picture shows
  events: { time: number; label: string; kind: "break" | "join" | "note"; parts: number[] }[];
}

interface RawCurve {
  label: string;
  unit: string;
  plot: string;
  times: Packed;
  values: Packed;
  known: Packed;
}

export interface Snapshot {
  time: number;
  camera: string;
  src: string; // data:image/jpeg
  caption: string;
}

interface RawScene {
  format: string;
  kind: string;
  title: string;
  headline: { tone: "yes" | "no" | "open" | "plain"; word: string; sentence: string };
  facts: [string, string][];
  notes: string[];
  colorBy: string;
  view: { origin: number[]; size: number; floor: number };
  meshes: {
    geometries: { vertices: Packed; triangles: Packed }[];
    geometry: Packed;
    low: Packed;
    side: Packed;
  };
  parts: {
    names: string[];
    labels: string[];
    label: Packed;
    mesh: Packed;
    position: Packed;
    quaternion: Packed; // wxyz
    com: Packed;
    mass: Packed;
    colors: string[];
    color: Packed;
    roles: string[];
    role: Packed;
    falling: Packed;
  };
  arrows: { point: Packed; force: Packed; first: Packed; second: Packed; pushes: string[]; push: Packed } | null;
  motion: { twist: Packed; note: string } | null;
  scalars: { label: string; unit: string; low: number; high: number; values: Packed; known: Packed }[];
  joints: { bodies: Packed; point: Packed; values: Packed; known: Packed; breaking: Packed } | null;
  timeline: RawFrames | RawSteps | null;
  alternatives: RawSteps[];
  curves: RawCurve[];
  snapshots: Snapshot[]; // in time
  tables: RawTable[];
  provenance: [string, string][];
}

export type Scene = Unpacked<RawScene>;
export type Steps = Unpacked<RawSteps>;
export type Poses = Unpacked<RawPoses>;
export type Frames = Unpacked<RawFrames>;
export type Curve = Unpacked<RawCurve>;
export type Table = RawTable;
export type Column = RawColumn;
export type Scalar = Scene["scalars"][number];

// Another answer about the same parts, as `changes` of studio/encoding.py writes it.
interface RawAnswer extends Pick<RawScene, "headline" | "facts" | "notes" | "colorBy" | "arrows" | "motion" | "scalars"> {
  parts: Pick<RawScene["parts"], "role" | "falling">;
  joints: Pick<NonNullable<RawScene["joints"]>, "values" | "known" | "breaking"> | null;
  tables?: RawTable[];
}

export type Answer = RawAnswer;

const PACKED_KEYS = new Set(["t", "b", "z"]);

export async function readScene(text: string): Promise<Scene> {
  return (await unpacked(JSON.parse(text))) as Scene;
}

export async function readAnswer(answer: Answer): Promise<Unpacked<RawAnswer>> {
  return (await unpacked(answer)) as Unpacked<RawAnswer>;
}

// The scene after another answer: places and shapes stay.
export function merged(scene: Scene, answer: Unpacked<RawAnswer>): Scene {
  const joints = scene.joints && answer.joints && { ...scene.joints, ...answer.joints };
  return { ...scene, ...answer, parts: { ...scene.parts, ...answer.parts }, joints, tables: answer.tables ?? scene.tables };
}

// Every object that holds nothing but a type and its bytes becomes an array, in place; everything else stays.
async function unpacked(value: unknown): Promise<unknown> {
  const root = { value };
  const waiting: Promise<void>[] = [];
  walk(root, waiting);
  await Promise.all(waiting);
  return root.value;
}

function walk(owner: Record<string, unknown> | unknown[], waiting: Promise<void>[]): void {
  if (Array.isArray(owner) && typeof owner[0] !== "object") return; // names and numbers: there may be 10⁵ of them
  const entries = owner as Record<string, unknown>;
  for (const key of Object.keys(entries)) {
    const inner = entries[key];
    if (typeof inner !== "object" || inner === null) continue;
    if (isPacked(inner)) waiting.push(unpack(inner).then((array) => void (entries[key] = array)));
    else walk(inner as Record<string, unknown>, waiting);
  }
}

function isPacked(value: object): value is Packed {
  return "t" in value && Object.keys(value).every((key) => PACKED_KEYS.has(key));
}

export function roleOf(scene: Scene, part: number): string {
  return scene.parts.roles[scene.parts.role[part]];
}

export function labelOf(scene: Scene, part: number): string {
  return scene.parts.labels[scene.parts.label[part]];
}

export function partsWithRole(scene: Scene, role: string): number[] {
  return scene.parts.names.map((_, part) => part).filter((part) => roleOf(scene, part) === role);
}
