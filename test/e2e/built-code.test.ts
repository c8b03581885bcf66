// The built code of children: children run it, only the worker can change it, and children run the
// sources where it is missing or damaged.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { BuiltCode } from '../../src/worker/node/built-code.ts';
import { sealName, sealOf, startName } from '../../src/worker/node/child-code/files.ts';
import { narrowingFlags } from '../../src/worker/node/confinement/node-flags.ts';
import { chooseConfinement } from '../../src/worker/node/confinement.ts';
import { type ChildCode, childSources } from '../../src/worker/node/entry-points.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { valueOf } from '../support/task-harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-built-'));
afterAll(() => rmSync(folder, { recursive: true }));

const flags = narrowingFlags(process.execPath);
const first = new BuiltCode(join(folder, 'first'), process.execPath, flags);
await first.build();
const code = first.found!;
const builtFolder = code.folders[0]!;

/** A folder in which the code lies as it was built, or as `change` has left it. */
function codeDirWith(change: (built: string) => void = () => {}): string {
  const kept = mkdtempSync(join(folder, 'copy-'));
  cpSync(join(folder, 'first'), kept, { recursive: true });
  change(join(kept, readdirSync(kept)[0]!));
  return kept;
}

function isFoundIn(codeDir: string, changedFlags = flags): boolean {
  return new BuiltCode(codeDir, process.execPath, changedFlags).found !== null;
}

function harnessWith(codeDir: string, isolation: 'auto' | 'off' = 'off'): ExecutorHarness {
  const harness = new ExecutorHarness({ codeDir, isolation });
  onTestFinished(() => harness.executor.close());
  return harness;
}

function commandLine(pid: number): string {
  return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

describe('the built code', () => {
  test.each(['auto', 'off'] as const)('is what children run (bubblewrap %s)', async (isolation) => {
    const harness = harnessWith(codeDirWith(), isolation);
    expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
    const [pid] = harness.executor.childPids();
    expect(commandLine(pid!)).toContain(startName);
  });

  test('carries the text of what programs know from the web', async () => {
    const harness = harnessWith(codeDirWith());
    const source = `export default () => [new URL('http://ü/?a=1').searchParams.get('a'), atob(btoa('x')),
      new TextDecoder().decode(new TextEncoder().encode('é')), structuredClone([1]), new Date(), crypto.randomUUID().length]`;
    const found = ['1', 'x', 'é', [1], '1970-01-01T00:00:00.000Z', 36];
    expect(valueOf(await harness.run(source))).toEqual(found);
    expect(commandLine(harness.executor.childPids()[0]!)).toContain(startName);
  });

  test('is found again only where nothing that it depends on has changed', () => {
    expect(isFoundIn(codeDirWith())).toBe(true);
    expect(isFoundIn(codeDirWith(), flags.slice(1))).toBe(false);
  });

  test.each([startName, 'child.js', 'child.compiled', sealName])(
    'is not used when its file %s was changed',
    (name) => {
      expect(isFoundIn(codeDirWith((built) => appendFileSync(join(built, name), ' ')))).toBe(false);
      expect(isFoundIn(codeDirWith((built) => rmSync(join(built, name))))).toBe(false);
    },
  );

  test('gives way to the sources when a child of it does not start', async () => {
    const codeDir = codeDirWith((built) => {
      writeFileSync(join(built, startName), 'process.exit(3)');
      writeFileSync(join(built, sealName), sealOf(built));
    });
    expect(isFoundIn(codeDir)).toBe(true);
    const harness = harnessWith(codeDir);
    expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
    const [pid] = harness.executor.childPids();
    expect(commandLine(pid!)).not.toContain(startName);
  });

  test('leaves nothing behind when it cannot be built', async () => {
    const kept = join(folder, 'unbuildable');
    const worker = new BuiltCode(kept, process.execPath, [...flags, '--no-such-flag']);
    await worker.build();
    expect(worker.found).toBe(null);
    expect(readdirSync(kept)).toEqual([]);
  });

  test('is built by one of the workers that want it at once, and found by all', async () => {
    const kept = join(folder, 'shared');
    const workers = [1, 2, 3].map(() => new BuiltCode(kept, process.execPath, flags));
    await Promise.all(workers.map((worker) => worker.build()));
    await Promise.all(workers.map((worker) => worker.build()));
    expect(workers.map(({ found }) => found)).toEqual(workers.map(() => workers[0]!.found));
    expect(workers[0]!.found).not.toBeNull();
    expect(readdirSync(kept)).toHaveLength(1);
  });

  test('takes the place of what was built before', async () => {
    const kept = join(folder, 'kept');
    mkdirSync(join(kept, 'of-an-older-version'), { recursive: true });
    await new BuiltCode(kept, process.execPath, flags).build();
    expect(readdirSync(kept)).toEqual(readdirSync(join(folder, 'first')));
  });
});

describe('a child of the built code', () => {
  const bare = chooseConfinement(process.execPath, 'off');
  const best = chooseConfinement(process.execPath, 'auto');
  const isWrapped = best.isolation === 'ses+bubblewrap';

  function outputOf(of: ChildCode, use: typeof bare, script: string, isBelowNode = false): string {
    const { file, args } = use.command('{}', 64, of);
    const kept = args.slice(0, isBelowNode ? args.indexOf('--permission') : -2);
    const at = kept.indexOf('--seccomp');
    if (at >= 0) kept.splice(at, 2);
    const told = `try { ${script}; console.log('open') } catch (e) { console.log(e.code) }`;
    return spawnSync(file, [...kept, '-e', told], { env: {}, encoding: 'utf8' }).stdout.trim();
  }

  const reading = (path: string) => `fs.readFileSync(${JSON.stringify(path)})`;
  const writing = `fs.writeFileSync(${JSON.stringify(join(builtFolder, 'child.js'))}, '')`;

  test('may read nothing else', () => {
    const sources = childSources();
    expect(outputOf(code, bare, reading(code.entry))).toBe('open');
    for (const path of [sources.entry, ...sources.files]) {
      expect(outputOf(sources, bare, reading(path))).toBe('open');
      expect(outputOf(code, bare, reading(path))).toBe('ERR_ACCESS_DENIED');
    }
  });

  test('may not write it', () => {
    expect(outputOf(code, bare, writing)).toBe('ERR_ACCESS_DENIED');
    expect(readFileSync(join(builtFolder, sealName), 'utf8')).toBe(sealOf(builtFolder));
  });

  // With neither Node's flags nor the filter in the way.
  test.runIf(isWrapped)('finds it read-only behind bubblewrap', () => {
    expect(outputOf(code, best, reading(code.entry), true)).toBe('open');
    expect(outputOf(code, best, writing, true)).toBe('EROFS');
    expect(readFileSync(join(builtFolder, sealName), 'utf8')).toBe(sealOf(builtFolder));
  });
});
