// "`shared`: one value for all tasks", and `{"$bytes": …}`: what a submission may have, what workers are handed, what
// becomes of the blobs, and what counts for a quota.

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LiveServer, type Loose, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeEach(async () => {
  live = await startLiveServer();
});
afterEach(() => live.close());

const all = { hands: ['bytes', 'shared'], slots: 4 };

async function put(text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const { status } = await live.call('PUT', `/api/blobs/${sha256}`, { body: text });
  expect([200, 201]).toContain(status);
  return sha256;
}

async function register(more: object) {
  const json = { type: 'pc', platform: 'linux', ...more };
  const { body } = await live.call('POST', '/api/workers', { json });
  const headers = { authorization: `Bearer ${body.worker_token}` };
  const path = `/api/workers/${body.worker_id}`;
  return {
    headers,
    path,
    claim: async (): Promise<Loose[]> =>
      (await live.call('POST', `${path}/claim`, { json: { max: 5 }, headers })).body.assignments,
    report: async (results: object[]) =>
      (await live.call('POST', `${path}/report`, { json: { results }, headers })).body,
    end: () => live.call('DELETE', path),
  };
}

const refOf = ({ task_id, attempt, token }: Loose) => ({ task_id, attempt, token });

describe('a shared value', () => {
  test('is handed out with the program as the text that was sent, and is a part of its name', async () => {
    const worker = await register(all);
    const text = '{"table": [1.50, 12345678901234567890],\n "ü": null}';
    const body = `{"program":${JSON.stringify(program)},"inputs":[1],"shared":${text}}`;
    const headers = { 'content-type': 'application/json' };
    const { status, body: job } = await live.call('POST', '/api/jobs', { body, headers });
    expect(status).toBe(201);
    const claimed = await fetch(`${live.url}${worker.path}/claim`, {
      method: 'POST',
      headers: { ...headers, ...worker.headers },
      body: '{}',
    });
    expect(await claimed.text()).toContain(`"shared":${text.replace('\n', ' ')}`);
    const told = await live.call('GET', `/api/jobs/${job.id}`);
    expect(told.body).toMatchObject({ has_shared: true, program_kind: 'javascript' });
    // What a person asks for is the program alone.
    expect((await live.call('GET', `/api/jobs/${job.id}/program`)).text).toBe(program.source);

    await live.submit([1], { shared: [1] });
    await live.submit([1]);
    const [other, none] = await worker.claim();
    expect(other!.program.shared).toEqual([1]);
    expect(none!.program).not.toHaveProperty('shared');
    expect(other!.program.sha256).not.toBe(none!.program.sha256);
    await worker.end();
  });

  test('may be null, and comes with a stream of inputs, too', async () => {
    const worker = await register(all);
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = `${JSON.stringify({ program, shared: null })}\n1\n`;
    expect((await live.call('POST', '/api/jobs', { body, headers })).status).toBe(201);
    const [assignment] = await worker.claim();
    expect(assignment!.program).toHaveProperty('shared', null);
    await worker.end();
  });

  test('of more than 64 KiB becomes a blob, which workers that have a task of the job may read', async () => {
    const shared = 'é'.repeat(40_000);
    const stranger = await register({});
    const id = await live.submit([1], { shared });
    const sha256 = createHash('sha256').update(JSON.stringify(shared)).digest('hex');
    const worker = await register(all);
    const [assignment] = await worker.claim();
    expect(assignment!.program.shared).toEqual({ $blob: sha256 });
    const read = await live.call('GET', `/api/blobs/${sha256}`, { headers: worker.headers });
    expect(JSON.parse(await new Response(read.text).text())).toBe(shared);
    // Where nobody needs a token all see all: it is the job that keeps it from workers of before.
    expect(await stranger.claim()).toEqual([]);
    await live.call('POST', `/api/jobs/${id}/cancel`);
    for (const each of [stranger, worker]) await each.end();
  });

  test('is given only to workers that hand it to their tasks; the others are told apart', async () => {
    const worker = await register({ hands: ['bytes'] });
    const id = await live.submit([1], { shared: 1 });
    const { body } = await live.call('GET', `/api/jobs/${id}/tasks/0/explain`);
    expect(body.waiting.reason).toContain('hands a value that tasks share to no task');
    // It is no requirement of who has submitted it.
    const told = await live.call('GET', `/api/jobs/${id}`);
    expect(told.body.options).not.toHaveProperty('requirements');
    await live.call('POST', `/api/jobs/${id}/cancel`);
    await worker.end();
  });

  test.each([
    [{ $blob: 'e'.repeat(64) }, 'shared refers to the blob'],
    [{ $bytes: 'e'.repeat(64) }, 'shared refers to the blob'],
  ])('%j that is not there is refused', async (shared, detail) => {
    const json = { program, inputs: [1], shared };
    const { status, body } = await live.call('POST', '/api/jobs', { json });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(detail);
  });

  test('that is nested too deep is refused', async () => {
    const shared = '['.repeat(1001) + ']'.repeat(1001);
    const body = `{"program":${JSON.stringify(program)},"inputs":[1],"shared":${shared}}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await live.call('POST', '/api/jobs', { body, headers });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
  });
});

describe('bytes', () => {
  test('as an input are a reference that only workers get who hand them over', async () => {
    const sha256 = await put('raw \u0001 bytes');
    const other = await register({ hands: ['shared'] });
    const id = await live.submit([{ $bytes: sha256 }, 2]);
    expect(await other.claim()).toEqual([]);
    const worker = await register({ ...all, slots: 2 });
    const [first] = await worker.claim();
    expect(first!.input).toEqual({ $bytes: sha256 });
    await live.call('POST', `/api/jobs/${id}/cancel`);
    for (const each of [other, worker]) await each.end();
  });

  test('as an input must be there', async () => {
    const json = { program, inputs: [1, { $bytes: 'd'.repeat(64) }] };
    const { status, body } = await live.call('POST', '/api/jobs', { json });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining(`inputs[1] refers to the blob ${'d'.repeat(64)}, which is not there`),
    ]);
  });

  test('as a result, and blobs that a result names inside of it, must be there, and are shown as they are', async () => {
    const worker = await register({ slots: 2 });
    const id = await live.submit([1, 2]);
    const [one, two] = await worker.claim();
    const missing = 'c'.repeat(64);
    const lost = await worker.report([{ ...refOf(one), value: { $bytes: missing } }]);
    expect(lost.rejected).toMatchObject([
      { code: 'unknown_blob', detail: expect.stringContaining(missing) },
    ]);
    const inside = { files: { 'out.png': { $bytes: missing } } };
    const half = await worker.report([{ ...refOf(one), value: inside, blobs: [missing] }]);
    expect(half.rejected).toMatchObject([{ code: 'unknown_blob' }]);
    const [whole, part] = [await put('a whole result'), await put('a part of one')];
    const value = { files: { 'out.png': { $bytes: part } } };
    const taken = await worker.report([
      { ...refOf(one), value: { $bytes: whole } },
      { ...refOf(two), value, blobs: [part] },
    ]);
    expect(taken.rejected).toEqual([]);
    const { body } = await live.call('GET', `/api/jobs/${id}/results`);
    const values = body.map((each: Loose) => each.value);
    expect(values).toEqual([{ $bytes: whole }, value]);
    await worker.end();
  });

  test.each([
    [['x'], 'blobs[0] must be 64 hexadecimal digits'],
    [Array(1001).fill('c'.repeat(64)), 'must be an array of at most 1000 hashes'],
  ])('a report that names blobs wrongly is told how (%#)', async (blobs, detail) => {
    const worker = await register({});
    await live.submit([1]);
    const [one] = await worker.claim();
    const { rejected } = await worker.report([{ ...refOf(one), value: 1, blobs }]);
    expect(rejected).toMatchObject([
      { code: 'invalid_report', detail: expect.stringContaining(detail) },
    ]);
    await worker.report([{ ...refOf(one), value: 1 }]);
    await worker.end();
  });
});
