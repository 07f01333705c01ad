// Numbers as people read them: the page's half of model/figures.py.

export function number(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 8 });
}

const NOISE = 1e-9; // of a whole: what solvers leave
const LEAST_SHARE = 1e-4; // the least share that is written in figures

/** 1.3 %; never 100 % for what is not all of it. */
export function percent(share: number): string {
  const size = Math.abs(share);
  if (size < LEAST_SHARE) return size < NOISE ? "0 %" : share > 0 ? "< 0.01 %" : "> -0.01 %";
  let decimals = size < 0.1 ? 2 : size < 1 ? 1 : 0;
  while (Number((100 * share).toFixed(decimals)) === 100 && Math.abs(share - 1) > NOISE) decimals += 1;
  return `${Number((100 * share).toFixed(decimals)).toLocaleString("en", { maximumFractionDigits: decimals })} %`;
}

export function withUnit(value: number, unit: string): string {
  return unit === "%" ? percent(value) : `${number(value)} ${unit}`;
}

export function mass(kg: number): string {
  if (kg >= 1000) return `${number(kg / 1000)} t`;
  return kg >= 1 ? `${number(kg)} kg` : `${number(kg * 1000)} g`;
}
