// What is answered beside the coordinator that decides, from its store: the same, or nothing.

import { beforeEach, describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import type { CoordinatorPorts } from '../port/coordinator.ts';
import { anybody, type Principal } from '../port/principal.ts';
import { StandIn } from './stand-in.ts';

const ann: Principal = { role: 'client', tokenId: 'ann00000', owner: 'ann', seesAll: false };
const bob: Principal = { ...ann, tokenId: 'bob00000', owner: 'bob' };
const workerW: Principal = { role: 'worker', tokenId: 'w0000000', owner: 'w', seesAll: false };
const left = { name: 'CoordinatorStopped' };

let cluster: VirtualCluster;
let worker: ScriptedWorker;
let standIn: StandIn;

beforeEach(async () => {
  cluster = await VirtualCluster.start();
  standIn = new StandIn({
    store: cluster.gate.store,
    runtime: cluster.runtime,
    areNeeded: () => true,
  });
});

/** A job whose first tasks have completed, whose next has failed, and whose last ones were never given out. */
async function endedJob(name: string, completed: number, never = 2): Promise<void> {
  worker = await cluster.join('w', { slots: completed + 1 });
  await cluster.submit(
    name,
    Array.from({ length: completed + 1 + never }, (_, i) => i),
  );
  await cluster.answer(cluster.coordinator.jobs.hold(name));
  for (let i = 0; i < completed; i++) worker.complete(`${name}.${i}`, i);
  worker.fail(`${name}.${completed}`, { retryable: false });
  await cluster.settle();
  await cluster.answer(cluster.coordinator.jobs.cancel(name));
  await cluster.advance(1_000);
}

/** Everything that is asked about a job, one after the other. */
async function allOf({ reads, taskReads }: CoordinatorPorts, id: string): Promise<unknown> {
  const detail = await cluster.answer(reads.findJobDetail(id));
  const results = await cluster.answer(reads.findResults(id, { follow: false }));
  const checkpoints = await cluster.answer(taskReads.findCheckpoints(id));
  return {
    head: await cluster.answer(reads.findJob(id)),
    detail: [detail!.head, await all(detail!.tasks)],
    results: await all(results!),
    page: await cluster.answer(
      reads.findTasks(id, { status: null, after: -1, limit: 9, inputs: true }),
    ),
    failed: await cluster.answer(
      reads.findTasks(id, { status: 'failed', after: -1, limit: 9, inputs: false }),
    ),
    errors: await cluster.answer(reads.findErrors(id, 9)),
    map: await cluster.answer(reads.findTaskMap(id, { from: 0, to: null, cells: 9 })),
    task: await cluster.answer(taskReads.findTask(id, 1)),
    none: await cluster.answer(taskReads.findTask(id, 99)),
    followed: await all((await cluster.answer(reads.findResults(id, { follow: true })))!),
    failures: await cluster.answer(reads.findFailures('w')),
    program: await cluster.answer(taskReads.findProgram(id)),
    output: await cluster.answer(taskReads.findOutput(id, 0)),
    checkpoints: await all(checkpoints!),
  };
}

async function all<T>(chunks: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  return (await cluster.answer(Array.fromAsync(chunks))).flat();
}

describe('a job that has ended', () => {
  test('is told as by the coordinator', async () => {
    await endedJob('j', 3);
    const told = await allOf(standIn.for(anybody), 'j');
    expect(told).toEqual(await allOf(cluster.coordinator, 'j'));
    expect(told).toMatchObject({
      head: { counts: { completed: 3, failed: 1, cancelled: 2 } },
      results: { length: 6 },
      followed: { length: 6 },
      failures: { length: 1 },
      none: 'unknown_task',
    });
  });

  test('is listed as by the coordinator, and so are the attempts of all', async () => {
    await endedJob('j', 3);
    await cluster.submit('open', [1, 2]);
    const { reads, evaluation, taskReads } = standIn.for(anybody);
    const { coordinator } = cluster;
    const jobs = await all(reads.jobs({}));
    expect(jobs).toEqual(await all(coordinator.reads.jobs({})));
    expect(jobs.map(({ id, status }) => [id, status])).toEqual([
      ['open', 'running'],
      ['j', 'cancelled'],
    ]);
    expect(await cluster.answer(reads.meantJobs('j', 9))).toEqual([jobs[1]]);
    const exported = async (ports: Pick<CoordinatorPorts, 'evaluation'>) =>
      all((await cluster.answer(ports.evaluation.exportAttempts({})))!);
    expect(await exported({ evaluation })).toEqual(await exported(coordinator));
    expect(await exported({ evaluation })).toHaveLength(4);
    expect(await all(taskReads.recoveryEvents())).toEqual(
      await all(coordinator.taskReads.recoveryEvents()),
    );
  });

  test('is its owner’s, and to others as one that is not there', async () => {
    worker = await cluster.join('w');
    cluster.runtime.names.push('a');
    const { submissions } = cluster.coordinator.for(ann);
    const list = { type: 'list', inputs: ['1'] } as const;
    await cluster.answer(submissions.submit(submission(), list));
    worker.complete('a.0', 1);
    await cluster.advance(1_000);
    expect(await allOf(standIn.for(ann), 'a')).toEqual(
      await allOf(cluster.coordinator.for(ann), 'a'),
    );
    expect(await all(standIn.for(ann).reads.jobs({}))).toHaveLength(1);
    expect(await all(standIn.for(bob).reads.jobs({}))).toEqual([]);
    for (const who of [bob, workerW]) await expectLeft(standIn.for(who), 'a');
  });
});

/** Nothing of it is told here. */
async function expectLeft({ reads, taskReads }: CoordinatorPorts, id: string): Promise<void> {
  const asked = [
    () => reads.findJob(id),
    () => reads.findJobDetail(id),
    () => reads.findResults(id, { follow: false }),
    () => reads.findErrors(id, 9),
    () => taskReads.findTask(id, 0),
    () => taskReads.findCheckpoints(id),
  ];
  for (const ask of asked) {
    await expect(cluster.answer((async () => ask())())).rejects.toMatchObject(left);
  }
}

describe('left to whoever decides is', () => {
  test('a job that is open, or not there', async () => {
    await endedJob('j', 1);
    await cluster.submit('open', [1, 2]);
    await expectLeft(standIn.for(anybody), 'open');
    await expectLeft(standIn.for(anybody), 'none');
    const { reads } = standIn.for(anybody);
    for (const id of ['open', 'none']) {
      const asked = cluster.answer(reads.findResults(id, { follow: true }));
      await expect(asked).rejects.toMatchObject(left);
    }
  });

  test('a worker that is not registered', async () => {
    await endedJob('j', 1);
    const { reads } = standIn.for(anybody);
    await expect(cluster.answer(reads.findFailures('none'))).rejects.toMatchObject(left);
    await cluster.answer(cluster.coordinator.workers.deregister('w'));
    await expect(cluster.answer(reads.findFailures('w'))).rejects.toMatchObject(left);
  });

  test('whatever changes something, or is in memory', async () => {
    const { jobs, reads, workers, blobs, evaluation, taskReads } = standIn.for(anybody);
    const asked = [
      () => jobs.cancel('j'),
      () => reads.stats(),
      () => reads.jobHeads({}),
      () => reads.workers(),
      () => workers.isWaiting('w'),
      () => blobs.receive('0'.repeat(64)),
      () => evaluation.metrics({}),
      () => evaluation.attempts({ limit: 9 }),
      () => taskReads.explainTask('j', 0),
    ];
    for (const ask of asked) expect(ask).toThrow(expect.objectContaining(left));
  });

  test('a job that is retried while it is read', async () => {
    await endedJob('j', 1);
    const { store } = cluster.gate;
    const read = store.listResults.bind(store);
    cluster.gate.override({
      listResults: async (...asked) => {
        const rows = await read(...asked);
        await cluster.coordinator.jobs.retry('j');
        return rows;
      },
    });
    const page = { status: 'failed', after: -1, limit: 9, inputs: false } as const;
    const asked = cluster.answer(standIn.for(anybody).reads.findTasks('j', page));
    await expect(asked).rejects.toMatchObject(left);
  });
});

describe('between two pieces of what is read of a job', () => {
  const count = 700;

  test('it may be retried: what has not ended any more is not told as cancelled', async () => {
    await endedJob('j', count, 600);
    const results = await cluster.answer(
      standIn.for(anybody).reads.findResults('j', { follow: false }),
    );
    const iterator = results![Symbol.asyncIterator]();
    const first = (await cluster.answer(iterator.next())).value as string[];
    expect(await cluster.answer(cluster.coordinator.jobs.retry('j'))).toMatchObject({ ok: true });
    const rest = await all({ [Symbol.asyncIterator]: () => iterator } as AsyncIterable<string[]>);
    const told = [...first, ...rest].map((text) => JSON.parse(text) as { status: string });
    expect(told).toHaveLength(count);
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set(['completed']));
  });

  test('its tasks too are told as they are by then', async () => {
    await endedJob('j', count, 600);
    const detail = await cluster.answer(standIn.for(anybody).reads.findJobDetail('j'));
    const { tasks: iterated } = detail!;
    const iterator = iterated[Symbol.asyncIterator]();
    await cluster.answer(iterator.next());
    expect(await cluster.answer(cluster.coordinator.jobs.retry('j'))).toMatchObject({ ok: true });
    const rest = await all({ [Symbol.asyncIterator]: () => iterator } as typeof iterated);
    expect(rest.filter(({ status }) => status === 'cancelled')).toEqual([]);
  });

  test('it may be retried while it is followed: the answer breaks off, though all was told', async () => {
    await endedJob('j', count);
    const { reads } = standIn.for(anybody);
    const results = await cluster.answer(reads.findResults('j', { follow: true }));
    const iterator = results![Symbol.asyncIterator]();
    await cluster.answer(iterator.next());
    expect(await cluster.answer(cluster.coordinator.jobs.retry('j'))).toMatchObject({ ok: true });
    const rest = all({ [Symbol.asyncIterator]: () => iterator } as AsyncIterable<string[]>);
    await expect(rest).rejects.toThrow('was retried while');
  });

  test('it may be removed while it is followed: the answer ends', async () => {
    await endedJob('j', count);
    const { reads } = standIn.for(anybody);
    const results = await cluster.answer(reads.findResults('j', { follow: true }));
    const iterator = results![Symbol.asyncIterator]();
    await cluster.answer(iterator.next());
    expect(await cluster.answer(cluster.coordinator.jobs.delete('j'))).toMatchObject({ ok: true });
    const rest = await all({ [Symbol.asyncIterator]: () => iterator } as AsyncIterable<string[]>);
    expect(rest.length).toBeLessThan(count);
  });

  test('it may be removed: the answer breaks off', async () => {
    await endedJob('j', count);
    const { reads } = standIn.for(anybody);
    const results = await cluster.answer(reads.findResults('j', { follow: false }));
    const iterator = results![Symbol.asyncIterator]();
    await cluster.answer(iterator.next());
    expect(await cluster.answer(cluster.coordinator.jobs.delete('j'))).toMatchObject({ ok: true });
    const rest = all({ [Symbol.asyncIterator]: () => iterator } as AsyncIterable<string[]>);
    await expect(rest).rejects.toMatchObject({ name: 'JobRemoved' });
  });
});
