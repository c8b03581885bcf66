// An open trunk at the member that follows: what connections of workers say is written as records, and records of the
// leader are read and told.

import type { Opening, TrunkEars, TrunkPort } from '../coordinator/port/trunk.ts';
import type { AttemptRef, WorkerMessage } from '../protocol/messages.ts';
import { RecordWriter, type WrittenTo } from './record-writer.ts';
import { inRecord, readFromLeader, recordOf } from './trunk-records.ts';

export class GatewayTrunk implements TrunkPort {
  readonly #writer: RecordWriter;

  constructor(socket: WrittenTo, defer?: (fn: () => void) => void) {
    this.#writer = new RecordWriter(socket, defer);
  }

  get isBehind(): boolean {
    return this.#writer.isBehind;
  }

  caughtUp(): Promise<void> {
    return this.#writer.caughtUp();
  }

  open(n: number, { token, address }: Opening): void {
    this.#writer.write(recordOf(['open', n, token, address]));
  }

  pass(n: number, messages: readonly WorkerMessage[], bytes: number): void {
    this.#writer.write(inRecord(n, messages, bytes));
  }

  gone(n: number): void {
    this.#writer.write(recordOf(['gone', n]));
  }

  unreadable(n: number, ref: Pick<AttemptRef, 'task_id' | 'token'>, problem: string): void {
    this.#writer.write(recordOf(['unreadable', n, ref.task_id, ref.token, problem]));
  }

  damaged(taskId: string, checkpointId: number): void {
    this.#writer.write(recordOf(['damaged', taskId, checkpointId]));
  }

  /** Nothing is said any more. */
  end(): void {
    this.#writer.end();
  }
}

/** False when it is no frame of a leader. */
export function tellFrame(text: string, ears: Pick<TrunkEars, 'out' | 'end'>): boolean {
  const records = readFromLeader(text);
  if (records === null) return false;
  for (const record of records) {
    if (record[0] === 'out') ears.out(record[1], record[2]);
    else ears.end(record[1], record[2], record[3] === 0 ? undefined : record[3]);
  }
  return true;
}
