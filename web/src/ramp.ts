// Colour ramps that people with any colour vision can read, and in grey too: ColorBrewer's YlOrBr for loads, light to
// dark, and viridis for order. Sampled.

const YLORBR = ["#f7efcf", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#993404", "#662506"];
const VIRIDIS = [
  "#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d", "#2c728e", "#26828e", "#21918c",
  "#1fa088", "#28ae80", "#3fbc73", "#5ec962", "#84d44b", "#addc30", "#d8e219", "#fde725",
];

export type Rgb = [number, number, number]; // sRGB, 0 to 1
export const RAMPS = { load: YLORBR.map(rgb), viridis: VIRIDIS.map(rgb) };
export type Ramp = keyof typeof RAMPS;

export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function css([r, g, b]: Rgb): string {
  return `rgb(${Math.round(255 * r)} ${Math.round(255 * g)} ${Math.round(255 * b)})`;
}

export function along(ramp: Ramp, share: number): Rgb {
  const colors = RAMPS[ramp];
  const place = Math.min(1, Math.max(0, share)) * (colors.length - 1);
  const low = Math.min(colors.length - 2, Math.floor(place));
  return mix(colors[low], colors[low + 1], place - low);
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => a[k] + (b[k] - a[k]) * share) as Rgb;
}

export function gradient(ramp: Ramp): string {
  return `linear-gradient(to right, ${RAMPS[ramp].map(css).join(", ")})`;
}
