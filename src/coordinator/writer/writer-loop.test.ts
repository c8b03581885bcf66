// The one writer: batches, answers that are given after the commit and never before, and failed commits.

import { describe, expect, test, vi } from 'vitest';
import { Queue } from '../../core/queue.ts';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';

const one = { type: 'list', inputs: ['1'] } as const;

describe('a batch', () => {
  test('holds everything that was asked since the last one, in one commit', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, gate } = cluster;
    const before = gate.commits.length;
    const asked = [1, 2, 3, 4, 5].map(() => coordinator.submissions.submit(submission(), one));
    await cluster.settle();
    expect((await Promise.all(asked)).every(({ ok }) => ok)).toBe(true);
    expect(gate.commits).toHaveLength(before + 1);
    expect(gate.commits.at(-1)?.jobs).toHaveLength(5);
  });

  test('begins after the commit of the one before', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, gate } = cluster;
    gate.shut();
    const first = coordinator.submissions.submit(submission({ name: 'first' }), one);
    await cluster.settle();
    const second = coordinator.submissions.submit(submission({ name: 'second' }), one);
    await cluster.settle();
    expect(coordinator.state.jobs.size).toBe(1);
    gate.open();
    await cluster.settle();
    expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }]);
    const sequences = gate.commits.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, i) => sequences[0]! + i));
  });

  test('writes a submission and its first assignments in one commit', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w', { slots: 2 });
    const before = cluster.gate.commits.length;
    await cluster.submit('j', [1, 2, 3]);
    const after = cluster.gate.commits.slice(before);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ jobs: [{ spec: { id: 'j' } }], payloads: [{}] });
    expect(after[0]?.tasks.map(({ index, status }) => [index, status])).toEqual([
      [0, 'assigned'],
      [1, 'assigned'],
    ]);
  });

  test('costs no commit when it changes nothing durable', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1]);
    worker.start('j.0');
    await cluster.settle();
    const before = cluster.gate.commits.length;
    worker.heartbeat('j.0');
    await cluster.settle();
    expect(cluster.gate.commits).toHaveLength(before);
    expect(worker.takeOnly('ack').at(-1)?.heartbeat).toMatchObject({ heartbeat_id: 1, stop: [] });
  });
});

describe('before the commit', () => {
  test('nobody is answered, and no read sees it', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, gate } = cluster;
    const worker = await cluster.join('w');
    worker.take();
    gate.shut();
    cluster.runtime.names.push('j');
    const answers: string[] = [];
    void coordinator.submissions.submit(submission(), one).then(() => answers.push('submitted'));
    await cluster.settle();
    void coordinator.reads.findJob('j').then((job) => answers.push(`found ${job?.status}`));
    void coordinator.reads.stats().then((stats) => answers.push(`${stats.total_jobs} jobs`));
    await cluster.settle();
    expect([answers, cluster.takeLines()]).toEqual([
      [],
      expect.not.arrayContaining(['job j submitted']),
    ]);
    gate.open();
    await cluster.settle();
    expect([...answers].sort()).toEqual(['1 jobs', 'found running', 'submitted']);
    expect(worker.takeOnly('assign')).toHaveLength(1);
  });

  test('no result is acknowledged', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.take();
    cluster.gate.shut();
    worker.complete('j.0', 7);
    await cluster.settle();
    expect(worker.take()).toEqual([]);
    cluster.gate.open();
    await cluster.settle();
    expect(worker.takeOnly('ack')[0]?.accepted).toEqual([
      { task_id: 'j.0', attempt: 1, kind: 'result' },
    ]);
  });
});

