// A process among others on the simulated database, as the production member sees it.

import type { CoordinatorRow, LogPosition, Membership, TakenOver } from '../../store/membership.ts';
import { createSharedMemoryStore } from '../../store/memory/memory-store.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { CommitLog, type LogTime } from '../../store/postgres/log/commit-log.ts';
import { type Often, SignsOfLife } from '../../store/postgres/log/signs-of-life.ts';
import type { WriteBatch } from '../../store/rows.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { type Store, StoreFault } from '../../store/store.ts';
import type { Database, DatabaseRow } from './database.ts';
import { createSharedStore } from './shared-store.ts';
import type { StoreLine } from './store-line.ts';

export interface SimMembershipOptions {
  readonly database: Database;
  readonly disk: MemoryDisk;
  readonly line: StoreLine;
  readonly time: LogTime;
  readonly often: Often;
  readonly loadMs: () => number;
  /** Reads for devices that are at this host while another leads. */
  readonly outfitting: (store: OutfitReading, isUp: () => boolean) => OutfitReading;
  readonly newTerm: () => string;
  /** The log says so, whether this process lives to hear of it or not. */
  readonly onTakeOver: (from: LogPosition, term: string) => void;
  readonly waiting: <T>(work: Promise<T>) => Promise<T>;
  readonly onWritten: (batch: WriteBatch, term: string) => void;
  readonly log: (line: string) => void;
}

const takeoverSilenceMs = 10_000;

export class SimMembership implements Membership {
  readonly secret = 'secret';
  readonly reading: Membership['reading'];
  readonly outfitting: Membership['outfitting'];
  readonly #options: SimMembershipOptions;
  readonly #store: Store;

  constructor(options: SimMembershipOptions) {
    this.#options = options;
    this.#store = createSharedMemoryStore(options.disk);
    this.reading = this.#store;
    this.outfitting = options.outfitting(this.#store, () => options.line.isUp);
  }

  /** No host sweeps what another one stages. */
  stagingOf(id: string): ReturnType<Membership['stagingOf']> {
    const store = this.#store;
    return {
      member: id,
      beginBlob: () => store.beginBlob(),
      stageInputs: (...given) => store.stageInputs(...given),
      dropStaged: (jobKey) => store.dropStaged(jobKey),
    };
  }

  look(): ReturnType<Membership['look']> {
    return this.#ask(async () => this.#options.database.look());
  }

  beSeen(self: Omit<CoordinatorRow, 'seenAt'>): Promise<void> {
    return this.#ask(async () => this.#options.database.beSeen(self));
  }

  async takeOver(from: LogPosition, self: Pick<CoordinatorRow, 'id' | 'url'>): Promise<TakenOver> {
    const { database, newTerm, onTakeOver } = this.#options;
    const term = newTerm();
    const row = await this.#ask(async () => {
      const taken = await database.takeOver(from, term, self);
      onTakeOver(from, term);
      return taken;
    }, takeoverSilenceMs);
    return { ...this.#begin(row), term };
  }

  async leave(id: string): Promise<void> {
    await this.#ask(async () => this.#options.database.leave(id)).catch(() => undefined);
  }

  async close(): Promise<void> {
    void this.#options;
  }

  #begin(row: DatabaseRow): Omit<TakenOver, 'term'> {
    const { database, disk, line, time, often, loadMs, waiting, onWritten } = this.#options;
    const { term } = row;
    const entry = {
      ...row,
      at: disk.lastCommitAt,
      nextWorkerKey: 0,
      nextRecoveryId: 0,
      nextCheckpointId: 0,
      totals: null,
    };
    const log = new CommitLog(line.open(), entry, {
      shown: 'of the simulation',
      open: async () => line.open(),
      onTrouble: (sentence) => this.#options.log(sentence),
      time,
    });
    const store = createSharedStore({
      disk,
      log,
      signs: new SignsOfLife(log, often),
      isUp: () => line.isUp,
      pause: (ms) => time.sleep(ms),
      loadMs,
      waiting,
      isOver: () => database.log.newest.term !== term,
      written: (batch, write) =>
        line.enclose(() => {
          void write();
          onWritten(batch, term);
        }),
    });
    return { store, failed: log.failed, endAsLonely: () => log.close('lonely') };
  }

  async #ask<T>(work: () => Promise<T>, silenceMs?: number): Promise<T> {
    try {
      return await this.#options.line.call(work, silenceMs);
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      const sentence = 'The simulated database did not answer.';
      throw new StoreFault('store_unreachable', sentence, error);
    }
  }
}
