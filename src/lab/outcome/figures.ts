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

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}
