// The store of a host that leads: it commits through the log, and reads and sweeps the shared disk beside it, as the
// store on PostgreSQL does.

import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { createSharedMemoryStore } from '../../store/memory/memory-store.ts';
import type { CommitLog } from '../../store/postgres/log/commit-log.ts';
import type { SignsOfLife } from '../../store/postgres/log/signs-of-life.ts';
import type { Statement } from '../../store/postgres/driver/statement.ts';
import type { WriteBatch } from '../../store/rows.ts';
import { type Store, StoreFault } from '../../store/store.ts';

export interface SharedStoreOptions {
  readonly disk: MemoryDisk;
  readonly log: CommitLog;
  readonly signs: SignsOfLife;
  /** The way to the database is there. */
  readonly isUp: () => boolean;
  readonly pause: (ms: number) => Promise<void>;
  readonly loadMs: () => number;
  /** Told how long the writer has waited for the log, when that is over. */
  readonly waiting: <T>(work: Promise<T>) => Promise<T>;
  /** Another has taken over: what this one stages is swept. */
  readonly isOver: () => boolean;
  /** A statement that writes the batch. */
  readonly written: (batch: WriteBatch, write: () => Promise<void>) => Statement;
}

/** A read that cannot reach the database is given up after this. */
const patienceMs = 3_000;
/**
 * They make no promise, or return what goes on for long. What could not be dropped while the database was away stays
 * until the next takeover, which is no matter for the checkers.
 */
const apart = new Set([
  'listEndedJobs',
  'listDepartedWorkers',
  'listRegisteredWorkers',
  'readBlob',
  'beginBlob',
  'resumeBlob',
  'dropStaged',
]);

export function createSharedStore(options: SharedStoreOptions): Store {
  const { disk, log, signs, isUp, pause, loadMs, waiting, isOver, written } = options;
  const inner = createSharedMemoryStore(disk);
  const reach = async () => {
    if (isUp()) return;
    await pause(patienceMs);
    if (isUp()) return;
    throw new StoreFault('store_unreachable', 'The simulated database cannot be reached.');
  };
  const own: Partial<Store> = {
    load: async () => {
      const ms = loadMs();
      await pause(ms / 2);
      await reach();
      const state = await inner.load();
      await pause(ms / 2);
      return state;
    },
    commit: (batch, at) => {
      const done = log.commit((newest) => {
        if (batch.sequence <= newest.batch) return null;
        const statement = written(batch, () => inner.commit(batch, at));
        const entry = { ...newest, batch: batch.sequence, at };
        return { entry, statements: [statement] };
      });
      return waiting(done);
    },
    stageInputs: async (jobKey, ...given) => {
      await reach();
      const isStaged = await inner.stageInputs(jobKey, ...given);
      if (isOver()) await inner.dropStaged(jobKey);
      return isStaged;
    },
    confirm: () => waiting(log.confirm()),
    close: async () => {
      signs.stop();
      await log.close();
      await inner.close();
    },
  };
  return new Proxy(inner, {
    get(target, name) {
      const mine: unknown = Reflect.get(own, name);
      if (mine !== undefined) return mine;
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...given: unknown[]) => unknown;
      if (apart.has(String(name))) return call;
      return async (...given: unknown[]) => {
        await reach();
        return call(...given);
      };
    },
  });
}
