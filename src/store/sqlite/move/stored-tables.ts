// How the tables of a move are stored in a file: what is read of each, and what is written.

import type { DatabaseSync } from 'node:sqlite';
import type { Draining, Joined } from '../../../core/records.ts';
import { indexOf, jobKeyOf, taskKey } from '../../../core/task-key.ts';
import {
  canonicalDraining,
  canonicalJoined,
  canonicalOthers,
  canonicalSpec,
} from '../../move/canonical-text.ts';
import { type MovedCell, type MovedTable, tableNamed } from '../../move/moved-tables.ts';
import { StoreFault } from '../../store.ts';
import type { RecoveryRow } from '../../rows.ts';
import { isUnfinished } from '../../visibility.ts';
import { chunksPerBlob } from '../tables/blob-table.ts';
import { isFinalTask } from '../../../core/task-status.ts';
import { taskStatuses } from '../../enumerations.ts';
import { acceptedFromMoved, acceptedToMoved, endedToMoved } from './moved-accounts.ts';
import { type Cell, prepare } from '../tables/statement.ts';
import { errorText } from '../tables/task-value.ts';
import { attemptKind, chunkKind, inputKind, programKind, valueHash } from '../tables/value-hash.ts';
import {
  read,
  type Read,
  readList,
  sameIn,
  sameOut,
  written,
  type Written,
  writtenList,
} from './column-maps.ts';

export interface StoredTable {
  readonly table: MovedTable;
  /** The columns by which it is gone through. */
  readonly key: readonly string[];
  /** Which rows can be seen. */
  readonly isVisible: string;
  /** In the order of the moved columns. */
  readonly reads: readonly Read[];
  /** By the name of the stored column; all that it has but those that SQLite assigns. */
  readonly writes: Readonly<Record<string, Written>>;
}

const generation = '(select generation from meta)';
/** The `+` keeps SQLite from an index that begins with the generation, and so from sorting all rows. */
const ofPresent = `+generation = ${generation}`;
const ofVisible = (job: string) =>
  `exists (select 1 from jobs where jobs.key = ${job} and jobs.generation = ${generation})`;
const ofVisibleTask = (key: string) => ofVisible(`${key} >> 24`);
const ofVisibleBlob = (key: string) =>
  `exists (select 1 from blobs where blobs.key = ${key} and blobs.generation = ${generation} and blobs.sha256 is not null)`;

interface Special {
  readonly key: readonly string[];
  readonly isVisible: string;
  readonly reads?: Readonly<Record<string, Read>>;
  /** What is stored otherwise; undefined: there is no such column. */
  readonly writes?: Readonly<Record<string, Written | undefined>>;
}

function stored(name: string, { key, isVisible, reads = {}, writes = {} }: Special): StoredTable {
  const table = tableNamed(name);
  const same = Object.fromEntries(table.columns.map((column) => [column, sameIn(column)]));
  const all = Object.entries({ ...same, ...writes }).filter(([, each]) => each !== undefined);
  return {
    table,
    key,
    isVisible,
    reads: table.columns.map(
      (column, place) => reads[column] ?? sameOut(column, table.kinds[place]!),
    ),
    writes: Object.fromEntries(all) as Readonly<Record<string, Written>>,
  };
}

/** Rows of tasks have job and index in one number. */
const readTask = (name: string) => ({
  job_key: read([name], (key) => jobKeyOf(key as number)),
  task_index: read([name], (key) => indexOf(key as number)),
});
const place = ['job_key', 'task_index'] as const;
const keyOf = (job: MovedCell | undefined, index: MovedCell | undefined) =>
  taskKey(job as number, index as number);
const writtenTask = (name: string) => ({
  job_key: undefined,
  task_index: undefined,
  [name]: written(place, keyOf),
});

