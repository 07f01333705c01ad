// How much the machine can draw. Without a graphics card the page keeps to what a processor can do in a second or two.

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export interface Power {
  antialias: boolean;
  shadowMap: number; // pixels a side
  shadows: number; // triangles over all parts: with more, nothing casts a shadow
  fine: boolean; // gloss, shadows on parts, soft edges of shadows; else flat light and shadows on the floor alone
}

const CARD: Power = { antialias: true, shadowMap: 1024, shadows: 500_000, fine: true };
const PROCESSOR: Power = { antialias: false, shadowMap: 512, shadows: 15_000, fine: false };

// A picture is worth waiting for.
export function power(finest: boolean): Power {
  return finest || !isSoftware() ? CARD : PROCESSOR;
}

function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return true;
  const told = context.getExtension("WEBGL_debug_renderer_info");
  const renderer = told ? String(context.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(renderer);
}
