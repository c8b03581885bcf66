import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkDistribution,
  type Distribution,
  distributionFiles,
  distributionVersion,
} from './distribution.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const folder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
const files = Object.fromEntries(
  distributionFiles.map((name) => [name, readFileSync(join(folder, name))]),
) as unknown as Distribution;

test('is what the package of this version has', async () => {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(version).toBe(distributionVersion);
  await expect(checkDistribution(files, sha256)).resolves.toBeUndefined();
});

test('is refused when a byte of it has changed', async () => {
  const zip = new Uint8Array(files['python_stdlib.zip']);
  const changed = { ...files, 'python_stdlib.zip': zip.with(1000, zip[1000]! ^ 1) };
  await expect(checkDistribution(changed, sha256)).rejects.toThrow(
    'python_stdlib.zip is not the one of Pyodide 314.0.7',
  );
});
