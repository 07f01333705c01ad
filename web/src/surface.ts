// Surfaces for drawing: normals that keep creases sharp, and the creases themselves as lines.

import { BufferAttribute, BufferGeometry } from "three";
import type { Numbers } from "./unpack";

const SMOOTH = Math.cos((32 * Math.PI) / 180); // faces that meet at less are one curved surface

export interface Surface {
  solid: BufferGeometry;
  creases: BufferGeometry;
  triangles: number;
}

// `steps` are vertices in 16-bit steps of a unit cube; `side` is how far the cube is stretched when it is drawn.
export function surface(steps: Numbers, triangles: Numbers, side: number[]): Surface {
  const unit = Float32Array.from(steps, (step) => step / 65535);
  const normals = faceNormals(unit, triangles, side);
  const solid = indexed(unit, triangles, creasedNormals(unit.length / 3, triangles, normals, side));
  const creases = new BufferGeometry();
  creases.setAttribute("position", new BufferAttribute(creaseLines(unit, triangles, normals), 3));
  return { solid, creases, triangles: triangles.length / 3 };
}

// Corners with the same vertex and the same normal are one: most of them are, and each is shaded once.
function indexed(unit: Float32Array, triangles: Numbers, normals: Float32Array): BufferGeometry {
  const made: number[][] = Array.from({ length: unit.length / 3 }, () => []);
  const [position, normal] = [[] as number[], [] as number[]];
  const index = Uint32Array.from(triangles, (vertex, corner) => {
    const same = made[vertex].find((one) => [0, 1, 2].every((k) => Math.abs(normal[3 * one + k] - normals[3 * corner + k]) < 1e-4));
    if (same !== undefined) return same;
    for (let k = 0; k < 3; k++) {
      position.push(unit[3 * vertex + k]);
      normal.push(normals[3 * corner + k]);
    }
    made[vertex].push(normal.length / 3 - 1);
    return normal.length / 3 - 1;
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(position), 3));
  geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(normal), 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

// Area-weighted, of the stretched surface.
function faceNormals(unit: Float32Array, triangles: Numbers, side: number[]): Float32Array {
  const out = new Float32Array(triangles.length);
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
    const u = [0, 1, 2].map((k) => (unit[b + k] - unit[a + k]) * side[k]);
    const v = [0, 1, 2].map((k) => (unit[c + k] - unit[a + k]) * side[k]);
    out[f] = u[1] * v[2] - u[2] * v[1];
    out[f + 1] = u[2] * v[0] - u[0] * v[2];
    out[f + 2] = u[0] * v[1] - u[1] * v[0];
  }
  return out;
}

// At each corner of each triangle: the mean over the faces there that do not crease against it.
// The renderer takes a normal n of the unit cube to n / side, so n is stretched first.
function creasedNormals(count: number, triangles: Numbers, normals: Float32Array, side: number[]): Float32Array {
  const starts = new Uint32Array(count + 1);
  for (const vertex of triangles) starts[vertex + 1]++;
  for (let v = 0; v < count; v++) starts[v + 1] += starts[v];
  const faces = new Uint32Array(triangles.length);
  const next = starts.slice();
  for (let i = 0; i < triangles.length; i++) faces[next[triangles[i]]++] = 3 * Math.floor(i / 3);
  const out = new Float32Array(triangles.length * 3);
  for (let i = 0; i < triangles.length; i++) {
    const own = 3 * Math.floor(i / 3);
    let [x, y, z] = [0, 0, 0];
    for (let k = starts[triangles[i]]; k < starts[triangles[i] + 1]; k++) {
      if (faces[k] !== own && cosine(normals, own, faces[k]) < SMOOTH) continue;
      x += normals[faces[k]];
      y += normals[faces[k] + 1];
      z += normals[faces[k] + 2];
    }
    const length = Math.hypot(x, y, z) || 1;
    out.set([(x / length) * side[0], (y / length) * side[1], (z / length) * side[2]], 3 * i);
  }
  return out;
}

function creaseLines(unit: Float32Array, triangles: Numbers, normals: Float32Array): Float32Array {
  const count = unit.length / 3;
  const seen = new Map<number, number>();
  const lines: number[] = [];
  for (let i = 0; i < triangles.length; i++) {
    const face = 3 * Math.floor(i / 3);
    const [a, b] = [triangles[i], triangles[face + ((i - face + 1) % 3)]];
    const key = Math.min(a, b) * count + Math.max(a, b);
    const other = seen.get(key);
    if (other === undefined) seen.set(key, face);
    else {
      seen.delete(key);
      if (cosine(normals, face, other) < SMOOTH) {
        lines.push(unit[3 * a], unit[3 * a + 1], unit[3 * a + 2], unit[3 * b], unit[3 * b + 1], unit[3 * b + 2]);
      }
    }
  }
  return Float32Array.from(lines);
}

function cosine(n: Float32Array, a: number, b: number): number {
  const dot = n[a] * n[b] + n[a + 1] * n[b + 1] + n[a + 2] * n[b + 2];
  const lengths = Math.hypot(n[a], n[a + 1], n[a + 2]) * Math.hypot(n[b], n[b + 1], n[b + 2]);
  return lengths > 0 ? dot / lengths : 1;
}
