// Programs of fixed seeds in the thread of a frame, as `sandbox-fuzz.test.ts` has them in a process, and a wall
// of the browser's taken away, to show that such programs would notice. More by hand:
// `npm run fuzz:sandbox -- --in browser`.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPlantedCopy, patchesIn } from '../../scripts/planted-copy.ts';
import { fuzz, replay } from '../fuzz/sandbox/fuzzer.ts';
import { FuzzingBrowser } from '../fuzz/sandbox/fuzzing-frame.ts';

const mutants = join(import.meta.dirname, '../fuzz/sandbox/mutants');

let browser: FuzzingBrowser;
beforeAll(async () => {
  browser = await FuzzingBrowser.open();
});
afterAll(() => browser.close());

describe('programs that a grammar makes, in a browser', () => {
  test.each([1, 2])('find no way out of the realm with seed %i', async (seed) => {
    const options = { seed, programs: 1_536, finds: 1, isReducing: false, atOnce: 1 };
    const { ran, finds, refused } = await fuzz({ ...options, start: browser.start });
    expect(finds).toEqual([]);
    expect(ran).toBe(options.programs);
    // What does not parse shows nothing.
    expect(refused).toEqual([]);
  });

  test('are made of what this browser knows', async () => {
    const runner = await browser.start();
    await runner.end();
    const { vocabulary } = runner;
    expect(vocabulary.constructors).toContain('Float16Array');
    expect(vocabulary.methods).toContain('Array.prototype.map');
  });

  test('are played again alone, from seed and number', async () => {
    const { programs, outcome } = await replay(1, [7], browser.start);
    expect(programs).toHaveLength(1);
    expect(outcome).toEqual({ type: 'sound' });
  });
});

describe('a wall that only a browser has', () => {
  const names = patchesIn(mutants, ['-browser-']);

  test.each(names)('is missed when %s takes it away, and told how to see it again', (name) => {
    const folders = ['src', 'test/fuzz', 'test/support'];
    const args = ['--programs', '4096', '--finds', '1', '--no-reduce', '--at-once', '1'];
    const { status, stdout } = inPlantedCopy(join(mutants, name), folders, (copy) =>
      spawnSync(process.execPath, ['test/fuzz/sandbox/main.ts', ...args, '--in', 'browser'], {
        cwd: copy,
        encoding: 'utf8',
      }),
    );
    expect(stdout).toMatch(/^FIND \(seed 1, program [\d, ]+, after \d+\):\n- \w/m);
    expect(stdout).toMatch(/Again: npm run fuzz:sandbox -- --seed 1 --program [\d,]+ --in browser/);
    expect(status).toBe(1);
  });
});
