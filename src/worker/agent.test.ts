// The agent with a real socket on loopback. The test plays the coordinator, and an executor that doubles
// numbers takes the place of the sandbox.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoublingExecutor } from '../../test/support/doubling-executor.ts';
import { ScriptedCoordinator, until, welcome } from '../../test/support/scripted-coordinator.ts';
import type { RunningWorker, WorkerLogEntry } from './agent.ts';
import { StateDirectory } from './node/state-directory.ts';
import { runWorker, WorkerAddressError, type WorkerOptions } from './node/run-worker.ts';

let stateDir: string;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'muster-agent-'));
  cleanups.push(() => rmSync(stateDir, { recursive: true, force: true }));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('a worker on a socket', () => {
  test('does not fill the disk with what its coordinator makes it say', async () => {
    const coordinator = await ScriptedCoordinator.start();
    const said: WorkerLogEntry[] = [];
    start(coordinator.url, { log: (entry) => said.push(entry) });
    await coordinator.hear('hello');
    coordinator.say(welcome());
    const error = { type: 'error', code: 'x', detail: 'y'.repeat(10_000), fatal: false };
    coordinator.saySomething(JSON.stringify(Array.from({ length: 1_000 }, () => error)));
    coordinator.say({ type: 'ping' });
    await coordinator.hear('heartbeat');
    expect(said.length).toBe(201);
    expect(said[5]?.detail).toHaveLength(4_001);
  });

  test('registers, keeps its identity in a private file, and computes', async () => {
    const coordinator = await ScriptedCoordinator.start();
    start(coordinator.url);
    const hello = await coordinator.hear('hello');
    expect(hello.device).toMatchObject({ type: 'pc', slots: 1, isolation: 'none' });
    coordinator.say(welcome({ worker_token: 'secret' }));
    assign(coordinator, 1, 21);
    expect((await coordinator.hear('result')).results[0]).toMatchObject({ value: 42 });
    const file = join(stateDir, readdirSync(stateDir).find((name) => name.startsWith('identity'))!);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      worker_id: 'w1',
      worker_token: 'secret',
      url: coordinator.url,
    });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('greeted by another leader, says hello on its socket and sends again what was not acknowledged', async () => {
    const coordinator = await ScriptedCoordinator.start();
    start(coordinator.url);
    const first = await coordinator.hear('hello');
    coordinator.say(welcome({ worker_token: 'secret' }));
    assign(coordinator, 1, 21);
    await coordinator.hear('result');
    coordinator.say({ type: 'greet', id: 3 });
    const again = await coordinator.hear('hello');
    expect(again).toMatchObject({ worker_id: 'w1', worker_token: 'secret', greeting: 3 });
    expect(again.attempts.map(({ state }) => state)).toEqual(['finished']);
    expect([first.connection, again.connection]).toEqual([1, 2]);
    expect(again.instance).toBe(first.instance);
    coordinator.say(welcome());
    expect((await coordinator.hear('result')).results[0]).toMatchObject({ value: 42 });
    assign(coordinator, 1, 30);
    expect((await coordinator.hear('result')).results[0]).toMatchObject({ value: 60 });
  });

  test('goes to another coordinator when its own is gone, with its own token alone, and comes back', async () => {
    const own = await ScriptedCoordinator.start();
    const other = await ScriptedCoordinator.start(0, 'Bearer secret');
    start(own.url, { token: 'to join' });
    await own.hear('hello');
    own.say(welcome({ worker_token: 'secret', coordinators: [other.url] }));
    assign(own, 1, 21);
    await own.hear('result');
    const port = Number(new URL(own.url).port);
    await own.close();
    const hello = await other.hear('hello');
    expect(hello).toMatchObject({ worker_id: 'w1', connection: 2 });
    other.say(welcome());
    expect((await other.hear('result')).results[0]).toMatchObject({ value: 42 });
    const back = await ScriptedCoordinator.start(port);
    other.drop();
    expect(await back.hear('hello')).toMatchObject({ worker_id: 'w1', connection: 3 });
  });

  test('comes back after a drop and sends again what was not acknowledged', async () => {
    const coordinator = await ScriptedCoordinator.start();
    start(coordinator.url);
    await coordinator.hear('hello');
    coordinator.say(welcome({ worker_token: 'secret' }));
    assign(coordinator, 1, 1);
    await coordinator.hear('result');
    coordinator.drop();
    const hello = await coordinator.hear('hello');
    expect(hello).toMatchObject({ worker_id: 'w1', worker_token: 'secret' });
    expect(hello.attempts).toMatchObject([{ task_id: 'job-1', state: 'finished' }]);
    expect(coordinator.heard('result')).toEqual([]);
    coordinator.say(welcome());
    expect((await coordinator.hear('result')).results).toMatchObject([{ value: 2 }]);
  });

  test('is not disturbed by garbage', async () => {
    const coordinator = await ScriptedCoordinator.start();
    const { logged } = start(coordinator.url);
    await coordinator.hear('hello');
    for (const text of ['{"type":', 'null', '[1,2]', '{"type":"assign"}', '{"type":"dance"}']) {
      coordinator.saySomething(text);
    }
    coordinator.saySomething(Buffer.from([0, 255, 254]));
    coordinator.saySomething('[{"type":"welcome"},{"type":"ack","accepted":[{}]}]');
    coordinator.say(welcome());
    assign(coordinator, 1, 4);
    expect((await coordinator.hear('result')).results).toMatchObject([{ value: 8 }]);
    expect(logged.filter((entry) => entry.event === 'frame_ignored')).toHaveLength(8);
  });

  test('says that an input is not to be had when its blob is not there', async () => {
    const coordinator = await ScriptedCoordinator.start();
    start(coordinator.url);
    await coordinator.hear('hello');
    coordinator.say(welcome({ worker_token: 'secret' }));
    assign(coordinator, 1, { $blob: 'ab'.repeat(32) });
    expect((await coordinator.hear('failure')).failures).toMatchObject([
      { error_type: 'input_unavailable', error_message: expect.stringMatching(/answered with 4/) },
    ]);
    assign(coordinator, 2, 5);
    expect((await coordinator.hear('result')).results).toMatchObject([{ value: 10 }]);
  });

  test('says hello with the time for which its attempt has run', async () => {
    const coordinator = await ScriptedCoordinator.start();
    const executor = new DoublingExecutor(false);
    start(coordinator.url, { executor });
    await coordinator.hear('hello');
    coordinator.say(welcome());
    assign(coordinator, 1, 1);
    await executor.hasBegun;
    executor.sayStarted('job-1#1');
    await coordinator.hear('started');
    coordinator.drop();
    const hello = await coordinator.hear('hello');
    expect(hello.attempts).toMatchObject([{ state: 'running', run_ms: expect.any(Number) }]);
  });

  test('finishes, gives back and says bye when it is asked to stop', async () => {
    const coordinator = await ScriptedCoordinator.start();
    const { worker, executor } = start(coordinator.url, { executor: new DoublingExecutor(false) });
    await coordinator.hear('hello');
    coordinator.say(welcome());
    assign(coordinator, 1, 1, 2);
    await executor.hasBegun;
    worker.stop();
    expect((await coordinator.hear('release')).releases).toMatchObject([{ task_id: 'job-2' }]);
    executor.proceed();
    const { results } = await coordinator.hear('result');
    coordinator.say({
      type: 'ack',
      accepted: results.map(({ task_id, attempt }) => ({ task_id, attempt, kind: 'result' })),
    });
    await coordinator.hear('bye');
    expect(await worker.done).toEqual({ code: 0, reason: 'drained' });
    expect(executor.isClosed).toBe(true);
    expect(readdirSync(stateDir)).not.toContain('lock');
  });

  test('sends the outcomes of one turn of the event loop in one frame', async () => {
    const coordinator = await ScriptedCoordinator.start();
    const executor = new DoublingExecutor(false);
    start(coordinator.url, { slots: 4, executor });
    await coordinator.hear('hello');
    coordinator.say(welcome());
    assign(coordinator, 1, 1, 2, 3, 4);
    await until(() => executor.heldSlots === 4);
    executor.proceed();
    await coordinator.hear('result');
    expect(coordinator.frames.filter((text) => text.includes('"result"'))).toHaveLength(1);
  });
});

