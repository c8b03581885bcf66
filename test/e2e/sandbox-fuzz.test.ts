// A few thousand programs of fixed seeds against the realm of a sandbox child, and walls taken away, to
// show that such programs would notice. More by hand: `npm run fuzz:sandbox`, `npm run fuzz:mutants`.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inPlantedCopy, patchesIn } from '../../scripts/planted-copy.ts';
import { fuzz, replay } from '../fuzz/sandbox/fuzzer.ts';
import { FuzzingChild } from '../fuzz/sandbox/fuzzing-child.ts';
import { makeProgram } from '../fuzz/sandbox/grammar/grammar.ts';
import { functionText } from '../fuzz/sandbox/program-tree.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'test/fuzz/sandbox/mutants');

describe('programs that a grammar makes', () => {
  test.each([1, 2])('find no way out of the realm with seed %i', async (seed) => {
    const options = { seed, programs: 1_536, finds: 1, isReducing: false, atOnce: 1 };
    const { ran, finds, refused } = await fuzz(options);
    expect(finds).toEqual([]);
    expect(ran).toBe(options.programs);
    // What does not parse shows nothing.
    expect(refused).toEqual([]);
  });

  test('are the same whenever they are made of one seed, and others of another', async () => {
    const child = await FuzzingChild.start();
    const { vocabulary } = child;
    await child.end();
    const texts = (seed: number) =>
      Array.from({ length: 50 }, (_, i) => functionText(makeProgram(seed, i, vocabulary)));
    expect(texts(5)).toEqual(texts(5));
    expect(texts(5)).not.toEqual(texts(6));
    expect(vocabulary.constructors).toContain('Float16Array');
    expect(vocabulary.methods).toContain('Array.prototype.map');
  });

  test('are played again alone, from seed and number', async () => {
    const { programs, outcome } = await replay(1, [7]);
    expect(programs).toHaveLength(1);
    expect(outcome).toEqual({ type: 'sound' });
  });
});

describe('a wall that is taken away', () => {
  const patches = patchesIn(folder, []);
  const quick = ['03-', '07-', '11-'];

  test.each(patches)('by %s is one of the sources as they are', (name) => {
    const args = ['apply', '--check', join(folder, name)];
    const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [promise, blank] = readFileSync(join(folder, name), 'utf8').split('\n');
    expect(promise).toMatch(/^[A-Z].*\.$/);
    expect(blank).toBe('');
  });

  test.each(patchesIn(folder, quick))('by %s is noticed, and told how to see it again', (name) => {
    const args = ['--programs', '4096', '--finds', '1', '--no-reduce', '--at-once', '1'];
    const { status, stdout } = inPlantedCopy(join(folder, name), ['src', 'test/fuzz'], (copy) =>
      spawnSync(process.execPath, ['test/fuzz/sandbox/main.ts', ...args], {
        cwd: copy,
        encoding: 'utf8',
      }),
    );
    expect(stdout).toMatch(/^FIND \(seed 1, program [\d, ]+, after \d+\):\n- \w/m);
    expect(stdout).toContain('Again: npm run fuzz:sandbox -- --seed 1 --program');
    expect(status).toBe(1);
  });
});
