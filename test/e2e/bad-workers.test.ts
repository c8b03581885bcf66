// Workers that send lies, garbage or half a frame are refused; the coordinator goes on, and so do
// the tasks of honest workers.

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Assignment } from '../../src/protocol/messages.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { hello, RawWorker } from '../support/raw-worker.ts';
import {
  expectEveryResultOnce,
  ResultReader,
  squares,
  storedTasks,
} from '../support/square-job.ts';

const flags = ['--grace-seconds', '1'];

test('lies about attempts change nothing: the task is done once, by whoever it was given to', async () => {
  const cluster = await Cluster.start({ flags });
  const { client, url } = cluster;
  const job = await client.submit(squares(200, 10));
  const { worker: liar, task } = await RawWorker.withTask(url);
  // Somebody else's task: given to another worker, that holds it until the end of this test.
  const { worker: other, task: foreign } = await RawWorker.withTask(url);
  const mine = refOf(task);
  const theirs = refOf(foreign);
  const wrong = { ...mine, token: 'x'.repeat(mine.token.length) };

  const lies = [
    { ref: wrong, code: 'not_yours' },
    { ref: { ...mine, token: theirs.token }, code: 'not_yours' },
    { ref: { ...mine, attempt: 2 }, code: 'not_yours' },
    { ref: { ...mine, attempt: Number.MAX_SAFE_INTEGER }, code: 'not_yours' },
    { ref: theirs, code: 'not_yours' },
    { ref: { ...theirs, token: mine.token }, code: 'not_yours' },
    // Nobody has them: not given yet, no such task, no such job.
    { ref: { ...mine, task_id: `${job.id}.199` }, code: 'not_yours' },
    { ref: { ...mine, task_id: `${job.id}.200` }, code: 'not_yours' },
    { ref: { ...mine, task_id: `${job.id.replaceAll(/[1-9]/g, '0')}.0` }, code: 'stale_attempt' },
    { ref: { ...mine, task_id: '__proto__' }, code: 'not_yours' },
  ];
  const results = lies.map(({ ref }) => ({ ...ref, value: 'a lie' }));
  const { rejected } = await liar.asks({ type: 'result', results }, 'reject');
  expect(rejected).toMatchObject(
    lies.map(({ ref: { task_id, attempt }, code }) => ({ task_id, attempt, kind: 'result', code })),
  );

  const failure = { ...theirs, error_type: 'Error', error_message: 'a lie', retryable: false };
  for (const [message, kind] of [
    [{ type: 'failure', failures: [failure] }, 'failure'],
    [{ type: 'started', started: [theirs] }, 'started'],
    [{ type: 'progress', progress: [{ ...theirs, progress: 1 }] }, 'progress'],
    [{ type: 'refusal', refusals: [{ ...theirs, reason: 'a lie' }] }, 'refusal'],
    [{ type: 'release', releases: [theirs] }, 'release'],
  ] as const) {
    const answer = await liar.asks(message, 'reject');
    expect(answer.rejected).toMatchObject([{ ...pick(theirs), kind, code: 'not_yours' }]);
  }
  const beat = { type: 'heartbeat', heartbeat_id: 1, telemetry: {}, assign_sequence: 1 };
  const ack = await liar.asks({ ...beat, running: [mine, theirs] }, 'ack');
  expect(ack.heartbeat?.stop).toMatchObject([{ ...pick(theirs), reason: 'not_yours' }]);

  // The truth counts; repeated it is acknowledged, changed it changes nothing.
  const truth = { n: task.input, square: Number(task.input) ** 2 };
  for (const value of [truth, truth, 'a lie']) {
    const taken = await liar.asks({ type: 'result', results: [{ ...mine, value }] }, 'ack');
    expect(taken.accepted).toEqual([{ ...pick(mine), kind: 'result' }]);
  }

  await cluster.addWorker(2);
  liar.end();
  other.end();
  await expectJobRight(cluster, job.id, 200);
  const { tasks } = await client.job(job.id);
  expect(tasks[task.index]).toMatchObject({ attempt: 1, status: 'completed' });
  expect(tasks[foreign.index]).toMatchObject({ attempt: 2, worker_id: cluster.workers[0]!.id });
  await cluster.stop();
  expect(storedTasks(cluster)).toEqual({ tasks: 200, completed: 200, accepted: 200 });
});

