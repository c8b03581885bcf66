import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConnectionError, type MusterClient, MusterError } from './index.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { type Answer, clientOf, json, unreachable } from './testing/scripted-fetch.ts';

const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
const job = { program, inputs: [1] };
const busy = (seconds: number) =>
  json(
    { detail: 'Too much.', code: 'overloaded' },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  );
const stopping = json({ detail: 'Stopping.', code: 'shutting_down' }, { status: 503 });

/** Reads the body, then breaks. */
const brokenAfterReading: Answer = async (_url, { body }) => {
  await new Response(body).text();
  throw new TypeError('fetch failed');
};

const read: Answer = async (_url, { body }) =>
  Response.json({ body: await new Response(body).text() });

function keys(requests: readonly { readonly init: RequestInit }[]): ReadonlySet<unknown> {
  return new Set(requests.map(({ init }) => new Headers(init.headers).get('idempotency-key')));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Moves the virtual time past all pauses. */
async function settled<T>(promise: Promise<T>): Promise<T | { readonly error: unknown }> {
  const ends: (T | { readonly error: unknown })[] = [];
  promise.then(
    (value) => ends.push(value),
    (error: unknown) => ends.push({ error }),
  );
  while (ends.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(10);
  }
  return ends[0]!;
}

describe('a submission', () => {
  test('is repeated with the same key and body until it is answered', async () => {
    const { client, requests } = clientOf([unreachable, stopping, busy(0), json({ id: 'a' })]);
    const told: string[] = [];
    const answer = client.submit(job, { onInterruption: ({ message }) => told.push(message) });
    expect(await settled(answer)).toEqual({ id: 'a' });
    expect(new Set(requests.map(({ init }) => init.body))).toEqual(new Set([JSON.stringify(job)]));
    expect(keys(requests).size).toBe(1);
    expect([...keys(requests)][0]).toMatch(/^[\x21-\x7e]{32,}$/);
    expect(told).toHaveLength(3);
  });

  test('has a key of its own, or the one that is given', async () => {
    const { client, requests } = clientOf([json({}), json({}), json({})]);
    await client.submit(job);
    await client.submit(job);
    await client.submit(job, { idempotencyKey: 'mine' });
    expect(keys(requests).size).toBe(3);
    expect(keys(requests)).toContain('mine');
  });

  test('waits as long as it is told to', async () => {
    const { client } = clientOf([busy(7), json({ id: 'a' })]);
    const begin = performance.now();
    await settled(client.submit(job));
    expect(performance.now() - begin).toBeGreaterThanOrEqual(7000);
  });

  test('ends with the error when patience does', async () => {
    const { client, requests } = clientOf(Array.from({ length: 99 }, () => unreachable));
    const end = await settled(client.submit(job, { patienceMs: 3000 }));
    expect(end).toMatchObject({ error: { reason: 'unreachable' } });
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.length).toBeLessThan(8);
  });

  test('is given up soon at an address where nobody has ever answered', async () => {
    const { client } = clientOf(Array.from({ length: 9 }, () => unreachable));
    const begin = performance.now();
    await settled(client.submit(job));
    expect(performance.now() - begin).toBeLessThan(4000);
  });

  test.each([
    ['patience is 0', unreachable, { patienceMs: 0 }, ConnectionError],
    ['it was refused', json({ detail: 'No.', code: 'internal' }, { status: 500 }), {}, MusterError],
    ['the wait would be too long', busy(60), { patienceMs: 10_000 }, MusterError],
  ])('is sent once when %s', async (_why, answer, options, kind) => {
    const { client, requests } = clientOf([answer]);
    const end = (await settled(client.submit(job, options))) as unknown as { error: unknown };
    expect(end.error).toBeInstanceOf(kind);
    expect(requests).toHaveLength(1);
  });

  test('stops waiting when it is aborted', async () => {
    const { client } = clientOf([busy(20)]);
    const controller = new AbortController();
    const answer = client.submit(job, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 1000);
    expect(await settled(answer)).toMatchObject({ error: { message: 'enough' } });
  });
});

describe('a stream of inputs', () => {
  const text = `${JSON.stringify({ program })}\n1\n2\n`;

  test.each([
    ['an array', [1, 2]],
    ['a set', new Set([1, 2])],
  ])('is sent again from the start when it is %s', async (_what, inputs) => {
    const { client, requests } = clientOf([brokenAfterReading, stopping, read]);
    expect(await settled(client.submitStream({ program }, inputs))).toEqual({ body: text });
    expect(keys(requests).size).toBe(1);
  });

  async function* once() {
    yield 1;
    yield 2;
  }

  test('that can be read only once is not sent again when it has been begun', async () => {
    const { client, requests } = clientOf([brokenAfterReading]);
    const end = await settled(client.submitStream({ program }, once()));
    expect(end).toMatchObject({ error: { reason: 'unreachable' } });
    expect(requests).toHaveLength(1);
  });

  test('that can be read only once is sent again when nothing has been read', async () => {
    const { client } = clientOf([unreachable, stopping, read]);
    expect(await settled(client.submitStream({ program }, once()))).toEqual({ body: text });
  });
});

describe('an input that JSON would change', () => {
  const loop: unknown[] = [];
  loop.push(loop);

  test.each([
    ['a body', (client: MusterClient) => client.submit({ program, inputs: [1, loop as never] })],
    ['a stream', (client: MusterClient) => client.submitStream({ program }, [1, loop as never])],
  ])('is refused in %s before anything is sent', async (_where, send) => {
    const { client, requests } = clientOf([]);
    expect(await settled(send(client))).toMatchObject({
      error: {
        name: 'NotJsonError',
        message: 'inputs[1][0] contains itself, and JSON has no cycles',
      },
    });
    expect(requests).toEqual([]);
  });

  test.each([
    ['BigInt', 2n, 'inputs[1] is a BigInt: use String(it)'],
    [
      'getter that throws',
      {
        get a(): number {
          throw new Error('mine');
        },
      },
      'mine',
    ],
  ])(
    'ends a stream that can be read only once, without another try: %s',
    async (_what, bad, message) => {
      const { client, requests } = clientOf([brokenAfterReading, read]);
      async function* inputs() {
        yield 1;
        yield bad as unknown;
      }
      expect(await settled(client.submitStream({ program }, inputs()))).toMatchObject({
        error: { message },
      });
      expect(requests).toHaveLength(1);
    },
  );
});

test('a key is made without `randomUUID`, which insecure origins lack', () => {
  const { crypto } = globalThis;
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const made = [newIdempotencyKey(), newIdempotencyKey()];
  vi.unstubAllGlobals();
  expect(made[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(made[0]).not.toBe(made[1]);
});
