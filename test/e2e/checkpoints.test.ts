// "A task that was checkpointed on one worker finishes on another with exactly the undisturbed
// result", and the records tell how.

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { CheckpointRecord, JobSummary, RecoveryEvent } from '../../src/client/index.ts';
import { runCli } from '../support/cli-process.ts';
import { Cluster, type ClusterWorker } from '../support/cluster.ts';
import {
  async,
  counting,
  type CountingInput,
  type CountingResult,
  drawing,
  expectResumedFrom,
  generator,
  plain,
  undisturbed,
} from '../support/counting-job.ts';
import { eventually } from '../support/muster-process.ts';

const flags = ['--grace-seconds', '1'];
/** A step takes about 2 ms on a machine that has nothing else to do; the first attempt ends midway. */
const spinning = { steps: 100, hold: 60, rounds: 2_000_000 };
const waiting = { steps: 100, hold: 60, ms: 2 };
const forms = {
  text: spinning,
  gzip: { ...spinning, log: 1_000 },
  blob: { ...spinning, noise: 12_000 },
};

interface Run {
  readonly job: JobSummary;
  readonly input: CountingInput;
  readonly draws?: boolean;
}

test('plain, async and generator tasks finish on another worker with the undisturbed result', async () => {
  const { cluster, victim } = await startVictim(3);
  const { client } = cluster;
  const runs: Run[] = [
    { job: await client.submit(counting(plain, [spinning])), input: spinning },
    { job: await client.submit(counting(async, [waiting])), input: waiting },
    { job: await client.submit(counting(generator, [spinning])), input: spinning },
  ];
  for (const { job } of runs) await checkpointed(cluster, job);
  await victim.process.kill();
  const heir = await cluster.addWorker(3);
  for (const run of runs) {
    const event = await expectResumed(cluster, run, victim, heir);
    await expectExplained(cluster, event);
  }
  const lost = await client.failures(victim.id);
  expect(lost.map(({ error_type, job_id }) => ({ error_type, job_id })).toSorted(byJob)).toEqual(
    runs.map(({ job }) => ({ error_type: 'connection_lost', job_id: job.id })).toSorted(byJob),
  );
  const { recovery, checkpoints } = await client.evaluation.metrics();
  expect(recovery).toMatchObject({ events: 3 });
  expect(recovery.work_saved_seconds).toBeGreaterThan(0);
  expect(checkpoints.count).toBeGreaterThanOrEqual(3);
});

test('random numbers go on in the middle of their sequence, with states of every form', async () => {
  const { cluster, victim } = await startVictim(3);
  const runs: Run[] = [];
  for (const input of Object.values(forms)) {
    const job = await cluster.client.submit(counting(drawing, [input]));
    runs.push({ job, input, draws: true });
  }
  for (const { job } of runs) await checkpointed(cluster, job);
  await victim.process.kill();
  const kept = cluster.query('select distinct encoding from checkpoint_states order by encoding');
  expect(kept.map(({ encoding }) => encoding)).toEqual([0, 1, 2]);
  const heir = await cluster.addWorker(3);
  const [text, gzip, blob] = [
    await expectResumed(cluster, runs[0]!, victim, heir),
    await expectResumed(cluster, runs[1]!, victim, heir),
    await expectResumed(cluster, runs[2]!, victim, heir),
  ];
  expect(await sizesOf(cluster, text)).toMatchObject({ isPacked: false, isLarge: false });
  expect(await sizesOf(cluster, gzip)).toMatchObject({ isPacked: true, isLarge: false });
  expect(await sizesOf(cluster, blob)).toMatchObject({ isPacked: true, isLarge: true });
});

test.each(Object.entries(forms))(
  'a damaged state (%s) is passed over: the task goes on from the one before',
  async (_, input) => {
    const { cluster, victim } = await startVictim(1);
    const { client } = cluster;
    const job = await client.submit(counting(drawing, [input]));
    const before = await checkpointed(cluster, job, 3);
    await victim.process.kill();
    await eventually(
      () => client.recoveryEvents(),
      (events) => events.length === 1,
    );
    const [older, newest] = (await client.checkpoints(job.id)).slice(-2);
    expect(Number(newest!.id)).toBeGreaterThanOrEqual(Number(before.at(-1)!.id));
    await cluster.stop();
    damage(cluster, newest!);
    await cluster.serve();

    const heir = await cluster.addWorker();
    const event = await expectResumed(cluster, { job, input, draws: true }, victim, heir);
    expect(event.checkpoint_id).toBe(older!.id);
  },
);

