// Coordinators that follow each other on one store, as their shells see them.

import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../test/support/virtual-cluster.ts';
import { createCoordinator, type RunningCoordinator } from './coordinator.ts';
import { CoordinatorInForce } from './coordinator-in-force.ts';

const tooLate = { name: 'CoordinatorStopped' };
const parts = [
  'submissions',
  'jobs',
  'blobs',
  'workers',
  'sessions',
  'pullWorkers',
  'scheduler',
  'reads',
  'taskReads',
  'evaluation',
  'events',
] as const;

/** Another coordinator on the store that the first one has left. */
function successor({ gate, runtime }: VirtualCluster): Promise<RunningCoordinator> {
  return createCoordinator({ store: gate.store, runtime });
}

async function stop(cluster: VirtualCluster, coordinator: RunningCoordinator): Promise<void> {
  await cluster.answer(coordinator.stop());
}

describe('the coordinator in force', () => {
  test('is asked part by part, whoever it is at the moment', async () => {
    const cluster = await VirtualCluster.start();
    const first = cluster.coordinator;
    const inForce = new CoordinatorInForce();
    inForce.enter(first);
    for (const part of parts) expect(inForce[part]).toBe(first[part]);
    expect(inForce.health).toBe('ready');
    await stop(cluster, first);
    expect(inForce.health).toBe('stopping');
    const second = await cluster.answer(successor(cluster));
    inForce.enter(second);
    for (const part of parts) expect(inForce[part]).toBe(second[part]);
    expect(inForce.health).toBe('ready');
    expect(await cluster.answer(inForce.clear())).toMatchObject({ ok: true });
  });

  test('is starting while there is none, and holds nobody up', async () => {
    const inForce = new CoordinatorInForce();
    expect([inForce.health, inForce.isCrowded]).toEqual(['starting', false]);
    await inForce.eased();
    for (const part of parts) expect(() => inForce[part]).toThrow(expect.objectContaining(tooLate));
    await expect(inForce.clear()).rejects.toMatchObject(tooLate);
  });

  test('is only one: a second may not enter before the first has ended', async () => {
    const cluster = await VirtualCluster.start();
    const inForce = new CoordinatorInForce();
    inForce.enter(cluster.coordinator);
    const other = (await VirtualCluster.start()).coordinator;
    expect(() => inForce.enter(other)).toThrow('Another coordinator is in force.');
    expect(inForce.reads).toBe(cluster.coordinator.reads);
  });

  test('stays when one leaves late that was in force before it', async () => {
    const cluster = await VirtualCluster.start();
    const first = cluster.coordinator;
    const inForce = new CoordinatorInForce();
    inForce.enter(first);
    await stop(cluster, first);
    const second = await cluster.answer(successor(cluster));
    inForce.enter(second);
    inForce.leave(first);
    expect(inForce.reads).toBe(second.reads);
    inForce.leave(second);
    expect(inForce.health).toBe('starting');
  });
});

describe('on the store of a coordinator that has ended, another', () => {
  test('finds all that was committed, and goes on with it', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('j', [1, 2]);
    await stop(cluster, cluster.coordinator);
    cluster.coordinator = await cluster.answer(successor(cluster));
    const { coordinator } = cluster;
    expect(await cluster.answer(coordinator.reads.findJob('j'))).toMatchObject({ task_count: 2 });
    await cluster.submit('k');
    expect(await cluster.answer(coordinator.reads.stats())).toMatchObject({ total_jobs: 2 });
  });

  test('is let alone by a submission that had begun before', async () => {
    const cluster = await VirtualCluster.start();
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1']));
    await stop(cluster, cluster.coordinator);
    cluster.coordinator = await cluster.answer(successor(cluster));
    await cluster.advance(1000);
    await expect(cluster.answer(stream.append(['2']))).rejects.toMatchObject(tooLate);
    expect(cluster.disk.staged.size).toBe(0);
    await expect(cluster.answer(stream.finish())).rejects.toMatchObject(tooLate);
    await cluster.answer(stream.abort());
    expect(await cluster.answer(cluster.coordinator.reads.stats())).toMatchObject({
      total_jobs: 0,
    });
  });

  test('is let alone by an upload that had begun before', async () => {
    const cluster = await VirtualCluster.start();
    const { blobs } = cluster.coordinator;
    const sha256 = hash('sha256', 'some');
    const upload = await cluster.answer(blobs.receive(sha256));
    await cluster.answer(upload.append(Buffer.from('some')));
    await stop(cluster, cluster.coordinator);
    const late: (() => Promise<unknown>)[] = [
      () => upload.append(Buffer.from('more')),
      () => upload.finish(),
      () => blobs.receive(sha256),
    ];
    for (const ask of late) {
      await expect(cluster.answer(ask())).rejects.toMatchObject(tooLate);
    }
  });
});
