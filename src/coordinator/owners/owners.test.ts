// Two owners at the ports: neither finds anything of the other's, whatever is asked, and a job of the other is
// answered like one that never was. The tables below name every method of every port: the compiler says when
// one is missing.

import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { algorithmIds } from '../../core/snapshot.ts';
import type { CoordinatorPorts } from '../port/coordinator.ts';
import type { Submission } from '../port/jobs.ts';
import { adminOwner, anybody, type Principal } from '../port/principal.ts';

const ann = client('ann');
const bob = client('bob');
const viewer: Principal = { role: 'viewer', tokenId: 'viewer00', owner: 'eve', seesAll: true };

function client(owner: string): Principal {
  return { role: 'client', tokenId: `${owner}00000`.slice(0, 8), owner, seesAll: false };
}

type Ask = (ports: CoordinatorPorts, jobId: string) => unknown;
type Asked<P extends keyof CoordinatorPorts> = Readonly<
  Partial<Record<keyof CoordinatorPorts[P], Ask>>
>;

/** What is asked about one job. */
const aboutJob = {
  jobs: {
    cancel: ({ jobs }, id) => jobs.cancel(id),
    retry: ({ jobs }, id) => jobs.retry(id),
    hold: ({ jobs }, id) => jobs.hold(id),
    release: ({ jobs }, id) => jobs.release(id),
    delete: ({ jobs }, id) => jobs.delete(id),
  } satisfies Required<Asked<'jobs'>>,
  reads: {
    jobs: ({ reads }, id) => all(reads.jobs({ after: id })),
    jobHeads: ({ reads }, id) => all(reads.jobHeads({ after: id })),
    meantJobs: ({ reads }, id) => reads.meantJobs(id, 9),
    findJob: ({ reads }, id) => reads.findJob(id),
    findJobDetail: ({ reads }, id) => reads.findJobDetail(id),
    findTasks: ({ reads }, id) =>
      reads.findTasks(id, { status: null, after: -1, limit: 9, inputs: true }),
    findErrors: ({ reads }, id) => reads.findErrors(id, 9),
    findTaskMap: ({ reads }, id) => reads.findTaskMap(id, { from: 0, to: null, cells: 9 }),
    findResults: ({ reads }, id) => reads.findResults(id, { follow: true }),
  } satisfies Asked<'reads'>,
  taskReads: {
    findTask: ({ taskReads }, id) => taskReads.findTask(id, 0),
    explainTask: ({ taskReads }, id) => taskReads.explainTask(id, 0),
    findProgram: ({ taskReads }, id) => taskReads.findProgram(id),
    findOutput: ({ taskReads }, id) => taskReads.findOutput(id, 0),
    findCheckpoints: ({ taskReads }, id) => taskReads.findCheckpoints(id),
    recoveryEvents: ({ taskReads }) => all(taskReads.recoveryEvents()),
  } satisfies Required<Asked<'taskReads'>>,
  evaluation: {
    metrics: ({ evaluation }, jobId) => evaluation.metrics({ jobId }),
    loadDistribution: ({ evaluation }, jobId) => evaluation.loadDistribution({ jobId }),
    workerPerformance: ({ evaluation }, jobId) => evaluation.workerPerformance({ jobId }),
    throughputHistory: ({ evaluation }, jobId) => evaluation.throughputHistory({ jobId }),
    attempts: ({ evaluation }, jobId) => evaluation.attempts({ jobId, limit: 9 }),
    exportAttempts: async ({ evaluation }, jobId) => {
      const chunks = await evaluation.exportAttempts({ jobId });
      return chunks && all(chunks);
    },
  } satisfies Required<Asked<'evaluation'>>,
  notifications: {
    ofJob: ({ notifications }, id) => notifications.ofJob(id),
  } satisfies Required<Asked<'notifications'>>,
};

