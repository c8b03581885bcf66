// `npm ci` refuses a lock file in which a package of another platform is missing, on every
// platform. `npm install` writes such a file when the registry lags behind with some of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lockFile = join(import.meta.dirname, '..', '..', 'package-lock.json');
const locked = JSON.parse(readFileSync(lockFile, 'utf8')).packages as Record<string, Locked>;

test('the lock file has the packages of every platform', () => {
  expect(Object.keys(locked).length).toBeGreaterThan(100);
  expect(absentOptionals(locked)).toEqual([]);
});

test('a package that the lock file lacks is found', () => {
  const optionalDependencies = { fitting: '1.0.0', 'other-platform': '1.0.0', older: '2.0.0' };
  const packages = {
    'node_modules/tool': { version: '1.0.0', optionalDependencies },
    'node_modules/tool/node_modules/fitting': { version: '1.0.0' },
    'node_modules/older': { version: '1.0.0' },
  };
  expect(absentOptionals(packages)).toEqual([
    'node_modules/tool needs other-platform@1.0.0',
    'node_modules/tool needs older@2.0.0',
  ]);
});

test('every locked package has its hash, and none the address of a registry', () => {
  const installed = Object.entries(locked).filter(([path]) => path !== '');
  expect(installed.filter(([, each]) => each.integrity === undefined)).toEqual([]);
  expect(installed.filter(([, each]) => each.resolved !== undefined)).toEqual([]);
});

// Packages of one tool for many platforms are asked for by exact version; ranges are npm's matter.
function absentOptionals(packages: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => {
        const found = packages[resolve(packages, path, name) ?? ''];
        return found === undefined || (/^\d/.test(version) && found.version !== version);
      })
      .map(([name, version]) => `${path} needs ${name}@${version}`),
  );
}

// As Node looks a package up: beside the one that asks, then in each folder above it.
function resolve(
  packages: Readonly<Record<string, Locked>>,
  from: string,
  name: string,
): string | undefined {
  for (let place = from; ; place = place.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const candidate = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, candidate)) return candidate;
    if (place === '') return undefined;
  }
}
