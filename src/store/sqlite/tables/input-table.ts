// Inputs of jobs, and which of them are staged for a job that is not visible yet.

import type { DatabaseSync } from 'node:sqlite';
import { taskKey } from '../../../core/task-key.ts';
import { damagedInput, valueFault } from '../../damage.ts';
import { type Encode, replaceRow, RowWriter } from './row-writer.ts';
import { prepare, type Statement } from './statement.ts';
import { inputKind, type ValueGuard, valueHash } from './value-hash.ts';

const columns = ['key', 'json', 'hash'] as const;

export class InputTable {
  readonly #guard: ValueGuard;
  readonly #writer: RowWriter<string>;
  /** Key of the first row that is being written. */
  #firstKey = 0;
  readonly #find: Statement;
  readonly #range: Statement;
  readonly #has: Statement;
  readonly #isDropped: Statement;
  readonly #stage: Statement;
  readonly #reveal: Statement;
  readonly #drop: Statement;
  readonly #dropAll: Statement;

  constructor(db: DatabaseSync, guard: ValueGuard) {
    this.#guard = guard;
    const encode: Encode<string> = (cells, offset, json, place) => {
      const key = this.#firstKey + place;
      cells[offset] = key;
      cells[offset + 1] = json;
      cells[offset + 2] = valueHash(inputKind, key, json);
    };
    this.#writer = new RowWriter(db, 'inputs', columns, replaceRow(columns), encode);
    this.#find = prepare(db, 'select json, hash from inputs where key = ?');
    this.#range = prepare(
      db,
      'select json, hash from inputs where key >= ? and key <= ? order by key',
    );
    this.#has = prepare(db, 'select 1 from inputs where key = ?');
    this.#isDropped = prepare(db, 'select dropped from staged where job_key = ?');
    this.#stage = prepare(db, 'insert or ignore into staged (job_key, dropped) values (?, 0)');
    this.#reveal = prepare(db, 'delete from staged where job_key = ?');
    this.#drop = prepare(db, 'update staged set dropped = 1 where job_key = ?');
    this.#dropAll = prepare(db, 'update staged set dropped = 1 where dropped = 0');
  }

  write(jobKey: number, fromIndex: number, inputs: readonly string[]): void {
    this.#firstKey = taskKey(jobKey, fromIndex);
    this.#writer.write(inputs);
  }

  read(jobKey: number, jobId: string, indices: readonly number[]): readonly string[] {
    const from = indices[0];
    if (from === undefined) return [];
    const rows = isRun(indices, from)
      ? this.#range.all(taskKey(jobKey, from), taskKey(jobKey, from + indices.length - 1))
      : indices.flatMap((index) => this.#find.all(taskKey(jobKey, index)));
    if (rows.length !== indices.length) throw new Error(`job ${jobKey} lacks some of its inputs`);
    return rows.map(([json, hash], place) => {
      const index = indices[place]!;
      const verdict = this.#guard.checkText(hash, inputKind, taskKey(jobKey, index), json);
      if (verdict !== 'damaged') return json as string;
      const sentence = damagedInput(jobId, index);
      this.#guard.tell(sentence);
      throw valueFault(sentence);
    });
  }

  /** Whether inputs from this index on can be staged: the one before is there, and nothing was dropped. */
  isNext(jobKey: number, fromIndex: number): boolean {
    if (fromIndex > 0) return this.isWhole(jobKey, fromIndex);
    return this.#isDropped.get(jobKey)?.[0] !== 1;
  }

  /** Whether all of so many inputs are staged: each was stored behind the one before. */
  isWhole(jobKey: number, count: number): boolean {
    const isKept = this.#isDropped.get(jobKey)?.[0] === 0;
    return isKept && this.#has.get(taskKey(jobKey, count - 1)) !== undefined;
  }

  markStaged(jobKey: number): void {
    this.#stage.run(jobKey);
  }

  reveal(jobKey: number): void {
    this.#reveal.run(jobKey);
  }

  drop(jobKey: number): void {
    this.#drop.run(jobKey);
  }

  dropAll(): void {
    this.#dropAll.run();
  }
}

/** Whether the indices are consecutive, and can be read as a range. */
function isRun(indices: readonly number[], from: number): boolean {
  return indices.every((index, place) => index === from + place);
}
