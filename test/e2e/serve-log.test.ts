// What a coordinator writes for whoever collects its log.

import { expect, test } from 'vitest';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { ResultReader, squares } from '../support/square-job.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly worker_id?: string;
}

test('every line of the log is JSON, from the first to the last, and tells of the workers', async () => {
  const cluster = await Cluster.start({ flags: ['--workers', '1', '--data-dir', 'data'] });
  const { client, coordinator } = cluster;
  const { id } = await cluster.addWorker();
  const job = await client.submit(squares(4, 1));
  await new ResultReader(client.resultLines(job.id, { follow: true })).readAll();
  await client.deregister(id);
  await eventually(
    () => coordinator.stderr,
    (said) => said.includes('is deregistered'),
  );
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
  const lines = coordinator.stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const ofWorker = lines.filter(({ worker_id: of }) => of === id).map(({ msg }) => msg);
  expect(ofWorker[0]).toMatch(/^Worker worker-1 has joined: pc \S+, 1 slot, version \S+\.$/);
  expect(ofWorker).toContain('Worker worker-1 is deregistered.');
  const messages = lines.map(({ msg }) => msg);
  expect(messages[0]).toContain(`serving at ${cluster.url}`);
  expect(messages).toContain('stopping …');
});

test('a refused start is a line of JSON as well, or a sentence where text was asked for', async () => {
  const cluster = await Cluster.start();
  const json = cluster.serveArgs(['--port', '0']);
  expect((await json.ended).code).toBe(5);
  expect(JSON.parse(json.stderr)).toMatchObject({ level: 60 });
  const text = cluster.serveArgs(['--port', '0', '--log-format', 'text']);
  expect((await text.ended).code).toBe(5);
  expect(text.stderr).toMatch(/^muster: Another coordinator/);
});

test('a worker that cannot start says so in JSON as well, where that is asked for', async () => {
  const cluster = await Cluster.start();
  const worker = cluster.run(['worker', 'nowhere', '--log-format', 'json']);
  expect((await worker.ended).code).toBe(2);
  expect(JSON.parse(worker.stderr)).toMatchObject({
    level: 60,
    msg: expect.stringContaining('"nowhere" is no address of a coordinator.'),
  });
});
