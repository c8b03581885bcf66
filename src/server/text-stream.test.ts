// How streams end that follow something, and pages of a list.

import { expect, test } from 'vitest';
import { arrayTexts, jsonChunks, Page, untilStopped } from './text-stream.ts';

async function* broken(fault: Error) {
  yield await Promise.resolve('first');
  throw fault;
}

test('a stream of a coordinator that has ended ends in order, though another is ready by then', async () => {
  const stopped = Object.assign(new Error('too late'), { name: 'CoordinatorStopped' });
  const chunks = untilStopped({ health: 'ready' }, broken(stopped));
  expect(await Array.fromAsync(chunks)).toEqual(['first']);
});

test('a stream that fails while the coordinator is ready does not look whole', async () => {
  const chunks = untilStopped({ health: 'ready' }, broken(new Error('a bug')));
  await expect(Array.fromAsync(chunks)).rejects.toThrow('a bug');
});

test('a page becomes text chunk by chunk, and tells its last item and whether more came', async () => {
  async function* chunks() {
    yield* [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
  }
  const texts: string[] = [];
  const encode = (text: string) => (texts.push(text), Buffer.from(text));
  const read = async (limit: number) => {
    const page = new Page<number>();
    const pieces = await Array.fromAsync(
      arrayTexts(jsonChunks(page.take(chunks(), limit)), encode),
    );
    return [Buffer.concat(pieces).toString(), page.last, page.hasNext];
  };
  expect(await read(3)).toEqual(['[1,2,3]', 3, true]);
  expect(texts).toEqual(['[1,2', ',3']);
  expect(await read(6)).toEqual(['[1,2,3,4,5,6]', 6, false]);
});
