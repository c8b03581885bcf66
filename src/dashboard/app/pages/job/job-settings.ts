// How a job was submitted, in words: names without their units, values with them.

import type { JobRequirements } from '../../../../protocol/job-options.ts';
import { memory } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { capitalized, listed } from '../../text/words.ts';

export interface JobSetting {
  readonly name: string;
  readonly value: string;
}

export function settingsOf(options: Readonly<Record<string, unknown>>): readonly JobSetting[] {
  return Object.entries(options).map(([id, value]) => {
    const [text, unit] = /^(.*)_(seconds|mb)$/.exec(id)?.slice(1) ?? [id];
    const words = text!.replaceAll('_', ' ').replace(/^max /, 'most ');
    return { name: capitalized(words), value: valueOf(id, value, unit) };
  });
}

function valueOf(id: string, value: unknown, unit: string | undefined): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && unit === 'seconds') return duration(value);
  if (typeof value === 'number' && unit === 'mb') return memory(value);
  if (id === 'requirements') return requirementsOf(value);
  if (typeof value === 'string') return value.replaceAll('_', ' ');
  return JSON.stringify(value);
}

/** `gpu=yes`, `type pc or browser`, `at least 4 GB`. */
function requirementsOf(wanted: JobRequirements): string {
  const told = Object.entries(wanted).flatMap(([name, value]) => {
    if (name === 'labels') {
      return Object.entries(value as Record<string, string>).map(([label, is]) => `${label}=${is}`);
    }
    if (name === 'min_ram_mb') return [`at least ${memory(value as number)}`];
    if (name === 'min_battery_percent') return [`battery from ${value as number}\u202f%`];
    return [`${name} ${Array.isArray(value) ? value.join(' or ') : String(value)}`];
  });
  return told.length === 0 ? 'any device' : listed(told);
}
