// The log in a database of PostgreSQL, over one connection.

import type { Client, QueryResult } from 'pg';
import type { Address } from '../driver/address.ts';
import { answerMs, connect, isKnown, run } from '../driver/session.ts';
import { cut, watch, within } from '../driver/silence.ts';
import type { Row, Statement } from '../driver/statement.ts';
import type { LogEntry } from './log-entry.ts';
import type { LogLook, LogPlace, LogSession } from './log-session.ts';

const doubtMs = 1_000;
/** A commit that is not answered for so long is asked after in the log. */
const doubts = { isKnown, doubtMs, silenceMs: 10_000, isPatient: false };

export class ServerSession implements LogSession {
  readonly #client: Client;
  readonly #address: Address;
  /** What the server said beside its answers. */
  #warning: string | undefined;

  constructor(client: Client, address: Address) {
    this.#client = client;
    this.#address = address;
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') this.#warning = message;
    });
  }

  static async open(address: Address): Promise<ServerSession> {
    return new ServerSession(await connect(address), address);
  }

  /**
   * All in one go. The begin and the row of the log are one message: with a boundary between them, a begin that fails
   * would let the rest be written without the fence.
   */
  async add(entry: LogEntry, statements: readonly Statement[]): Promise<void> {
    const client = this.#client;
    this.#warning = undefined;
    const begun = client.query(
      `begin isolation level read committed read write; ${addEntry(entry, entry.term)}`,
    );
    const written = statements.map(({ text, values }) => run(client, text, values));
    const ended = client.query('commit');
    const endWatch = watch(client, this.#address, doubts);
    const outcomes = await Promise.allSettled([begun, ...written, ended]);
    endWatch();
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    this.#check(await ended);
  }

  async look(sequence: number): Promise<LogLook> {
    const rows = await within(answerMs, this.#client, () => this.#read(sequence));
    const [newest, asked] = rows.map(
      (row): LogPlace => ({ sequence: row[0] as number, term: row[1] as string }),
    );
    if (newest === undefined) throw new Error('the log of commits is empty');
    return { newest, asked };
  }

  async #read(sequence: number): Promise<readonly Row[]> {
    await endIdleWriters(this.#client);
    return run(
      this.#client,
      `(select sequence, term from commits order by sequence desc limit 1)
        union all select sequence, term from commits where sequence = $1`,
      [sequence],
    );
  }

  async end(): Promise<void> {
    const over = this.#client.end().catch(() => undefined);
    // A server that is gone does not say goodbye.
    const timer = setTimeout(() => cut(this.#client), doubtMs);
    await over;
    clearTimeout(timer);
  }

  /** A transaction that has failed answers without an error, and one that no standby has confirmed with a warning. */
  #check({ command }: QueryResult): void {
    if (command !== 'COMMIT') throw new Error(`the commit was answered by ${command}`);
    if (this.#warning !== undefined) throw new Error(this.#warning);
  }
}

/**
 * Ends connections that hold the log and wait for their client, which is frozen or gone. A slow commit, or one that
 * waits for a standby, is left alone.
 */
export async function endIdleWriters(client: Client): Promise<void> {
  await run(
    client,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Client' and pid <> pg_backend_pid() and pid in (
        select pid from pg_locks where relation = 'commits'::regclass and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database()))`,
  );
}

/** The statement that adds the row behind a row of the given term: without one there is no sequence for it. */
export function addEntry(next: LogEntry, termBefore: string): string {
  const text = next.totals === null ? 'null' : quoted(next.totals);
  return `insert into commits (sequence, term, batch, at, next_worker_key, next_recovery_id, next_checkpoint_id, totals)
    values ((select sequence + 1 from commits where sequence = ${next.sequence - 1} and term = '${termBefore}'),
      '${next.term}', ${next.batch}, ${next.at ?? 'null'}, ${next.nextWorkerKey}, ${next.nextRecoveryId},
      ${next.nextCheckpointId}, ${text})`;
}

/** A text as a literal of SQL; backslashes are what they are, since `standard_conforming_strings` is on. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
