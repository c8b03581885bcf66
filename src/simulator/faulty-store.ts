// The memory store behind a slow disk that may fail. After a crash between a write and its answer,
// the batch is on the disk and the coordinator never learns that; after one before the write it never gets there.

import type { WriteBatch } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { StoreFault } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Prng } from './prng.ts';

export interface CommitWatch {
  /** Whether the process that writes has died since. */
  isOver(): boolean;
  /** Called right before a write, when memory is as the disk will be. */
  before(batch: WriteBatch): void;
  written(batch: WriteBatch): void;
  /** Called when the disk has refused a batch. */
  refusedWrite(): void;
  /** Called when a read has failed: a payload for an attempt, or another row. */
  refusedRead(what: 'payload' | 'row'): void;
}

export function createFaultyStore(
  inner: Store,
  clock: Pick<Clock, 'after'>,
  prng: Prng,
  faults: () => Faults,
  watch: CommitWatch,
): Store {
  const commit: Store['commit'] = (batch, at) =>
    new Promise((resolve, reject) => {
      const { commitMs, failedCommits, failedSubmissions } = faults();
      const total = prng.spread(commitMs[0], commitMs[1]);
      const refusals = batch.payloads.length > 0 ? failedSubmissions : failedCommits;
      const isRefused = prng.chance(refusals);
      watch.before(batch);
      clock.after(total * prng.next(), () => {
        if (watch.isOver()) return;
        if (isRefused) {
          watch.refusedWrite();
          reject(new StoreFault('store_write_failed', 'The simulated disk is full.'));
          return;
        }
        void inner.commit(batch, at).then(() => {
          watch.written(batch);
          clock.after(total / 2, resolve);
        }, reject);
      });
    });
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.after(ms, resolve);
    });
  const refuse = (what: 'payload' | 'row'): never => {
    watch.refusedRead(what);
    throw new StoreFault('store_damaged', 'The simulated page is damaged.');
  };
  const readOrRefuse =
    (call: (...given: unknown[]) => unknown) =>
    async (...given: unknown[]) => {
      const { slowReads, unreadable, commitMs } = faults();
      if (prng.chance(slowReads)) await pause(prng.spread(commitMs[0], commitMs[1]));
      return prng.chance(unreadable) ? refuse('payload') : call(...given);
    };
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'commit') return commit;
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...given: unknown[]) => unknown;
      if (isPayload(String(name))) return readOrRefuse(call);
      if (!isRead(String(name))) return call;
      return async (...given: unknown[]) => {
        const { slowReads, unreadableRows, commitMs } = faults();
        const wait = () => pause(prng.spread(commitMs[0], commitMs[1]));
        // A read that waits before it runs sees writes of meanwhile; one that waits after it ran
        // does not.
        if (prng.chance(slowReads)) await wait();
        if (prng.chance(unreadableRows)) refuse('row');
        const answer: unknown = await call(...given);
        if (prng.chance(slowReads)) await wait();
        return answer;
      };
    },
  });
}

/** Reads of payloads for an attempt; one that fails now may succeed for the next attempt. */
function isPayload(method: string): boolean {
  return ['readInputs', 'findProgram', 'findProgramHash', 'readCheckpointState'].includes(method);
}

/** Reads during which the coordinator does other things. */
function isRead(method: string): boolean {
  return /^(find|list|next|read|sum)/.test(method) && !isStream(method);
}

function isStream(method: string): boolean {
  return ['listEndedJobs', 'listDepartedWorkers', 'listRegisteredWorkers'].includes(method);
}
