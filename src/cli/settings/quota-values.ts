// Numbers of quotas, as they are typed and shown.

import { InvalidArgumentError } from 'commander';
import { type QuotaName, quotaNames, quotaTable } from '../../protocol/quotas.ts';
import { oneOf } from './flag-values.ts';
import { grouped } from '../text/wording.ts';

const unitBytes = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** `open_jobs=100`, `stored_bytes=5GB`; may be repeated, or with commas between. */
export function quotas(text: string, previous: unknown): Readonly<Record<string, number>> {
  const found = { ...(previous as Record<string, number> | undefined) };
  for (const [name, value] of pairs(text)) found[name] = quotaNumber(name, value);
  return found;
}

/** The same, where `default` stands for what its kind has. */
export function quotaChanges(text: string, previous: unknown): Record<string, number | null> {
  const found = { ...(previous as Record<string, number | null> | undefined) };
  for (const [name, value] of pairs(text)) {
    found[name] = value === 'default' ? null : quotaNumber(name, value);
  }
  return found;
}

export function shownQuota(name: string, value: number): string {
  if (name !== 'stored_bytes') return value < 0 ? `-${grouped(-value)}` : grouped(value);
  const units = Object.entries(unitBytes).reverse();
  const [unit, bytes] = units.find(([, size]) => value >= size) ?? ['bytes', 1];
  const count = Math.round((10 * value) / bytes) / 10;
  return unit === 'bytes' ? `${value} bytes` : `${count}${unit}`;
}

function* pairs(text: string): Generator<readonly [QuotaName, string]> {
  for (const pair of text.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    oneOf('a quota', quotaNames)(name);
    yield [name as QuotaName, value];
  }
}

function quotaNumber(name: QuotaName, text: string): number {
  const { least, most } = quotaTable[name];
  const isBytes = name === 'stored_bytes';
  const [, digits = '', unit = ''] = /^(-?\d+(?:\.\d+)?) ?(|[KMGT]B)$/i.exec(text) ?? [];
  const size = unit === '' ? 1 : unitBytes[unit.toUpperCase() as keyof typeof unitBytes];
  const value = isBytes || unit === '' ? Math.round(Number(digits) * size) : Number.NaN;
  const isWhole = isBytes || /^-?\d+$/.test(digits);
  if (digits !== '' && isWhole && value >= least && value <= most) return value;
  const form = isBytes ? 'bytes, or like 500MB or 5GB' : `a whole number from ${least} to ${most}`;
  throw new InvalidArgumentError(`"${text}" is not a value of ${name}: ${form}.`);
}