test('a state that is damaged twice is no obstacle: the task starts again', async () => {
  const { cluster, victim } = await startVictim(1);
  const { client } = cluster;
  const job = await client.submit(counting(generator, [spinning]));
  await checkpointed(cluster, job, 2);
  await victim.process.kill();
  await requeued(cluster);
  await cluster.stop();
  for (const { id } of cluster.query('select id from checkpoint_states'))
    damage(cluster, { id: String(id) });
  await cluster.serve();
  await cluster.addWorker();
  const { value, from } = await resultOf(cluster, job);
  expect({ value, from }).toEqual({ value: undisturbed(spinning, `${job.id}.0`), from: 0 });
  const [event] = await client.recoveryEvents();
  expect(event).toMatchObject({ outcome: 'restarted', checkpoint_id: null, work_saved_seconds: 0 });
});

/** A cluster whose only worker is about to die. */
async function startVictim(slots: number): Promise<{ cluster: Cluster; victim: ClusterWorker }> {
  const cluster = await Cluster.start({ flags });
  return { cluster, victim: await cluster.addWorker(slots) };
}

/** As soon as so many checkpoints of its task can be seen. */
function checkpointed(cluster: Cluster, job: JobSummary, count = 1) {
  return eventually(
    () => cluster.client.checkpoints(job.id),
    (records) => records.length >= count,
  );
}

/** The coordinator knows that the worker is gone. */
function requeued({ client }: Cluster) {
  return eventually(
    () => client.recoveryEvents(),
    (events) => events.length > 0,
  );
}

async function expectResumed(
  cluster: Cluster,
  { job, input, draws }: Run,
  victim: ClusterWorker,
  heir: ClusterWorker,
): Promise<RecoveryEvent> {
  const { client } = cluster;
  const { value, from } = await resultOf(cluster, job);
  expect(value).toEqual(undisturbed(input, `${job.id}.0`, draws));
  const records = await client.checkpoints(job.id);
  const ofVictim = records.filter(({ worker_id: id }) => id === victim.id);
  // Not every number: a state that still waits to be sent is replaced by a newer one.
  const sequences = ofVictim.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
  expect(ofVictim.filter(({ attempt }) => attempt !== 1)).toEqual([]);
  const events = (await client.recoveryEvents()).filter(({ job_id: id }) => id === job.id);
  expect(events).toMatchObject([
    {
      task_id: `${job.id}.0`,
      task_index: 0,
      from_worker_id: victim.id,
      to_worker_id: heir.id,
      attempt: 1,
      next_attempt: 2,
      outcome: 'resumed',
      resumed_at: expect.any(String),
    },
  ]);
  const [event] = events as [RecoveryEvent];
  expectResumedFrom(event, ofVictim, from, input);
  expect(event.work_saved_seconds).toBeGreaterThan(0);
  expect(await client.task(job.id, 0)).toMatchObject({ status: 'completed', attempt: 2 });
  return event;
}

async function resultOf({ client }: Cluster, { id }: JobSummary): Promise<CountingResult> {
  for await (const result of client.results(id, { follow: true })) {
    expect(result.status).toBe('completed');
    if (result.status === 'completed') return result.value as CountingResult;
  }
  throw new Error(`job ${id} has ended without a result`);
}

async function expectExplained({ url, folder }: Cluster, event: RecoveryEvent): Promise<void> {
  const { task_id: task, resumed_from_progress: progress } = event;
  const { stdout } = await runCli(['explain', task], {
    folder,
    environment: { MUSTER_URL: url },
  });
  expect(stdout).toContain('lost with its worker');
  const share = Math.round((progress ?? 0) * 100);
  expect(stdout).toMatch(
    new RegExp(`to go on from its checkpoint at ${share} %: .* of work saved`),
  );
}

async function sizesOf({ client }: Cluster, { job_id, checkpoint_id }: RecoveryEvent) {
  const records = await client.checkpoints(job_id);
  const { size_bytes, stored_bytes } = records.find(({ id }) => id === checkpoint_id)!;
  return { isPacked: stored_bytes < size_bytes, isLarge: stored_bytes > 64 * 1024 };
}

/** Turns one character of a state into another, as a bad disk would. */
function damage({ storePath }: Cluster, { id }: Pick<CheckpointRecord, 'id'>): void {
  const db = new DatabaseSync(storePath);
  const [{ encoding, content }] = db
    .prepare('select encoding, content from checkpoint_states where id = ?')
    .all(id) as [{ encoding: number; content: string | Uint8Array }];
  if (encoding === 0) {
    const text = (content as string).replace(/"hash":\d/, '"hash":');
    db.prepare('update checkpoint_states set content = ? where id = ?').run(text, id);
  } else if (encoding === 1) {
    const bytes = Uint8Array.from(content as Uint8Array, (byte, i) =>
      i === 100 ? byte ^ 1 : byte,
    );
    db.prepare('update checkpoint_states set content = ? where id = ?').run(bytes, id);
  } else {
    db.prepare(
      `update blob_chunks set bytes = zeroblob(length(bytes))
        where key >> 16 = (select key from blobs where sha256 = ?)`,
    ).run(content as string);
  }
  db.close();
}

function byJob(a: { readonly job_id: string }, b: { readonly job_id: string }): number {
  return a.job_id < b.job_id ? -1 : 1;
}
