// A full disk: waiting requests are refused with that reason, the coordinator ends with a sentence,
// and all acknowledged work is there when it is started again on a disk with room.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { JobSummary } from '../../src/client/index.ts';
import { Cluster } from '../support/cluster.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

/** The log of the store takes so much before it would be written into the store. */
const full = { fileSizeLimitKb: 2_048 };

test('submissions that the disk does not take get a 500, all others are kept', async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  await cluster.serve(full);
  const { client } = cluster;
  const kept: JobSummary[] = [];
  const refused: { readonly status: number; readonly body?: object }[] = [];
  const submit = async (number: number) => {
    const inputs = [number, 'x'.repeat(100_000)];
    const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
    await cluster.submitOnce({ name: `job ${number}`, program, inputs }).then(
      ({ status, body }) => {
        if (status === 201) kept.push(body);
        else refused.push({ status, body });
      },
      // It has ended before it could answer.
      () => void refused.push({ status: 0 }),
    );
  };
  for (let number = 0; refused.length === 0; number += 4) {
    await Promise.all([0, 1, 2, 3].map((more) => submit(number + more)));
  }

  const failed = refused.filter(({ status }) => status === 500);
  expect(failed.length).toBeGreaterThan(0);
  for (const { body } of failed) {
    expect(body).toEqual({
      code: 'storage_failed',
      detail: 'The disk refused the commit; nothing of this request was kept.',
    });
  }
  await expectEndForWantOfSpace(cluster);
  expect(kept.length).toBeGreaterThan(4);

  await cluster.serve();
  expect(idsOf(await client.jobs())).toEqual(idsOf(kept));
  await cluster.addWorker();
  for (const { id, name } of kept) {
    const reader = new ResultReader(client.resultLines(id, { follow: true }));
    await reader.readAll();
    const values = reader.results.map((result) => 'value' in result && result.value);
    expect(values).toContain(Number(name!.split(' ')[1]));
    expect(values).toContain('x'.repeat(100_000));
  }
});

test('a streamed submission that the disk does not take gets a 500, and leaves nothing', async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  await cluster.serve(full);
  const { client } = cluster;
  const job = await client.submit(squares(10, 1));
  const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
  const inputs = Array.from({ length: 100 }, () => 'x'.repeat(100_000));
  await expect(client.submitStream({ program }, inputs)).rejects.toMatchObject({
    status: 500,
    code: 'storage_failed',
  });
  await cluster.stop();
  await cluster.serve();
  expect(idsOf(await client.jobs())).toEqual([job.id]);
  expect(cluster.query('select * from staged')).toEqual([]);
  await cluster.addWorker();
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, 10);
});

test('results that the disk does not take stay with the worker until there is room', async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  await cluster.serve(full);
  await cluster.addWorker(2);
  const { client } = cluster;
  const job = await client.submit(squares(2_000, 1, 4_000));
  const reader = new ResultReader(client.resultLines(job.id, { follow: true }));
  await Promise.all([reader.read(50), cluster.coordinator.ended]);
  await expectEndForWantOfSpace(cluster);
  const readBefore = new Set(reader.texts);

  await cluster.serve();
  const again = new ResultReader(client.resultLines(job.id));
  await again.readAll();
  expect(again.results.length).toBeLessThan(2_000);
  expect(readBefore.isSubsetOf(new Set(again.texts))).toBe(true);
  await reader.readAll();
  expectEveryResultOnce(reader.results, 2_000);
  expect(await client.failures(cluster.workers[0]!.id)).toEqual([]);
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
  expect(storedTasks(cluster)).toEqual({ tasks: 2_000, completed: 2_000, accepted: 2_000 });
});

test('another program that locks the database for seconds holds up commits, and nothing else', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const { client } = cluster;
  const kept = await client.submit(squares(10, 1));
  const other = new DatabaseSync(cluster.storePath);
  other.exec('begin immediate');
  const submitted = client.submit(squares(10, 1));
  // Longer than SQLite itself waits for a lock.
  const lockedAt = performance.now();
  let answers = 0;
  while (performance.now() - lockedAt < 3_000 || answers < 20) {
    expect((await fetch(`${cluster.url}/healthz`)).status).toBe(200);
    answers++;
  }
  other.exec('rollback');
  other.close();
  const late = await submitted;
  for (const { id } of [kept, late]) {
    const reader = new ResultReader(client.resultLines(id, { follow: true }));
    await reader.readAll();
    expectEveryResultOnce(reader.results, 10);
  }
  expect(cluster.coordinator.stderr).toContain('Another program writes to ');
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
});

async function expectEndForWantOfSpace(cluster: Cluster): Promise<void> {
  const { coordinator, storePath } = cluster;
  expect(await coordinator.ended).toEqual({ code: 6, signal: null });
  const last = JSON.parse(coordinator.stderr.trimEnd().split('\n').at(-1)!) as { msg: string };
  expect(last.msg).toContain(
    `The coordinator cannot go on: The database ${storePath} could not be `,
  );
  expect(last.msg).toContain('What it acknowledged is safe. Mend the cause and start it again.');
  expect(statSync(storePath).size).toBeLessThanOrEqual(full.fileSizeLimitKb * 1024);
  expect(cluster.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
}

function idsOf(jobs: readonly JobSummary[]): readonly string[] {
  return jobs.map(({ id }) => id).toSorted();
}
