// Held parts: a pin above each, so that they can be told without colours; and the way of the part that is on its way.

import { ConeGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Bodies } from "./bodies";
import { STATE_COLORS } from "./coloring";

const LENGTH = 0.07; // view units
const MANY = 400; // held parts: more pins would hide the model
const TIP = new ConeGeometry(0.32, 1, 16).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
const HEAD = new SphereGeometry(0.4, 16, 12).translate(0, 0, 1.1);

export class Pins {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({ color: STATE_COLORS.held, depthTest: false, transparent: true, opacity: 0.92 });

  show(parts: Iterable<number>, bodies: Bodies): void {
    for (const mesh of this.group.children) (mesh as InstancedMesh).dispose();
    this.group.clear();
    const held = [...parts].filter((part) => bodies.shown[part]);
    if (!held.length || held.length > MANY) return;
    const meshes = [TIP, HEAD].map((geometry) => new InstancedMesh(geometry, this.material, held.length));
    const [pose, top] = [new Matrix4(), new Vector3()];
    const size = Math.min(LENGTH, bodies.fine(1.2));
    held.forEach((part, i) => {
      const box = bodies.box(part);
      box.getCenter(top).z = box.max.z;
      pose.makeScale(size, size, size).setPosition(top);
      for (const mesh of meshes) mesh.setMatrixAt(i, pose);
    });
    for (const mesh of meshes) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 6;
      mesh.raycast = () => undefined;
      this.group.add(mesh);
    }
  }
}
