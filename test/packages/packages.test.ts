// Well-known packages, each imported and used once by a program that is checked, bundled and run as those of
// people are. The table of docs/reference/packages.md is made of it: `npm run test:packages -- -u`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../src/cli/bundle/bundle.ts';
import { markdownTable } from '../../src/cli/testing/markdown-table.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { installPackages, lockedVersion } from './installed.ts';
import { packageOf, programOf, type Use, uses } from './uses.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'packages.md');
const BEGIN = '<!-- Made by the test of the packages, from here to the end of the page. -->\n\n';

let folder: string;
let harness: ExecutorHarness;
const rows = new Map<string, readonly string[]>();

beforeAll(() => {
  folder = installPackages();
  harness = new ExecutorHarness();
});

afterAll(async () => {
  await harness.executor.close();
});

test.each(Object.entries(uses))('%s', async (name, use) => {
  const file = 'program.mjs';
  writeFileSync(join(folder, file), programOf(name, use));
  const checked = await bundleProgram(file, folder).catch((error: unknown) => error as Error);
  const isRefused = checked instanceof Error;
  const { source, doubts } = isRefused
    ? await bundleProgram(file, folder, { isChecked: false })
    : checked;
  const end = await harness.run(source, null, { timeoutMs: 30_000 });
  const outcome = isRefused ? 'refused' : use.fails === undefined ? 'runs' : 'fails';
  const unknown = doubts.map((doubt) => /knows (.*), which/.exec(doubt)?.[1]?.replaceAll('"', '`'));
  const why = use.because ?? unknown.filter((names) => names !== undefined).join(', ');
  rows.set(name, [`\`${name}\``, lockedVersion(packageOf(name)), outcome, why]);

  if (use.fails === undefined) {
    expect(isRefused).toBe(false);
    expect(end.type === 'result' ? JSON.parse(end.valueJson) : end).toEqual(
      await expected(source, use),
    );
  } else {
    // What the check refuses does fail, and what fails without a refusal says why.
    expect(end).toMatchObject({
      type: 'failure',
      errorMessage: expect.stringContaining(use.fails),
    });
  }
});

/** The result in Node, of the same bundle. */
async function expected(source: string, { own }: Use): Promise<unknown> {
  if (own !== undefined) return own;
  const address = `data:text/javascript,${encodeURIComponent(source)}`;
  const module = (await import(address)) as { default: () => Promise<unknown> };
  return JSON.parse(JSON.stringify(await module.default()));
}

test('docs/reference/packages.md has what was seen', async () => {
  const [prose] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const table = markdownTable(
    ['Package', 'Version', 'Program', 'What it lacks'],
    [...rows.values()],
  );
  await expect(`${prose}${BEGIN}${table}`).toMatchFileSnapshot(PAGE);
});