export function storedTables(db: DatabaseSync): ReadonlyMap<string, StoredTable> {
  const programs = prepare(db, 'select key from programs where sha256 = ?');
  const findProgram = (sha256: MovedCell) => programs.get(sha256 as string)![0]!;
  const ofJob = (name: string, key: readonly string[]) =>
    stored(name, { key, isVisible: ofVisible(`${name}.job_key`) });
  const everything = (name: string) => stored(name, { key: ['id'], isVisible: 'true' });
  const tables = [
    stored('jobs', {
      key: ['key'],
      isVisible: ofPresent,
      reads: {
        cursors: readList('cursors'),
        spec: read(['spec'], (spec) => canonicalSpec(spec as string)),
      },
      writes: { cursors: writtenList('cursors') },
    }),
    ofJob('task_priorities', ['job_key']),
    stored('programs', {
      key: ['key'],
      isVisible: `exists (select 1 from job_programs where program_key = programs.key and ${ofVisible('job_programs.job_key')})`,
    }),
    stored('job_programs', {
      key: ['job_key'],
      isVisible: ofVisible('job_programs.job_key'),
      reads: {
        sha256: read(
          ['(select sha256 from programs where programs.key = program_key)'],
          (sha256) => sha256!,
        ),
      },
      writes: {
        sha256: undefined,
        program_key: written(['sha256'], (sha256) => findProgram(sha256)),
        hash: written(['job_key', 'sha256'], (job, sha256) =>
          valueHash(programKind, job as number, sha256 as string),
        ),
      },
    }),
    stored('inputs', {
      key: ['key'],
      isVisible: ofVisibleTask('inputs.key'),
      reads: readTask('key'),
      writes: {
        ...writtenTask('key'),
        hash: written([...place, 'json'], (job, index, json) =>
          valueHash(inputKind, keyOf(job, index), json as string),
        ),
      },
    }),
    storedTasks(),
    stored('attempts', {
      key: ['task_key', 'attempt'],
      isVisible: ofVisibleTask('attempts.task_key'),
      reads: { ...readTask('task_key'), account: read(['account'], endedToMoved) },
      writes: {
        ...writtenTask('task_key'),
        hash: written(
          [...place, 'attempt', 'error_type', 'error_message'],
          (job, index, attempt, type, message) =>
            valueHash(
              attemptKind + (attempt as number),
              keyOf(job, index),
              errorText(type as string, message as string),
            ),
        ),
      },
    }),
    stored('traces', {
      key: ['task_key', 'attempt'],
      isVisible: ofVisibleTask('traces.task_key'),
      reads: readTask('task_key'),
      writes: writtenTask('task_key'),
    }),
    storedWorkers(),
    stored('recoveries', {
      key: ['id'],
      isVisible: ofVisible('recoveries.job_key'),
      writes: {
        is_unfinished: written(['outcome', 'resumed_at'], (outcome, resumedAt) =>
          Number(
            isUnfinished({
              outcome: outcome as RecoveryRow['outcome'],
              resumedAt: resumedAt as number | null,
            }),
          ),
        ),
      },
    }),
    ofJob('idempotency_keys', ['key']),
    ofJob('work', ['bucket_at', 'job_key', 'worker_id']),
    ofJob('work_seconds', ['second_at', 'job_key']),
    ofJob('checkpoints', ['id']),
    storedStates(),
    stored('blobs', {
      key: ['key'],
      isVisible: `${ofPresent} and sha256 is not null`,
    }),
    storedChunks(),
    ofJob('blob_references', ['job_key', 'sha256']),
    stored('blob_owners', {
      key: ['blob_key', 'owner'],
      isVisible: ofVisibleBlob('blob_owners.blob_key'),
      reads: { brought: sameOut('is_brought', 'flag') },
      writes: { brought: undefined, is_brought: sameIn('brought') },
    }),
    ofJob('notifications', ['id']),
    everything('tokens'),
    everything('audit'),
    everything('scheduler_changes'),
  ];
  return new Map(tables.map((each) => [each.table.name, each]));
}

function storedTasks(): StoredTable {
  return stored('tasks', {
    key: ['key'],
    isVisible: ofVisibleTask('tasks.key'),
    reads: {
      ...readTask('key'),
      avoid: readList('avoid'),
      others: read(['others'], (others) => canonicalOthers((others as string | null) ?? '[]')),
      account: read(['energy_joules', 'account'], acceptedToMoved),
      result_json: read(['result'], (result) => result!),
    },
    writes: {
      ...writtenTask('key'),
      avoid: writtenList('avoid'),
      others: writtenList('others'),
      account: written(['account'], (account) => acceptedFromMoved(account).cell),
      energy_joules: written(['account'], (account) => acceptedFromMoved(account).energyJoules),
      result_json: undefined,
      result: sameIn('result_json'),
      hash: written(
        [...place, 'status', 'result_json', 'error_type', 'error_message'],
        (job, index, status, result, type, message) =>
          hashOfTask(keyOf(job, index), status as number, {
            result: result as string | null,
            type: type as string | null,
            message: message as string | null,
          }),
      ),
    },
  });
}

