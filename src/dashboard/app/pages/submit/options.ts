// The options of a job as a form has them, texts by names, and what is submitted of them. What is left empty is not
// submitted, so that the coordinator decides.

import {
  isolationNames,
  type JobOption,
  jobOptions,
  type SubmittedOptions,
} from '../../../../protocol/job-options.ts';
import { capitalized } from '../../text/words.ts';

/** What the form holds, by the name of the field. */
export type OptionTexts = Readonly<Record<string, string>>;

export interface OptionField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: 'text' | 'number' | 'flag' | 'word';
  /** Of a word. */
  readonly words?: readonly string[];
  /** What holds when it is left empty. */
  readonly without: string;
}

const shownFirst = ['name', 'priority', 'max_attempts', 'attempt_timeout_seconds', 'memory_mb'];
/** Taken in another way, or by nobody who fills in a form: the first needs a number for each input. */
const leftOut: ReadonlySet<string> = new Set(['task_priorities', 'requirements', 'notify']);

function fieldOf(name: string, option: JobOption): OptionField {
  const [text, unit] = /^(.*)_(seconds|mb)$/.exec(name)?.slice(1) ?? [name];
  const words = text!.replaceAll('_', ' ').replace(/^max /, 'most ');
  const label = capitalized(unit === undefined ? words : `${words}, ${unit === 'mb' ? 'MB' : 's'}`);
  const { type, meaning, default: value } = option;
  const without = value === undefined ? (option.defaultWords ?? 'none') : String(value ?? 'none');
  const hint = `${meaning
    .replaceAll('`', '')
    .replaceAll('_', ' ')
    .replace(/null for none/, '“none” for no limit')}.`;
  const common = { name, label, hint, without };
  if (type === 'word') return { ...common, kind: 'word', words: option.words };
  if (type === 'flag' || type === 'speculation') return { ...common, kind: 'flag' };
  return { ...common, kind: type === 'text' ? 'text' : 'number' };
}

const every = Object.entries(jobOptions)
  .filter(([name]) => !leftOut.has(name))
  .map(([name, option]) => fieldOf(name, option));

export const optionFields: readonly OptionField[] = [
  ...shownFirst.flatMap((name) => every.filter((field) => field.name === name)),
  ...every.filter(({ name }) => !shownFirst.includes(name)),
];

const anything = 'any device';

/** What a device must have; `needs.` keeps their names apart from those of the options. */
export const needFields: readonly OptionField[] = [
  {
    name: 'needs.type',
    label: 'Kinds of devices',
    hint: 'As pc, android_node or browser; several with commas.',
    kind: 'text',
    without: anything,
  },
  {
    name: 'needs.platform',
    label: 'Platforms',
    hint: 'As linux, win32 or android; several with commas.',
    kind: 'text',
    without: anything,
  },
  {
    name: 'needs.labels',
    label: 'Labels',
    hint: 'As gpu=yes; several with commas.',
    kind: 'text',
    without: anything,
  },
  {
    name: 'needs.min_ram_mb',
    label: 'Free memory of the device, MB',
    hint: 'At least so much.',
    kind: 'number',
    without: anything,
  },
  {
    name: 'needs.min_battery_percent',
    label: 'Battery, %',
    hint: 'At least so full.',
    kind: 'number',
    without: anything,
  },
  {
    name: 'needs.isolation',
    label: 'Isolation',
    hint: 'The sandbox in which it has to run.',
    kind: 'word',
    words: isolationNames,
    without: anything,
  },
];

export interface ReadOptions {
  readonly options: SubmittedOptions;
  /** Sentences, by the name of the field. */
  readonly faults: OptionTexts;
}

export function readOptions(texts: OptionTexts): ReadOptions {
  const options: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const { name } of optionFields) {
    const text = texts[name]?.trim() ?? '';
    if (text === '') continue;
    const option: JobOption = jobOptions[name as keyof typeof jobOptions];
    if (option.type === 'flag') options[name] = text === 'true';
    else if (option.type === 'speculation') options[name] = { enabled: text === 'true' };
    else if (option.type === 'time limit' && text.toLowerCase() === 'none') options[name] = null;
    else if ('least' in option) {
      const fault = faultOfNumber(text, option);
      if (fault !== null) faults[name] = fault;
      else options[name] = option.type === 'interval' ? { interval_seconds: +text } : +text;
    } else options[name] = text;
  }
  const needs: Record<string, unknown> = {};
  for (const { name, kind } of needFields) {
    const text = texts[name]?.trim() ?? '';
    if (text === '') continue;
    const bare = name.slice('needs.'.length);
    if (bare === 'labels') {
      const fault = faultOfLabels(text);
      if (fault !== null) faults[name] = fault;
      else needs[bare] = labelsOf(text);
    } else if (kind === 'number') {
      const bounds = { type: 'integer', least: 1, most: bare.endsWith('mb') ? 1e9 : 100 } as const;
      const fault = faultOfNumber(text, bounds);
      if (fault !== null) faults[name] = fault;
      else needs[bare] = +text;
    } else needs[bare] = kind === 'word' ? text : parts(text);
  }
  if (Object.keys(needs).length > 0) options['requirements'] = needs;
  return { options, faults };
}

const parts = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(pairsOf(text));
}

/** A name without a value has an empty one: so it is while somebody types. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  return parts(text).map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });
}

function faultOfLabels(text: string): string | null {
  const pairs = pairsOf(text);
  if (pairs.some(([name]) => name === '')) return 'A label is a name and a value, as gpu=yes.';
  const bare = pairs.find(([, value]) => value === '');
  return bare === undefined ? null : `Which ${bare[0]}? A label has a value, as ${bare[0]}=yes.`;
}

function faultOfNumber(
  text: string,
  { type, least, most }: { readonly type: string; readonly least: number; readonly most: number },
): string | null {
  const number = Number(text);
  const isWhole = type !== 'integer' || Number.isInteger(number);
  if (isWhole && number >= least && number <= most) return null;
  return `${type === 'integer' ? 'A whole number' : 'A number'} from ${least} to ${most}.`;
}

/** `Labels: which gpu?`; null: all are as they can be. */
export function firstFault(faults: OptionTexts): string | null {
  const field = [...optionFields, ...needFields].find(({ name }) => faults[name] !== undefined);
  return field === undefined ? null : `${field.label}: ${faults[field.name]}`;
}

/** What is other than by itself, for the line that hides the form. */
export function sentenceOfOptions(texts: OptionTexts): string {
  const set = [...optionFields, ...needFields].filter(
    ({ name }) => name !== 'name' && (texts[name]?.trim() ?? '') !== '',
  );
  if (set.length === 0) return 'all as usual';
  return set.map(({ name, label }) => `${label.toLowerCase()} ${texts[name]!.trim()}`).join(' · ');
}
