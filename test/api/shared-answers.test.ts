// Long answers that many ask for at once: the list of workers and the state of the scheduler.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

/** A third of it is the longest answer that is made for all at once. */
const answerBytes = 150_000;
const paths = ['/api/workers', '/api/scheduling-info'];

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ answerBytes });
  await live.worker(() => ({ value: 1 }), { slots: 20 });
});
afterAll(() => live.close());

const readAll = (path: string, readers: number) =>
  Promise.all(Array.from({ length: readers }, () => live.call('GET', path)));

async function register(count: number): Promise<void> {
  const long = 'x'.repeat(190);
  const labels = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`note-${i}`, long]));
  for (let i = 0; i < count; i++) {
    const answer = await live.call('POST', '/api/workers', {
      json: { name: `phone-${i}`, type: 'pc', platform: 'linux', labels },
    });
    expect(answer.status).toBe(201);
  }
}

test.each(paths)('GET %s tells twenty readers at once the same whole answer', async (path) => {
  const answers = await readAll(path, 20);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  for (const { text, headers } of answers) {
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const { workers = JSON.parse(text) } = JSON.parse(text);
    expect(workers).toHaveLength(1);
  }
});

test('what was done before the question is in every answer, whoever asks beside', async () => {
  for (let round = 0; round < 10; round++) {
    const beside = readAll('/api/workers', 5);
    const joined = await live.call('POST', '/api/workers', {
      json: { name: `late-${round}`, type: 'pc', platform: 'linux' },
    });
    const answers = await readAll('/api/workers', 5);
    for (const { text } of answers) expect(text).toContain(joined.body.worker_id);
    await beside;
    await live.call('DELETE', `/api/workers/${joined.body.worker_id}`);
  }
});

test('a list that is too long to be made for all is told to each reader as it grows', async () => {
  await register(60);
  const answers = await readAll('/api/workers', 3);
  for (const { body, headers, text } of answers) {
    expect(text.length).toBeGreaterThan(answerBytes / 3);
    expect(headers.has('content-length')).toBe(false);
    expect(body).toHaveLength(61);
  }
});

test('HEAD of a shared answer has its headers and no body', async () => {
  const answer = await fetch(`${live.url}/api/scheduling-info`, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(await answer.text()).toBe('');
});