test('nobody comes back as another worker, or with tasks that it was not given', async () => {
  const cluster = await Cluster.start({ workers: 1, flags });
  const { client, url } = cluster;
  const job = await client.submit(squares(200, 10));
  const [honest] = cluster.workers;

  const thief = await RawWorker.connect(url);
  const stolen = { worker_id: honest!.id, worker_token: 'x'.repeat(32) };
  expect(await thief.asks(hello(stolen), 'error')).toMatchObject({
    fatal: true,
    code: 'not_yours',
    detail: `The token does not belong to worker "${honest!.id}".`,
  });
  await thief.closed;

  const running = await eventually(
    async () => (await client.job(job.id)).tasks,
    (tasks) => tasks.some(({ worker_id: id }) => id === honest!.id),
  );
  const target = running.findLast(({ worker_id: id }) => id === honest!.id)!;
  const claim = { task_id: target.id, attempt: target.attempt, token: 'made up', state: 'running' };
  const boaster = await RawWorker.connect(url);
  const { stop } = await boaster.asks(hello({ attempts: [claim] }), 'welcome');
  expect(stop).toMatchObject([{ task_id: target.id, attempt: target.attempt }]);
  boaster.say({ type: 'bye', reason: 'found out' });
  await boaster.closed;

  await expectJobRight(cluster, job.id, 200);
  const { tasks } = await client.job(job.id);
  expect(tasks.every(({ worker_id: id }) => id === honest!.id)).toBe(true);
});

test('garbage, binary, half a frame and 100 MB end their own connection only', async () => {
  const cluster = await Cluster.start({ flags });
  const { client, url } = cluster;
  const job = await client.submit(squares(300, 10));

  // Each of them holds a task when it happens.
  const garbage = await RawWorker.withTask(url);
  const binary = await RawWorker.withTask(url);
  const huge = await RawWorker.withTask(url);

  const said = await garbage.worker.asks('{"type":"resu', 'error');
  expect(said).toMatchObject({ fatal: true, detail: expect.stringContaining('JSON') });
  expect(await garbage.worker.closed).toBe(1008);

  const refused = await binary.worker.asks(randomBytes(1_000), 'error');
  expect(refused).toMatchObject({ fatal: true, detail: expect.stringContaining('binary') });
  expect(await binary.worker.closed).toBe(1003);

  huge.worker.say('x'.repeat(100 * 1024 * 1024));
  expect([1006, 1009]).toContain(await huge.worker.closed);

  const broken = await halfFrame(url);
  broken.destroy();
  // This one stays open, and is there when the coordinator is asked to end.
  await halfFrame(url);

  await cluster.addWorker(2);
  await expectJobRight(cluster, job.id, 300);
  const { tasks } = await client.job(job.id);
  for (const { task } of [garbage, binary, huge]) {
    expect(tasks[task.index]).toMatchObject({ attempt: 2, worker_id: cluster.workers[0]!.id });
  }
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });
});

function refOf({ task_id, attempt, token }: Assignment) {
  return { task_id, attempt, token };
}

function pick({ task_id, attempt }: { readonly task_id: string; readonly attempt: number }) {
  return { task_id, attempt };
}

async function expectJobRight(cluster: Cluster, jobId: string, count: number): Promise<void> {
  const reader = new ResultReader(cluster.client.resultLines(jobId, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, count);
  expect(await cluster.client.jobHead(jobId)).toMatchObject({ status: 'completed' });
}

/** A connection on which the beginning of a long frame has been sent. */
async function halfFrame(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const lines = [
    'GET /api/workers/connect HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await new Promise((resolve) => socket.once('data', resolve));
  expect(String(answer)).toContain('101 Switching Protocols');
  // Text, masked, 4 096 bytes, of which six are there.
  const start = Buffer.from([0x81, 0xfe, 0x10, 0x00, 1, 2, 3, 4, 5, 6]);
  await new Promise<void>((resolve) => socket.write(start, () => resolve()));
  return socket;
}