describe('a worker that cannot connect', () => {
  test('says so once and keeps trying until somebody listens', async () => {
    const first = await ScriptedCoordinator.start();
    const { url } = first;
    await first.close();
    const { logged } = start(url);
    await until(() => logged.length > 0);
    expect(logged).toMatchObject([
      { event: 'unreachable', detail: expect.stringMatching(/Is the coordinator running\?/) },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await ScriptedCoordinator.start(Number(new URL(url).port));
    await second.hear('hello');
    expect(logged).toHaveLength(1);
  });

  test('since it was removed joins as a new one at its first start with a link', async () => {
    const coordinator = await ScriptedCoordinator.start(0, 'Bearer link');
    const { url } = coordinator;
    const directory = StateDirectory.open(stateDir);
    directory.saveIdentity(url, { workerId: 'old', workerToken: 'revoked' });
    directory.close();
    const { logged } = start(url, { token: 'link' });
    expect(await coordinator.hear('hello')).not.toHaveProperty('worker_id');
    coordinator.say(welcome({ worker_id: 'new', worker_token: 'fresh' }));
    await until(() => logged.length >= 2);
    expect(logged.map(({ event }) => event)).toEqual(['registering_anew', 'connected']);
  });

  test.each([
    [401, 3, /asks for a token.*Give one\./],
    [403, 3, /does not let this worker in/],
    [404, 2, /There is no coordinator at/],
  ])('ends with a sentence when it is answered with %i', async (status, code, sentence) => {
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      const body = JSON.stringify({ detail: 'Give one.', code: 'x' });
      const head = `HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\n`;
      socket.end(`${head}Connection: close\r\n\r\n${body}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const { worker } = start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const end = await worker.done;
    expect(end.code).toBe(code);
    expect(end.reason).toMatch(sentence);
  });

  test.each(['', 'localhost', 'ftp://host', 'http://'])('refuses the address "%s"', (url) => {
    expect(() => start(url)).toThrow(WorkerAddressError);
    expect(readdirSync(stateDir)).toEqual([]);
  });
});

// ---- the stage

function start(url: string, more: Partial<WorkerOptions> & { executor?: DoublingExecutor } = {}) {
  const logged: WorkerLogEntry[] = [];
  const { executor = new DoublingExecutor(), ...options } = more;
  const worker: RunningWorker = runWorker({
    url,
    stateDir,
    slots: 1,
    log: (entry) => logged.push(entry),
    createExecutor: (slots, listener) => executor.open(slots, listener),
    telemetry: () => ({}),
    tuning: { reconnectMinMs: 10, reconnectMaxMs: 50 },
    ...options,
  });
  cleanups.push(async () => {
    worker.stop();
    worker.stop();
    worker.stop();
    await worker.done;
  });
  return { worker, logged, executor };
}

function assign(
  coordinator: ScriptedCoordinator,
  sequence: number,
  ...inputs: (number | { readonly $blob: string })[]
): void {
  const program = { kind: 'javascript' as const, source: '' };
  coordinator.say({
    type: 'assign',
    sequence,
    programs: {
      job: { program, attempt_timeout_seconds: null, checkpoint_interval_seconds: null },
    },
    assignments: inputs.map((input) => {
      const name = typeof input === 'number' ? input : 0;
      const ref = { task_id: `job-${name}`, attempt: 1, token: 't' };
      return { ...ref, job_id: 'job', index: name, input };
    }),
  });
}
