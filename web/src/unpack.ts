// Arrays out of text: the inverse of studio/packing.py.

export interface Packed {
  t: "f32" | "u8" | "u16" | "i16" | "u32" | "i32";
  b?: string; // base64
  z?: string; // base64 of zlib
}

export type Numbers = Float32Array | Uint8Array | Uint16Array | Int16Array | Uint32Array | Int32Array;

const TYPES = { f32: Float32Array, u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array };

export async function unpack(entry: Packed): Promise<Numbers> {
  const data = entry.z === undefined ? bytes(entry.b ?? "") : await inflated(bytes(entry.z));
  return new TYPES[entry.t](data.buffer as ArrayBuffer);
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const data = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
  return data;
}

async function inflated(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
