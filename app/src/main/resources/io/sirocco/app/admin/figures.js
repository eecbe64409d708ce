// SPDX-License-Identifier: Apache-2.0
//
// Formats figures.

const digits = (value) => (value >= 100 ? 0 : value >= 10 ? 1 : 2);
export const plain = (value, most) => value.toLocaleString("en", { maximumFractionDigits: most });

export function number(value) {
  for (const [unit, name] of [[1e9, " G"], [1e6, " M"], [1e4, " k"]]) {
    if (value >= unit) return plain(value / (unit === 1e4 ? 1e3 : unit), 1) + name;
  }
  return plain(value, value >= 100 ? 0 : 1);
}

export function axisNumber(value) {
  for (const [unit, name] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) if (value >= unit) return plain(value / unit, 1) + name;
  return plain(value, 2);
}

export function duration(micros, axis) {
  if (micros < 0) return "–";
  if (micros < 1000) return `${plain(micros, 0)} µs`;
  if (micros < 1e6) return `${plain(micros / 1e3, axis ? 0 : digits(micros / 1e3))} ms`;
  return `${plain(micros / 1e6, axis ? 0 : digits(micros / 1e6))} s`;
}

export function bytes(value, axis) {
  const power = value < 1 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** power;
  return `${plain(scaled, power === 0 ? 0 : axis ? 1 : digits(scaled))} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

export const percent = (share) => `${plain(100 * share, share > 0 && share < 0.1 ? 1 : 0)} %`;

export function span(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = parts.findIndex(([unit]) => seconds >= unit);
  if (first < 0) return "0 s";
  return parts.slice(first, first + 2)
    .map(([unit, name], i) => `${Math.floor((i ? seconds % parts[first][0] : seconds) / unit)} ${name}`).join(" ");
}

export const rate = (value, axis) => (axis ? axisNumber(value) : number(value));
