// Reads every row of a database and compares every hash, a slice of some milliseconds at a time. It only
// reads, and only committed data: a coordinator may work on the database meanwhile.

import type { DatabaseSync } from 'node:sqlite';
import { indexOf, jobKeyOf, taskKey } from '../../../core/task-key.ts';
import {
  damagedAttempt,
  damagedBlob,
  damagedInput,
  damagedProgram,
  damagedTask,
  damagedTasks,
} from '../../damage.ts';
import { jobStatusCode, taskStatusCode } from '../../enumerations.ts';
import { checkDispatch } from '../tables/dispatch-table.ts';
import { errorText, checkTask } from '../tables/task-value.ts';
import {
  attemptKind,
  inputKind,
  programName,
  ValueGuard,
  type Verdict,
} from '../tables/value-hash.ts';
import { type Cell, prepare, type Row, type Statement } from '../tables/statement.ts';
import { TableWalk, type TableVisitor } from './table-walk.ts';

export interface CheckReport {
  /** Results, errors, inputs, programs and chunks of blobs that were checked. */
  readonly values: number;
  /** Values of older versions, which have no hash. */
  readonly unverified: number;
  readonly damaged: number;
  /** Sentences about damaged values, the first thousand. */
  readonly sentences: readonly string[];
}

const mostSentences = 1_000;

/** A row by the names of its columns. A column of a later version is null. */
type Cells = (name: string) => Cell;

