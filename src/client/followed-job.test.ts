// Submitting and following in one request, against scripted answers.

import { describe, expect, test } from 'vitest';
import type { ConnectionError, MusterClient, MusterError, ResultLine } from './index.ts';
import { type Answer, clientOf, json, stream, unreachable } from './testing/scripted-fetch.ts';

const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
const job = { program, inputs: { range: { start: 0, count: 2 } } };
const summary = { id: 'j', task_count: 2, status: 'pending' };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const first = line({ job: summary });
const last = line({ job: { ...summary, status: 'completed' } });
const completed = (index: number) =>
  line({ index, task_id: `t${index}`, status: 'completed', value: index * 10 });
const final = json({ completed_at: 'now', task_count: 2 });

const lines =
  (texts: readonly string[], isBroken = false): Answer =>
  async (url, init) => {
    const { body } = await stream(texts, isBroken)(url, init);
    return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
  };

const refusal = (status: number, body: object): Answer =>
  json({ detail: 'no', ...body }, { status });

async function valuesOf(all: AsyncIterable<ResultLine>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { result } of all) if (result.status === 'completed') values.push(result.value);
  return values;
}

const followed = async (client: MusterClient) =>
  valuesOf((await client.submitAndFollow(job)).lines());

test('one request brings the job, its results and its end', async () => {
  const { client, requests } = clientOf([lines([first, completed(1), `\n${completed(0)}${last}`])]);
  const { job: made, lines: read } = await client.submitAndFollow(job).then((one) => ({
    job: one.job,
    lines: one.lines(),
  }));
  expect(made).toEqual(summary);
  expect(await valuesOf(read)).toEqual([10, 0]);
  expect(requests.map(({ url, init }) => [init.method, new URL(url).search])).toEqual([
    ['POST', '?follow=true'],
  ]);
});

test('`map` makes one request, with inputs of every kind that can be read again, and with a range', async () => {
  for (const inputs of [[1, 2], new Set([1, 2]), { range: { start: 1, count: 2 } }] as const) {
    const { client, requests } = clientOf([lines([first, completed(0), completed(1), last])]);
    expect(await client.map(inputs as unknown as number[], program)).toEqual([0, 10]);
    expect(requests).toHaveLength(1);
  }
});

