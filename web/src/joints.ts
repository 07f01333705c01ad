// Joints as dots in the view, seen through parts: how near each is to its limit, and which ones break.

import { Color, InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Bodies } from "./bodies";
import { along, rgb } from "./ramp";
import type { Scene } from "./scene";

export const BREAKS = rgb("#0072b2");
const UNKNOWN = rgb("#8a8f96");

export class Joints {
  readonly mesh: InstancedMesh | null = null;
  visible = false;

  constructor(
    private readonly scene: Scene,
    private readonly bodies: Bodies,
  ) {
    const joints = scene.joints;
    if (!joints) return;
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
    const mesh = new InstancedMesh(new SphereGeometry(1, 12, 8), material, joints.values.length);
    const color = new Color();
    const high = scene.scalars.find((scalar) => scalar.unit === "%")?.high ?? 1; // one scale for joints and parts
    for (let i = 0; i < joints.values.length; i++) {
      const shade = joints.breaking[i] ? BREAKS : joints.known[i] ? along("load", joints.values[i] / high) : UNKNOWN;
      mesh.setColorAt(i, color.setRGB(...shade, "srgb"));
    }
    mesh.frustumCulled = false;
    mesh.renderOrder = 4;
    mesh.raycast = () => undefined;
    this.mesh = mesh;
  }

  update(): void {
    const joints = this.scene.joints;
    if (!joints || !this.mesh) return;
    this.mesh.visible = this.visible;
    if (!this.visible) return;
    const [matrix, at] = [new Matrix4(), new Vector3()];
    const radius = Math.min(0.012, 0.12 / Math.cbrt(joints.values.length + 1));
    for (let i = 0; i < joints.values.length; i++) {
      this.bodies.carried(joints.bodies[2 * i + 1], at.fromArray(joints.point, 3 * i));
      matrix.makeScale(radius, radius, radius).setPosition(at);
      this.mesh.setMatrixAt(i, matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
