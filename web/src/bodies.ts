// The parts in the view: where each one is, how it looks, and which one is under the pointer.
// One instanced mesh a stored surface: a thousand bricks of one type are one draw call.

import {
  Box3,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  LineBasicMaterial,
  type Material,
  Matrix4,
  Quaternion,
  type Raycaster,
  Vector3,
} from "three";
import { cutMaterial } from "./cut";
import type { Power } from "./power";
import type { Rgb } from "./ramp";
import type { Scene } from "./scene";
import { type Surface, surface } from "./surface";

export const HIDDEN = 0;
export const SOLID = 1;
export const GHOST = 2; // creases only

const MAX_CREASES = 400_000; // line segments over all parts: more are not drawn
const UNIT = new Box3(new Vector3(0, 0, 0), new Vector3(1, 1, 1));
const NOWHERE = new Matrix4().makeScale(0, 0, 0);

interface Batch {
  solid: InstancedMesh;
  creases: InstancedMesh | null;
  parts: number[];
}

export class Bodies {
  readonly group = new Group();
  readonly count: number;
  readonly position: Float32Array; // (n, 3) where each part is now, before the view is exploded
  readonly quaternion: Float32Array; // (n, 4) wxyz
  readonly shown: Uint8Array;
  readonly color: Rgb[];
  readonly radius: Float32Array; // half the diagonal of each part's box
  private readonly usual: number; // the median of them
  explode = 0;
  private readonly pose = new Matrix4(); // of the whole model but the ground: how it lies
  private lies = false; // otherwise than in the file
  readonly solidMaterial: Material;
  readonly creaseMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.45 });
  private readonly batches: Batch[];
  private readonly place: Int32Array; // (n, 2) batch and instance of each part
  private readonly outline: InstancedMesh[] = [];

  constructor(
    private readonly scene: Scene,
    able: Power,
  ) {
    this.solidMaterial = cutMaterial(able.fine);
    const { parts } = scene;
    this.count = parts.names.length;
    this.position = Float32Array.from(parts.position);
    this.quaternion = Float32Array.from(parts.quaternion);
    this.shown = new Uint8Array(this.count).fill(SOLID);
    this.color = new Array<Rgb>(this.count).fill([0.7, 0.7, 0.7]);
    this.radius = Float32Array.from(parts.mesh, (mesh) => 0.5 * Math.hypot(...this.side(mesh)));
    this.usual = Float32Array.from(this.radius).sort()[this.count >> 1];
    this.place = new Int32Array(2 * this.count);
    this.batches = this.makeBatches(able);
    for (const batch of this.batches) this.group.add(batch.solid, ...(batch.creases ? [batch.creases] : []));
  }

  get castsShadows(): boolean {
    return this.batches.some((batch) => batch.solid.castShadow);
  }

  // A width for arrows that suits the parts: a share of a usual part's size, in view units.
  fine(share: number): number {
    return share * this.usual;
  }

  // Back to where the file says.
  home(): void {
    this.position.set(this.scene.parts.position);
    this.quaternion.set(this.scene.parts.quaternion);
  }

  // Lay the model down turned, its lowest shown corner on the floor; the ground stays.
  lay(turned: Quaternion): void {
    this.lies = 1 - Math.abs(turned.w) > 1e-9;
    this.pose.makeRotationFromQuaternion(turned);
    if (!this.lies) return;
    const low = this.bounds(false, true).min.z;
    if (Number.isFinite(low)) this.pose.setPosition(0, 0, this.scene.view.floor - low);
  }

  // How far the exploded view moves a part: away from the middle of the foot, the ground stays.
  shift(part: number, out: Vector3): Vector3 {
    const { com } = this.scene.parts;
    if (this.explode === 0 || part < 0 || this.isGround(part)) return out.set(0, 0, 0);
    const { floor } = this.scene.view;
    out.set(com[3 * part], com[3 * part + 1], com[3 * part + 2] - floor);
    return out.multiplyScalar(this.explode);
  }

  // Where a point that is fixed to a part has gone, exploded view included; `point` is where it is at home.
  carried(part: number, point: Vector3): Vector3 {
    const { position, quaternion } = this.scene.parts;
    const at = 4 * part;
    const home = new Quaternion(quaternion[at + 1], quaternion[at + 2], quaternion[at + 3], quaternion[at]);
    turn.set(this.quaternion[at + 1], this.quaternion[at + 2], this.quaternion[at + 3], this.quaternion[at]);
    point.sub(moved.fromArray(position, 3 * part)).applyQuaternion(home.invert()).applyQuaternion(turn);
    point.add(moved.fromArray(this.position, 3 * part)).add(this.shift(part, moved));
    return this.lies && !this.isGround(part) ? point.applyMatrix4(this.pose) : point;
  }

  // Write poses, colours and what is hidden to the renderer.
  update(): void {
    const [pose, creases, color] = [new Matrix4(), new Matrix4(), new Color()];
    for (const batch of this.batches) {
      batch.parts.forEach((part, instance) => {
        const shown = this.shown[part];
        if (shown !== HIDDEN) this.matrix(part, pose);
        batch.solid.setMatrixAt(instance, shown === SOLID ? pose : NOWHERE);
        batch.creases?.setMatrixAt(instance, shown === HIDDEN ? NOWHERE : creases.copy(pose));
        batch.solid.setColorAt(instance, color.setRGB(...this.color[part], "srgb"));
      });
      batch.solid.instanceMatrix.needsUpdate = true;
      if (batch.solid.instanceColor) batch.solid.instanceColor.needsUpdate = true;
      if (batch.creases) batch.creases.instanceMatrix.needsUpdate = true;
      batch.solid.boundingSphere = null; // three.js keeps the one of the first poses otherwise
    }
    for (const mesh of this.outline) {
      this.matrix(mesh.userData.part as number, pose);
      mesh.setMatrixAt(0, pose);
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  // Draw the creases of some parts on top of everything.
  outlined(parts: [number, LineBasicMaterial][]): void {
    for (const mesh of this.outline) {
      mesh.removeFromParent();
      mesh.dispose();
    }
    this.outline.length = 0;
    for (const [part, material] of parts) {
      const { creases } = this.surfaces[this.scene.meshes.geometry[this.scene.parts.mesh[part]]];
      const mesh = lines(creases, material, 1);
      mesh.userData.part = part;
      mesh.renderOrder = 5;
      this.outline.push(mesh);
      this.group.add(mesh);
    }
  }

  // The nearest visible part along a ray; `keep` says which points are not cut away.
  pick(ray: Raycaster, keep: (point: Vector3) => boolean): number | null {
    const solids = this.batches.map((batch) => batch.solid);
    const byMesh = new Map(this.batches.map((batch) => [batch.solid, batch.parts]));
    for (const hit of ray.intersectObjects(solids, false)) {
      if (hit.instanceId !== undefined && keep(hit.point)) return byMesh.get(hit.object as InstancedMesh)![hit.instanceId];
    }
    return null;
  }

  // A box around the parts as they are now, for the camera; the ground counts when asked for, or when it is all there is.
  // `shownOnly` leaves out what is hidden now.
  bounds(includeGround: boolean, shownOnly = false): Box3 {
    const box = new Box3();
    for (let part = 0; part < this.count; part++) {
      if ((includeGround || !this.isGround(part)) && (!shownOnly || this.shown[part])) box.union(this.box(part));
    }
    return box.isEmpty() && !includeGround && !shownOnly ? this.bounds(true) : box;
  }

  // Around one part as it is now.
  box(part: number): Box3 {
    return new Box3().copy(UNIT).applyMatrix4(this.matrix(part, new Matrix4()));
  }

  private readonly surfaces: Surface[] = [];

  private side(mesh: number): number[] {
    const { side } = this.scene.meshes;
    return [side[3 * mesh], side[3 * mesh + 1], side[3 * mesh + 2]];
  }

  private matrix(part: number, out: Matrix4): Matrix4 {
    const mesh = this.scene.parts.mesh[part];
    const { low } = this.scene.meshes;
    turn.set(
      this.quaternion[4 * part + 1],
      this.quaternion[4 * part + 2],
      this.quaternion[4 * part + 3],
      this.quaternion[4 * part],
    );
    scale.set(...(this.side(mesh) as [number, number, number]));
    corner.set(low[3 * mesh], low[3 * mesh + 1], low[3 * mesh + 2]).applyQuaternion(turn);
    corner.x += this.position[3 * part];
    corner.y += this.position[3 * part + 1];
    corner.z += this.position[3 * part + 2];
    out.compose(corner.add(this.shift(part, moved)), turn, scale);
    return this.lies && !this.isGround(part) ? out.premultiply(this.pose) : out;
  }

  private isGround(part: number): boolean {
    const { role, roles } = this.scene.parts;
    return roles[role[part]] === "ground";
  }

  private makeBatches(able: Power): Batch[] {
    const { meshes, parts } = this.scene;
    const users: number[][] = meshes.geometries.map(() => []);
    for (let part = 0; part < this.count; part++) users[meshes.geometry[parts.mesh[part]]].push(part);
    meshes.geometries.forEach((geometry, number) => {
      const first = Array.prototype.indexOf.call(meshes.geometry, number) as number;
      this.surfaces.push(surface(geometry.vertices, geometry.triangles, this.side(first)));
    });
    const segments = users.reduce((sum, list, i) => sum + (list.length * this.surfaces[i].creases.attributes.position.count) / 2, 0);
    const triangles = users.reduce((sum, list, i) => sum + list.length * this.surfaces[i].triangles, 0);
    return users.map((list, number) => {
      const { solid, creases } = this.surfaces[number];
      const mesh = new InstancedMesh(solid, this.solidMaterial, list.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * list.length), 3);
      mesh.castShadow = triangles <= able.shadows;
      mesh.receiveShadow = mesh.castShadow && able.fine;
      mesh.frustumCulled = false;
      list.forEach((part, instance) => this.place.set([number, instance], 2 * part));
      const drawn = segments <= MAX_CREASES && creases.attributes.position.count > 0;
      return { solid: mesh, creases: drawn ? lines(creases, this.creaseMaterial, list.length) : null, parts: list };
    });
  }
}

// Instanced line segments: three.js draws an InstancedMesh as lines when it says that it is one.
function lines(geometry: Surface["creases"], material: LineBasicMaterial, count: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, count);
  Object.assign(mesh, { isMesh: false, isLine: true, isLineSegments: true, frustumCulled: false });
  mesh.raycast = () => undefined;
  return mesh;
}

const turn = new Quaternion();
const scale = new Vector3();
const corner = new Vector3();
const moved = new Vector3();
