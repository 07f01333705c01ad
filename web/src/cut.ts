// The material of parts, and the plane that cuts them open.
// Solids are closed, so what shows through a cut is always the inside of a surface: painted flat, it looks filled.

import { DoubleSide, MeshLambertMaterial, MeshStandardMaterial, Plane, Vector3 } from "three";

export function cutMaterial(fine: boolean): MeshStandardMaterial | MeshLambertMaterial {
  const look = { side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, clipShadows: true };
  const material = fine ? new MeshStandardMaterial({ ...look, roughness: 0.62, metalness: 0 }) : new MeshLambertMaterial(look);
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <opaque_fragment>",
      "#include <opaque_fragment>\nif (!gl_FrontFacing) gl_FragColor = vec4(diffuseColor.rgb * 0.55, diffuseColor.a);",
    );
  };
  return material;
}

export type Axis = "x" | "y" | "z";

// Keeps what lies below the plane along an axis; `share` 1 keeps everything.
export class Section {
  readonly plane = new Plane(new Vector3(0, 0, -1), 10);
  axis: Axis = "x";
  share = 1;

  get active(): boolean {
    return this.share < 1;
  }

  // `low` and `high` are the bounds along the axis.
  place(low: number, high: number): void {
    this.plane.normal.set(this.axis === "x" ? -1 : 0, this.axis === "y" ? -1 : 0, this.axis === "z" ? -1 : 0);
    this.plane.constant = low + (high - low) * this.share;
    if (this.axis === "y") {
      // the camera looks along +y: cut away the near side
      this.plane.normal.negate();
      this.plane.constant = -(high - (high - low) * this.share);
    }
  }

  keeps(point: Vector3): boolean {
    return !this.active || this.plane.distanceToPoint(point) >= 0;
  }
}
