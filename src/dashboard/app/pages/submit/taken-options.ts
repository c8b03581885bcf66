// The options of a job that was submitted, as the form has them: the way back of `readOptions`.

import {
  type JobOption,
  jobOptions,
  speculationDefaults,
} from '../../../../protocol/job-options.ts';
import type { JobHead } from '../../store/cluster.ts';
import { needFields, optionFields, type OptionTexts, readOptions } from './options.ts';

export interface TakenOptions {
  readonly texts: OptionTexts;
  /** What this form cannot say, in words. */
  readonly lost: readonly string[];
}

export function takenOptions({
  name,
  client_id,
  priority,
  options = {},
}: Pick<JobHead, 'name' | 'client_id' | 'priority' | 'options'>): TakenOptions {
  const { requirements = {}, ...rest } = options;
  const all: Readonly<Record<string, unknown>> = { ...rest, name, client_id, priority };
  const needs: Readonly<Record<string, unknown>> = { ...requirements };
  const texts: Record<string, string> = {};
  for (const { name: field } of optionFields) {
    const option: JobOption = jobOptions[field as keyof typeof jobOptions];
    const value = all[field];
    // What holds by itself is left empty.
    const isUsual = value === (option.default ?? null);
    if (value !== undefined && !isUsual) texts[field] = textOf(value);
  }
  for (const { name: field } of needFields) {
    const value = needs[bare(field)];
    if (value !== undefined) texts[field] = needText(value);
  }
  const again = readOptions(texts).options;
  const asked: Readonly<Record<string, unknown>> = { ...again.requirements };
  const lost = needFields.filter(
    ({ name: field }) => !isSame(asked[bare(field)], needs[bare(field)]),
  );
  // A text that means something else is worse than none.
  for (const { name: field } of lost) delete texts[field];
  const { speculation = null } = options;
  const isCut =
    speculation !== null && !isSame(speculation, { enabled: true, ...speculationDefaults });
  return {
    texts,
    lost: [
      ...(isCut ? ['bounds of speculation'] : []),
      ...lost.map(({ label }) => label.toLowerCase()),
    ],
  };
}

const bare = (field: string): string => field.slice('needs.'.length);

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Of `{"interval_seconds": 5}` and `{"enabled": true}` the one value that the form has. */
function textOf(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return wordOf(value);
  const { interval_seconds: interval, enabled } = value as Readonly<Record<string, unknown>>;
  return wordOf(interval ?? enabled);
}

function needText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return wordOf(value);
  return Object.entries({ ...value })
    .map(([label, of]) => `${label}=${wordOf(of)}`)
    .join(', ');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
