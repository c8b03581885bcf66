// What is loaded before a page works, as it goes over the wire: every kilobyte is waited for, and some are paid for.

import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makePages } from './bundle-pages.ts';
import { pageFiles } from './page-files.ts';

/** A little above what it is: who needs more raises it knowingly. */
const mostWorkerBytes = 52_800;
/** Of the overview: the entry of the dashboard, the page, and what both import. */
const mostFirstBytes = 49_500;
const mostDashboardBytes = 158_300;

const sources = dirname(import.meta.dirname);

async function made(names: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const files = pageFiles.filter(({ name }) => names.includes(name));
  expect(files).toHaveLength(names.length);
  return (await makePages(files, { sources, version: '0.0.0' })).contents;
}

const size = (script: Buffer) => gzipSync(script, { level: 9 }).length;
const sum = (sizes: readonly number[]) => sizes.reduce((total, each) => total + each, 0);

test('the page of a worker and its agent are small', async () => {
  const contents = await made(['page.js', 'agent.js']);
  expect(sum([...contents.values()].map(size))).toBeLessThanOrEqual(mostWorkerBytes);
});

test('the dashboard is small, and its first page less than half of it', async () => {
  const contents = await made(['app.js']);
  const first = new Set(['app.js']);
  // What a script names is loaded before it runs.
  const load = (name: string): void => {
    const text = contents.get(name)!.toString();
    for (const [, part = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)) {
      if (!first.has(part)) load(first.add(part) && part);
    }
  };
  load('app.js');
  for (const name of contents.keys()) {
    if (name.startsWith('overview-page-')) load(first.add(name) && name);
  }
  expect(first.size).toBeGreaterThan(1);
  expect(sum([...first].map((name) => size(contents.get(name)!)))).toBeLessThanOrEqual(
    mostFirstBytes,
  );
  expect(sum([...contents.values()].map(size))).toBeLessThanOrEqual(mostDashboardBytes);
});
