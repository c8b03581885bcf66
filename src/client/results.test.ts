// A stream of results goes on when its connection breaks, and the result of a retry replaces a
// failed one.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answer, clientOf, json, stream } from './testing/scripted-fetch.ts';

const completed = (index: number, value: unknown = index) =>
  `${JSON.stringify({ index, task_id: `j.${index}`, status: 'completed', value })}\n`;
const failed = (index: number, message = 'no') =>
  `${JSON.stringify({ index, task_id: `j.${index}`, status: 'failed', error: { type: 'E', message } })}\n`;
const head = (count: number) => json({ id: 'j', task_count: count, completed_at: 'now' });

async function follow(answers: readonly Answer[]) {
  const { client, requests } = clientOf(answers);
  const seen: string[] = [];
  for await (const { result, replaces } of client.resultLines('j', { follow: true })) {
    seen.push(`${result.index} ${result.status}${replaces ? ' again' : ''}`);
  }
  const asked = requests
    .filter(({ url }) => url.includes('/results'))
    .map(({ url }) => new URL(url).searchParams.get('have'));
  return { seen, asked };
}

describe('a stream that breaks', () => {
  test('is requested again without the results that have completed', async () => {
    const first = stream([completed(0) + completed(2), failed(3), completed(1)], true);
    const { seen, asked } = await follow([
      first,
      stream([failed(3) + completed(4)], true),
      stream([completed(5)], false),
      head(6),
    ]);
    expect(seen).toEqual([0, 2, 3, 1, 4, 5].map((i) => `${i} ${i === 3 ? 'failed' : 'completed'}`));
    expect(asked).toEqual([null, '0-2', '0-2,4']);
  });

  test('gives the results of tasks that were retried meanwhile', async () => {
    const { seen } = await follow([
      stream([failed(0) + failed(1, 'one') + failed(2)], true),
      stream([completed(0) + failed(1, 'another') + failed(2)], false),
      head(3),
    ]);
    expect(seen).toEqual([
      '0 failed',
      '1 failed',
      '2 failed',
      '0 completed again',
      '1 failed again',
    ]);
  });
});

describe('a list that breaks off', () => {
  const read = (answers: readonly Answer[]) =>
    Array.fromAsync(clientOf(answers).client.resultLines('j'));

  test('since its job was removed says so', async () => {
    const gone = json({ detail: 'No job has the id "j".', code: 'unknown_job' }, { status: 404 });
    const reading = read([stream([completed(0)], true), gone]);
    await expect(reading).rejects.toMatchObject({ code: 'unknown_job' });
  });

  test('for another reason is an error of the connection', async () => {
    const reading = read([stream([completed(0)], true), head(2)]);
    await expect(reading).rejects.toMatchObject({ reason: 'interrupted' });
  });
});

test('a result replaces a failed one of the same index, and nothing one that completed', async () => {
  const { seen } = await follow([
    stream([failed(0), completed(1), completed(0), failed(0), failed(1), completed(1)], false),
    head(2),
  ]);
  expect(seen).toEqual(['0 failed', '1 completed', '0 completed again']);
});

describe('a sign of life', () => {
  afterEach(() => void vi.useRealTimers());

  test('is no result', async () => {
    const { seen } = await follow([stream(['\n', completed(0), '\n\n'], false), head(1)]);
    expect(seen).toEqual(['0 completed']);
  });

  test('is missing: the stream is requested again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent: Answer = () => new Response(new ReadableStream());
    const following = follow([silent, stream([completed(0)], false), head(1)]);
    await vi.advanceTimersByTimeAsync(44_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await following).seen).toEqual(['0 completed']);
  });
});
