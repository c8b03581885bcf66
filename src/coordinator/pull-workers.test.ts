import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

describe('a worker over plain HTTP that beats and never claims', () => {
  test('is not taken to have dropped what still waits for its claim', async () => {
    const cluster = await VirtualCluster.start();
    const device = { type: 'pc', platform: 'linux' };
    cluster.runtime.names.push('w');
    const registered = await cluster.answer(cluster.coordinator.registerWorker({ device }));
    if (!registered.ok) throw new Error(registered.rejection.detail);
    const { worker_id: id, worker_token: token } = registered.value;
    const beat = async () => {
      await cluster.advance(5000);
      const message = { telemetry: {}, running: [] };
      await cluster.answer(cluster.coordinator.heartbeat(id, token, message));
    };
    await cluster.submit('j');
    cluster.takeLines();

    await beat();
    await beat();
    // Two lists without it say nothing about an attempt that was never handed out.
    expect(cluster.takeLines()).toEqual([]);

    await beat();
    // After a lease it is taken back: the attempt keeps its number, and the worker has to ask first.
    expect(cluster.takeLines()).toEqual([
      'worker w lease renewed',
      'j.0 #1 withdrawn',
      'j.0 requeued',
      'worker w slept',
    ]);
  });
});
