import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

const jobCount = async () => (await live.call('GET', '/api/stats')).body.total_jobs as number;
const ndjson = { 'content-type': 'application/x-ndjson' };
const lines = `${JSON.stringify({ program })}\n1\n2\n`;

function submit(key: string, json: unknown) {
  return live.call('POST', '/api/jobs', { json, headers: { 'idempotency-key': key } });
}

function upload(key: string, body: string) {
  return live.call('POST', '/api/jobs', { body, headers: { ...ndjson, 'idempotency-key': key } });
}

describe('"the same key and body return the same job; the same key with another body is a 409"', () => {
  test('as JSON', async () => {
    const before = await jobCount();
    const first = await submit('json-1', { program, inputs: [1, 2] });
    const again = await submit('json-1', { program, inputs: [1, 2] });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('location')).toBe(`/api/jobs/${first.body.id}`);
    const other = await submit('json-1', { program, inputs: [1, 3] });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await jobCount()).toBe(before + 1);
  });

  test('as NDJSON, hashed while it streams', async () => {
    const before = await jobCount();
    const first = await upload('lines-1', lines);
    const again = await upload('lines-1', lines);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.id).toBe(first.body.id);
    const other = await upload('lines-1', `${lines}3\n`);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await jobCount()).toBe(before + 1);
  });

  test('the kind of the body is part of what is compared', async () => {
    const body = JSON.stringify({ program, inputs: [1] });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'kind' };
    expect((await live.call('POST', '/api/jobs', { body, headers })).status).toBe(201);
    const other = await upload('kind', `${JSON.stringify({ program })}\n1`);
    expect(other.status).toBe(409);
  });

  test('another key is another job', async () => {
    const first = await submit('one', { program, inputs: [1] });
    const second = await submit('two', { program, inputs: [1] });
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('of many at the same time, one makes the job', async () => {
    const before = await jobCount();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => submit('crowd', { program, inputs: [7] })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await jobCount()).toBe(before + 1);
    const uploads = await Promise.all(Array.from({ length: 10 }, () => upload('crowd-2', lines)));
    expect(new Set(uploads.map(({ body }) => body.id)).size).toBe(1);
    expect(await jobCount()).toBe(before + 2);
  });

  test('the job is the same after it has ended', async () => {
    const first = await submit('ended', { program, inputs: [1] });
    await live.call('POST', `/api/jobs/${first.body.id}/cancel`);
    const again = await submit('ended', { program, inputs: [1] });
    expect(again.body).toMatchObject({ id: first.body.id, status: 'cancelled' });
  });

  test('a refused body does not use up its key', async () => {
    expect((await submit('mended', { program, inputs: [] })).status).toBe(422);
    expect((await upload('mended', 'broken')).status).toBe(422);
    expect((await submit('mended', { program, inputs: [1] })).status).toBe(201);
  });

  test('a deleted job has freed its key', async () => {
    const { body } = await submit('deleted', { program, inputs: [1] });
    await live.call('POST', `/api/jobs/${body.id}/cancel`);
    await live.call('DELETE', `/api/jobs/${body.id}`);
    const again = await submit('deleted', { program, inputs: [2] });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(body.id);
  });

  test('"Removes … idempotency keys": a cleared database knows none', async () => {
    const other = await startLiveServer();
    const headers = { 'idempotency-key': 'k' };
    const json = { program, inputs: [1] };
    const first = await other.call('POST', '/api/jobs', { json, headers });
    await other.call('DELETE', '/api/database/clear');
    const again = await other.call('POST', '/api/jobs', {
      json: { program, inputs: [2] },
      headers,
    });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(first.body.id);
    await other.close();
  });
});

describe('the key', () => {
  test.each(['x', 'a'.repeat(255), '__proto__', '9f3c-!"#$%&\'()*+,./:;<=>?@[]^_`{|}~'])(
    '%s is taken',
    async (key) => {
      expect((await submit(key, { program, inputs: [1] })).status).toBe(201);
    },
  );

  test.each(['', 'a'.repeat(256), 'two words', 'tab\there', 'é'])('"%s": 422', async (key) => {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const post = request(`${live.url}/api/jobs`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      post.on('error', reject).end(JSON.stringify({ program, inputs: [1] }));
    });
    expect(status).toBe(422);
  });
});

describe('"`DELETE /api/jobs/{id}` removes a final job and all that belongs to it; 409 otherwise"', () => {
  test('a job that has not ended stays', async () => {
    const id = await live.submit([1], { requirements: { platform: ['nowhere'] } });
    const { status, body } = await live.call('DELETE', `/api/jobs/${id}`);
    expect([status, body.code]).toEqual([409, 'job_not_final']);
    expect((await live.call('GET', `/api/jobs/${id}`)).status).toBe(200);
  });

  test('of one that has ended nothing is left', async () => {
    const id = await live.submit([1, 2], { requirements: { platform: ['nowhere'] } });
    await live.call('POST', `/api/jobs/${id}/cancel`);
    const before = await jobCount();
    const { status, body } = await live.call('DELETE', `/api/jobs/${id}`);
    expect([status, body]).toEqual([200, { job_id: id, status: 'deleted' }]);
    for (const path of ['', '/results', '/tasks/0']) {
      const gone = await live.call('GET', `/api/jobs/${id}${path}`);
      expect([gone.status, gone.body.code]).toEqual([404, 'unknown_job']);
    }
    expect((await live.call('GET', `/api/checkpoints/job/${id}`)).status).toBe(404);
    const listed = (await live.call('GET', '/api/jobs')).body as { id: string }[];
    expect(listed.map((job) => job.id)).not.toContain(id);
    expect(await jobCount()).toBe(before - 1);
    const again = await live.call('DELETE', `/api/jobs/${id}`);
    expect([again.status, again.body.code]).toEqual([404, 'unknown_job']);
  });
});
