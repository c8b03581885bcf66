// How figures of the lab are rounded in texts and reports: the same everywhere, in any locale.

/** Three digits that count; large whole numbers in full, with thin groups. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const magnitude = Math.abs(value);
  if (magnitude >= 1000) return grouped(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** `0.5 %`, `12 %`, `340 %` */
export function percentText(share: number): string {
  const percent = share * 100;
  const magnitude = Math.abs(percent);
  const digits = magnitude >= 10 ? 0 : magnitude >= 1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))} %`;
}

/** `+12 %`, `−0.5 %`, `0 %` */
export function signedPercent(share: number): string {
  const text = percentText(Math.abs(share));
  if (share === 0 || text === '0 %') return '0 %';
  return `${share < 0 ? minus : '+'}${text}`;
}

/** `1.79 ×`: how many times one is the other. */
export function timesText(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

/** With so many decimals, large ones with thin groups: `1 204.50`, `−3.1`. Decimals from 0 to 9. */
export function withDecimals(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '–';
  const [whole = '', part] = Math.abs(value).toFixed(decimals).split('.');
  const digits = `${grouped(whole)}${part === undefined ? '' : `.${part}`}`;
  return value < 0 && /[1-9]/.test(digits) ? `${minus}${digits}` : digits;
}

/** `+3.1`, `−3.1`, `0.0` */
export function signedDecimals(value: number, decimals: number): string {
  const text = withDecimals(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/**
 * Decimals of figures that are uncertain by intervals of these widths: two digits of the middle width count, more
 * would be chance. Without an interval: three digits of the largest value.
 */
export function decimalsFor(widths: readonly number[], values: readonly number[]): number {
  const wide = widths.filter((width) => width > 0).sort((a, b) => a - b);
  const middle = wide[Math.floor(wide.length / 2)];
  if (middle !== undefined) return decimalsOfStep(middle / 10);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Number.isInteger(largest) ? 0 : decimalsOfStep(largest / 100);
}

/** So many that two values one step apart look different; 9 at most. */
export function decimalsOfStep(step: number): number {
  return Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** The sign, not the hyphen. */
const minus = '−';

function grouped(value: number | string): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}
