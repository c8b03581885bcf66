// A client generated from `/openapi.json` compiles as strictly as TypeScript can, without a cast, and does
// its work at a real coordinator.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const parts = join(import.meta.dirname, 'generated-client');
const modules = join(root, 'node_modules');
const minutes = 60_000;

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

let live: LiveServer;
let folder: string;
let program: string;

beforeAll(async () => {
  [live, folder, program] = await Promise.all([
    startLiveServer(),
    mkdtemp(join(tmpdir(), 'muster-generated-client-')),
    readFile(join(parts, 'program.ts.txt'), 'utf8'),
  ]);
  const settings = JSON.stringify({ compilerOptions, files: ['program.ts'] });
  await Promise.all([
    writeFile(join(folder, 'openapi.json'), JSON.stringify(live.document.document)),
    writeFile(join(folder, 'package.json'), '{"type":"module"}'),
    writeFile(join(folder, 'tsconfig.json'), settings),
    writeFile(join(folder, 'program.ts'), program),
    symlink(modules, join(folder, 'node_modules'), 'junction'),
  ]);
  const hook = pathToFileURL(join(parts, 'typescript-5.mjs')).href;
  const generator = join(modules, 'openapi-typescript', 'bin', 'cli.js');
  const written = join(folder, 'schema.ts');
  const source = join(folder, 'openapi.json');
  await run(process.execPath, ['--import', hook, generator, source, '-o', written]);
}, 2 * minutes);

afterAll(async () => {
  await live.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  'compiles under `strict`, exact optional properties and unchecked indices, without a cast',
  async () => {
    expect(program).not.toMatch(/\bas\s|\bany\b|@ts-|[\w)\]]!/);
    expect(await compiled()).toBe('');
    // The compiler does look: what the document does not have is refused.
    await writeFile(join(folder, 'program.ts'), program.replace("name: 'squares'", 'nam: 1'));
    expect(await compiled()).toContain("'nam' does not exist");
    await writeFile(join(folder, 'program.ts'), program);
  },
  2 * minutes,
);

test('submits, works, reads and steers at a real coordinator', async () => {
  const { run: made } = (await import(pathToFileURL(join(folder, 'program.ts')).href)) as {
    run: (url: string) => Promise<Record<string, unknown>>;
  };
  const { job_id: id, ...found } = await made(live.url);
  expect(found).toEqual({
    created: 'pending',
    location: `/api/jobs/${String(id)}`,
    lease_seconds: 15,
    warnings: 1,
    accepted: ['result', 'result'],
    head: { status: 'completed', hasTasks: false },
    tasks: [
      { index: 0, status: 'completed', attempt: 1 },
      { index: 1, status: 'completed', attempt: 1 },
    ],
    task: { index: 1, attempts: 1 },
    values: [4, 9],
    refusal: 'job_is_final',
    jobs: ['squares'],
    workers: [{ status: 'online', labels: { made: 'by hand' } }],
    algorithms: 9,
    algorithm: 'edas',
    cpu: 0.5,
    completed: 2,
    scrape: true,
  });
});

/** What the compiler has to say; nothing when all is well. */
async function compiled(): Promise<string> {
  const compiler = join(modules, 'typescript', 'bin', 'tsc');
  try {
    await run(process.execPath, [compiler, '-p', folder]);
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error);
  }
}
