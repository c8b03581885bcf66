// The house rules, run over the whole repository; then each rule against a text that breaks it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { excerptFaults } from './excerpts.ts';
import {
  clockFaults,
  commentFaults,
  environmentFaults,
  lengthFaults,
  lengthWarnings,
  linkFaults,
  machinePathFaults,
  mentionFaults,
  nameFaults,
  silencedTestFaults,
  speechFaults,
} from './house-rules.ts';
import { importCycles } from './import-cycles.ts';
import { importFaults } from './import-table.ts';
import { isCode, readSources } from './source-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const isInRepository = (path: string) => existsSync(join(ROOT, path));
const textOf = (path: string) =>
  isInRepository(path) ? readFileSync(join(ROOT, path), 'utf8') : undefined;

const written = readSources('src', 'test', 'bench', 'examples', 'scripts');
const code = [...written, ...readSources('bootstrap.mjs', 'vitest.config.ts')].filter(isCode);
const rooms = code.filter((file) => file.path.startsWith('src/'));
const documents = readSources(
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs',
).filter((file) => file.path.endsWith('.md'));

describe('the repository', () => {
  test('has files that the rules can look at', () => {
    expect(code.length).toBeGreaterThan(10);
    expect(documents.length).toBeGreaterThan(1);
  });

  test('keeps to the import table', () => {
    expect(rooms.flatMap(importFaults)).toEqual([]);
  });

  test('has no circle of imports but one of types', () => {
    expect(importCycles(rooms, false)).toEqual([]);
    // A place in a slot is a part of an attempt, and a slot is made of attempts.
    const attemptAndSlot = ['src/worker/machine/local-attempt.ts', 'src/worker/machine/slot.ts'];
    expect(importCycles(rooms, true)).toEqual([attemptAndSlot]);
  });

  test('has names that say something, in kebab-case', () => {
    expect(written.flatMap(nameFaults)).toEqual([]);
  });

  test('has no file that is too long', () => {
    for (const warning of code.flatMap(lengthWarnings)) console.warn(warning);
    expect(code.flatMap(lengthFaults)).toEqual([]);
  });

  test('has no loose ends in comments', () => {
    expect(code.flatMap(commentFaults)).toEqual([]);
  });

  test('silences no test', () => {
    expect(code.flatMap(silencedTestFaults)).toEqual([]);
  });

  test('reads the environment only in cli/', () => {
    expect(code.flatMap(environmentFaults)).toEqual([]);
  });

  test('speaks to people through the terminal alone', () => {
    expect(code.flatMap(speechFaults)).toEqual([]);
  });

  test('reads no clock in the pure rooms', () => {
    expect(code.flatMap(clockFaults)).toEqual([]);
  });

  test('names no path of the machine it was written on', () => {
    const files = [...code, ...documents].filter((file) => !file.path.startsWith('test/tidy/'));
    expect(files.flatMap(machinePathFaults)).toEqual([]);
  });

  test('names no file of its own that is not there', () => {
    const paths = code.map((file) => file.path);
    const faults = [...code, ...documents].flatMap((file) => mentionFaults(file, paths));
    expect(faults).toEqual([]);
  });

  test('has documents whose links lead somewhere', () => {
    expect(documents.flatMap((file) => linkFaults(file, isInRepository))).toEqual([]);
  });

  test('has documents that quote its files as they are', () => {
    expect(documents.filter(({ text }) => /^```\w+ from /m.test(text)).length).toBeGreaterThan(4);
    expect(documents.flatMap((file) => excerptFaults(file, textOf))).toEqual([]);
  });
});

describe('the import table', () => {
  const faults = (path: string, text: string) => importFaults({ path, text });

  test.each([
    ['src/core/job.ts', "import { a } from '../protocol/limits.ts';"],
    ['src/core/decide/task.ts', "export * from '../../store/port.ts';"],
    ['src/scheduling/methods/edas.ts', "const { open } = await import('../../store/port.ts');"],
    ['src/scheduling/methods/edas.ts', "type Port = import('../../store/port.ts').Port;"],
    ['src/client/index.ts', "import { z } from 'zod';"],
    ['src/client/index.ts', "import { Job } from '../protocol/schemas/job.ts';"],
    ['src/protocol/codec.ts', "import { z } from 'zod';"],
    ['src/core/job.ts', "import { randomUUID } from 'node:crypto';"],
    ['src/coordinator/loop.ts', "import { open } from '../store/sqlite/open.ts';"],
    ['src/store/memory/store.ts', "import { open } from '../sqlite/open.ts';"],
    ['src/worker/machine/step.ts', "import { run } from '../executor.ts';"],
    ['src/simulator/world.ts', "import { agent } from '../worker/agent.ts';"],
    ['src/coordinator/loop.ts', "import fastify from 'fastify';"],
    ['src/coordinator/loop.ts', "import cors from '@fastify/cors';"],
    ['src/cli/serve.ts', "import { tally } from '../../test/support/tally-reporter.ts';"],
    ['src/core/job.ts', "import { state } from './testing/state.ts';"],
    ['src/core/job.test.ts', "import { open } from '../store/port.ts';"],
  ])('refuses in %s: %s', (path, text) => {
    expect(faults(path, text)).toHaveLength(1);
  });

  test('allows a server the types of the core, not its values', () => {
    expect(faults('src/server/app.ts', "import type { Job } from '../core/job.ts';")).toEqual([]);
    expect(faults('src/server/app.ts', "export type { Job } from '../core/job.ts';")).toEqual([]);
    expect(faults('src/server/app.ts', "import { job } from '../core/job.ts';")).toHaveLength(1);
    // An inline type leaves the import of the module in place.
    const inline = "import { type Job } from '../core/job.ts';";
    expect(faults('src/server/app.ts', inline)).toHaveLength(1);
  });

  test.each([
    ['src/cli/serve.ts', "import { open } from '../store/sqlite/open.ts';"],
    ['src/simulator/actors/device.ts', "import { a } from '../../worker/machine/a.ts';"],
    ['src/worker/machine.ts', "import { a } from '../protocol/codec.ts';"],
    ['src/store/sqlite/open.ts', "import { a } from 'node:sqlite';"],
    ['src/core/job.test.ts', "import { test } from 'vitest';"],
    ['src/core/testing/state.ts', "import { expect } from 'vitest';"],
    ['src/core/job.test.ts', "import { state } from './testing/state.ts';"],
  ])('allows in %s: %s', (path, text) => {
    expect(faults(path, text)).toEqual([]);
  });

  test('refuses a room, or a part of a divided room, that it does not know', () => {
    expect(faults('src/billing/invoice.ts', '')).toHaveLength(1);
    expect(faults('src/store/redis/open.ts', '')).toHaveLength(1);
    expect(faults('src/index.ts', '')).toHaveLength(1);
  });
});

describe('circles of imports', () => {
  const file = (name: string, ...imports: string[]) => ({
    path: `src/core/${name}.ts`,
    text: imports.map((each) => `import ${each};`).join('\n'),
  });
  const paths = (...names: string[]) => names.map((name) => `src/core/${name}.ts`);

  test('are found, with all of their members, and none beside them', () => {
    const files = [
      file('a', "{ b } from './b.ts'", "{ z } from './z.ts'"),
      file('b', "{ c } from './c.ts'"),
      file('c', "{ a } from './a.ts'"),
      file('y', "{ a } from './a.ts'", "{ z } from './z.ts'"),
      file('z'),
    ];
    expect(importCycles(files, false)).toEqual([paths('a', 'b', 'c')]);
  });

  test('of types are told when they are asked for', () => {
    const files = [file('a', "type { B } from './b.ts'"), file('b', "{ a } from './a.ts'")];
    expect(importCycles(files, false)).toEqual([]);
    expect(importCycles(files, true)).toEqual([paths('a', 'b')]);
  });
});

describe('a document that quotes a file', () => {
  const source = [
    'export class Job {',
    '  end(): void {',
    '    this.a = 1;',
    '',
    '    f();',
    '  }',
    '}',
  ];
  const findText = (path: string) => (path === 'src/job.ts' ? source.join('\n') : undefined);
  const faults = (lines: readonly string[], path = 'src/job.ts') => {
    const text = ['A sentence.', '', `\`\`\`ts from ${path}`, ...lines, '```', ''].join('\n');
    return excerptFaults({ path: 'docs/core.md', text }, findText);
  };

  test('may leave lines out, and begin further to the left', () => {
    expect(faults(source)).toEqual([]);
    expect(faults(['end(): void {', '  this.a = 1;', '', '  f();', '}'])).toEqual([]);
    expect(faults(['export class Job {', '…', '    f();', '…', '}'])).toEqual([]);
  });

  test('is refused for the line that the file does not say', () => {
    const fault = (line: string) => [`docs/core.md:3: src/job.ts does not say (any more): ${line}`];
    expect(faults(['end(): void {', '  this.a = 2;'])).toEqual(fault('  this.a = 2;'));
    expect(faults(['this.a = 1;', 'f();'])).toEqual(fault('f();'));
    expect(faults(['end(): void {', 'this.a = 1;'])).toEqual(fault('this.a = 1;'));
    expect(faults(['f();', '…', 'this.a = 1;'])).toEqual(fault('this.a = 1;'));
    expect(faults(['a = 1;'])).toEqual(fault('a = 1;'));
  });

  test('is refused when the file is not there, or nothing is quoted', () => {
    expect(faults(['f();'], 'src/gone.ts')).toEqual([
      'docs/core.md:3: quotes src/gone.ts, which does not exist',
    ]);
    expect(faults(['…'])).toHaveLength(1);
  });
});

describe('the house rules', () => {
  test('refuse names that say nothing or are not in kebab-case', () => {
    for (const path of [
      'src/core/utils.ts',
      'src/core/types.ts',
      'src/helpers/text.ts',
      'src/core/job-manager.ts',
      'src/core/jobState.ts',
      'src/Core/job.ts',
    ]) {
      expect(nameFaults({ path, text: '' }), path).toHaveLength(1);
    }
    expect(nameFaults({ path: 'src/core/job-state.test.ts', text: '' })).toEqual([]);
  });

  test('refuse a file that is too long, warn of one that grows', () => {
    const lines = (count: number) => ({ path: 'src/core/job.ts', text: 'a;\n'.repeat(count) });
    expect(lengthFaults(lines(601))).toHaveLength(1);
    expect(lengthFaults(lines(600))).toEqual([]);
    expect(lengthWarnings(lines(401))).toHaveLength(1);
    expect(lengthWarnings(lines(400))).toEqual([]);
    expect(lengthFaults({ ...lines(800), path: 'src/core/job.test.ts' })).toEqual([]);
    expect(lengthFaults({ ...lines(801), path: 'src/core/job.test.ts' })).toHaveLength(1);
  });

  test('refuse loose ends in comments', () => {
    const faults = (text: string) => commentFaults({ path: 'src/core/job.ts', text });
    expect(faults('// TODO: count them')).toHaveLength(1);
    expect(faults('/* FIXME */')).toHaveLength(1);
    expect(faults('// TODO #12: count them')).toEqual([]);
    expect(faults("const text = '// TODO: not a comment';")).toEqual([]);
    expect(faults('// oxlint-disable-next-line no-console')).toHaveLength(1);
    expect(faults('// oxlint-disable-next-line no-console -- the answer')).toEqual([]);
    expect(faults('// @ts-ignore')).toHaveLength(1);
  });

  test('refuse silenced tests', () => {
    const faults = (text: string) => silencedTestFaults({ path: 'src/core/job.test.ts', text });
    expect(faults("test.only('a', () => {});")).toHaveLength(1);
    expect(faults("describe.skip('a', () => {});")).toHaveLength(1);
    expect(faults("it.concurrent.skip('a', () => {});")).toHaveLength(1);
    expect(faults("test('a', (context) => context.skip('no database here'));")).toEqual([]);
  });

  test('refuse to read the environment outside cli/', () => {
    const faults = (path: string, text: string) => environmentFaults({ path, text });
    expect(faults('src/server/app.ts', 'const port = process.env.PORT;')).toHaveLength(1);
    expect(faults('src/server/app.ts', "const { PORT } = process['env'];")).toHaveLength(1);
    expect(faults('src/server/app.ts', "import { env } from 'node:process';")).toHaveLength(1);
    expect(faults('src/cli/serve.ts', 'const port = process.env.PORT;')).toEqual([]);
  });

  test.each([
    'process.stdout.write(name);',
    "process['stderr'].write(name);",
    'console.log(name);',
    'const { stdout } = process;',
    "spawn(program, { stdio: 'inherit' });",
    "spawn(program, { stdio: ['ignore', 'inherit'] });",
    'const log = pino({}, pino.destination(2));',
    "import { stdout } from 'node:process';",
    "import { WriteStream } from 'node:tty';",
  ])('refuse what speaks past the terminal: %s', (text) => {
    expect(speechFaults({ path: 'src/cli/commands/jobs.ts', text })).toHaveLength(1);
    expect(speechFaults({ path: 'src/server/app.ts', text })).toHaveLength(1);
    expect(speechFaults({ path: 'scripts/build.ts', text })).toEqual([]);
  });

  test('refuse the clock in the pure rooms', () => {
    const faults = (path: string, text: string) => clockFaults({ path, text });
    expect(faults('src/core/job.ts', 'const now = new Date();')).toHaveLength(1);
    expect(faults('src/worker/machine/step.ts', 'const now = Date();')).toHaveLength(1);
    expect(faults('src/core/job.ts', 'const then = new Date(ms);')).toEqual([]);
    expect(faults('src/server/app.ts', 'const now = new Date();')).toEqual([]);
  });

  test('refuse a path of one machine', () => {
    const faults = (text: string) => machinePathFaults({ path: 'README.md', text });
    expect(faults(`cd ${['', 'home', 'ada', 'muster'].join('/')}`)).toHaveLength(1);
    expect(faults(`"${['C:', 'Users', 'ada'].join('\\')}"`)).toHaveLength(1);
    expect(faults('GET /api/home/1 and https://example.org/home/page')).toEqual([]);
  });

  test('refuse to name a file that does not exist', () => {
    const paths = ['src/core/job.ts'];
    const path = 'docs/internals/core.md';
    const text = 'See `job.ts`, `core/job.ts` and [it](../../src/core/job.ts), not `core/task.ts`.';
    const fault = `${path}: names core/task.ts, which does not exist`;
    expect(mentionFaults({ path, text }, paths)).toEqual([fault]);
    const comment = { path: 'src/core/a.ts', text: "// as in queue.ts\nexport const a = 'b.ts';" };
    expect(mentionFaults(comment, paths)).toHaveLength(1);
  });

  test('refuse a link to a file that does not exist', () => {
    const text =
      'See [states](reference/states.md#task), [gone](gone.md) and [web](https://a.org).';
    const isPresent = (path: string) => path === 'docs/reference/states.md';
    expect(linkFaults({ path: 'docs/index.md', text }, isPresent)).toEqual([
      'docs/index.md: links to docs/gone.md, which does not exist',
    ]);
  });
});
