// What the address says of the list: filters, grouping, order, and the row that is open.

import { type DeviceKind, deviceKinds, workerStates, type WorkerState } from '../../look/states.ts';
import { stateInWords } from '../../text/worker-states.ts';
import type { Grouping, Wanted } from './worker-list.ts';

export interface WorkersView extends Wanted {
  readonly grouping: Grouping;
  /** Null: as it is by itself. */
  readonly sort: { readonly column: string; readonly isDescending: boolean } | null;
  readonly openId: string | null;
}

/** What nobody can have chosen is left out. */
export function viewOf(query: URLSearchParams): WorkersView {
  const sort = query.get('sort');
  return {
    state: oneOf(workerStates, query.get('state')),
    kind: oneOf(deviceKinds, query.get('kind')),
    labels: query.getAll('label').filter((label) => label !== ''),
    find: query.get('find') ?? '',
    grouping: groupingOf(query.get('group')),
    sort:
      sort === null || !/^-?[a-z]+$/.test(sort)
        ? null
        : { column: sort.replace('-', ''), isDescending: sort.startsWith('-') },
    openId: query.get('open'),
  };
}

/** As the address has it; null: not at all. */
export function sortText(sort: WorkersView['sort']): string | null {
  return sort === null ? null : `${sort.isDescending ? '-' : ''}${sort.column}`;
}

function oneOf<Value extends WorkerState | DeviceKind>(
  values: readonly Value[],
  text: string | null,
): Value | null {
  return values.find((value) => value === text) ?? null;
}

function groupingOf(text: string | null): Grouping {
  if (text === 'kind' || text === 'state') return text;
  if (text?.startsWith('label:') && text.length > 'label:'.length) return text as Grouping;
  return 'none';
}

/** The page of the workers that have these labels. */
export function pageOfLabels(labels: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(
    Object.entries(labels).map(([label, value]) => ['label', `${label}=${value}`]),
  );
  return query.size === 0 ? '/workers' : `/workers?${query}`;
}

/** What was filtered, for the sentence that says that nothing is left. */
export function filterNames({ state, kind, labels, find }: Wanted): readonly string[] {
  const words = state === null ? null : stateInWords(state);
  const part = find.trim() === '' ? null : `"${find.trim()}"`;
  return [words, kind, ...labels, part].filter((each) => each !== null);
}
