// What a small command loads: a person waits for every module of it.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainFile } from '../../src/cli/entry-points.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-start-'));
  writeFileSync(
    join(folder, 'hook.mjs'),
    [
      "import { registerHooks } from 'node:module';",
      "import { appendFileSync } from 'node:fs';",
      'registerHooks({',
      '  load(url, context, next) {',
      String.raw`    appendFileSync(process.env.LOADED, url + "\n");`,
      '    return next(url, context);',
      '  },',
      '});',
    ].join('\n'),
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The modules that a command has loaded when it has found no coordinator. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const list = join(folder, 'loaded');
  writeFileSync(list, '');
  const flags = ['--import', join(folder, 'hook.mjs'), mainFile(), ...args];
  const environment = { ...process.env, LOADED: list, MUSTER_URL: 'http://127.0.0.1:9' };
  await new Promise<void>((resolve) => {
    execFile(process.execPath, flags, { cwd: folder, env: environment }, () => resolve());
  });
  const urls = readFileSync(list, 'utf8').split('\n');
  return urls.filter((url) => url.startsWith('file:')).map((url) => new URL(url).pathname);
}

test.each([
  ['jobs', []],
  ['job', ['some-id']],
  ['workers', []],
  ['stats', []],
])(
  '%s loads what it needs to ask and to show, and nothing that runs anything',
  async (name, args) => {
    const loaded = await loadedBy(name, ...args);
    expect(loaded.some((path) => path.endsWith('/src/client/connect.ts'))).toBe(true);
    const packages = loaded.flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    expect([...new Set(packages)].toSorted()).toEqual(['commander', 'picocolors']);
    const heavy =
      /\/src\/(?:worker|coordinator|store|simulator|scheduling|evaluation)\/|\/schemas\/|\/cli\/(?:bundle|trial|process\/coordinator)/;
    expect(loaded.filter((path) => heavy.test(path) && !path.endsWith('-text.ts'))).toEqual([]);
  },
);
