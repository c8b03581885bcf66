// What a program names, what tasks share and bytes, from the submission to an executor and back, over a socket. The
// executor is played: no sandbox takes them here.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type {
  Executor,
  ExecutorListener,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
} from '../../src/worker/executor.ts';
import type { RunningWorker } from '../../src/worker/agent.ts';
import { runWorker } from '../../src/worker/node/run-worker.ts';
import { eventually, type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

type Answer = (task: ExecutorTask, program: ExecutorProgram) => Partial<ExecutorOutcome>;

let live: LiveServer;
let folder: string;
let worker: RunningWorker | undefined;
const ran: ExecutorProgram[] = [];

beforeEach(async () => {
  live = await startLiveServer();
  folder = mkdtempSync(join(tmpdir(), 'muster-agent-blobs-'));
  ran.length = 0;
});
afterEach(async () => {
  for (let i = 0; i < 3; i++) worker?.stop();
  await worker?.done;
  worker = undefined;
  await live.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(answer: Answer): void {
  worker = runWorker({
    url: live.url,
    stateDir: folder,
    slots: 1,
    offers: {
      kinds: ['javascript', 'wasm'],
      runtimes: { wasm: 'played' },
      hands: ['bytes', 'shared'],
    },
    createExecutor: (slots, listener) => played(slots, listener, answer),
  });
}

function played(slots: number, listener: ExecutorListener, answer: Answer): Executor {
  return {
    slots,
    isolation: 'none',
    run: (slot, program, tasks) => {
      ran.push(program);
      for (const task of tasks) {
        const plain = { type: 'result', key: task.key, valueJson: 'null', runMs: 1, cpuSeconds: 0 };
        const outcome = { ...plain, ...answer(task, program) } as ExecutorOutcome;
        queueMicrotask(() => listener({ type: 'finished', slot, outcomes: [outcome] }));
      }
    },
    stop: () => undefined,
    checkpoint: () => undefined,
    forget: () => undefined,
    close: async () => undefined,
  };
}

async function put(bytes: Uint8Array): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
  return sha256;
}

async function submit(job: object): Promise<string> {
  const { status, body } = await live.call('POST', '/api/jobs', { json: job });
  expect(body).toHaveProperty('id');
  expect(status).toBe(201);
  return body.id;
}

async function results(id: string): Promise<Loose[]> {
  const path = `/api/jobs/${id}`;
  await eventually(
    () => live.call('GET', path),
    ({ body }) => ['completed', 'failed'].includes(body.status),
  );
  return (await live.call('GET', `${path}/results`)).body;
}

test('a module lies in a file when its first task runs, and one file serves several jobs', async () => {
  const module = new Uint8Array(300_000).fill(9);
  const sha256 = await put(module);
  start((_task, { blobs }) => {
    const content = blobs!.get(sha256)!;
    const bytes = 'path' in content ? readFileSync(content.path) : content.bytes;
    return { valueJson: String(bytes.length) };
  });
  const program = { kind: 'wasm', module: { $blob: sha256 } };
  const ids = [await submit({ program, inputs: [1, 2] }), await submit({ program, inputs: [3] })];
  for (const id of ids) {
    for (const { value } of await results(id)) expect(value).toBe(300_000);
  }
  expect(ran.every(({ source }) => source === JSON.stringify(program))).toBe(true);
  expect(readdirSync(join(folder, 'blobs'))).toEqual([sha256]);
});

test('what tasks share comes with the program, or as a file when it is long', async () => {
  start((_task, { sharedJson, blobs }) => {
    const [content] = blobs?.values() ?? [];
    const text =
      content !== undefined && 'path' in content ? readFileSync(content.path, 'utf8') : sharedJson;
    return { valueJson: String(text!.length) };
  });
  const program = { kind: 'javascript', source: 'export default (n, { shared }) => shared' };
  const short = await submit({ program, inputs: [1, 2], shared: ['a', { b: null }] });
  const long = 'x'.repeat(200_000);
  const large = await submit({ program, inputs: [1], shared: long });
  expect((await results(short)).map(({ value }) => value)).toEqual([16, 16]);
  expect((await results(large)).map(({ value }) => value)).toEqual([200_002]);
  const [first] = ran;
  expect(first).toMatchObject({ sharedJson: '["a",{"b":null}]' });
  expect(first).not.toHaveProperty('blobs');
});

test('bytes go in and come out as they are', async () => {
  const sha256 = await put(new Uint8Array([1, 0, 255]));
  start(({ inputJson, inputBytes }) => {
    expect(inputJson).toBe('null');
    return { valueBytes: inputBytes!.map((byte) => byte ^ 255) };
  });
  const program = { kind: 'javascript', source: 'export default (bytes) => bytes' };
  const [result] = await results(await submit({ program, inputs: [{ $bytes: sha256 }] }));
  const answer = await fetch(`${live.url}/api/blobs/${result.value.$bytes}`);
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([254, 255, 0]);
});

test('a worker is shown with what runs its kinds', async () => {
  start(() => ({}));
  const { body } = await eventually(
    () => live.call('GET', '/api/workers'),
    ({ body: workers }) => workers.length > 0,
  );
  expect(body[0]).toMatchObject({ kinds: ['javascript', 'wasm'], runtimes: { wasm: 'played' } });
});
