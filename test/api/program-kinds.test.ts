// "A program is a union by kind": what is submitted, stored, handed to workers and told of programs that are not
// JavaScript. No worker runs them here: one that says so is given them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

async function blob(sizeBytes: number): Promise<string> {
  const { bytes, sha256 } = blobOf(sizeBytes);
  await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
  return sha256;
}

async function register(more: object) {
  const json = { type: 'pc', platform: 'linux', ...more };
  const { status, body } = await live.call('POST', '/api/workers', { json });
  expect(status).toBe(201);
  const headers = { authorization: `Bearer ${body.worker_token}` };
  const claim = async (): Promise<Loose[]> => {
    const path = `/api/workers/${body.worker_id}/claim`;
    return (await live.call('POST', path, { json: { max: 5 }, headers })).body.assignments;
  };
  return { id: body.worker_id as string, headers, claim };
}

const submit = (program: object, more: object = {}) =>
  live.call('POST', '/api/jobs', { json: { program, inputs: [1], ...more } });

describe('a program in WebAssembly', () => {
  test('waits, and is told why, until a worker offers its kind, which is handed it as it was submitted', async () => {
    const other = await register({ kinds: ['javascript', 'python'] });
    const another = await register({ kinds: ['command:wasm'] });
    const [module, file] = [await blob(700), await blob(701)];
    const program = {
      module: { $blob: module },
      kind: 'wasm',
      env: { MODE: 'x', DEBUG: '1' },
      files: { '/data/model.bin': { $blob: file } },
      memory_mb: 64,
    };
    const { status, body: job } = await submit(program);
    expect(status).toBe(201);
    const told = await live.call('GET', `/api/jobs/${job.id}`);
    expect(told.body).toMatchObject({ status: 'pending', program_kind: 'wasm' });
    expect(await other.claim()).toEqual([]);
    expect(await another.claim()).toEqual([]);
    const { body: why } = await live.call('GET', `/api/jobs/${job.id}/tasks/0/explain`);
    expect(why.waiting).toMatchObject({
      code: 'no_eligible_worker',
      reason: 'None of the 2 workers offers wasm, which its program needs.',
    });
    const texts = why.waiting.workers.map((each: Loose) => each.reasons[0].text);
    expect(texts.toSorted()).toEqual([
      'does not run wasm, only command:wasm',
      'does not run wasm, only javascript, python',
    ]);

    const runner = await register({ kinds: ['wasm'], runtimes: { wasm: 'preview1' } });
    const [assignment] = await runner.claim();
    expect(assignment!.program).toMatchObject({ kind: 'wasm', definition: program });
    expect(assignment!.program).not.toHaveProperty('source');

    // Whoever has the attempt may read what its program names.
    for (const sha256 of [module, file]) {
      const bytes = await live.call('GET', `/api/blobs/${sha256}`, { headers: runner.headers });
      expect(bytes.status).toBe(200);
    }
    const shown = await live.call('GET', `/api/jobs/${job.id}/program`);
    expect(shown.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(shown.body).toEqual(program);
    await live.call('POST', `/api/jobs/${job.id}/cancel`);
    for (const { id } of [other, another, runner]) await live.call('DELETE', `/api/workers/${id}`);
  });

  test('has the same hash in whatever order its fields come', async () => {
    const module = { $blob: await blob(10) };
    await submit({ kind: 'wasm', module, args: ['a'], input: 'text' });
    await submit({ input: 'text', args: ['a'], module, kind: 'wasm' });
    const runner = await register({ kinds: ['wasm'], slots: 2 });
    const [one, two] = await runner.claim();
    expect(one!.program.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(one!.program).toEqual(two!.program);
    await live.call('DELETE', `/api/workers/${runner.id}`);
  });
});

test('a command waits for the worker whose owner has listed it', async () => {
  const { body: job } = await submit({
    kind: 'command',
    command: 'blender',
    args: ['-b', '{input.frame}'],
  });
  expect((await live.call('GET', `/api/jobs/${job.id}`)).body.program_kind).toBe('command:blender');
  const worker = await register({ kinds: ['javascript', 'command:blender'] });
  const [assignment] = await worker.claim();
  expect(assignment).toMatchObject({
    job_id: job.id,
    program: { kind: 'command:blender', definition: { kind: 'command', command: 'blender' } },
  });
  await live.call('DELETE', `/api/workers/${worker.id}`);
});

test('a stream of inputs may come with any program, and is refused at its end without its blobs', async () => {
  const upload = (program: object) =>
    live.call('POST', '/api/jobs', {
      body: `${JSON.stringify({ program })}\n1\n2\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
  const whole = await upload({ kind: 'wasm', module: { $blob: await blob(20) } });
  expect([whole.status, whole.body.task_count]).toEqual([201, 2]);
  const lacking = await upload({ kind: 'wasm', module: { $blob: 'f'.repeat(64) } });
  expect([lacking.status, lacking.body.code]).toEqual([422, 'validation_failed']);
  expect(lacking.body.detail).toContain('program.module refers to the blob');
});

describe('a worker', () => {
  test('says what runs its kinds, and is shown with it', async () => {
    const runtimes = { python: '3.14.2', wasm: 'preview1' };
    const { id } = await register({ kinds: ['python', 'wasm'], runtimes });
    const { body } = await live.call('GET', `/api/workers/${id}`);
    expect(body).toMatchObject({ kinds: ['python', 'wasm'], runtimes });
    const silent = await register({});
    expect((await live.call('GET', `/api/workers/${silent.id}`)).body).not.toHaveProperty(
      'runtimes',
    );
  });

  test.each([
    [{ kinds: ['Python'] }, 'kinds[0] must be an array of 1 to 64 texts like python'],
    [{ kinds: ['command:/bin/sh'] }, 'kinds[0] must be'],
    [{ runtimes: { python: 3 } }, 'runtimes.python must be a text'],
    [{ runtimes: { 'a b': '3' } }, 'must be an object of at most 64 texts'],
  ])('that says %j is told what to say', async (device, detail) => {
    const json = { type: 'pc', platform: 'linux', ...device };
    const { status, body } = await live.call('POST', '/api/workers', { json });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(detail);
  });
});