describe('inputs that can be read only once', () => {
  async function* once(count: number, characters: number) {
    for (let i = 0; i < count; i++) yield 'x'.repeat(characters);
  }

  test('are gathered while they are few, and can be sent again then', async () => {
    const bodies: string[] = [];
    const taking =
      (answer: Answer): Answer =>
      async (url, init) => {
        bodies.push(await new Response(init.body).text());
        return answer(url, init);
      };
    const { client, requests } = clientOf([
      taking(refusal(429, { code: 'overloaded' })),
      taking(json(summary)),
      lines([completed(0), completed(1)]),
      final,
    ]);
    expect(await client.map(once(2, 1), program)).toEqual([0, 10]);
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[0]!.split('\n').slice(1)).toEqual(['"x"', '"x"', '']);
    expect(requests.slice(0, 2).map(({ url }) => new URL(url).search)).toEqual([
      '?follow=true',
      '',
    ]);
  });

  test('are sent plainly when they are many, and none of them twice', async () => {
    let body = '';
    const { client, requests } = clientOf([
      unreachable,
      async (url, init) => {
        body = await new Response(init.body).text();
        return json(summary)(url, init);
      },
      lines([completed(0), completed(1)]),
      final,
    ]);
    expect(await client.map(once(50, 10_000), program)).toEqual([0, 10]);
    expect(body.split('\n').slice(1, -1)).toEqual(Array(50).fill(`"${'x'.repeat(10_000)}"`));
    expect(new URL(requests[0]!.url).search).toBe('');
  });

  test('are not waited for when a signal ends it', async () => {
    const leaving = new AbortController();
    const waiting = (async function* () {
      yield 1;
      await new Promise(() => undefined);
    })();
    const { client, requests } = clientOf([]);
    const asked = client.submitStreamAndFollow({ program }, waiting, { signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(requests).toHaveLength(0);
  });
});

test('`map` that nobody reads submits the job, and leaves nothing open', async () => {
  const { client, requests } = clientOf([
    json(summary),
    lines([completed(0), completed(1)]),
    final,
  ]);
  const run = client.map([1, 2], program);
  expect(await run.jobId).toBe('j');
  expect(new URL(requests[0]!.url).search).toBe('');
  expect(await run).toEqual([0, 10]);
});

test('who reads it a second time asks for the results anew', async () => {
  const { client, requests } = clientOf([
    lines([first, completed(0), completed(1), last]),
    lines([completed(1), completed(0)]),
    final,
  ]);
  const made = await client.submitAndFollow(job);
  expect(await valuesOf(made.lines())).toEqual([0, 10]);
  expect(await valuesOf(made.lines())).toEqual([10, 0]);
  expect(requests[1]!.url).toContain('/api/jobs/j/results?follow=true');
});

test('a coordinator of before answers plain JSON: its results are asked for as before', async () => {
  const { client, requests } = clientOf([
    json(summary),
    lines([completed(0), completed(1)]),
    final,
  ]);
  expect(await followed(client)).toEqual([0, 10]);
  expect(requests[1]!.url).toContain('/api/jobs/j/results?follow=true');
});

test.each([
  ['breaks', true],
  ['ends without a last line', false],
])('a stream that %s behind its first line is taken up at the results', async (_how, isBroken) => {
  const { client, requests } = clientOf([
    lines([first, completed(1)], isBroken),
    ...(isBroken ? [] : [json({ completed_at: null, task_count: 2 })]),
    lines([completed(0)]),
    final,
  ]);
  expect(await followed(client)).toEqual([10, 0]);
  const asked = requests.map(({ url }) => url).find((url) => url.includes('/results'));
  expect(new URL(asked!).searchParams.get('have')).toBe('1');
});

test('a last line is not taken for the end while results are missing', async () => {
  const { client } = clientOf([
    lines([first, completed(1), last]),
    final,
    lines([completed(0)]),
    final,
  ]);
  expect(await followed(client)).toEqual([10, 0]);
});

test.each<[string, Answer]>([
  ['there is no answer', unreachable],
  ['the answer breaks before its first line', lines(['{"job":'], true)],
  ['the answer ends before its first line', lines([])],
  ['the coordinator stops', refusal(503, { code: 'shutting_down' })],
])('when %s, the submission is repeated with the same key, plainly', async (_what, answer) => {
  const { client, requests } = clientOf([
    answer,
    json(summary),
    lines([completed(0), completed(1)]),
    final,
  ]);
  const told: (ConnectionError | MusterError)[] = [];
  const made = await client.submitAndFollow(job, { onInterruption: (error) => told.push(error) });
  expect(await valuesOf(made.lines())).toEqual([0, 10]);
  expect(told).toHaveLength(1);
  const keys = requests
    .slice(0, 2)
    .map(({ init }) => new Headers(init.headers).get('idempotency-key'));
  expect([keys[0], new URL(requests[1]!.url).search]).toEqual([keys[1], '']);
});

test.each([{ code: 'quota_exceeded', quota: 'streams' }, { code: 'overloaded' }])(
  'where there is no room for a stream (%o), the job is submitted at once',
  async (body) => {
    const { client, requests } = clientOf([refusal(429, body), json(summary)]);
    const told: unknown[] = [];
    const made = await client.submitAndFollow(job, { onInterruption: (error) => told.push(error) });
    expect([made.job, told]).toEqual([summary, []]);
    expect(new URL(requests[1]!.url).search).toBe('');
  },
);

test('what is refused is refused, and not repeated', async () => {
  const { client, requests } = clientOf([refusal(422, { code: 'validation_failed' })]);
  await expect(client.submitAndFollow(job)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(requests).toHaveLength(1);
});

/** Stays open behind its pieces; as of `fetch`, its body breaks when the signal ends the request. */
function staying(...pieces: readonly string[]) {
  const left = Promise.withResolvers<void>();
  const answer: Answer = (_url, { signal }) => {
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        signal?.addEventListener('abort', () => {
          controller.error(signal.reason);
          left.resolve();
        });
      },
      cancel: () => left.resolve(),
    });
    return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
  };
  return { answer, left: left.promise };
}

test.each(['a signal ends the reading', 'nobody will read it', 'the reader leaves early'])(
  'when %s, so does the answer',
  async (why) => {
    const { answer, left } = staying(first, completed(0));
    const leaving = new AbortController();
    const made = await clientOf([answer]).client.submitAndFollow(job);
    if (why === 'nobody will read it') made.leave();
    else {
      const read = made.lines({ signal: leaving.signal });
      expect((await read.next()).value?.result.index).toBe(0);
      if (why === 'the reader leaves early') await read.return();
      else {
        const next = read.next();
        leaving.abort(new Error('enough'));
        await expect(next).rejects.toThrow('enough');
      }
    }
    await left;
  },
);

test('`map` that is cancelled while its job is submitted ends the answer', async () => {
  const sent = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const { answer, left } = staying(first);
  const { client } = clientOf([
    async (url, init) => {
      sent.resolve();
      await mayAnswer.promise;
      return answer(url, init);
    },
    json({ ...summary, status: 'cancelled' }),
  ]);
  const run = client.map([1, 2], program);
  const outcome = Promise.resolve(run).catch((error: unknown) => error);
  await sent.promise;
  const ended = run.cancel();
  mayAnswer.resolve();
  await ended;
  expect(await outcome).toMatchObject({ name: 'JobCancelledError' });
  await left;
});
