// What is kept of the blobs that programs name, and for how long.

import { expect, test } from 'vitest';
import type { BlobContent } from '../executor.ts';
import { BlobShelf, MemoryCabinet } from './blob-shelf.ts';

/** A blob of as many bytes as its name says: `a10`. */
class Stage extends MemoryCabinet {
  readonly fetched: string[] = [];
  readonly dropped: string[] = [];
  readonly missing = new Set<string>();
  readonly before: { sha256: string; sizeBytes: number }[] = [];
  readonly shelf = new BlobShelf(this, async (name) => this.#fetch(name), 100);

  override async list(): Promise<readonly []> {
    return this.before as unknown as readonly [];
  }

  override drop(sha256: string): void {
    this.dropped.push(sha256);
    super.drop(sha256);
  }

  async #fetch(name: string): Promise<Uint8Array> {
    this.fetched.push(name);
    if (this.missing.has(name)) throw new Error(`GET of the blob ${name} was answered with 404.`);
    return new Uint8Array(Number(name.slice(1)));
  }
}

const sizeOf = (content: BlobContent | undefined) =>
  content !== undefined && 'bytes' in content ? content.bytes.length : undefined;

test('a blob is fetched once, however many want it, also at the same time', async () => {
  const { shelf, fetched } = new Stage();
  const [one, two] = await Promise.all([shelf.hold(['a10', 'b20', 'a10']), shelf.hold(['b20'])]);
  expect([...one.contents].map(([name, content]) => [name, sizeOf(content)])).toEqual([
    ['a10', 10],
    ['b20', 20],
  ]);
  expect(sizeOf(two.contents.get('b20'))).toBe(20);
  for (const held of [one, two]) held.release();
  (await shelf.hold(['a10'])).release();
  expect(fetched.toSorted()).toEqual(['a10', 'b20']);
});

test('the longest unused are forgotten when there are too many, but none that is held', async () => {
  const { shelf, dropped, fetched } = new Stage();
  const held = await shelf.hold(['a60']);
  (await shelf.hold(['b30'])).release();
  (await shelf.hold(['c10'])).release();
  expect(dropped).toEqual([]);
  (await shelf.hold(['b30'])).release();
  const large = await shelf.hold(['d90']);
  // What is held may be more than there should be.
  expect(dropped).toEqual(['c10', 'b30']);
  held.release();
  held.release();
  expect(dropped).toEqual(['c10', 'b30', 'a60']);
  large.release();
  (await shelf.hold(['d90'])).release();
  expect(fetched).toEqual(['a60', 'b30', 'c10', 'd90']);
});

test('one that cannot be had holds nothing, and is asked for again the next time', async () => {
  const stage = new Stage();
  const { shelf, missing, dropped } = stage;
  missing.add('b20');
  await expect(shelf.hold(['a10', 'b20', 'c30'])).rejects.toThrow('answered with 404');
  missing.clear();
  const held = await shelf.hold(['a10', 'b20']);
  expect([...held.contents.keys()]).toEqual(['a10', 'b20']);
  held.release();
  expect(dropped).not.toContain('a10');
});

test('what lies there from before counts, and goes first', async () => {
  const stage = new Stage();
  stage.before.push({ sha256: 'x80', sizeBytes: 80 }, { sha256: 'y10', sizeBytes: 10 });
  await stage.put('y10', new Uint8Array(10));
  const held = await stage.shelf.hold(['z50', 'y10']);
  expect(stage.dropped).toEqual(['x80']);
  expect(stage.fetched).toEqual(['z50']);
  held.release();
});