/** What is asked about everything. */
const aboutAll = {
  reads: {
    stats: ({ reads }) => reads.stats(),
    census: ({ reads }) => reads.census(),
    jobs: async ({ reads }) => [
      await all(reads.jobs({})),
      await all(reads.jobs({ search: '0000' })),
    ],
    jobHeads: ({ reads }) => all(reads.jobHeads({ search: 'SAME' })),
    meantJobs: async ({ reads }) => [
      await reads.meantJobs('same', 9),
      await reads.meantJobs('job-', 9),
      await reads.meantJobs('0000', 9),
    ],
    workers: ({ reads }) => reads.workers(),
    workerTexts: ({ reads }) => parsed(reads.workerTexts({ pieceChars: 99 })),
    meantWorkers: ({ reads }) => reads.meantWorkers('worker', 9),
    findWorker: ({ reads }) => reads.findWorker('worker'),
    findFailures: ({ reads }) => reads.findFailures('worker'),
  } satisfies Required<Omit<Asked<'reads'>, keyof typeof aboutJob.reads>> & Asked<'reads'>,
  evaluation: {
    metrics: ({ evaluation }) => evaluation.metrics({}),
    loadDistribution: ({ evaluation }) => evaluation.loadDistribution({}),
    workerPerformance: ({ evaluation }) => evaluation.workerPerformance({}),
    throughputHistory: ({ evaluation }) => evaluation.throughputHistory({}),
    attempts: ({ evaluation }) => evaluation.attempts({ limit: 99 }),
    exportAttempts: async ({ evaluation }) => all((await evaluation.exportAttempts({}))!),
  } satisfies Required<Asked<'evaluation'>>,
  taskReads: {
    recoveryEvents: ({ taskReads }) => all(taskReads.recoveryEvents()),
  } satisfies Asked<'taskReads'>,
  scheduler: {
    criteria: ({ scheduler }) => scheduler.criteria,
    config: ({ scheduler }) => scheduler.config(),
    history: ({ scheduler }) => scheduler.history(9),
    info: ({ scheduler }) => scheduler.info(),
    infoPieces: ({ scheduler }) => parsed(scheduler.infoPieces(99)),
    preview: ({ scheduler }) => scheduler.preview({ requirements: null, tasks: 3 }),
  } satisfies Required<Omit<Asked<'scheduler'>, 'configure'>>,
};

const jobMethods = methodsOf(aboutJob);
const allMethods = methodsOf(aboutAll);

function methodsOf(tables: Readonly<Record<string, Asked<never>>>): readonly [string, Ask][] {
  return Object.entries(tables).flatMap(([port, table]) =>
    Object.entries(table).map(([name, ask]): [string, Ask] => [`${port}.${name}`, ask as Ask]),
  );
}

/** What JSON text in pieces says. */
async function parsed(pieces: AsyncIterable<string | Uint8Array>): Promise<unknown> {
  const bytes = (await Array.fromAsync(pieces)).map((piece) => Buffer.from(piece as Uint8Array));
  return JSON.parse(Buffer.concat(bytes).toString());
}

async function all(chunks: AsyncIterable<readonly unknown[]>): Promise<unknown[]> {
  return (await Array.fromAsync(chunks)).flat();
}

/** Each job fails a task, saves a checkpoint and loses its worker, and is there twice: open and ended. */
async function twoOwners(): Promise<VirtualCluster> {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('worker', { slots: 9 });
  for (const principal of [ann, bob]) {
    const { owner } = principal;
    const notify = [
      { url: 'https://n.test/', host: 'n.test', on: ['completed'], secret: null },
    ] as const;
    const given: Partial<Submission> = { name: 'same', notify };
    await submit(cluster, principal, `job-${owner}-0000`, given);
    await submit(cluster, principal, `end-${owner}-0000`, { ...given, maxAttempts: 1 });
    worker.fail(`end-${owner}-0000.0`, { error_message: `secret of ${owner}` });
    worker.complete(`end-${owner}-0000.1`, `secret of ${owner}`);
    worker.start(`job-${owner}-0000.0`);
    worker.checkpoint(`job-${owner}-0000.0`, 1, 0.5);
    await cluster.settle();
  }
  await cluster.advance(3_000);
  worker.drop();
  await cluster.advance(20_000);
  worker.connect(cluster.coordinator);
  await cluster.settle();
  return cluster;
}

