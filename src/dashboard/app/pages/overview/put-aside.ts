// What was put aside in this browser, until it changes.

import { signal } from '@preact/signals';
import { type Attention, keptAside } from './attention.ts';

const place = 'muster.aside';

/** States by the keys of what was put aside. */
export const aside = signal<Readonly<Record<string, string>>>(readAside());

export function putAside({ key, state }: Attention, all: readonly Attention[]): void {
  writeAside({ ...keptAside(all, aside.value), [key]: state });
}

export function takeBack(): void {
  writeAside({});
}

function writeAside(next: Readonly<Record<string, string>>): void {
  aside.value = next;
  try {
    localStorage.setItem(place, JSON.stringify(next));
  } catch {
    // A browser that keeps nothing has it for as long as the page is open.
  }
}

function readAside(): Readonly<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
  } catch {
    return {};
  }
}
