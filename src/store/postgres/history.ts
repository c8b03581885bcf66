// Reads for evaluation and for the lists of history.

import type { CheckpointState } from '../../core/commands.ts';
import type { HistoryReading, JobsAsked, PeriodFilter, ThroughputFilter } from '../reading.ts';
import type {
  CheckpointRow,
  CheckpointSum,
  EndedJob,
  RecoveryRow,
  RecoverySum,
  ThroughputSum,
  WorkerRow,
  WorkSum,
} from '../rows.ts';
import { bucketsEnd, firstBucket } from '../sums.ts';
import type { Reader } from './driver/reader.ts';
import { sumCheckpoints } from './tables/checkpoint-sums.ts';
import { listCheckpoints, readState } from './tables/checkpoint-table.ts';
import { type EndedPlace, listEnded } from './tables/ended-jobs.ts';
import { listRecoveries, sumRecoveries } from './tables/recovery-table.ts';
import { generation } from './tables/visible.ts';
import { sumThroughput } from './tables/work-table.ts';
import { findWorkers, listDeparted, listRegisteredAfter } from './tables/worker-table.ts';
import type { WorkSpans } from './work-spans.ts';

/** Rows of a chunk: a few milliseconds. */
const chunkRows = 1_000;
const beforeAll: EndedPlace = { completedAt: Infinity, key: 0 };

export class PostgresHistory implements HistoryReading {
  readonly #reader: Reader;
  readonly #workSpans: WorkSpans;

  constructor(reader: Reader, workSpans: WorkSpans) {
    this.#reader = reader;
    this.#workSpans = workSpans;
  }

  async listRecoveries(
    beforeId: number | null,
    limit: number,
    asked: JobsAsked = {},
  ): Promise<readonly RecoveryRow[]> {
    return listRecoveries(this.#reader.query, beforeId ?? Number.MAX_SAFE_INTEGER, limit, asked);
  }

  async listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]> {
    return listCheckpoints(this.#reader.query, jobKey, afterId, limit, index);
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    return readState(this.#reader.query, id);
  }

  async sumWork({ since, until, ...asked }: PeriodFilter): Promise<readonly WorkSum[]> {
    return this.#workSpans.sum(firstBucket(since), bucketsEnd(until), asked);
  }

  async sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]> {
    return sumThroughput(this.#reader.query, filter);
  }

  async sumRecoveries(filter: PeriodFilter): Promise<RecoverySum> {
    return sumRecoveries(this.#reader.query, filter);
  }

  async sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum> {
    return sumCheckpoints(this.#reader.query, filter);
  }

  async *listEndedJobs(since: number | null, owner?: string): AsyncGenerator<readonly EndedJob[]> {
    const filter = { since: since ?? -Infinity, owner };
    const { query } = this.#reader;
    const begun = await this.#generation();
    for (let last = beforeAll; ; ) {
      const chunk = await listEnded(query, begun, filter, last, chunkRows);
      if (chunk.length > 0) yield chunk;
      if (chunk.length < chunkRows) return;
      last = chunk.at(-1)!;
    }
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    const { query } = this.#reader;
    const begun = await this.#generation();
    for (let lastKey = -1; ; ) {
      const chunk = await listDeparted(query, begun, since ?? -Infinity, lastKey, chunkRows);
      if (chunk.length > 0) yield chunk;
      if (chunk.length < chunkRows) return;
      lastKey = chunk.at(-1)!.key;
    }
  }

  async *listRegisteredWorkers(): AsyncGenerator<readonly WorkerRow[]> {
    const { query } = this.#reader;
    const begun = await this.#generation();
    for (let lastKey = -1; ; ) {
      const chunk = await listRegisteredAfter(query, begun, lastKey, chunkRows);
      if (chunk.length > 0) yield chunk;
      if (chunk.length < chunkRows) return;
      lastKey = chunk.at(-1)!.key;
    }
  }

  async isRegistered(workerId: string): Promise<boolean> {
    const [worker] = await findWorkers(this.#reader.query, [workerId]);
    return worker !== undefined && worker.deregisteredAt === null;
  }

  /** What was begun in one generation does not go on in the next. */
  async #generation(): Promise<number> {
    const [row] = await this.#reader.query(`select ${generation}`);
    return row![0] as number;
  }
}
