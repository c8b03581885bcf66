// Calls `readVisitors` for one thing at a time.

import type { IdempotencyRow, StoredTask, WorkerRow } from '../rows.ts';
import type { VisitorRows, WantedRows, Writing } from '../writing.ts';

type Visited = Pick<Writing, 'readVisitors'>;

/** `held`: jobs that memory holds already. */
export function visit(
  store: Visited,
  wanted: Partial<WantedRows>,
  { held = [], at = 0 }: { readonly held?: readonly string[]; readonly at?: number } = {},
): Promise<VisitorRows> {
  const all: WantedRows = {
    jobs: new Set(),
    tasks: new Map(),
    workers: new Set(),
    idempotencyKeys: new Set(),
    blobs: new Set(),
    ...wanted,
  };
  return store.readVisitors(all, new Set(held), at);
}

/** The tasks that exist, in the order in which they are named. */
export async function visitTasks(
  store: Visited,
  named: readonly { readonly jobKey: number; readonly index: number }[],
): Promise<readonly StoredTask[]> {
  const byJob = Map.groupBy(named, ({ jobKey }) => `job-${jobKey}`);
  const tasks = new Map(
    [...byJob].map(([id, ofJob]) => [id, new Set(ofJob.map(({ index }) => index))]),
  );
  const found = (await visit(store, { tasks })).tasks;
  return named.flatMap(
    ({ jobKey, index }) =>
      found.find(({ row }) => row.jobKey === jobKey && row.index === index) ?? [],
  );
}

export async function visitWorker(store: Visited, id: string): Promise<WorkerRow | undefined> {
  return (await visit(store, { workers: new Set([id]) })).workers[0];
}

export async function visitKey(store: Visited, key: string): Promise<IdempotencyRow | undefined> {
  return (await visit(store, { idempotencyKeys: new Set([key]) })).idempotencyKeys[0];
}
