// The packages that are published: what is in the tarballs, and that they run without the checkout, in
// empty folders, as whoever installs them would run them.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readCommit } from '../../src/cli/version.ts';
import { connect } from '../../src/client/index.ts';
import { pageFiles } from '../../src/pages/page-files.ts';
import { readPages } from '../../src/pages/read-pages.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { readTarball, unpack } from '../support/tarball.ts';
import { importsOf } from '../tidy/source-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const exec = promisify(execFile);
const node = async (args: string[], cwd = ROOT) =>
  (await exec(process.execPath, args, { cwd })).stdout;

const checkout = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'muster-package-'));
const built = join(folder, 'built');
const tarballOf = (name: string) => join(built, `${name}-${checkout.version}.tgz`);

// Two compilations and two bundles: a busy machine takes its time.
beforeAll(async () => void (await node(['scripts/build.ts', '--out', built])), 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Another Node than ours that is old, and new enough for the SDK. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((each) => join(each, 'node'))
  .find((each) => existsSync(each) && /^v2[0-3]\./.test(versionOf(each)));

describe('the package muster', () => {
  const unpacked = join(folder, 'package'); // the name that npm gives the root of every tarball
  const paths: string[] = [];

  beforeAll(() => {
    const entries = readTarball(tarballOf('muster'));
    paths.push(...entries.map(({ path }) => path.replace(/^package\//, '')));
    unpack(entries, folder);
    symlinkSync(join(ROOT, 'node_modules'), join(unpacked, 'node_modules'), 'junction');
  });

  test('holds the program, its declarations and the documents', () => {
    for (const path of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
      expect(paths).toContain(path);
    }
    for (const path of ['lib/cli/main.js', 'lib/client/index.js', 'lib/client/index.d.ts']) {
      expect(paths).toContain(path);
    }
  });

  test('holds what browsers work with as it is built, and not what it is built from', () => {
    for (const { name } of pageFiles) expect(paths).toContain(`lib/pages/built/${name}`);
    expect(paths).toContain('lib/pages/built/page.js.br');
    const sources = /^lib\/(dashboard\/(worker|frame)|worker\/browser)\//;
    expect(paths.filter((path) => sources.test(path))).toEqual([]);
    const { files } = readPages(join(unpacked, 'lib', 'pages', 'built'), pageFiles)!;
    const page = files.find(({ url }) => url === '/worker')!;
    expect(page.content.toString()).toContain(`data-version="${checkout.version}"`);
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
    expect(manifest.bin).toEqual({ muster: './bin/muster.cjs' });
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
      .filter((path) => path.endsWith('.js') && !path.startsWith('lib/pages/built/'))
      .flatMap((path) => packagesIn(path, readFileSync(join(unpacked, path), 'utf8')))
      .filter((name) => !named.has(name));
    expect([...new Set(foreign)]).toEqual([]);
  });

  test('starts as a command and says its version', async () => {
    const command = join(unpacked, 'bin', 'muster.cjs');
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const commit = readCommit(ROOT);
    const version = commit === undefined ? checkout.version : `${checkout.version}+g${commit}`;
    expect((await node([command, '--version'], folder)).trim()).toBe(version);
  });

  test('says in a sentence that an older Node will not do', async ({ skip }) => {
    if (oldNode === undefined) return skip('there is no Node 20 to 23 in PATH');
    const command = join(unpacked, 'bin', 'muster.cjs');
    const end = await exec(oldNode, [command, 'serve'], { cwd: folder }).catch((error) => error);
    expect(end).toMatchObject({ code: 5, stdout: '' });
    expect(end.stderr).toMatch(
      /^muster needs Node 24 or newer, and this is Node 2[0-3]\.\S+ \(.*\): install .* muster-client alone\.\)\n$/,
    );
  });

  test('installed in an empty folder, serves and works with npx, browsers too, without the bundler', async () => {
    const home = join(folder, 'installed');
    mkdirSync(home);
    cpSync(tarballOf('muster'), join(home, 'muster.tgz'));
    writeJson(join(home, 'package.json'), {
      name: 'home',
      dependencies: { muster: 'file:muster.tgz' },
    });
    writeJson(join(home, 'package-lock.json'), lockWith('muster.tgz', unpacked));
    await exec('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: home,
    });
    for (const name of ['rolldown', '@rolldown']) {
      rmSync(join(home, 'node_modules', name), { recursive: true });
    }
    const env = {
      PATH: `${join(process.execPath, '..')}${delimiter}${process.env['PATH']}`,
      HOME: home,
    };
    const args = ['--no-install', 'muster', 'serve', '--port', '0', '--workers', '1'];
    const child = spawn('npx', args, { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { url, pid } = JSON.parse(line as string) as { url: string; pid: number };
    onTestFinished(() => void (child.exitCode === null && process.kill(pid, 'SIGKILL')));
    expect(await connect(url).map([1, 2, 3], (n) => n * n)).toEqual([1, 4, 9]);
    for (const page of pageFiles) expect((await fetch(`${url}${page.url}`)).status).toBe(200);
    process.kill(pid, 'SIGTERM');
    expect(await ended).toEqual([0, null]);
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

describe('the package muster-client', () => {
  const home = join(folder, 'client');
  const installed = join(home, 'node_modules', 'muster-client');
  let serving: ServingCli;

  beforeAll(async () => {
    mkdirSync(home);
    const install = ['install', '--offline', '--no-audit', '--no-fund', tarballOf('muster-client')];
    writeJson(join(home, 'package.json'), { name: 'home', private: true });
    const data = join(folder, 'data');
    mkdirSync(data);
    [serving] = await Promise.all([
      serveCli(['--workers', '1'], { folder: data }),
      exec('npm', install, { cwd: home }),
    ]);
    const body = `
      const { connect, ProgramError } = SDK;
      const muster = connect(process.argv[2]);
      const offset = 1;
      (async () => {
        const results = await muster.map([1, 2], (n) => n + offset, { with: { offset } });
        const refused = await muster.map([1], (n) => n + process.pid).catch((error) => error);
        console.log(results.join(), refused instanceof ProgramError);
      })();`;
    const required = "require('muster-client')";
    writeFileSync(join(home, 'program.cjs'), body.replace('SDK', required));
    writeFileSync(
      join(home, 'program.mjs'),
      `import * as sdk from 'muster-client';${body.replace('SDK', 'sdk')}`,
    );
  });

  afterAll(async () => void (await serving.stop()));

  test('depends on nothing, and names the licences of what is in it', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ version: checkout.version, engines: { node: '>=20' } });
    for (const field of ['private', 'scripts', 'dependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(field);
    }
    expect(existsSync(join(home, 'node_modules', 'acorn'))).toBe(false);
    const paths = readTarball(tarballOf('muster-client')).map(({ path }) => path);
    const foreign = paths
      .filter((path) => /\.(js|ts)$/.test(path))
      .map((path) => path.replace('package', installed))
      .flatMap((path) => packagesIn(path, readFileSync(path, 'utf8')));
    expect(foreign).toEqual([]);
    // TypeScript 5.4 reads the declarations: arrays of bytes have no parameter there.
    const declarations = paths.filter((path) => path.endsWith('.d.ts'));
    expect(declarations.length).toBeGreaterThan(10);
    for (const path of declarations) {
      const text = readFileSync(path.replace('package', installed), 'utf8');
      expect(text, path).not.toMatch(/Uint8Array</);
    }
    const notice = readFileSync(join(installed, 'THIRD-PARTY.md'), 'utf8');
    for (const name of ['acorn', 'eslint-scope', 'esrecurse', 'estraverse', 'estree-walker']) {
      expect(notice).toMatch(new RegExp(`^## ${name} \\d`, 'm'));
    }
  });

  test.each(['mjs', 'cjs'])('runs in a .%s program', async (ending) => {
    const file = join(home, `program.${ending}`);
    expect(await node([file, serving.url], home)).toBe('2,3 true\n');
  });

  test.for(['mjs', 'cjs'])('runs in a .%s program on an older Node', async (ending, { skip }) => {
    if (oldNode === undefined) return skip('there is no Node 20 to 23 in PATH');
    const { stdout, stderr } = await exec(oldNode, [join(home, `program.${ending}`), serving.url], {
      cwd: home,
    });
    expect({ stdout, stderr }).toEqual({ stdout: '2,3 true\n', stderr: '' });
  });

  test('is known to the compiler, at its strictest, in modules of both kinds', async () => {
    const typed = `
      const muster: sdk.MusterClient = sdk.connect('http://127.0.0.1:8000');
      export async function run(): Promise<readonly string[]> {
        const texts = await muster.map([1, 2], (n) => (n + 1).toFixed(1), { priority: 3 });
        for await (const event of muster.events()) {
          if (event.type === 'worker_quarantined') return [...texts, event.until];
          if (event.type === 'reset' && event.reason !== undefined) return [event.reason];
        }
        const rate = 1.19;
        texts.push(...(await muster.map([1], (n, _task, along) => (n * along.rate).toFixed(), { with: { rate } })));
        // @ts-expect-error -- results are strings here
        const numbers: number[] = texts;
        // @ts-expect-error -- there is no such type
        for await (const _ of muster.events({ types: ['no_such_event'] }));
        return numbers.map(String);
      }`;
    writeFileSync(join(home, 'typed.mts'), `import * as sdk from 'muster-client';${typed}`);
    writeFileSync(join(home, 'typed.cts'), `import sdk = require('muster-client');${typed}`);
    writeJson(join(home, 'tsconfig.json'), {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022', 'esnext.disposable', 'dom', 'dom.iterable'],
        module: 'node16',
        types: [],
      },
      files: ['typed.mts', 'typed.cts'],
    });
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const end = await exec(process.execPath, [tsc, '-p', home]).catch((error) => error);
    expect(end.stdout).toBe('');
  });

  test('bundles what a function imports with the package muster, and says so where it is not', async () => {
    const file = join(home, 'importing.mjs');
    writeFileSync(
      file,
      `import { connect } from 'muster-client';
      const muster = connect(process.argv[2]);
      const lengths = muster.map(['a', 'bc'], async (text) => {
        const { parse } = await import('acorn');
        return parse(text, { ecmaVersion: 2022 }).end;
      });
      console.log(await lengths.catch((error) => error.message));`,
    );
    // What the function imports, and one time the bundler, are where they would be installed.
    const modules = join(home, 'node_modules');
    symlinkSync(join(ROOT, 'node_modules', 'acorn'), join(modules, 'acorn'), 'junction');
    onTestFinished(() => rmSync(join(modules, 'acorn')));
    expect(await node([file, serving.url], home)).toBe(
      'The function cannot run on other devices: it imports "acorn", and only the package muster can bundle that: ' +
        'install it beside muster-client (in Node; a page cannot), or submit a file with `muster submit`\n',
    );
    symlinkSync(join(folder, 'package'), join(modules, 'muster'), 'junction');
    onTestFinished(() => rmSync(join(modules, 'muster')));
    expect(await node([file, serving.url], home)).toBe('[ 1, 2 ]\n');
  });

  test('is bundled for a page, where the parser stays a part of its own', async () => {
    const bundler = await rolldown({ input: join(home, 'program.mjs'), platform: 'browser' });
    const dir = join(home, 'page');
    const { output } = await bundler.write({ dir, format: 'esm', minify: true });
    await bundler.close();
    const [entry] = output;
    expect(entry.code.length).toBeLessThan(46_800);
    const code = output.map((each) => ('code' in each ? each.code : ''));
    expect(code.join('')).not.toMatch(/from\s*["']node:|\brequire\(/);
    expect(await node([join(dir, entry.fileName), serving.url], home)).toBe('2,3 true\n');
  });
});

function versionOf(file: string): string {
  return spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, JSON.stringify(value));
}

/** A lock file with which npm needs no answer about versions: those of the checkout. */
function lockWith(tarball: string, unpacked: string): object {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const {
    name: _,
    bin,
    ...muster
  } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const kept = Object.entries<{ dev?: boolean }>(packages).filter(
    ([path, { dev }]) => path !== '' && dev !== true && !path.startsWith('node_modules/node-'),
  );
  const dependencies = { muster: `file:${tarball}` };
  return {
    name: 'home',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'home', dependencies },
      'node_modules/muster': { resolved: `file:${tarball}`, ...muster, bin },
      ...Object.fromEntries(kept),
    },
  };
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
