// How the tables of a move are stored in PostgreSQL. Nearly all are stored as they are moved.

import type { Draining, Joined } from '../../../core/records.ts';
import {
  canonicalDraining,
  canonicalJoined,
  canonicalOthers,
  canonicalSpec,
} from '../../move/canonical-text.ts';
import {
  type MovedCell,
  type MovedKind,
  type MovedTable,
  tableNamed,
} from '../../move/moved-tables.ts';
import type { Cell } from '../driver/statement.ts';
import { decodeText, encodeText } from '../driver/text.ts';
import { generation, isOfVisible, isVisible } from '../tables/visible.ts';

export interface StoredTable {
  readonly table: MovedTable;
  /** The columns by which it is gone through. */
  readonly key: readonly string[];
  /** Which rows can be seen. */
  readonly isVisible: string;
  /** In the order of the columns. */
  readonly reads: readonly ((cell: Cell) => MovedCell)[];
  readonly types: readonly string[];
}

const types: Readonly<Record<MovedKind, string>> = {
  integer: 'bigint',
  small: 'integer',
  tiny: 'smallint',
  real: 'double precision',
  text: 'text',
  flag: 'boolean',
  bytes: 'bytea',
};

const canonical: Readonly<Record<string, (text: string) => string>> = {
  'jobs.spec': canonicalSpec,
  'tasks.others': canonicalOthers,
  'workers.draining': (text) => canonicalDraining(JSON.parse(text) as Draining),
  'workers.joined': (text) => canonicalJoined(JSON.parse(text) as Joined),
};

/** The key of each, and which rows can be seen. */
const places: Readonly<Record<string, readonly [key: string, isVisible: string]>> = {
  jobs: ['key', isVisible('jobs')],
  task_priorities: ['job_key', isOfVisible('task_priorities')],
  programs: [
    'sha256',
    `exists (select 1 from job_programs where job_programs.sha256 = programs.sha256 and ${isOfVisible('job_programs')})`,
  ],
  job_programs: ['job_key', isOfVisible('job_programs')],
  inputs: ['job_key, task_index', isOfVisible('inputs')],
  tasks: ['job_key, task_index', isOfVisible('tasks')],
  attempts: ['job_key, task_index, attempt', isOfVisible('attempts')],
  traces: ['job_key, task_index, attempt', isOfVisible('traces')],
  workers: ['id', isVisible('workers')],
  recoveries: ['id', isOfVisible('recoveries')],
  idempotency_keys: ['key', isOfVisible('idempotency_keys')],
  work: ['bucket_at, job_key, worker_id', isOfVisible('work')],
  work_seconds: ['second_at, job_key', isOfVisible('work_seconds')],
  checkpoints: ['id', isOfVisible('checkpoints')],
  checkpoint_states: ['id', isOfVisible('checkpoint_states')],
  blobs: ['key', `${isVisible('blobs')} and blobs.sha256 is not null`],
  blob_chunks: ['blob_key, number', ofVisibleBlob('blob_chunks')],
  blob_references: ['job_key, sha256', isOfVisible('blob_references')],
  blob_owners: ['blob_key, owner', ofVisibleBlob('blob_owners')],
  notifications: ['id', isOfVisible('notifications')],
  tokens: ['id', 'true'],
  audit: ['id', 'true'],
  scheduler_changes: ['id', 'true'],
};

function ofVisibleBlob(rows: string): string {
  return `(select blobs.generation from blobs
    where blobs.key = ${rows}.blob_key and blobs.sha256 is not null) = ${generation}`;
}

export const storedTables: ReadonlyMap<string, StoredTable> = new Map(
  Object.entries(places).map(([name, [key, visible]]) => [name, stored(name, key, visible)]),
);

function stored(name: string, key: string, visible: string): StoredTable {
  const table = tableNamed(name);
  return {
    table,
    key: key.split(', '),
    isVisible: visible,
    reads: table.kinds.map((kind, i) => readOf(kind, canonical[`${name}.${table.columns[i]}`])),
    types: table.kinds.map((kind) => types[kind]),
  };
}

function readOf(
  kind: MovedKind,
  toCanonical: (text: string) => string = (text) => text,
): StoredTable['reads'][number] {
  if (kind !== 'text') return (cell) => cell;
  return (cell) => (cell === null ? null : toCanonical(decodeText(cell as string)));
}

/** The column of these rows, as the driver takes it. */
export function toCell(kind: MovedKind, cell: MovedCell): Cell {
  return kind === 'text' && cell !== null ? encodeText(cell as string) : cell;
}
