import { describe, expect, test } from 'vitest';
import type { EventsOptions, MusterClient } from './index.ts';
import { type EventBlock, eventBlocks } from './sse.ts';
import { clientOf, json, stream, unreachable } from './testing/scripted-fetch.ts';

const opening = ': muster\nretry: 1000\n\n';
const event = (id: number) => `id: e-${id}\nevent: job_retried\ndata: {"job_id":"j${id}"}\n\n`;

/** The ids of the first events. */
async function take(count: number, client: MusterClient, options?: EventsOptions) {
  const ids: string[] = [];
  for await (const { type, id } of client.events(options)) {
    ids.push(`${type} ${id}`);
    if (ids.length === count) break;
  }
  return ids;
}

describe('events', () => {
  test('come with their id and their data', async () => {
    const { client, requests } = clientOf([stream([opening, event(1)], false)]);
    const types = ['job_retried', 'job_finished'] as const;
    for await (const each of client.events({ jobId: 'j', types })) {
      expect(each).toEqual({ id: 'e-1', type: 'job_retried', job_id: 'j1' });
      break;
    }
    const [path = '', query] = requests[0]!.url.split('?');
    expect(path).toMatch(/\/api\/events$/);
    expect(new URLSearchParams(query).get('types')).toBe('job_retried,job_finished');
    expect(new Headers(requests[0]!.init.headers).has('last-event-id')).toBe(false);
  });

  test('go on after the last one when the connection breaks', async () => {
    const { client, requests } = clientOf([
      stream([opening, event(1) + event(2), 'id: e-3\ndata: {}\n'], true),
      unreachable,
      stream([opening, event(3)], false),
      stream([opening, event(4)], false),
    ]);
    expect(await take(4, client, { lastEventId: 'e-0' })).toEqual(
      [1, 2, 3, 4].map((id) => `job_retried e-${id}`),
    );
    const sent = requests.map(({ init }) => new Headers(init.headers).get('last-event-id'));
    expect(sent).toEqual(['e-0', 'e-2', 'e-2', 'e-3']);
  });

  test('without an id of their own have that of the place where the stream is', async () => {
    const counters = 'event: counters\ndata: {"type":"counters"}\n\n';
    const { client, requests } = clientOf([
      stream([opening, 'id: e-0\n\n', counters], true),
      stream([opening, event(1) + counters], false),
    ]);
    expect(await take(3, client)).toEqual(['counters e-0', 'job_retried e-1', 'counters e-1']);
    const sent = requests.map(({ init }) => new Headers(init.headers).get('last-event-id'));
    expect(sent).toEqual([null, 'e-0']);
  });

  test('pass on a reset of the coordinator', async () => {
    const reset = 'id: f-0\nevent: reset\ndata: {"type":"reset","at":"now"}\n\n';
    const { client } = clientOf([
      stream([opening, event(1)], true),
      stream([opening, reset, event(2)], false),
    ]);
    const expected = ['job_retried e-1', 'reset f-0', 'job_retried e-2'];
    expect(await take(3, client)).toEqual(expected);
  });

  test('contain a reset when the connection broke before there was an id', async () => {
    const { client } = clientOf([stream([opening], true), stream([opening, event(7)], false)]);
    expect(await take(2, client)).toEqual(['reset ', 'job_retried e-7']);
  });

  test('miss nothing when the coordinator gives an id at once', async () => {
    const { client, requests } = clientOf([
      stream([`${opening.trimEnd()}\nid: e-6\n\n`], true),
      stream([opening, event(7)], false),
    ]);
    expect(await take(1, client)).toEqual(['job_retried e-7']);
    expect(new Headers(requests[1]!.init.headers).get('last-event-id')).toBe('e-6');
  });

  test('are not waited for at an address where nobody answers', async () => {
    const { client } = clientOf([unreachable]);
    await expect(take(1, client)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('are not looked for in a page that somebody on the way sends in their place', async () => {
    const page = '<!doctype html>\n\n<title>Log in</title>\n\n';
    const { client, requests } = clientOf([
      stream([opening, event(1)], true),
      () => new Response(page, { headers: { 'content-type': 'text/html' } }),
    ]);
    await expect(take(2, client)).rejects.toMatchObject({ reason: 'not_muster' });
    expect(requests).toHaveLength(2);
  });

  test('end with the refusal of the coordinator', async () => {
    const { client } = clientOf([
      stream([opening, event(1)], true),
      json({ detail: 'No such job.', code: 'unknown_job' }, { status: 404 }),
    ]);
    await expect(take(2, client, { jobId: 'j' })).rejects.toMatchObject({ code: 'unknown_job' });
  });
});

describe('a stream of blocks', () => {
  async function blocksOf(pieces: readonly string[]): Promise<readonly EventBlock[]> {
    async function* text() {
      yield* pieces;
    }
    const blocks: EventBlock[] = [];
    for await (const block of eventBlocks(text())) blocks.push(block);
    return blocks;
  }

  const everything =
    'event: a\r\ndata: one\r\ndata:two\r\ndata\r\nid: 1\r\n\r\n: comment\r\r' +
    'nonsense: x\nid\ndata:  y\n\ndata: cut off\n';
  const expected = [
    { id: '1', type: 'a', data: 'one\ntwo\n' },
    { id: undefined, type: 'message', data: null },
    { id: '', type: 'message', data: ' y' },
  ];

  test('is read as the standard says', async () => {
    expect(await blocksOf([everything])).toEqual(expected);
  });

  test('may have lines of any length, in many pieces', async () => {
    const pieces = Array.from({ length: 20_000 }, () => 'x'.repeat(100));
    const [block] = await blocksOf(['data: ', ...pieces, '\n\n']);
    expect(block!.data).toHaveLength(2_000_000);
  });

  test('is given up when a line does not end', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    await expect(blocksOf(Array.from({ length: 40 }, () => piece))).rejects.toThrow('endless');
  });

  test('may be cut anywhere', async () => {
    expect(await blocksOf(everything.split(''))).toEqual(expected);
    for (let cut = 0; cut < everything.length; cut++) {
      const pieces = [everything.slice(0, cut), '', everything.slice(cut)];
      expect(await blocksOf(pieces)).toEqual(expected);
    }
  });
});