async function submit(
  cluster: VirtualCluster,
  principal: Principal,
  name: string,
  given: Partial<Submission> = {},
  key = name,
) {
  cluster.runtime.names.push(name);
  const { submissions } = cluster.coordinator.for(principal);
  const inputs = { type: 'range', start: 0, count: 2 } as const;
  const idempotency = { key, bodyHash: 'same' };
  return cluster.answer(submissions.submit(submission(given), inputs, idempotency));
}

const othersName = { ann: 'bob', bob: 'ann' };

describe('two owners', () => {
  test.each(jobMethods)(
    '%s: a job of another is answered as one that never was',
    async (_, ask) => {
      const cluster = await twoOwners();
      const ports = cluster.coordinator.for(ann);
      const before = cluster.durable();
      for (const kind of ['job', 'end']) {
        const foreign = await answered(cluster, ask(ports, `${kind}-bob-0000`));
        const unknown = await answered(cluster, ask(ports, `${kind}-zoe-0000`));
        expect(JSON.stringify(foreign) ?? '').toBe(
          (JSON.stringify(unknown) ?? '').replaceAll('zoe', 'bob'),
        );
        expect(typeof foreign).toBe(typeof unknown);
      }
      expect(cluster.durable()).toEqual(before);
    },
  );

  test.each(jobMethods)(
    '%s: a job of its own is answered as to who sees all',
    async (name, ask) => {
      const [cluster, twin] = [await twoOwners(), await twoOwners()];
      const own = await answered(cluster, ask(cluster.coordinator.for(ann), 'end-ann-0000'));
      const whole = await answered(twin, ask(twin.coordinator, 'end-ann-0000'));
      const unknown = await answered(cluster, ask(cluster.coordinator.for(ann), 'end-zoe-0000'));
      if (!name.startsWith('jobs.') && !/recoveryEvents|reads\.job(?:s|Heads)/.test(name)) {
        expect(own).not.toEqual(unknown);
      }
      // What workers measure, and how fast the scheduler decides, is not told.
      if (
        /explainTask|metrics|recoveryEvents|reads\.jobs|jobHeads|Detail|Results|Checkpoints/.test(
          name,
        )
      )
        return;
      expect(own).toEqual(whole);
    },
  );

  test.each(allMethods)('%s tells nothing of another', async (_, ask) => {
    const cluster = await twoOwners();
    for (const owner of ['ann', 'bob'] as const) {
      const text = JSON.stringify(
        await answered(cluster, ask(cluster.coordinator.for(client(owner)), '')),
      );
      expect(text).not.toContain(othersName[owner]);
    }
  });

  test('each sees what is its own in every list', async () => {
    const cluster = await twoOwners();
    for (const owner of ['ann', 'bob'] as const) {
      const { reads, taskReads, evaluation, scheduler } = cluster.coordinator.for(client(owner));
      const ids = async (asked: Promise<readonly unknown[]>) =>
        ((await cluster.answer(asked)) as { id: string }[]).map(({ id }) => id);
      const own = [`end-${owner}-0000`, `job-${owner}-0000`];
      expect(await ids(all(reads.jobs({})))).toEqual(own);
      expect(await ids(all(reads.jobs({ after: own[0]! })))).toEqual([own[1]]);
      expect(await ids(all(reads.jobHeads({ search: owner })))).toEqual(own);
      expect(await ids(all(reads.jobs({ search: othersName[owner] })))).toEqual([]);
      expect(await ids(reads.meantJobs('same', 9))).toEqual(own);
      expect(await ids(reads.meantJobs('0000', 9))).toEqual(own);
      expect(await cluster.answer(reads.stats())).toMatchObject({
        total_jobs: 2,
        failed_jobs: 1,
        total_tasks_completed: 1,
        total_workers: 1,
      });
      expect(await cluster.answer(reads.census())).toMatchObject({
        tasks: { completed: 1, failed_or_cancelled: 1 },
      });
      const failures = await cluster.answer(reads.findFailures('worker'));
      expect(failures!.map(({ job_id }) => job_id)).toContain(own[0]);
      expect(await cluster.answer(all(taskReads.recoveryEvents()))).toHaveLength(1);
      expect(await cluster.answer(evaluation.metrics({}))).toMatchObject({
        jobs: { total: 2, failed: 1 },
        tasks: { completed: 1, failed: 1 },
        checkpoints: { count: 1 },
        recovery: { events: 1 },
      });
      const info = await cluster.answer(scheduler.info());
      expect(info.decisions_total).toBeGreaterThan(3);
      expect(info.pending_tasks + info.active_tasks).toBe(2);
    }
  });

  test('each sees of a worker its own attempts, and nothing of what it measures', async () => {
    const cluster = await twoOwners();
    const { reads } = cluster.coordinator.for(ann);
    const found = await cluster.answer(reads.findWorker('worker'));
    expect(found).toMatchObject({ id: 'worker', status: 'online', telemetry: {}, score: null });
    expect(found!.attempts.map(({ job_id }) => job_id)).toEqual(['job-ann-0000', 'job-ann-0000']);
    expect(
      (await cluster.answer(cluster.coordinator.reads.findWorker('worker')))!.attempts,
    ).toHaveLength(4);
  });

  test('of what workers have measured in the last minutes nothing is told', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('worker');
    await cluster.advance(60_000);
    const series = { names: ['cpu', 'ram'], points: 2 } as const;
    const asked = async ({ reads }: CoordinatorPorts) => [
      ...((await cluster.answer(
        parsed(reads.workerTexts({ pieceChars: 99, series })),
      )) as object[]),
      ...(await cluster.answer(reads.meantWorkers('worker', 9, series))),
    ];
    for (const worker of await asked(cluster.coordinator.for(viewer))) {
      expect(worker).toHaveProperty('series.cpu', [null, null]);
    }
    for (const worker of await asked(cluster.coordinator.for(ann))) {
      expect(worker).toMatchObject({ id: 'worker' });
      expect(worker).not.toHaveProperty('series');
    }
  });

  test('who has configured the scheduler is told to who sees all', async () => {
    const cluster = await VirtualCluster.start();
    const { scheduler } = cluster.coordinator;
    const listeners = new AbortController();
    const follow = (ports: CoordinatorPorts) =>
      ports.events.follow({}, { signal: listeners.signal })[Symbol.asyncIterator]().next();
    const heard = [follow(cluster.coordinator.for(viewer)), follow(cluster.coordinator.for(ann))];
    await cluster.settle();
    await cluster.answer(scheduler.configure({ algorithm: 'edas' }, 'laptop of Ann'));
    const told = async (principal: Principal) => {
      const ports = cluster.coordinator.for(principal).scheduler;
      const config = await cluster.answer(ports.config());
      const [newest] = await cluster.answer(ports.history(9));
      return [config.by, newest!.by, config.algorithm, newest!.algorithm];
    };
    expect(await told(viewer)).toEqual(['laptop of Ann', 'laptop of Ann', 'edas', 'edas']);
    expect(await told(ann)).toEqual([null, null, 'edas', 'edas']);
    const events = await cluster.answer(Promise.all(heard));
    expect(events.map(({ value }) => JSON.parse(value[0].data).by)).toEqual([
      'laptop of Ann',
      null,
    ]);
    listeners.abort();
  });

  test.each(algorithmIds)('under %s nothing that a worker measures is told', async (algorithm) => {
    const cluster = await VirtualCluster.start({ algorithm });
    for (const name of ['worker', 'other']) {
      const worker = await cluster.join(name);
      const telemetry = { cpu_load_percent: 41.625, network_latency_ms: 41.625 };
      worker.say({
        type: 'heartbeat',
        heartbeat_id: 1,
        telemetry,
        assign_sequence: 0,
        running: [],
      });
    }
    await submit(cluster, ann, 'of-ann');
    const texts = async (ports: CoordinatorPorts) => {
      const asks: Ask[] = [
        ...allMethods.map(([, ask]) => ask),
        aboutJob.taskReads.explainTask,
        aboutJob.taskReads.findTask,
      ];
      const told: string[] = [];
      for (const ask of asks) {
        told.push(JSON.stringify(await answered(cluster, ask(ports, 'of-ann'))));
      }
      return told.filter((text) => text.includes('41.625')).length;
    };
    // Workers four times, the last decision twice, a preview, and why the task is where it is.
    if (algorithm === 'edas') expect(await texts(cluster.coordinator)).toBe(8);
    expect(await texts(cluster.coordinator.for(ann))).toBe(0);
  });

  test('the same key of two owners makes a job each, and is known to each alone', async () => {
    const cluster = await VirtualCluster.start();
    const made = [
      await submit(cluster, ann, 'a', {}, 'key'),
      await submit(cluster, bob, 'b', {}, 'key'),
      await submit(cluster, anybody, 'c', {}, 'key'),
      await submit(cluster, ann, 'd', {}, 'key'),
      await submit(cluster, bob, 'e', {}, 'key'),
      await submit(cluster, anybody, 'f', {}, 'key'),
    ];
    expect(made.map((answer) => answer.ok && answer.value.id)).toEqual([
      'a',
      'b',
      'c',
      'a',
      'b',
      'c',
    ]);
    const { jobs } = cluster.coordinator.for(ann);
    await cluster.answer(jobs.cancel('a'));
    await cluster.answer(jobs.delete('a'));
    expect(await submit(cluster, ann, 'g', {}, 'key')).toMatchObject({ value: { id: 'g' } });
    expect(await submit(cluster, bob, 'h', {}, 'key')).toMatchObject({ value: { id: 'b' } });
  });

  test('who sees all is told whose a job is; where there is one owner nobody is', async () => {
    const cluster = await twoOwners();
    await cluster.submit('plain');
    const { reads } = cluster.coordinator.for(viewer);
    expect(await cluster.answer(reads.findJob('job-bob-0000'))).toMatchObject({ owner: 'bob' });
    expect(await cluster.answer(reads.findJob('plain'))).not.toHaveProperty('owner');
    expect(await cluster.answer(all(reads.jobs({ owner: 'bob' })))).toHaveLength(2);
    expect(await cluster.answer(all(reads.jobs({})))).toHaveLength(5);
  });

  test('what a worker says when it refuses the tasks of one is not told to another', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('worker', { slots: 9 });
    for (const id of ['b1', 'b2', 'b3']) {
      await submit(cluster, bob, id);
      const ref = worker.ref(`${id}.0`);
      worker.say({ type: 'refusal', refusals: [{ ...ref, reason: 'secret of bob' }] });
      await cluster.settle();
    }
    await submit(cluster, ann, 'a');
    const asks: Ask[] = [...allMethods.map(([, ask]) => ask), aboutJob.taskReads.explainTask];
    const told = async (ports: CoordinatorPorts) => {
      const answers: unknown[] = [];
      for (const ask of asks) answers.push(await answered(cluster, ask(ports, 'a')));
      return answers.filter((each) => JSON.stringify(each).includes('secret of bob')).length;
    };
    expect(await told(cluster.coordinator)).toBeGreaterThan(3);
    expect(await told(cluster.coordinator.for(ann))).toBe(0);
    const { taskReads } = cluster.coordinator.for(ann);
    const explained = await cluster.answer(taskReads.explainTask('a', 0));
    expect(explained).toMatchObject({
      waiting: {
        code: 'refused',
        reason: expect.stringMatching(
          /, refuses tasks of one job after another, is asked again in/,
        ),
      },
    });
  });

  test('who sees all may own something else: its jobs are of that owner', async () => {
    const cluster = await twoOwners();
    const carl: Principal = { role: 'admin', tokenId: 'carl0000', owner: 'carl', seesAll: true };
    await submit(cluster, carl, 'of-carl');
    await submit(cluster, carl, 'again', {}, 'of-carl');
    const own = cluster.coordinator.for(client('carl')).reads;
    const ids = (await cluster.answer(all(own.jobs({})))) as { id: string }[];
    expect(ids).toMatchObject([{ id: 'of-carl', owner: 'carl' }]);
    const { jobs } = cluster.coordinator.for(carl);
    expect(await cluster.answer(jobs.cancel('job-ann-0000'))).toMatchObject({ ok: true });
  });

  test('after a restart each has what it had', async () => {
    const cluster = await twoOwners();
    const before = await cluster.answer(cluster.coordinator.for(bob).reads.stats());
    await cluster.crash();
    const { reads, jobs } = cluster.coordinator.for(bob);
    expect(await cluster.answer(reads.stats())).toMatchObject({
      total_jobs: before.total_jobs,
      failed_jobs: before.failed_jobs,
      total_tasks_completed: before.total_tasks_completed,
    });
    expect(await cluster.answer(jobs.cancel('job-ann-0000'))).toMatchObject({ ok: false });
    expect(await cluster.answer(jobs.cancel('job-bob-0000'))).toMatchObject({ ok: true });
  });
});

