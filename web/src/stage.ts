// Renderer, camera and light. Draws when something changed, not all the time.

import {
  AmbientLight,
  type Box3,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  Scene,
  ShadowMaterial,
  Spherical,
  Vector2,
  Vector3,
  VSMShadowMap,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Pace } from "./pace";
import type { Power } from "./power";

const HOME = new Vector3(0.62, -1, 0.52).normalize(); // where the camera stands, seen from the target
const MAX_PIXEL_RATIO = 2;
const HURRIED = 0.6; // pixels to one, each way
const MARGIN = 1.18; // around what is shown, for shadows and buttons

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 50);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  onFirstFrame: () => void = () => undefined;
  readonly pace: Pace;
  onHurry: (hurried: boolean) => void = () => undefined; // sheds detail, or takes it up again
  shadowEvery = 1; // of the frames of an animation
  panes: (() => void)[] = []; // two or more: side by side, each prepared by its call; else one view of what is there
  private readonly sun = new DirectionalLight(0xffffff, 1.75);
  private readonly floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.16, depthWrite: false }));
  private readonly moving = new Set<(seconds: number) => boolean>();
  private asked = false;
  private home: Vector3 | null = null; // where a walk around begins
  private frames = 0;

  constructor(
    readonly host: HTMLElement,
    power: Power,
  ) {
    this.renderer = new WebGLRenderer({ antialias: power.antialias, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(pixelRatio());
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = power.fine ? VSMShadowMap : PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // orbiting does not move shadows
    this.host.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.light(power.shadowMap);
    new ResizeObserver(() => this.resize()).observe(host);
    this.pace = new Pace((hurried) => this.hurry(hurried), !power.fine);
    this.pace.watch(this.controls);
  }

  // Something changed: draw it once the browser is ready. `shadows` when a part moved.
  draw(shadows = false): void {
    if (shadows) this.renderer.shadowMap.needsUpdate = true;
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  // Call `step` with the clock every frame until it says false.
  animate(step: (seconds: number) => boolean): void {
    this.moving.add(step);
    this.draw();
  }

  // Look at a box from a direction, the home one unless told, from as near as shows all of it.
  fit(box: Box3, from: Vector3 = HOME): void {
    this.resize();
    const { camera } = this;
    const centre = box.getCenter(new Vector3());
    const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 1e-6);
    const right = new Vector3().crossVectors(camera.up, from).normalize();
    const up = new Vector3().crossVectors(from, right);
    const [tall, wide] = [Math.tan((camera.fov * Math.PI) / 360), Math.tan((camera.fov * Math.PI) / 360) * camera.aspect];
    let distance = 0.5 * radius;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(box[k & 1 ? "max" : "min"].x, box[k & 2 ? "max" : "min"].y, box[k & 4 ? "max" : "min"].z).sub(centre);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
      distance = Math.max(distance, corner.dot(from) + MARGIN * across);
    }
    camera.near = distance * 0.02;
    camera.far = distance + 40 * radius;
    camera.position.copy(centre).addScaledVector(from, distance);
    camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.minDistance = radius * 0.05;
    this.controls.maxDistance = distance * 8;
    this.controls.update();
    this.draw();
  }

  // The view as it is now, at a size of its own.
  snapshot(width: number, height: number): HTMLCanvasElement {
    const picture = document.createElement("canvas");
    Object.assign(picture, { width, height });
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.shadowMap.needsUpdate = true;
    this.renderer.render(this.scene, this.camera);
    picture.getContext("2d")!.drawImage(this.renderer.domElement, 0, 0);
    this.renderer.setPixelRatio(ratio);
    this.resize();
    return picture;
  }

  // From the target to the camera.
  direction(): Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  // Walk around the target, once from 0 to 1.
  around(share: number): void {
    this.home ??= this.camera.position.clone().sub(this.controls.target);
    const arm = this.home.clone().applyAxisAngle(this.camera.up, 2 * Math.PI * share);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.draw();
  }

  // Turn about the target, by keyboard.
  orbit(right: number, up: number, nearer = 1): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const upright = new Vector3(arm.x, arm.z, -arm.y); // Spherical counts from +y
    const place = new Spherical().setFromVector3(upright);
    place.theta += right;
    place.phi = Math.min(Math.PI - 0.02, Math.max(0.02, place.phi - up));
    place.radius /= nearer;
    upright.setFromSpherical(place);
    this.camera.position.set(upright.x, -upright.z, upright.y).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  // The ray under a pointer.
  ray(event: { clientX: number; clientY: number }): Raycaster {
    const box = this.renderer.domElement.getBoundingClientRect();
    const wide = box.width / Math.max(1, this.panes.length);
    const at = new Vector2(
      (2 * ((event.clientX - box.left) % wide)) / wide - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  // Light and shadow for parts inside a sphere that stand on `floor`.
  illuminate(centre: Vector3, radius: number, floor: number): void {
    this.sun.position.copy(centre).add(new Vector3(-0.9, -0.75, 2.1).multiplyScalar(2 * radius));
    this.sun.target.position.copy(centre);
    this.sun.target.updateMatrixWorld();
    const { camera } = this.sun.shadow;
    const reach = 1.7 * radius;
    Object.assign(camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0.1 * radius, far: 9 * radius });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
    this.floor.scale.setScalar(16 * radius);
    this.floor.position.set(centre.x, centre.y, floor);
    this.draw(true);
  }

  showFloor(visible: boolean): void {
    this.floor.visible = visible && this.sun.castShadow;
    this.draw();
  }

  // Nothing casts a shadow: nothing has to look for one.
  withoutShadows(): void {
    this.sun.castShadow = this.floor.visible = this.renderer.shadowMap.enabled = false;
  }

  end(): void {
    this.moving.clear();
    this.asked = true;
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private light(shadowMap: number): void {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(shadowMap, shadowMap);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = shadowMap / 170;
    this.sun.shadow.blurSamples = 12;
    this.floor.receiveShadow = true;
    const sky = new HemisphereLight(0xffffff, 0xd8d2c8, 1.7);
    sky.position.set(0, 0, 1);
    const fill = new DirectionalLight(0xeef3ff, 0.5);
    fill.position.set(0.9, -1.3, 0.5);
    this.scene.add(this.sun, this.sun.target, sky, fill, new AmbientLight(0xffffff, 0.45), this.floor);
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight);
    this.camera.aspect = clientWidth / clientHeight / Math.max(1, this.panes.length);
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  private frame(now: number): void {
    this.asked = false;
    for (const step of this.moving) if (!step(now / 1000)) this.moving.delete(step);
    this.render();
    if (this.frames++ === 0) {
      const context = this.renderer.getContext();
      context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4)); // it has been drawn now
      this.onFirstFrame();
    }
    if (this.moving.size) this.draw(this.frames % this.shadowEvery === 0);
  }

  private render(): void {
    const { panes, renderer } = this;
    if (panes.length < 2) return renderer.render(this.scene, this.camera);
    const size = renderer.getSize(new Vector2());
    const wide = size.x / panes.length;
    renderer.setScissorTest(true);
    panes.forEach((prepare, number) => {
      prepare();
      renderer.shadowMap.needsUpdate = true;
      renderer.setViewport(number * wide, 0, wide, size.y);
      renderer.setScissor(number * wide, 0, wide, size.y);
      renderer.render(this.scene, this.camera);
    });
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, size.x, size.y);
  }

  private hurry(hurried: boolean): void {
    const ratio = hurried ? HURRIED * Math.min(pixelRatio(), 1) : pixelRatio();
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    this.onHurry(hurried);
    this.draw();
  }
}

function pixelRatio(): number {
  return Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
}
