// What a phone loads before it can work, as it goes over the wire: every kilobyte is waited for, and some are paid for.

import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makePages } from './bundle-pages.ts';
import { pageFiles } from './page-files.ts';

/** A little above what it is: who needs more raises it knowingly. */
const mostBytes = 49_400;

test('the page and its agent are small', async () => {
  const scripts = pageFiles.filter(({ name }) => name === 'page.js' || name === 'agent.js');
  const sources = dirname(import.meta.dirname);
  const { contents } = await makePages(scripts, { sources, version: '0.0.0' });
  const sizes = [...contents.values()].map((script) => gzipSync(script, { level: 9 }).length);
  expect(sizes).toHaveLength(2);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(mostBytes);
});
