// The clock of the machine is set while the coordinator runs: timestamps follow it, waits do not.

import { describe, expect, test, vi } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { createRealRuntime } from '../real-runtime.ts';

const dayMs = 86_400_000;

describe.each([
  ['forward', dayMs],
  ['back', -dayMs],
])('a clock that is set %s by a day', (_, byMs) => {
  test('is what new jobs are stamped by', async () => {
    const cluster = await VirtualCluster.start();
    const before = await cluster.submit('before');
    cluster.runtime.setClock(byMs);
    const after = await cluster.submit('after');
    expect(Date.parse(after.created_at) - Date.parse(before.created_at)).toBe(byMs);
  });

  test('neither ends the lease of a worker nor makes it longer', async () => {
    const cluster = await VirtualCluster.start();
    const [worker, silent] = [await cluster.join('w'), await cluster.join('silent')];
    await cluster.submit('j', [1]);
    worker.start('j.0');
    await cluster.advance(10_000);
    worker.heartbeat('j.0');
    cluster.runtime.setClock(byMs);
    await cluster.advance(4900);
    expect([worker.closedFor, silent.closedFor]).toEqual([null, null]);
    await cluster.advance(200);
    expect([worker.closedFor, silent.closedFor]).toEqual([null, 'not heard of for too long']);
    worker.complete('j.0');
    await cluster.settle();
    const task = await cluster.answer(cluster.coordinator.taskReads.findTask('j', 0));
    expect(task).toMatchObject({ run_seconds: 15.1 });
  });

  test('changes no pause before the next attempt', async () => {
    const cluster = await VirtualCluster.start();
    // No moment before the beginning of time.
    cluster.runtime.setClock(2 * dayMs);
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { retryDelayMs: 10_000 });
    worker.fail('j.0');
    await cluster.settle();
    cluster.runtime.setClock(byMs);
    worker.heartbeat();
    await cluster.advance(4900);
    expect(worker.given.get('j.0')).toHaveLength(1);
    await cluster.advance(200);
    expect(worker.given.get('j.0')).toHaveLength(2);
  });

  test('changes nothing for a claim that waits', async () => {
    const cluster = await VirtualCluster.start();
    const device = { type: 'pc', platform: 'linux' };
    const registered = await cluster.answer(cluster.coordinator.pullWorkers.register({ device }));
    if (!registered.ok) throw new Error(registered.rejection.detail);
    const { worker_id: id, worker_token: token } = registered.value;
    let isOver = false;
    const how = { max: 1, waitMs: 20_000 };
    void cluster.coordinator.pullWorkers.claim(id, token, how).then(() => (isOver = true));
    await cluster.advance(5000);
    cluster.runtime.setClock(byMs);
    await cluster.answer(cluster.coordinator.scheduler.configure({ algorithm: 'fifo' }));
    await cluster.advance(14_900);
    expect(isOver).toBe(false);
    await cluster.advance(200);
    expect(isOver).toBe(true);
  });
});

test('the real clock is followed when it was set, and not before it is asked for', () => {
  const runtime = createRealRuntime();
  expect(runtime.followClock()).toBe(0);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => 0);
  const before = runtime.now();
  const byMs = runtime.followClock();
  clock.mockRestore();
  expect(byMs).toBeLessThan(-dayMs);
  expect(runtime.now() - before - byMs).toBeLessThan(60_000);
});
