// How a job was submitted, in words: names without their units, values with them.

import { memory } from '../../text/numbers.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { duration } from '../../text/times.ts';
import { capitalized } from '../../text/words.ts';

export interface JobSetting {
  readonly name: string;
  readonly value: string;
}

export function settingsOf(options: Readonly<Record<string, unknown>>): readonly JobSetting[] {
  return Object.entries(options).map(([id, value]) => {
    const [text, unit] = /^(.*)_(seconds|mb)$/.exec(id)?.slice(1) ?? [id];
    const words = text!.replaceAll('_', ' ').replace(/^max /, 'most ');
    const asked = id === 'requirements' && typeof value === 'object' ? value : null;
    return {
      name: capitalized(words),
      value: requirementsInWords(asked) ?? valueOf(value, unit),
    };
  });
}

function valueOf(value: unknown, unit: string | undefined): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && unit !== undefined)
    return (unit === 'mb' ? memory : duration)(value);
  if (typeof value === 'string') return value.replaceAll('_', ' ');
  return JSON.stringify(value).replaceAll(/[{}"]/g, '');
}