describe('the events of an owner', () => {
  test('are those of its jobs, of workers and of the scheduler, also behind an event', async () => {
    const cluster = await VirtualCluster.start();
    const end = new AbortController();
    const seen: { id: string; type: string; data: string }[] = [];
    const follow = async (filter: object, from?: string) => {
      const asked = { signal: end.signal, ...(from === undefined ? {} : { lastEventId: from }) };
      const { events } = cluster.coordinator.for(ann);
      for await (const chunk of events.follow(filter, asked)) seen.push(...chunk);
    };
    void follow({});
    await cluster.settle();
    const worker = await cluster.join('worker', { slots: 9 });
    await submit(cluster, bob, 'of-bob');
    await submit(cluster, ann, 'of-ann');
    const types = () => seen.map(({ type }) => type);
    expect(types()).toEqual(['worker_registered', 'worker_connected', 'job_submitted']);
    seen.length = 0;
    void follow({ jobId: 'of-bob' });
    void follow({ types: ['task_assigned', 'task_completed'] });
    await cluster.settle();
    worker.complete('of-bob.0');
    worker.complete('of-ann.0');
    await cluster.settle();
    expect(types()).toEqual(['task_completed']);
    expect(seen[0]!.data).toContain('of-ann');
    const { id } = seen[0]!;
    seen.length = 0;
    worker.complete('of-bob.1');
    worker.complete('of-ann.1');
    await cluster.settle();
    seen.length = 0;
    void follow({}, id);
    await cluster.settle();
    expect(types()).toEqual(['job_finished']);
    expect(JSON.stringify(seen)).not.toContain('bob');
    end.abort();
    await cluster.settle();
  });
});

describe('the ports', () => {
  test('are the same objects where nobody needs a token', async () => {
    const { coordinator } = await VirtualCluster.start();
    expect(coordinator.for(anybody)).toBe(coordinator);
    const { reads, blobs, jobs } = coordinator.for(viewer);
    expect([reads, blobs, jobs]).toEqual([coordinator.reads, coordinator.blobs, coordinator.jobs]);
    expect(coordinator.for(ann)).toBe(coordinator.for(ann));
    expect(anybody.owner).toBe(adminOwner);
  });

  test('of a coordinator that has stopped answer nobody', async () => {
    const cluster = await twoOwners();
    const { reads, jobs } = cluster.coordinator.for(ann);
    await cluster.answer(cluster.coordinator.stop());
    await expect(cluster.answer(reads.findJob('job-ann-0000'))).rejects.toThrow(/stop/);
    await expect(cluster.answer(jobs.cancel('job-bob-0000'))).rejects.toThrow(/stop/);
  });
});

async function answered(cluster: VirtualCluster, asked: unknown): Promise<unknown> {
  return cluster.answer(Promise.resolve(asked));
}
