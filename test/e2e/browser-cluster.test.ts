// Workers in browsers and workers that are processes share a job: what one of them has saved, one of the
// others goes on from, whichever way round, and the results are those of an undisturbed run.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { JobSummary, TaskResult } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { BrowserWorker } from '../support/browser-worker.ts';
import { Cluster } from '../support/cluster.ts';
import {
  counting,
  type CountingInput,
  type CountingResult,
  drawing,
  expectResumedFrom,
  undisturbed,
} from '../support/counting-job.ts';
import { eventually } from '../support/muster-process.ts';
import { storedTasks } from '../support/square-job.ts';

/** A step takes about 2 ms on a machine that has nothing else to do; the first attempt never ends. */
const spinning = { steps: 100, hold: 60, rounds: 2_000_000 };
const gzipped = { ...spinning, log: 1_000 };
const large = { ...spinning, noise: 12_000 };
/** Each half of them, and every second one, is one of each form. */
const inputs: readonly CountingInput[] = [spinning, gzipped, large, spinning, gzipped, large];
const slots = 3;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

interface Page {
  readonly id: string;
  readonly worker: BrowserWorker;
}

test('what a closed browser has saved goes on in a process, and what a killed process has saved in a browser', async () => {
  const cluster = await Cluster.start({ flags: ['--grace-seconds', '1'] });
  const { client } = cluster;
  const closed = await openPage(cluster);
  const rested = await openPage(cluster);
  await rested.worker.press('Pause');
  await eventually(
    () => client.worker(rested.id),
    ({ rests_because }) => rests_because === 'paused',
  );
  const killed = await cluster.addWorker(slots);
  const job = await client.submit(counting(drawing, inputs));
  const held = await tasksByWorker(cluster, job, [closed.id, killed.id]);

  const heir = await cluster.addWorker(slots);
  await closed.worker.kill();
  await expectResumed(cluster, job, held.get(closed.id)!, closed.id, heir.id);

  heir.process.signal('SIGTERM');
  await heir.process.ended;
  await rested.worker.press('Go on');
  await killed.process.kill();
  await expectResumed(cluster, job, held.get(killed.id)!, killed.id, rested.id);

  const results = await Array.fromAsync(client.results(job.id));
  const indexes = results.map(({ index }) => index).toSorted((a, b) => a - b);
  expect(indexes).toEqual(inputs.map((_, index) => index));
  expect(await client.job(job.id)).toMatchObject({
    status: 'completed',
    counts: { completed: inputs.length },
  });
  const { recovery } = await client.evaluation.metrics();
  expect(recovery).toMatchObject({ events: inputs.length });
  expect(recovery.work_saved_seconds).toBeGreaterThan(0);
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
  const tasks = inputs.length;
  expect(storedTasks(cluster)).toEqual({ tasks, completed: tasks, accepted: tasks });
});

/** A page that helps, as soon as the coordinator has a worker more. */
async function openPage({ client, url }: Cluster): Promise<Page> {
  const known = new Set((await client.workers()).map(({ id }) => id));
  const worker = await BrowserWorker.open(browser, url, { slots });
  onTestFinished(() => worker.close());
  const workers = await eventually(
    () => client.workers(),
    (found) => found.length > known.size,
  );
  const joined = workers.find(({ id }) => !known.has(id))!;
  expect(joined).toMatchObject({ type: 'browser', slots });
  return { id: joined.id, worker };
}

/** Which tasks each of them runs, as soon as all have a checkpoint that lasts. */
async function tasksByWorker({ client }: Cluster, job: JobSummary, workerIds: readonly string[]) {
  const records = await eventually(
    () => client.checkpoints(job.id),
    (found) => new Set(found.map(({ task_id: id }) => id)).size === inputs.length,
  );
  const tasks = new Map(workerIds.map((id) => [id, new Set<string>()]));
  for (const { worker_id: worker, task_id: task } of records) tasks.get(worker)!.add(task);
  expect([...tasks.values()].map(({ size }) => size)).toEqual([slots, slots]);
  return tasks;
}

/** The second attempts, on that worker, have brought the results of an undisturbed run. */
async function expectResumed(
  { client }: Cluster,
  job: JobSummary,
  taskIds: ReadonlySet<string>,
  from: string,
  to: string,
): Promise<void> {
  const results = await eventually(
    () => Array.fromAsync(client.results(job.id)),
    (found) => found.filter(({ task_id: id }) => taskIds.has(id)).length === taskIds.size,
  );
  const events = (await client.recoveryEvents()).filter(({ task_id: id }) => taskIds.has(id));
  const records = await client.checkpoints(job.id);
  const ofVictim = records.filter(({ worker_id: id }) => id === from);
  const forms: string[] = [];
  for (const id of taskIds) {
    const { index, value } = completed(results.find(({ task_id }) => task_id === id)!);
    const input = inputs[index]!;
    expect(value.value).toEqual(undisturbed(input, id, true));
    const [event, ...more] = events.filter(({ task_id }) => task_id === id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      from_worker_id: from,
      to_worker_id: to,
      reason: 'connection_lost',
      attempt: 1,
      next_attempt: 2,
      outcome: 'resumed',
    });
    expectResumedFrom(event!, ofVictim, value.from, input);
    expect(event!.work_saved_seconds).toBeGreaterThan(0);
    forms.push(formOf(ofVictim.find((record) => record.id === event!.checkpoint_id)!));
  }
  expect(forms.toSorted()).toEqual(['blob', 'gzip', 'text']);
}

function completed(result: TaskResult): { index: number; value: CountingResult } {
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return { index: result.index, value: result.value as CountingResult };
}

function formOf(record: { readonly size_bytes: number; readonly stored_bytes: number }): string {
  if (record.stored_bytes > 64 * 1024) return 'blob';
  return record.stored_bytes < record.size_bytes ? 'gzip' : 'text';
}
