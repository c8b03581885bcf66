// What is moved from one database to another: each table once, with its columns in a form that is of neither
// kind of database. What is left out follows from the rest, or belongs to its place.

/** Null in every kind is null. `small` and `tiny` are whole numbers that need no more than four or two bytes. */
export type MovedKind = 'integer' | 'small' | 'tiny' | 'real' | 'text' | 'flag' | 'bytes';

export type MovedCell = null | number | string | boolean | Uint8Array;

/** Cells in the order of the columns. */
export type MovedRow = readonly MovedCell[];

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly kinds: readonly MovedKind[];
  /** Columns in which a single value may be large. */
  readonly large: readonly string[];
}

const table = (
  name: string,
  columns: Readonly<Record<string, MovedKind>>,
  large: readonly string[] = [],
): MovedTable => ({ name, columns: Object.keys(columns), kinds: Object.values(columns), large });

const work = { completed: 'integer', failed: 'integer' } as const;

/** In the order in which they are written. */
export const movedTables: readonly MovedTable[] = [
  table(
    'jobs',
    {
      key: 'integer',
      id: 'text',
      generation: 'integer',
      client_id: 'text',
      owner: 'text',
      name: 'text',
      status: 'tiny',
      task_count: 'small',
      completed: 'small',
      failed: 'small',
      cancelled: 'small',
      cursors: 'text',
      created_at: 'real',
      started_at: 'real',
      completed_at: 'real',
      cancelled_at: 'real',
      held_at: 'real',
      expires_at: 'real',
      stored_bytes: 'integer',
      error: 'text',
      spec: 'text',
    },
    ['cursors', 'spec'],
  ),
  table('task_priorities', { job_key: 'integer', priorities: 'bytes' }, ['priorities']),
  table('programs', { sha256: 'text', json: 'text' }, ['json']),
  table('job_programs', { job_key: 'integer', sha256: 'text' }),
  table('inputs', { job_key: 'integer', task_index: 'small', json: 'text' }, ['json']),
  table(
    'tasks',
    {
      job_key: 'integer',
      task_index: 'small',
      status: 'tiny',
      attempt: 'small',
      worker_id: 'text',
      token: 'text',
      accepted_attempt: 'small',
      errors: 'small',
      losses: 'small',
      timeouts: 'small',
      not_before: 'real',
      avoid: 'text',
      assigned_at: 'real',
      started_at: 'real',
      completed_at: 'real',
      run_ms: 'real',
      error_type: 'text',
      error_message: 'text',
      others: 'text',
      run_before_ms: 'real',
      account: 'text',
      result_json: 'text',
    },
    ['error_message', 'result_json'],
  ),
  table(
    'attempts',
    {
      job_key: 'integer',
      task_index: 'small',
      attempt: 'small',
      count: 'small',
      worker_id: 'text',
      token: 'text',
      outcome: 'text',
      error_type: 'text',
      error_message: 'text',
      assigned_at: 'real',
      started_at: 'real',
      ended_at: 'real',
      account: 'text',
      owner: 'text',
    },
    ['error_message'],
  ),
  table(
    'traces',
    { job_key: 'integer', task_index: 'small', attempt: 'small', stack: 'text', output: 'text' },
    ['stack', 'output'],
  ),
  table('workers', {
    id: 'text',
    key: 'integer',
    generation: 'integer',
    token_hash: 'text',
    name: 'text',
    type: 'text',
    platform: 'text',
    slots: 'small',
    kinds: 'text',
    runtimes: 'text',
    hands: 'text',
    labels: 'text',
    isolation: 'text',
    version: 'text',
    lease_ms: 'real',
    lease_now_ms: 'real',
    task_memory_mb: 'real',
    registered_at: 'real',
    joined: 'text',
    given_name: 'text',
    waits_until: 'real',
    draining: 'text',
    quarantine: 'text',
    deregistered_at: 'real',
    may_return: 'flag',
    away_since: 'real',
    total_completed: 'integer',
    total_failed: 'integer',
    busy_ms: 'real',
    smoothed_task_ms: 'real',
    energy_joules: 'real',
  }),
  table('recoveries', {
    id: 'integer',
    job_key: 'integer',
    task_index: 'small',
    from_worker_id: 'text',
    to_worker_id: 'text',
    reason: 'text',
    attempt: 'small',
    next_attempt: 'small',
    checkpoint_id: 'text',
    resumed_from_progress: 'real',
    lost_at: 'real',
    resumed_at: 'real',
    work_saved_seconds: 'real',
    time_lost_seconds: 'real',
    outcome: 'text',
    owner: 'text',
  }),
  table('idempotency_keys', {
    key: 'text',
    job_key: 'integer',
    body_hash: 'text',
    created_at: 'real',
  }),
  table('work', {
    bucket_at: 'real',
    job_key: 'integer',
    worker_id: 'text',
    ...work,
    retried: 'integer',
    completed_ms: 'real',
    busy_ms: 'real',
    energy_joules: 'real',
    wasted_ms: 'real',
    owner: 'text',
  }),
  table('work_seconds', { second_at: 'real', job_key: 'integer', ...work, owner: 'text' }),
  table('checkpoints', {
    id: 'integer',
    job_key: 'integer',
    task_index: 'small',
    attempt: 'small',
    sequence: 'small',
    worker_id: 'text',
    progress: 'real',
    size_bytes: 'integer',
    stored_bytes: 'integer',
    sha256: 'text',
    run_ms: 'real',
    created_at: 'real',
    owner: 'text',
  }),
  table(
    'checkpoint_states',
    {
      id: 'integer',
      job_key: 'integer',
      task_index: 'small',
      json: 'text',
      gzip: 'bytes',
      blob: 'text',
    },
    ['json', 'gzip'],
  ),
  table('blobs', {
    key: 'integer',
    generation: 'integer',
    sha256: 'text',
    size_bytes: 'integer',
    touched_at: 'real',
  }),
  table('blob_chunks', { blob_key: 'integer', number: 'small', bytes: 'bytes' }, ['bytes']),
  table('blob_references', { job_key: 'integer', sha256: 'text', owner: 'text' }),
  table('blob_owners', { blob_key: 'integer', owner: 'text', brought: 'flag' }),
  table('notifications', {
    id: 'integer',
    job_key: 'integer',
    target: 'small',
    host: 'text',
    status: 'text',
    completed: 'small',
    failed: 'small',
    cancelled: 'small',
    started_at: 'real',
    ended_at: 'real',
    attempts: 'small',
    outcome: 'text',
    next_at: 'real',
    answer: 'text',
    tried_at: 'real',
  }),
  table('tokens', {
    id: 'text',
    kind: 'text',
    hash: 'text',
    owner: 'text',
    label: 'text',
    created_at: 'real',
    expires_at: 'real',
    last_used_at: 'real',
    quota: 'text',
    uses_left: 'integer',
    revoked_at: 'real',
    worker_id: 'text',
    labels: 'text',
    needs_approval: 'flag',
    joined_by: 'text',
    given_name: 'text',
  }),
  table('audit', {
    id: 'integer',
    at: 'real',
    action: 'text',
    object: 'text',
    outcome: 'text',
    code: 'text',
    count: 'integer',
    token_id: 'text',
    role: 'text',
    owner: 'text',
    address: 'text',
  }),
  table('scheduler_changes', { id: 'integer', config: 'text' }),
];

/** Facts about the whole database as of its newest batch. */
export interface MovedFacts {
  readonly generation: number;
  /** Of the newest batch. */
  readonly sequence: number;
  readonly lastCommitAt: number | null;
  readonly nextJobKey: number;
  readonly nextWorkerKey: number;
  readonly nextRecoveryId: number;
  readonly nextCheckpointId: number;
  /** JSON. */
  readonly config: string | null;
  readonly totals: string | null;
}

/** The row with these cells; null where nothing is said. */
export function movedRow(
  { columns }: MovedTable,
  cells: Readonly<Record<string, MovedCell>>,
): MovedRow {
  return columns.map((name) => cells[name] ?? null);
}

export function tableNamed(name: string): MovedTable {
  return movedTables.find((each) => each.name === name)!;
}
