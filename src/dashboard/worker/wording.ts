// Numbers, times and small sentences as the page says them. Pure: the same values give the same words.

import type { PageSigns, TaskView } from '../../worker/browser/page-messages.ts';

/** Between groups of digits, and before a percent sign. */
const thin = '\u202f';
/** Before a unit of letters: in large type a thin space would not part them. */
const space = '\u00a0';
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const smallNumbers = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];

export function digits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, thin);
}

/** "one task", "two tasks", "12 tasks". */
export function counted(count: number, noun: string): string {
  return `${smallNumbers[count] ?? digits(count)} ${count === 1 ? noun : `${noun}s`}`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** How long it has helped: whole minutes from one minute on, so that the number stands still. */
export function duration(ms: number): string {
  const unit = (count: number, name: string) => `${count}${space}${name}`;
  if (ms < minute) return ms < second ? unit(0, 'min') : unit(Math.floor(ms / second), 's');
  if (ms < hour) return unit(Math.floor(ms / minute), 'min');
  const hours = Math.floor(ms / hour);
  if (hours < 24) return `${unit(hours, 'h')} ${unit(Math.floor((ms % hour) / minute), 'min')}`;
  return `${unit(Math.floor(hours / 24), 'd')} ${unit(hours % 24, 'h')}`;
}

/** How long something will take: coarse, since it is a guess, and steady. */
export function aboutIn(ms: number): string {
  if (ms < 8 * second) return 'in a few seconds';
  if (ms < 55 * second) return `in about ${Math.max(1, Math.round(ms / second / 10)) * 10} seconds`;
  if (ms < 90 * second) return 'in about a minute';
  const minutes = Math.round(ms / minute);
  if (minutes < 55)
    return `in about ${minutes < 20 ? minutes : Math.round(minutes / 5) * 5} minutes`;
  if (minutes < 90) return 'in about an hour';
  return `in about ${Math.round(minutes / 60)} hours`;
}

/** Of something that is not over: never 100, and never 0 once it has begun. */
export function percent(fraction: number): string {
  const open = fraction <= 0 ? 0 : Math.min(99, Math.max(1, Math.round(fraction * 100)));
  return `${open}${thin}%`;
}

export function batteryLevel(level: number): string {
  return `${Math.round(level)}${thin}%`;
}

export function dataVolume(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  if (bytes < 1_000) return bytes === 0 ? `0${space}kB` : `under 1${space}kB`;
  let [amount, step] = [bytes / 1_000, 0];
  for (; amount >= 999.5 && step < units.length - 1; step++) amount /= 1_000;
  return `${rounded(amount)}${space}${units[step]}`;
}

/** Always estimated, and said so. */
export function energy(joules: number | null): string {
  if (joules === null) return 'not told';
  const wattHours = joules / 3_600;
  if (wattHours < 0.1) return `under 0.1${space}Wh`;
  return wattHours < 999.5
    ? `about ${rounded(wattHours)}${space}Wh`
    : `about ${rounded(wattHours / 1_000)}${space}kWh`;
}

function rounded(amount: number): string {
  return amount < 9.95 ? String(Math.round(amount * 10) / 10) : digits(Math.round(amount));
}

/** What the browser says of its processor, as a hand on the device would say it. No browser tells degrees. */
export function warmth(signs: PageSigns, loadPercent: number | null): string {
  switch (signs.pressure) {
    case 'nominal':
      return 'cool';
    case 'fair':
      return 'a bit warm';
    case 'serious':
      return 'warm';
    case 'critical':
      return 'warm, slower';
    default:
      if (loadPercent === null) return 'not told';
      return loadPercent < 50 ? 'cool' : loadPercent < 85 ? 'a bit warm' : 'warm';
  }
}

/** Minutes since midnight as `22:00`. */
export function clockTime(minutes: number): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}

/** `22:00` as minutes since midnight; null for what is no time. */
export function minutesOf(text: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const sum = Number(hours) * 60 + Number(minutes);
  return sum < 24 * 60 ? sum : null;
}

/** `tomorrow, 07:00`: the moment in the time zone of the device. */
export function moment(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const time = clockTime(at.getHours() * 60 + at.getMinutes());
  const day = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  const days = (day(at) - day(now)) / (24 * hour);
  if (days <= 0) return time;
  return days === 1 ? `tomorrow, ${time}` : `${at.toLocaleDateString()}, ${time}`;
}

/** Whose tasks these are, or null where all belong to the one who asks. */
export function ownersOf(tasks: readonly TaskView[]): readonly string[] {
  return [...new Set(tasks.map(({ owner }) => owner))].filter((owner) => owner !== 'local');
}

/** "They end in about 20 seconds."; empty while one of them does not know. */
export function endsWhen(tasks: readonly TaskView[]): string {
  const left = tasks.map(({ leftMs }) => leftMs);
  const known = left.filter((each) => each !== null);
  if (known.length === 0 || known.length < left.length) return '';
  return `${tasks.length === 1 ? 'It ends' : 'They end'} ${aboutIn(Math.max(...known))}.`;
}

/** What became of the tasks when it came to rest; empty when there were none. */
export function savedAt(saved: readonly (number | null)[]): string {
  const known = saved.filter((each) => each !== null);
  const without = saved.length - known.length;
  if (saved.length === 0) return '';
  const anew = `${capitalized(counted(without, 'task'))} had nothing to save yet and will begin anew.`;
  if (known.length === 0) return anew;
  const tasks =
    saved.length === 1
      ? 'the task is'
      : `${counted(known.length, 'task')} ${known.length === 1 ? 'is' : 'are'}`;
  const saying = `${capitalized(tasks)} saved at ${listed(known.map(percent))}.`;
  return without === 0 ? `Nothing is lost. ${saying}` : `${saying} ${anew}`;
}
