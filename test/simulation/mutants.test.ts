// The planted bugs of `npm run simulate:mutants` are patches, and patches rot: each must still apply.
// Whether a seed catches it takes minutes and is not asked here.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const folder = join(import.meta.dirname, 'mutants');

describe('the planted bug', () => {
  const patches = readdirSync(folder).filter((name) => name.endsWith('.patch'));

  test.each(patches)('%s applies to the sources as they are', (name) => {
    const args = ['apply', '--check', join(folder, name)];
    const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test.each(patches)('%s says in its first line which promise it breaks', (name) => {
    const [promise, blank] = readFileSync(join(folder, name), 'utf8').split('\n');
    expect(promise).toMatch(/^[A-Z].*\.$/);
    expect(blank).toBe('');
  });
});
