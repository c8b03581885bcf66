import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The modules that are loaded before the first line of a file runs: its imports and theirs, no types. */
function loadedBy(file: URL, seen = new Set<string>(), packages = new Set<string>()) {
  if (seen.has(file.href)) return packages;
  seen.add(file.href);
  const source = readFileSync(fileURLToPath(file), 'utf8');
  for (const [, clause = '', specifier = ''] of source.matchAll(STATIC_IMPORT)) {
    if (clause.startsWith('type ')) continue;
    if (specifier.startsWith('.')) loadedBy(new URL(specifier, file), seen, packages);
    else if (!specifier.startsWith('node:')) packages.add(specifier);
  }
  return packages;
}

const STATIC_IMPORT = /^(?:import|export) ([^;]*?) ?from '([^']+)';/gm;

test('a light command loads neither the server nor the bundler', () => {
  const main = new URL('./main.ts', import.meta.url);
  expect([...loadedBy(main)].toSorted()).toEqual(['commander', 'picocolors']);
});