describe('a commit that fails', () => {
  test('answers all waiting requests with the fault, and ends the coordinator', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, gate } = cluster;
    const worker = await cluster.join('w');
    await cluster.submit('j', [1, 2]);
    worker.take();
    gate.breakNext();
    worker.complete('j.0', 7);
    const inBatch = coordinator.submissions.submit(submission(), one);
    await expect(cluster.answer(inBatch)).rejects.toThrow('No space is left on the disk.');
    expect(coordinator.health).toBe('failed');
    await expect(coordinator.failed).resolves.toMatchObject({ code: 'store_full' });
    expect(worker.take()).toEqual([]);
    expect(worker.closedFor).toBe('the coordinator stops');
    await expect(cluster.answer(coordinator.reads.stats())).rejects.toThrow('No space');
    await expect(cluster.answer(coordinator.jobs.cancel('j'))).rejects.toThrow('No space');
  });

  test('loses nothing that was acknowledged', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j', [1, 2]);
    worker.complete('j.0', 'first');
    await cluster.settle();
    const before = cluster.durable();
    cluster.gate.breakNext();
    worker.complete('j.1', 'second');
    await cluster.settle();
    await cluster.crash();
    expect(cluster.durable()).toEqual(before);
    worker.connect(cluster.coordinator, [worker.held('j.1', 'finished')]);
    worker.complete('j.1', 'second');
    await cluster.settle();
    expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
      status: 'completed',
      counts: { completed: 2 },
    });
  });

  test('wakes the followers of a job', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('j');
    const results = await cluster.answer(
      cluster.coordinator.reads.findResults('j', { follow: true }),
    );
    const next = results![Symbol.asyncIterator]().next();
    next.catch(() => undefined);
    cluster.gate.breakNext();
    const cancelled = cluster.answer(cluster.coordinator.jobs.cancel('j'));
    await expect(cancelled).rejects.toThrow('No space');
    await expect(cluster.answer(next)).rejects.toThrow('No space');
  });
});

describe('a scheduling pass', () => {
  test('is made when something asks for it, not with every batch', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1, 2]);
    worker.start('j.0');
    await cluster.settle();
    const looks = vi.spyOn(Queue.prototype, 'isEmpty', 'get');
    worker.start('j.0');
    await cluster.settle();
    expect(looks).not.toHaveBeenCalled();
    worker.complete('j.0');
    await cluster.settle();
    expect(looks).toHaveBeenCalled();
    looks.mockRestore();
  });
});

describe('while the store has not confirmed what memory holds', () => {
  test('neither a read is answered nor a command that changes nothing', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, gate } = cluster;
    let confirm = () => undefined as void;
    const confirmed = new Promise<void>((resolve) => {
      confirm = resolve;
    });
    gate.override({ confirm: () => confirmed });
    const answers: string[] = [];
    void coordinator.reads.stats().then(() => answers.push('stats'));
    void coordinator.workers.drain('nobody').then(() => answers.push('refusal'));
    await cluster.settle();
    expect(answers).toEqual([]);
    confirm();
    await cluster.settle();
    expect(answers.toSorted()).toEqual(['refusal', 'stats']);
  });

  test('what was committed is answered', async () => {
    const cluster = await VirtualCluster.start();
    cluster.gate.override({ confirm: () => new Promise<void>(() => undefined) });
    const submitted = cluster.coordinator.submissions.submit(submission(), one);
    expect(await cluster.answer(submitted)).toMatchObject({ ok: true });
  });
});

describe('a coordinator that stops', () => {
  test('finishes the batch in hand, then answers nobody', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator } = cluster;
    const worker = await cluster.join('w');
    const last = coordinator.submissions.submit(submission(), one);
    const stopped = coordinator.stop();
    await cluster.settle();
    await stopped;
    expect(await last).toMatchObject({ ok: true });
    expect(worker.closedFor).toBe('the coordinator stops');
    expect(coordinator.health).toBe('stopping');
    const tooLate = { name: 'CoordinatorStopped' };
    await expect(cluster.answer(coordinator.reads.stats())).rejects.toMatchObject(tooLate);
    const late = coordinator.submissions.submit(submission(), one);
    await expect(cluster.answer(late)).rejects.toThrow('has stopped');
  });

  test('lets no follower of a job wait', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('j');
    const results = await cluster.answer(
      cluster.coordinator.reads.findResults('j', { follow: true }),
    );
    const next = results![Symbol.asyncIterator]().next();
    next.catch(() => undefined);
    await cluster.settle();
    await cluster.coordinator.stop();
    await expect(cluster.answer(next)).rejects.toThrow('has stopped');
  });
});
