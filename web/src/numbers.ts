// Numbers as people read them: the page's half of studio/wording.py.

export function number(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 8 });
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6 })} %`;
}

export function withUnit(value: number, unit: string): string {
  return unit === "%" ? percent(value) : `${number(value)} ${unit}`;
}

export function mass(kg: number): string {
  if (kg >= 1000) return `${number(kg / 1000)} t`;
  return kg >= 1 ? `${number(kg)} kg` : `${number(kg * 1000)} g`;
}
