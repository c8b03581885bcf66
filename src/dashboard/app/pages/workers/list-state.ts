// What rows of the list show of all others, of the address and of what is selected: signals, so that a row is not
// drawn anew when another has changed.

import { computed, signal } from '@preact/signals';
import { query } from '../../shell/address.ts';
import { workerList } from '../../store/cluster.ts';
import { outcomesOf } from './trouble.ts';

/** Of all workers together. */
export const outcomes = computed(() => outcomesOf(workerList.value ?? []));

export const bestScore = computed(() =>
  Math.max(0, ...(workerList.value ?? []).map(({ score }) => score ?? 0)),
);

export const openId = computed(() => query.value.get('open'));

/** Ids of those that are selected, while the page is open. */
export const chosen = signal<ReadonlySet<string>>(new Set());

export function toggleChosen(id: string): void {
  const after = new Set(chosen.value);
  if (!after.delete(id)) after.add(id);
  chosen.value = after;
}
