// What a job asks of a device, in words.

import { listed } from './words.ts';

/** `gpu=yes`, `min ram mb 4096`; null: it asks for nothing. */
export function requirementsInWords(requirements: object | null | undefined): string | null {
  const told = Object.entries(requirements ?? {}).flatMap(([name, value]: [string, unknown]) =>
    isRecord(value)
      ? Object.entries(value).map(([label, of]) =>
          of === '' ? `an empty label ${label}` : `${label}=${String(of)}`,
        )
      : `${name.replaceAll('_', ' ')} ${Array.isArray(value) ? value.join(' or ') : String(value)}`,
  );
  return told.length === 0 ? null : listed(told);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
