// Large results come as values; a coordinator keeps them as blobs.

import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { type Answer, clientOf } from './testing/scripted-fetch.ts';

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const lineOf = (index: number, value: string) =>
  `{"index":${index},"task_id":"j.${index}","status":"completed","value":${value}}\n`;
const referenceTo = (text: string) => `{"$blob":"${sha256Of(text)}"}`;

/** Blobs are given out in the order in which the test lets them go. */
function coordinator(lines: readonly string[], texts: readonly string[], isOpen = false) {
  const blobs = new Map(texts.map((text) => [sha256Of(text), text]));
  const asked: { readonly text: string; readonly answer: () => void }[] = [];
  const state = { isCut: false };
  const answer: Answer = (url, init) => {
    if (url.includes('/results')) {
      const body = new ReadableStream({
        start(controller) {
          for (const line of lines) controller.enqueue(new TextEncoder().encode(line));
          if (!isOpen) controller.close();
          init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        },
        cancel: () => {
          state.isCut = true;
        },
      });
      init.signal?.addEventListener('abort', () => {
        state.isCut = true;
      });
      return new Response(body);
    }
    if (!url.includes('/blobs/')) return Response.json({ completed_at: 'now', task_count: 3 });
    const text = blobs.get(url.split('/').at(-1)!) ?? 'not what was asked for';
    return new Promise((resolve) => {
      asked.push({ text, answer: () => resolve(new Response(text)) });
    });
  };
  const { client } = clientOf(Array.from({ length: 20 }, () => answer));
  return { client, asked, state };
}

/** Lets everything go on that can. */
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

test('a large value stands in its place, with the text as it was made, in the order of the results', async () => {
  const large = ['{"n":12345678901234567890}', '[1,\n2]'];
  const { client, asked } = coordinator(
    [lineOf(0, referenceTo(large[0]!)), lineOf(1, '"small"'), lineOf(2, referenceTo(large[1]!))],
    large,
  );
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { text } of client.resultLines('j', { follow: true })) seen.push(text);
  })();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  await turns();
  // Both are asked for at once, and what is small waits for its turn.
  expect([asked.length, seen]).toEqual([2, []]);
  asked[1]!.answer();
  await turns();
  expect(seen).toEqual([]);
  asked[0]!.answer();
  await reading;
  expect(seen.map((text) => `${text}\n`)).toEqual([
    lineOf(0, large[0]!),
    lineOf(1, '"small"'),
    lineOf(2, '[1, 2]'),
  ]);
});

test('no more than four results are in hand at the same time', async () => {
  const texts = Array.from({ length: 9 }, (_, i) => String(i));
  const { client, asked } = coordinator(
    texts.map((text, i) => lineOf(i, referenceTo(text))),
    texts,
  );
  const reading = Array.fromAsync(client.results('j'));
  for (let given = 0; given < 9; given++) {
    await vi.waitFor(() => expect(asked).toHaveLength(Math.min(9, given + 4)));
    await turns();
    expect(asked).toHaveLength(Math.min(9, given + 4));
    asked[given]!.answer();
  }
  expect(await reading).toHaveLength(9);
});

test('a reference is what one asks for, and a value that only has one inside stays as it is', async () => {
  const reference = referenceTo('1');
  const lines = [lineOf(0, reference), lineOf(1, `{"value":${reference}}`)];
  const { client } = coordinator(lines, []);
  const values = await Array.fromAsync(client.results('j', { references: true }));
  expect(values).toMatchObject([{ value: JSON.parse(reference) }, {}]);
  const { client: another, asked } = coordinator([lines[1]!], []);
  expect(await Array.fromAsync(another.results('j'))).toMatchObject([
    { value: { value: JSON.parse(reference) } },
  ]);
  expect(asked).toEqual([]);
});

test('what comes with another hash is refused', async () => {
  const { client, asked } = coordinator([lineOf(0, referenceTo('1'))], []);
  const reading = Array.fromAsync(client.results('j'));
  reading.catch(() => {});
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.answer();
  await expect(reading).rejects.toThrow(/What came for the blob [0-9a-f]{64} has another hash/);
});

test('who leaves early ends the request, also one that waits for its next line', async () => {
  const { client, asked, state } = coordinator([lineOf(0, referenceTo('1'))], ['1'], true);
  const results = client.results('j', { follow: true })[Symbol.asyncIterator]();
  const first = results.next();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.answer();
  expect(await first).toMatchObject({ value: { value: 1 } });
  await results.return!();
  await turns();
  expect(state.isCut).toBe(true);
});
