// The package that is published: what is in the tarball, and that it runs without the checkout.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTarball, unpack } from '../support/tarball.ts';
import { importsOf } from '../tidy/source-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const exec = promisify(execFile);
const node = async (args: string[], cwd = ROOT) =>
  (await exec(process.execPath, args, { cwd })).stdout;

describe('the published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-package-'));
  const unpacked = join(folder, 'package'); // the name that npm gives the root of every tarball
  const paths: string[] = [];
  const checkout = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  beforeAll(async () => {
    const built = join(folder, 'built');
    await node(['scripts/build.ts', '--out', built]);
    const packing = await exec('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: built,
      shell: process.platform === 'win32',
    });
    const entries = readTarball(join(folder, tarballName(packing.stdout)));
    paths.push(...entries.map(({ path }) => path.replace(/^package\//, '')));
    unpack(entries, folder);
    symlinkSync(join(ROOT, 'node_modules'), join(unpacked, 'node_modules'), 'junction');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('holds the program, its declarations and the documents', () => {
    for (const path of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
      expect(paths).toContain(path);
    }
    for (const path of ['lib/cli/main.js', 'lib/client/index.js', 'lib/client/index.d.ts']) {
      expect(paths).toContain(path);
    }
  });

  test('holds no tests, no sources, no fixtures and no binaries', () => {
    const unwanted =
      /\.(test|cases)\.|(?<!\.d)\.tsx?$|fixtures|testing|node_modules|\.node$|\.exe$/;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
  });

  test('has a manifest for those who install it, not for the checkout', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'muster', version: checkout.version, type: 'module' });
    expect(manifest.engines).toEqual({ node: '>=24' });
    expect(manifest.dependencies).toEqual(checkout.dependencies);
    for (const field of ['private', 'scripts', 'devDependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(field);
    }
    for (const path of [manifest.bin.muster, ...targets(manifest.exports)]) {
      expect(paths).toContain(path.replace(/^\.\//, ''));
    }
  });

  test('imports nothing that its manifest does not name', () => {
    const named = new Set(Object.keys(checkout.dependencies));
    const foreign = paths
      .filter((path) => path.endsWith('.js'))
      .flatMap((path) => packagesIn(path, readFileSync(join(unpacked, path), 'utf8')))
      .filter((name) => !named.has(name));
    expect([...new Set(foreign)]).toEqual([]);
  });

  test('starts as a command and says its version', async () => {
    const main = join(unpacked, 'lib', 'cli', 'main.js');
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await node([main, '--version'], folder)).trim()).toBe(checkout.version);
  });

  test('runs a task in a sandbox of either kind, found through a link to its packages', async () => {
    const executor = join(unpacked, 'lib', 'worker', 'node', 'node-executor.js');
    const program = { jobId: 'j', kind: 'javascript', source: 'export default (n) => n * 6' };
    const task = { key: 'k', owner: 'o', taskId: 't', index: 0, attempt: 1, inputJson: '7' };
    const script = `
      const { createNodeExecutor } = await import(${JSON.stringify(pathToFileURL(executor))});
      setInterval(() => {}, 1000); // children alone do not keep a process alive
      for (const bubblewrap of ['off', 'auto']) {
        await new Promise((done) => {
          const listener = ({ type, outcomes }) => {
            if (type === 'finished') done(console.log(JSON.stringify(outcomes[0])));
          };
          const made = createNodeExecutor({ slots: 1, isolation: bubblewrap, listener });
          const rest = { timeoutMs: null, stateJson: null, progress: 0 };
          made.run(0, { checkpointIntervalMs: null, ...${JSON.stringify(program)} }, [
            { ...${JSON.stringify(task)}, ...rest },
          ]);
        });
      }
      process.exit(0);`;
    const output = await node(['--input-type=module', '--eval', script], folder);
    const ends = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(ends).toMatchObject([{ valueJson: '42' }, { valueJson: '42' }]);
  });

  test('can be imported by its public names', async () => {
    for (const name of Object.keys(checkout.exports).filter((each) => !each.endsWith('.json'))) {
      const script = `console.log(Object.keys(await import('muster/${name.slice(2)}')).length)`;
      const found = await node(['--input-type=module', '--eval', script], unpacked);
      expect(Number(found), name).toBeGreaterThan(0);
    }
  });
});

// npm has answered with a list and, lately, with a record by name.
function tarballName(json: string): string {
  const answer = JSON.parse(json) as object;
  const [first] = Object.values(answer) as { filename: string }[];
  if (first === undefined) throw new Error(`npm pack made nothing: ${json}`);
  return first.filename;
}

function targets(exports: Record<string, { types?: string; default: string }>): string[] {
  return Object.values(exports).flatMap((each) => [each.default, each.types ?? each.default]);
}

function packagesIn(path: string, text: string): string[] {
  return importsOf({ path, text })
    .map(({ specifier }) => specifier)
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}
