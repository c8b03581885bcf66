// `j` and `k` go from row to row of the tables of a page. The row that has the focus is the present one: keys of
// the page act on it.

import { useEffect } from 'preact/hooks';
import { type KeyHint, pageKeys, useKeys } from './keys.ts';

const rowSelector = 'tr[data-row]';

export interface RowKey {
  readonly key: string;
  readonly does: string;
  readonly act: (id: string) => void;
}

/** `others`: keys that act on the row that has the focus. */
export function useRowKeys(others: readonly RowKey[] = []): void {
  const acting = others.map(({ key, act }) => [key, () => onPresentRow(act)] as const);
  useKeys({ j: () => step(1), k: () => step(-1), ...Object.fromEntries(acting) });
  useEffect(() => {
    const hints: readonly KeyHint[] = [
      { keys: 'j', does: 'Next row' },
      { keys: 'k', does: 'Row before' },
      ...others.map(({ key, does }) => ({ keys: key, does })),
    ];
    pageKeys.value = hints;
    return () => {
      pageKeys.value = [];
    };
  }, []);
}

function presentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>(rowSelector) ?? null;
}

function onPresentRow(act: (id: string) => void): void {
  const id = presentRow()?.dataset['row'];
  if (id !== undefined) act(id);
}

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(`main ${rowSelector}`)];
  const present = presentRow();
  const place = present === null ? (by === 1 ? 0 : rows.length - 1) : rows.indexOf(present) + by;
  const next = rows[place];
  // A box that selects the row is not what opens it.
  next?.querySelector<HTMLElement>('button, a[href]')?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
