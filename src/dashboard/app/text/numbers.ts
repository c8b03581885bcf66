// Numbers as people read them: groups of three, at most three figures of what is measured, and never a share
// that says all or nothing when that is not so.

/** Stands between groups of digits, and between a number and its unit: narrow, and no place to break a line. */
const narrow = '\u202f';
const minus = '\u2212';
const tenThousand = 10_000;
const firstShortened = 100_000;

/** What cannot be told. */
export const unknown = 'n/a';
/** What does not apply. */
export const none = '\u2013';

/** Exact: `1 204 882`. */
export function grouped(count: number): string {
  const digits = String(Math.abs(Math.round(count)));
  const sign = count < 0 ? minus : '';
  return sign + digits.replaceAll(/\B(?=(?:\d{3})+$)/g, narrow);
}

const steps = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** For cards and axes: exact below 100 000, then `1.2 M`. */
export function shortened(count: number): string {
  if (Math.abs(count) < firstShortened) return grouped(count);
  for (const [size, letter] of steps) {
    if (Math.abs(count) >= size * 0.9995) return `${measured(count / size)}${narrow}${letter}`;
  }
  return grouped(count);
}

/** At most three figures, none invented: `8.6`, `0.42`, `121`. */
export function measured(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= tenThousand) return grouped(value);
  if (size >= 999.5) return grouped(value);
  const sign = value < 0 ? minus : '';
  if (size < 0.001) return `${sign}<${narrow}0.001`;
  const places = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(size))));
  return sign + withoutZeros(size.toFixed(places));
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Of what jumps from one time to the next: `80` for 79.1, `0.2`. */
export function roughly(value: number): string {
  return measured(Number(value.toPrecision(1)));
}

export function withUnit(text: string, unit: string): string {
  return `${text}${narrow}${unit}`;
}

/** A share of 0 to 1: one decimal, `0 %` and `100 %` only where it is none and all. */
export function percent(share: number): string {
  if (share <= 0) return withUnit('0', '%');
  if (share >= 1) return withUnit('100', '%');
  if (share < 0.001) return `<${narrow}${withUnit('0.1', '%')}`;
  return withUnit(Math.min(99.9, 100 * share).toFixed(1), '%');
}

/** The same of counts. Null when there is nothing of which it could be a share. */
export function percentOf(part: number, whole: number): string {
  return whole === 0 ? unknown : percent(part / whole);
}

/** A percentage as devices report it, 0 to 100: no decimals. */
export function wholePercent(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : withUnit(String(Math.round(value)), '%');
}

const byteSteps = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return unknown;
  let value = count;
  let step = 0;
  while (value >= 999.5 && step < byteSteps.length - 1) {
    value /= 1000;
    step++;
  }
  return withUnit(step === 0 ? grouped(value) : measured(value), byteSteps[step]!);
}

/** Memory of a device, which tells it in MB. */
export function memory(megabytes: number | null | undefined): string {
  return megabytes === null || megabytes === undefined ? unknown : bytes(megabytes * 1e6);
}

/** `8.6 tasks/s`; what is slow is told by the minute or by the hour. */
export function rate(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return unknown;
  if (perSecond === 0 || perSecond >= 0.1) return withUnit(ratePerSecond(perSecond), 'tasks/s');
  if (perSecond * 60 >= 0.1) return withUnit(measured(perSecond * 60), 'tasks/min');
  return withUnit(measured(perSecond * 3600), 'tasks/h');
}

/** Only the number, where the head of the column has the unit: `25.0` beside `24.8`. */
export function ratePerSecond(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return unknown;
  const text = measured(perSecond);
  return /^\d\d$/.test(text) ? `${text}.0` : text;
}

export function latency(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined
    ? unknown
    : withUnit(measured(milliseconds), 'ms');
}
