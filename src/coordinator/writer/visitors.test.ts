// Reports and commands about records that are only in the store: they visit memory for one batch.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

/** A job of two tasks, of which worker `w` has completed both. */
async function finished() {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 2 });
  await cluster.submit('j', [1, 2]);
  worker.complete('j.0', 'zero');
  worker.complete('j.1', 'one');
  await cluster.settle();
  worker.take();
  cluster.takeLines();
  return { cluster, worker };
}

function memory({ coordinator }: VirtualCluster): number {
  let tasks = 0;
  for (const job of coordinator.state.jobs.values()) tasks += 1 + job.tasks.size;
  return tasks;
}

describe('memory', () => {
  test('forgets a task after the commit of its end, and the job after the last', async () => {
    const { cluster } = await finished();
    expect(memory(cluster)).toBe(0);
    const job = await cluster.answer(cluster.coordinator.reads.findJob('j'));
    expect(job).toMatchObject({ status: 'completed', progress: 1 });
  });
});

describe('the repeat of a result', () => {
  test('is acknowledged for a job that is no longer in memory, and changes nothing', async () => {
    const { cluster, worker } = await finished();
    worker.complete('j.0', 'another');
    await cluster.settle();
    expect(worker.takeOnly('ack')[0]?.accepted).toEqual([
      { task_id: 'j.0', attempt: 1, kind: 'result' },
    ]);
    expect(cluster.takeLines()).toEqual([]);
    expect(memory(cluster)).toBe(0);
    const results = await cluster.answer(
      cluster.coordinator.reads.findResults('j', { follow: false }),
    );
    const texts = await cluster.answer(Array.fromAsync(results!));
    expect(texts.flat()[0]).toContain('"value":"zero"');
  });

  test('is acknowledged in the batch that takes it for the first time', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.complete('j.0', 1);
    worker.complete('j.0', 1);
    await cluster.settle();
    expect(worker.takeOnly('ack').flatMap(({ accepted }) => accepted)).toHaveLength(2);
  });

  test('is refused with a token that was guessed', async () => {
    const { cluster, worker } = await finished();
    const guessed = { ...worker.ref('j.0'), token: 'guessed', value: 1 };
    const never = { ...worker.ref('j.0'), task_id: 'j.7', value: 1 };
    const nowhere = { ...worker.ref('j.0'), task_id: 'elsewhere.0', value: 1 };
    const garbled = { ...worker.ref('j.0'), task_id: '__proto__', value: 1 };
    worker.say({ type: 'result', results: [guessed, never, nowhere, garbled] });
    await cluster.settle();
    expect(worker.takeOnly('reject')[0]?.rejected.map(({ code }) => code)).toEqual([
      'not_yours',
      'not_yours',
      'stale_attempt',
      'not_yours',
    ]);
    expect(memory(cluster)).toBe(0);
  });
});

describe('a report that names thousands of jobs that are not there', () => {
  test('asks the store once, and is answered', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const { gate } = cluster;
    const read = gate.store.readVisitors.bind(gate.store);
    const named: number[] = [];
    gate.override({
      readVisitors: (wanted, held, at) => {
        named.push(wanted.tasks.size);
        return read(wanted, held, at);
      },
    });
    const results = Array.from({ length: 3000 }, (_, i) => {
      return { task_id: `none-${i}.0`, attempt: 1, token: 't', value: null };
    });
    worker.say({ type: 'result', results });
    await cluster.settle();
    expect(named).toEqual([3000]);
    expect(worker.takeOnly('reject')[0]?.rejected).toHaveLength(3000);
  });
});

describe('the repeat of a failure', () => {
  test('is acknowledged for a task that has failed for good', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { maxAttempts: 1 });
    worker.fail('j.0');
    await cluster.settle();
    expect(memory(cluster)).toBe(0);
    worker.take();
    worker.fail('j.0');
    await cluster.settle();
    expect(worker.takeOnly('ack')[0]?.accepted).toEqual([
      { task_id: 'j.0', attempt: 1, kind: 'failure' },
    ]);
    const failures = await cluster.answer(cluster.coordinator.reads.findFailures('w'));
    expect(failures).toHaveLength(1);
  });
});

describe('the result of a lost attempt', () => {
  test('is stale when another attempt has completed the task meanwhile', async () => {
    const cluster = await VirtualCluster.start();
    const late = await cluster.join('late');
    await cluster.submit('j', [1, 2]);
    late.drop();
    await cluster.advance(10_000);
    const other = await cluster.join('other');
    other.complete('j.0', 'other');
    await cluster.settle();
    late.connect(cluster.coordinator, [late.held('j.0', 'finished')]);
    late.complete('j.0', 'late');
    await cluster.settle();
    expect(late.takeOnly('reject')[0]?.rejected).toMatchObject([
      { task_id: 'j.0', kind: 'result', code: 'stale_attempt' },
    ]);
  });

  test('counts after a restart of the coordinator', async () => {
    const cluster = await VirtualCluster.start();
    const late = await cluster.join('late');
    await cluster.submit('j');
    late.start('j.0');
    late.drop();
    await cluster.advance(10_000);
    await cluster.crash();
    late.connect(cluster.coordinator, [late.held('j.0', 'finished')]);
    late.complete('j.0', 'late');
    await cluster.settle();
    expect(late.takeOnly('ack')[0]?.accepted).toHaveLength(1);
    expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
      status: 'completed',
    });
  });
});

describe('a retry', () => {
  test('brings back what failed and what was cancelled with it, and nothing else', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 3 });
    await cluster.submit('j', [0, 1, 2, 3, 4], { maxAttempts: 1, onTaskFailure: 'fail_job' });
    worker.complete('j.0', 'kept');
    await cluster.settle();
    worker.fail('j.1');
    await cluster.settle();
    expect(memory(cluster)).toBe(0);
    cluster.takeLines();
    const answer = await cluster.answer(cluster.coordinator.jobs.retry('j'));
    expect(answer).toMatchObject({ ok: true, value: { status: 'running', completed_at: null } });
    expect(cluster.takeLines()).toEqual([
      'job j retried',
      'j.1 #2 assigned to w',
      'j.2 #2 assigned to w',
      'j.3 #2 assigned to w',
    ]);
    for (const task of ['j.1', 'j.2', 'j.3']) worker.complete(task);
    await cluster.settle();
    worker.complete('j.4');
    await cluster.settle();
    expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toMatchObject({
      status: 'completed',
      counts: { completed: 5 },
      error: null,
    });
  });

  test('survives a restart', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [0, 1], { maxAttempts: 1 });
    worker.fail('j.0');
    await cluster.settle();
    worker.fail('j.1');
    await cluster.settle();
    worker.drop();
    await cluster.answer(cluster.coordinator.jobs.retry('j'));
    const before = cluster.durable();
    await cluster.crash();
    expect(cluster.durable()).toEqual(before);
  });

  test('is refused, and leaves no visitor in memory, when nothing failed', async () => {
    const { cluster } = await finished();
    expect(await cluster.answer(cluster.coordinator.jobs.retry('j'))).toMatchObject({
      rejection: { code: 'nothing_to_retry' },
    });
    expect(await cluster.answer(cluster.coordinator.jobs.cancel('j'))).toMatchObject({
      rejection: { code: 'job_is_final' },
    });
    expect(await cluster.answer(cluster.coordinator.jobs.cancel('nobody'))).toMatchObject({
      rejection: { code: 'unknown_job' },
    });
    expect(memory(cluster)).toBe(0);
  });
});