export class StoreCheck {
  readonly #db: DatabaseSync;
  readonly #guard: ValueGuard;
  readonly #generation: number;
  readonly #job: Statement;
  readonly #blob: Statement;
  readonly #program: Statement;
  /** Names of the programs that were checked; undefined for a damaged one. */
  readonly #programNames = new Map<Cell, string | undefined>();
  readonly #rowsOfJob: Statement;
  readonly #tables: string[];
  #walk:
    | { readonly table: string; readonly rows: TableWalk; readonly visitor: TableVisitor }
    | undefined;
  /** The job whose tasks are being read, and how many of its rows were read so far. */
  #ofJob = { jobKey: 0, rows: 0 };
  #values = 0;
  #unverified = 0;
  #damaged = 0;
  readonly #sentences: string[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
    const meta = db.prepare('select * from meta').get()!;
    this.#generation = Number(meta.generation);
    this.#guard = new ValueGuard(Number(meta.hashed_from ?? Number.MAX_SAFE_INTEGER));
    this.#job = prepare(
      db,
      'select id, generation, status, completed, failed, task_count from jobs where key = ?',
    );
    this.#blob = prepareNamed(db, 'blobs', 'generation');
    this.#program = prepareNamed(db, 'programs', 'json');
    this.#rowsOfJob = prepare(db, 'select count(*) from tasks where key >= ? and key < ?');
    this.#tables = db
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
      )
      .all()
      .map(({ name }) => String(name));
  }

  get report(): CheckReport {
    return {
      values: this.#values,
      unverified: this.#unverified,
      damaged: this.#damaged,
      sentences: this.#sentences,
    };
  }

  /** Checks one slice. False when everything was checked. */
  step(): boolean {
    if (this.#walk === undefined) {
      const table = this.#tables.shift();
      if (table === undefined) return false;
      const rows = new TableWalk(this.#db, table);
      this.#walk = { table, rows, visitor: this.#visitor(table, rows.columns) };
    }
    const { table, rows, visitor } = this.#walk;
    if (rows.step(visitor)) return true;
    this.#walk = undefined;
    if (table === 'tasks') this.#endOfJob();
    return true;
  }

  #visitor(table: string, columns: readonly string[]): TableVisitor {
    const check = this.#checks[table];
    const places = new Map(columns.map((name, place) => [name, place]));
    let row: Row = [];
    const cells: Cells = (name) => row[places.get(name) ?? -1] ?? null;
    return {
      row: (read) => {
        row = read;
        check?.(cells);
      },
      unreadable: (after) => {
        const place = table === 'tasks' || table === 'inputs' ? this.#placeOf(after) : '';
        this.#tell(`Pages of the table ${table} cannot be read${place}.`);
      },
    };
  }

  readonly #checks: Readonly<Record<string, (cells: Cells) => void>> = {
    jobs: (cells) => this.#lookAtJob(cells('key') as number),
    tasks: (cells) => this.#lookAtTask(cells),
    dispatches: (cells) => {
      const key = cells('key') as number;
      const verdict = checkDispatch(this.#guard, {
        key,
        workerId: cells('worker_id'),
        assignedAt: cells('assigned_at'),
        tasks: cells('tasks'),
        tokens: cells('tokens'),
        hash: cells('hash'),
      });
      this.#count(verdict, jobKeyOf(key), damagedTasks);
    },
    attempts: (cells) => {
      const key = cells('task_key') as number;
      const attempt = cells('attempt') as number;
      const text = errorText(cells('error_type') as string, cells('error_message') as string);
      const verdict = this.#guard.checkText(cells('hash'), attemptKind + attempt, key, text);
      this.#count(verdict, jobKeyOf(key), (id) => damagedAttempt(id, indexOf(key), attempt));
    },
    inputs: (cells) => {
      const key = cells('key') as number;
      const verdict = this.#guard.checkText(cells('hash'), inputKind, key, cells('json'));
      this.#count(verdict, jobKeyOf(key), (id) => damagedInput(id, indexOf(key)));
    },
    job_programs: (cells) => {
      const jobKey = cells('job_key') as number;
      const name = this.#programName(cells('program_key'));
      const verdict =
        name === undefined ? 'damaged' : this.#guard.checkProgramOf(jobKey, cells('hash'), name);
      this.#count(verdict, jobKey, damagedProgram);
    },
    blob_chunks: (cells) => {
      const key = cells('key') as number;
      const verdict = this.#guard.checkChunk(cells('hash'), key, cells('bytes'));
      if (!this.#isDamaged(verdict)) return;
      const [sha256, generation] = this.#blob.get(Math.floor(key / 2 ** 16)) ?? [];
      if (generation === this.#generation) this.#tell(damagedBlob(String(sha256)));
    },
  };

  /** The name of a program, which is read and hashed once, however many jobs have it. */
  #programName(programKey: Cell): string | undefined {
    if (!this.#programNames.has(programKey)) {
      const [sha256, json] = this.#program.get(programKey) ?? [];
      this.#programNames.set(programKey, programName(sha256, json));
    }
    return this.#programNames.get(programKey);
  }

  #lookAtTask(cells: Cells): void {
    const key = cells('key') as number;
    const jobKey = jobKeyOf(key);
    if (jobKey !== this.#ofJob.jobKey) this.#endOfJob();
    this.#ofJob = { jobKey, rows: this.#ofJob.rows + 1 };
    const verdict = checkTask(this.#guard, {
      key,
      status: cells('status'),
      errorType: cells('error_type'),
      errorMessage: cells('error_message'),
      result: cells('result'),
      hash: cells('hash'),
    });
    const isOpen =
      taskStatusCode.pending === cells('status') || taskStatusCode.assigned === cells('status');
    if (isOpen && verdict === 'intact') return;
    this.#count(verdict, jobKey, (id) => damagedTask({ id }, jobKey, indexOf(key)).damage);
  }

  /** Checks that the first and the last task of the job have rows; those in between are counted later. */
  #lookAtJob(jobKey: number): void {
    const job = this.#wholeJob(jobKey);
    if (job === undefined) return;
    for (const index of [0, job.tasks - 1]) {
      const [found] = this.#rowsOfJob.get(taskKey(jobKey, index), taskKey(jobKey, index + 1))!;
      if (found === 0) return this.#tell(damagedTasks(job.id));
    }
  }

  /** When all tasks of a job have ended by themselves, no row may be missing. */
  #endOfJob(): void {
    const { jobKey, rows } = this.#ofJob;
    this.#ofJob = { jobKey: 0, rows: 0 };
    const job = this.#wholeJob(jobKey);
    if (job === undefined || rows === job.tasks) return;
    // The job may have ended meanwhile, so its rows are counted anew.
    const [counted] = this.#rowsOfJob.get(taskKey(jobKey, 0), taskKey(jobKey + 1, 0))!;
    if (counted !== job.tasks) this.#tell(damagedTasks(job.id));
  }

  /** The job, if it can be seen and all of its tasks have ended by themselves. */
  #wholeJob(jobKey: number): { readonly id: string; readonly tasks: number } | undefined {
    const [id, generation, status, completed, failed, tasks] = this.#job.get(jobKey) ?? [];
    const hasEnded = status === jobStatusCode.completed || status === jobStatusCode.failed;
    const isWhole = hasEnded && Number(completed) + Number(failed) === tasks;
    return isWhole && generation === this.#generation ? { id: String(id), tasks } : undefined;
  }

  #count(verdict: Verdict, jobKey: number, sentenceOf: (jobId: string) => string): void {
    if (!this.#isDamaged(verdict)) return;
    const [id, generation] = this.#job.get(jobKey) ?? [];
    // Rows that nobody can see any more are going to be swept, so they are not reported.
    if (generation === this.#generation) this.#tell(sentenceOf(String(id)));
  }

  /** Counts the verdict; true when the value is damaged. */
  #isDamaged(verdict: Verdict): boolean {
    this.#values++;
    if (verdict === 'unverified') this.#unverified++;
    return verdict === 'damaged';
  }

  #placeOf(after: Cell): string {
    const key = Math.max(0, Number(after));
    const [id] = this.#job.get(jobKeyOf(key)) ?? [];
    return id === undefined ? '' : ` behind index ${indexOf(key)} of job ${String(id)}`;
  }

  #tell(sentence: string): void {
    this.#damaged++;
    if (this.#sentences.length < mostSentences) this.#sentences.push(sentence);
  }
}

/** `sha256` and a column of a row, by its key; finds nothing in a file from before the table had such names. */
function prepareNamed(db: DatabaseSync, table: string, column: string): Statement {
  const probe = prepare(db, "select 1 from pragma_table_info(?) where name = 'sha256'");
  const hasNames = probe.get(table) !== undefined;
  return prepare(
    db,
    hasNames
      ? `select sha256, ${column} from ${table} where key = ?`
      : 'select null, null where ? is null',
  );
}
