// The realm in the thread of a frame of a real browser: the walk over objects that two jobs share, and the check
// before a thread serves, which finds what is planted there.

import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleThread } from '../support/thread-bundle.ts';
import { ThreadPage } from '../support/thread-page.ts';
import { realmWalkCases, type WalkReport } from './realm-walk.cases.ts';

const fixture = fileURLToPath(new URL('../fixtures/planted-faults/main.ts', import.meta.url));
const page = await ThreadPage.open();
afterAll(() => page.close());
const production = await page.production();

realmWalkCases(
  'the thread of a frame',
  (await page.firstWord(await bundleThread(fixture))) as WalkReport,
);

describe('a thread', () => {
  test('whose realm is sound is ready', async () => {
    expect(await page.firstWord(production)).toEqual(['ready']);
  });

  test('in which the error that using makes stays open does not serve, and says what and where', async () => {
    // As if nobody had heard of it.
    const openError = `{
      let prototype; const raise = (e) => { throw e };
      try { using r = { [Symbol.dispose]() { raise(1) } }; raise(2) } catch (e) { prototype = Object.getPrototypeOf(e) }
      const { freeze } = Object; Object.freeze = (value) => (value === prototype ? value : freeze(value));
    }`;
    const [type, why] = (await page.firstWord(openError + production)) as [string, string];
    expect(type).toBe('fault');
    expect(why).toMatch(/^this browser does not keep jobs apart: what is thrown by using/);
    expect(why).toMatch(/is shared by two jobs and is not frozen: properties can be added/);
  });

  // A function of the language hands the same thing to every job.
  test.each([
    ['an object', '{}', 'is not frozen: properties can be added'],
    ['a frozen Map', 'Object.freeze(new Map())', 'is a Map'],
    ['a frozen buffer', 'Object.freeze(new ArrayBuffer(1))', 'is a buffer of bytes'],
    ['a frozen Promise', 'Object.freeze(Promise.resolve())', 'is a Promise'],
    ['a function of the browser', 'postMessage', 'is not frozen: properties can be added'],
    [
      'a frozen function of the browser',
      'Object.freeze(postMessage)',
      'is frozen but not known as a part of the language',
    ],
  ])('in which all jobs get %s does not serve', async (_what, shared, reason) => {
    const planted = `{ const shared = ${shared}; Object.groupBy = () => shared; }\n`;
    const [type, why] = (await page.firstWord(planted + production)) as [string, string];
    expect(type).toBe('fault');
    expect(why).toMatch(/^this browser does not keep jobs apart: the results of making/);
    expect(why).toContain(`is shared by two jobs and ${reason}`);
  });
});
