// Arrows: contact forces, loads and first accelerations. Drawn twice: faint through parts, full where they are in sight.

import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";
import type { Rgb } from "./ramp";

const UP = new Vector3(0, 0, 1);
const SHAFT = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const HEAD = new ConeGeometry(1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5);

const FAINT = new MeshBasicMaterial({ transparent: true, opacity: 0.4, depthTest: false, depthWrite: false });
const FULL = new MeshBasicMaterial({ transparent: true });

export interface Arrow {
  tail: Vector3;
  vector: Vector3; // its length is the arrow's
  color: Rgb;
}

export class Arrows {
  readonly group = new Group();
  private meshes: InstancedMesh[] = [];

  // `thick` is the radius of a shaft.
  show(arrows: Arrow[], thick: number): void {
    for (const mesh of this.meshes) mesh.dispose();
    this.group.clear();
    this.meshes = [];
    if (!arrows.length) return;
    const [shafts, heads] = [matrices(arrows, thick, false), matrices(arrows, thick, true)];
    const colors = new InstancedBufferAttribute(new Float32Array(3 * arrows.length), 3);
    const color = new Color();
    arrows.forEach((arrow, i) => color.setRGB(...arrow.color, "srgb").toArray(colors.array, 3 * i));
    for (const faint of [true, false]) {
      for (const [geometry, where] of [[SHAFT, shafts], [HEAD, heads]] as const) {
        const mesh = new InstancedMesh(geometry, faint ? FAINT : FULL, arrows.length);
        mesh.instanceMatrix = where;
        mesh.instanceColor = colors;
        mesh.frustumCulled = false;
        mesh.renderOrder = faint ? 3 : 4;
        mesh.raycast = () => undefined;
        this.meshes.push(mesh);
        this.group.add(mesh);
      }
    }
  }
}

function matrices(arrows: Arrow[], thick: number, heads: boolean): InstancedBufferAttribute {
  const out = new InstancedBufferAttribute(new Float32Array(16 * arrows.length), 16);
  const [matrix, turn, scale, place, way] = [new Matrix4(), new Quaternion(), new Vector3(), new Vector3(), new Vector3()];
  arrows.forEach((arrow, i) => {
    const length = arrow.vector.length();
    const head = Math.min(6 * thick, 0.6 * length);
    const slim = Math.min(1, length / (10 * thick)); // short arrows are thinner too
    way.copy(arrow.vector).divideScalar(length || 1);
    turn.setFromUnitVectors(UP, way);
    place.copy(arrow.tail);
    if (heads) place.addScaledVector(way, length - head);
    const radius = thick * slim * (heads ? 2.6 : 1);
    scale.set(radius, radius, heads ? head : Math.max(length - head, 1e-9));
    matrix.compose(place, turn, scale).toArray(out.array, 16 * i);
  });
  return out;
}
