// An error in one request fails that request alone. Only a failed commit, or an event that was applied in
// part, ends the coordinator.

import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { StoreFault } from '../../store/store.ts';

const one = { type: 'list', inputs: ['1'] } as const;
const key = { key: 'k', bodyHash: 'hash' } as const;

/** Errors are written down. */
async function stage(onLine?: (line: string) => void) {
  const errors: string[] = [];
  const onError = (error: Error) => void errors.push(error.message);
  const cluster = await VirtualCluster.start(
    onLine === undefined ? { onError } : { onError, onLine },
  );
  return { cluster, coordinator: cluster.coordinator, errors };
}

/** A job that was submitted with the key and is final. */
async function finished(cluster: VirtualCluster) {
  cluster.runtime.names.push('j');
  await cluster.answer(cluster.coordinator.submissions.submit(submission(), one, key));
  await cluster.answer(cluster.coordinator.jobs.cancel('j'));
}

describe('a key that is repeated in the batch that removes its job', () => {
  test.each(['deleteJob', 'clear'] as const)('makes a new job behind %s', async (how) => {
    const { cluster, coordinator } = await stage();
    await finished(cluster);
    cluster.runtime.names.push('again');
    const removed: Promise<unknown> =
      how === 'clear' ? coordinator.clear() : coordinator.jobs.delete('j');
    const repeated = coordinator.submissions.submit(submission(), one, key);
    expect(await cluster.answer(removed)).toMatchObject({ ok: true });
    expect(await cluster.answer(repeated)).toMatchObject({ ok: true, value: { id: 'again' } });

    const later = coordinator.submissions.submit(submission(), one, key);
    expect(await cluster.answer(later)).toMatchObject({ ok: true, value: { id: 'again' } });
    expect(coordinator.health).toBe('ready');
  });

  test('makes a new job also when both came with that batch', async () => {
    const { cluster, coordinator, errors } = await stage();
    cluster.gate.shut();
    void coordinator.scheduler.configure({ algorithm: 'fifo' });
    await cluster.settle();
    cluster.runtime.names.push('first', 'second');
    const first = coordinator.submissions.submit(submission(), one, key);
    const cleared = coordinator.clear();
    const second = coordinator.submissions.submit(submission(), one, key);
    cluster.gate.open();
    expect(await cluster.answer(Promise.all([first, cleared, second]))).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: true, value: { id: 'second' } },
    ]);
    expect(errors).toEqual([]);
  });
});

describe('a request that fails', () => {
  const unwritable = {
    ...submission(),
    program: { kind: 'javascript', source: 1n as never },
  } as const;

  test('before it has changed anything is rejected alone, and leaves nothing', async () => {
    const { cluster, coordinator, errors } = await stage();
    cluster.runtime.names.push('bad', 'good');
    const bad = coordinator.submissions.submit(unwritable, one, key);
    const good = coordinator.submissions.submit(submission(), one, key);
    await expect(cluster.answer(bad)).rejects.toThrow('BigInt');
    expect(await cluster.answer(good)).toMatchObject({ ok: true, value: { id: 'good' } });
    // Only the caller of the request is told.
    expect(errors).toEqual([]);
    expect(coordinator.health).toBe('ready');
  });

  test('because a row cannot be read is rejected alone', async () => {
    const { cluster, coordinator, errors } = await stage();
    await finished(cluster);
    const fault = new StoreFault('store_damaged', 'The row is damaged.');
    cluster.gate.override({ readVisitors: () => Promise.reject(fault) });
    const wanting = coordinator.jobs.delete('j');
    const other = coordinator.submissions.submit(submission(), one);
    await expect(cluster.answer(wanting)).rejects.toThrow('The row is damaged.');
    expect(await cluster.answer(other)).toMatchObject({ ok: true });
    expect(errors).toEqual([]);
    expect(coordinator.health).toBe('ready');
  });

  test('on behalf of a worker ends the connection of that worker', async () => {
    const { cluster, coordinator, errors } = await stage();
    const [worker, other] = [await cluster.join('w'), await cluster.join('other')];
    const beat = { type: 'heartbeat', heartbeat_id: 1, telemetry: {}, assign_sequence: 0 } as const;
    worker.say({ ...beat, running: [null as never] });
    await cluster.settle();
    expect([worker.closedFor, other.closedFor]).toEqual([
      'the coordinator failed at this frame',
      null,
    ]);
    expect(errors).toHaveLength(1);
    expect(coordinator.health).toBe('ready');
  });
});

describe('after the commit', () => {
  test('an error of an observer stops nothing', async () => {
    const { cluster, coordinator, errors } = await stage((line) => {
      if (line === 'job j submitted') throw new Error('The watcher fell asleep.');
    });
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.complete('j.0', 7);
    await cluster.settle();
    expect(await cluster.answer(coordinator.reads.findJob('j'))).toMatchObject({
      status: 'completed',
    });
    expect(errors).toEqual(['The watcher fell asleep.']);
  });
});