/** As `taskHash` makes it of a row of the port. */
function hashOfTask(
  key: number,
  code: number,
  value: Readonly<Record<'result' | 'type' | 'message', string | null>>,
): number | null {
  const status = taskStatuses[code]!;
  if (!isFinalTask(status)) return null;
  const text = status === 'completed' ? value.result : errorText(value.type, value.message);
  return text === null ? null : valueHash(code, key, text);
}

function storedWorkers(): StoredTable {
  const draining = (cell: MovedCell) =>
    cell === null ? null : (JSON.parse(cell as string) as Draining);
  const joined = (cell: MovedCell) =>
    cell === null ? null : (JSON.parse(cell as string) as Joined);
  return stored('workers', {
    key: ['id'],
    isVisible: ofPresent,
    reads: {
      kinds: readList('kinds'),
      hands: readList('hands'),
      joined: read(['joined_by', 'joined_label'], (tokenId, label) =>
        tokenId === null
          ? null
          : canonicalJoined({ tokenId: tokenId as string, label: label as string | null }),
      ),
      draining: read(['draining', 'drained_at', 'drain_deadline'], (is, since, deadline) =>
        is === 1
          ? canonicalDraining({
              since: since as number | null,
              deadline: deadline as number | null,
            })
          : null,
      ),
    },
    writes: {
      kinds: writtenList('kinds'),
      hands: writtenList('hands'),
      is_registered: written(['deregistered_at'], (at) => (at === null ? 1 : 0)),
      joined: undefined,
      joined_by: written(['joined'], (cell) => joined(cell)?.tokenId ?? null),
      joined_label: written(['joined'], (cell) => joined(cell)?.label ?? null),
      draining: written(['draining'], (cell) => (cell === null ? 0 : 1)),
      drained_at: written(['draining'], (cell) => draining(cell)?.since ?? null),
      drain_deadline: written(['draining'], (cell) => draining(cell)?.deadline ?? null),
    },
  });
}

/** In a file the content of a state is in one column, whatever it is. */
function storedStates(): StoredTable {
  const content = (wanted: number) =>
    read(['encoding', 'content'], (encoding, cell) => (encoding === wanted ? cell! : null));
  return stored('checkpoint_states', {
    key: ['id'],
    isVisible: ofVisibleTask('checkpoint_states.task_key'),
    reads: { ...readTask('task_key'), json: content(0), gzip: content(1), blob: content(2) },
    writes: {
      ...writtenTask('task_key'),
      json: undefined,
      gzip: undefined,
      blob: undefined,
      encoding: written(['json', 'gzip'], (json, gzip) =>
        json !== null ? 0 : gzip !== null ? 1 : 2,
      ),
      content: written(
        ['json', 'gzip', 'blob'],
        (json, gzip, blob) => (json ?? gzip ?? blob) as Cell,
      ),
    },
  });
}

function storedChunks(): StoredTable {
  const chunkKey = (blob: MovedCell | undefined, number: MovedCell | undefined) => {
    if ((number as number) < chunksPerBlob)
      return (blob as number) * chunksPerBlob + (number as number);
    throw new StoreFault(
      'store_write_failed',
      'A blob is too large for a file: its limit is 16 GB.',
    );
  };
  return stored('blob_chunks', {
    key: ['key'],
    isVisible: ofVisibleBlob(`blob_chunks.key / ${chunksPerBlob}`),
    reads: {
      blob_key: read(['key'], (key) => Math.floor((key as number) / chunksPerBlob)),
      number: read(['key'], (key) => (key as number) % chunksPerBlob),
    },
    writes: {
      blob_key: undefined,
      number: undefined,
      key: written(['blob_key', 'number'], chunkKey),
      hash: written(['blob_key', 'number', 'bytes'], (blob, number, bytes) =>
        valueHash(chunkKind, chunkKey(blob, number), bytes as Uint8Array),
      ),
    },
  });
}
