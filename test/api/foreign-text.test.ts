// Every command that shows what others have written, on a terminal: nothing of it hides, reorders or
// forges what a person reads. And into a pipe goes JSON as the coordinator sent it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/command-failure.ts';
import { createCommandTree } from '../../src/cli/command-tree.ts';
import type { Context } from '../../src/cli/context.ts';
import { createTerminal } from '../../src/cli/text/terminal.ts';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

/** Sequences that could control a terminal, used as a name, a label, a message and a result. */
const nasty =
  'nasty\u001b[8m\u001b[31m\u001b[2J\u001b]0;t\u0007\u009b2J\u0085\u202e\u2066\u200b\u061c' +
  '\u{e0041}\u2028\ufeff\nFORGED\r\u0000\b\u007f';
const shownStart = 'nasty\\u001b[8m\\u001b[31m';
// oxlint-disable-next-line no-control-regex -- because these must not be there
const dangers = /[\u0000-\u0009\u000b-\u001f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u007f-\u009f]/u;

let live: LiveServer;
let folder: string;
let done: string;
let failed: string;
let waiting: string;
let worker: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-foreign-'));
  writeFileSync(join(folder, 'program.js'), 'export default (n) => n;\n');
  const noisy = `export default () => { console.log(${JSON.stringify(nasty)}); throw new Error(${JSON.stringify(nasty)}); };\n`;
  writeFileSync(join(folder, 'noisy.js'), noisy);
  live = await startLiveServer();
  const device = { name: nasty, labels: { room: 'a' } };
  const scripted = await live.worker(
    ({ input }) => (input === 'fail' ? { error: nasty } : { value: { [nasty]: [nasty] } }),
    device,
  );
  worker = scripted.id;
  const more = { name: nasty, client_id: nasty, requirements: { labels: { room: 'a' } } };
  done = await live.submit([nasty], more);
  failed = await live.submit(['fail'], { ...more, on_task_failure: 'fail_job', max_attempts: 1 });
  waiting = await live.submit([1], { ...more, requirements: { labels: { [nasty]: nasty } } });
  for (const [id, status] of [
    [done, 'completed'],
    [failed, 'failed'],
  ] as const) {
    await eventually(
      () => live.call('GET', `/api/jobs/${id}`),
      ({ body }) => body.status === status,
    );
  }
});
afterAll(async () => {
  await live.close();
  rmSync(folder, { recursive: true });
});

interface Shown {
  readonly title: string;
  readonly args: () => readonly string[];
  /** True when the command shows text that others have written. */
  readonly isForeign: boolean;
}

const foreign = (...args: (string | (() => string))[]): Shown => showing(true, args);
const own = (...args: (string | (() => string))[]): Shown => showing(false, args);

/** The order matters: the last commands remove what the first ones have shown. */
const shown: Readonly<Record<string, readonly Shown[]>> = {
  jobs: [foreign('jobs'), foreign('jobs', '--json')],
  job: [
    foreign('job', () => done),
    foreign('job', () => done, '--json', '--tasks'),
    foreign('job', () => failed, '--tasks'),
  ],
  results: [
    foreign('results', () => done),
    foreign('results', () => done, '--json'),
    foreign('results', () => failed),
    foreign('results', () => failed, '--failed'),
    foreign('results', () => failed, '--follow'),
  ],
  wait: [foreign('wait', () => failed), foreign('wait', () => done, '--json'), own('wait', nasty)],
  explain: [
    foreign('explain', () => done, '0'),
    foreign('explain', () => failed, '0'),
    foreign('explain', () => waiting, '0'),
    foreign('explain', () => failed, '0', '--json'),
  ],
  tasks: [
    foreign('tasks', () => failed),
    foreign('tasks', () => failed, '--failed', '--json'),
    own('tasks', nasty),
  ],
  errors: [
    foreign('errors', () => failed),
    foreign('errors', () => failed, '--json'),
    own('errors', nasty),
  ],
  task: [
    foreign('task', () => failed, '0'),
    foreign('task', () => failed, '0', '--json'),
    own('task', nasty, '0'),
  ],
  try: [foreign('try', 'noisy.js', '--input', '1'), own('try', nasty, '--input', '1')],
  backup: [own('backup', 'copy.db', '--data-dir', nasty)],
  restore: [own('restore', nasty)],
  'migrate-store': [
    own('migrate-store', nasty, 'sqlite:target.db'),
    own('migrate-store', `sqlite:${nasty}`, 'sqlite:target.db'),
    own('migrate-store', `sqlite:${nasty}`, `postgres://${nasty}@127.0.0.1:9/muster`),
  ],
  workers: [
    foreign('workers'),
    foreign('workers', '--json'),
    foreign('workers', () => worker),
    own('workers', nasty),
  ],
  export: [
    foreign('export'),
    foreign('export', '--format', 'ndjson'),
    own('export', '--job', nasty),
    own('export', '--out', nasty),
  ],
  metrics: [foreign('metrics'), own('metrics', '--json')],
  'scheduler info': [foreign('scheduler', 'info'), own('scheduler', 'info', '--json')],
  'scheduler preview': [foreign('scheduler', 'preview'), own('scheduler', 'preview', '--json')],
  'scheduler criteria': [own('scheduler', 'criteria'), own('scheduler', 'criteria', '--json')],
  'scheduler history': [own('scheduler', 'history'), own('scheduler', 'history', '--json')],
  'scheduler show': [own('scheduler', 'show')],
  'scheduler set': [own('scheduler', 'set', '--weights', 'cpu=1')],
  'scheduler activate': [own('scheduler', 'activate', 'fifo')],
  join: [own('join'), own('join', '--label', nasty)],
  'token create': [own('token', 'create', '--kind', 'client', '--label', nasty)],
  'token quota': [own('token', 'quota', nasty, 'streams=3')],
  'token list': [
    own('token', 'list'),
    own('token', 'list', '--workers'),
    own('token', 'list', '--json'),
  ],
  'token revoke': [own('token', 'revoke', nasty)],
  audit: [own('audit'), own('audit', '--json'), own('audit', '--owner', nasty)],
  completion: [own('completion', 'bash')],
  compare: [
    own('compare', nasty),
    own('compare', 'few-tasks', '--algorithms', nasty),
    own('compare', 'few-tasks', '--out', nasty),
    own('compare', 'few-tasks', '--algorithms', 'fifo', '--seeds', '1', '--json'),
  ],
  tune: [own('tune', nasty), own('tune', 'few-tasks', '--measure', nasty)],
  simulate: [
    own('simulate'),
    own('simulate', '--json'),
    own('simulate', nasty),
    own('simulate', 'few-tasks', '--algorithm', nasty),
    own('simulate', 'few-tasks', '--scheduler', nasty),
  ],
  quota: [own('quota'), own('quota', '--json')],
  cluster: [own('cluster'), own('cluster', '--json')],
  stats: [own('stats'), own('stats', '--json')],
  doctor: [own('doctor')],
  events: [own('events', '--count', '1', '--types', nasty)],
  submit: [
    foreign('submit', 'program.js', '--range', '0:1', '--name', nasty, '--json'),
    own('submit', nasty, '--range', '0:1'),
    own('submit', 'program.js', '--inputs', nasty),
  ],
  drain: [foreign('drain', () => worker, '--json'), own('drain', nasty)],
  resume: [foreign('resume', () => worker, '--json'), own('resume', nasty)],
  approve: [foreign('approve', () => worker, '--json'), own('approve', nasty)],
  refuse: [own('refuse', () => worker), own('refuse', nasty)],
  rename: [own('rename', nasty, 'x'), own('rename', () => worker, 'nasty')],
  hold: [foreign('hold', () => waiting, '--json'), own('hold', nasty)],
  release: [foreign('release', () => waiting, '--json'), own('release', nasty)],
  cancel: [foreign('cancel', () => waiting, '--json'), own('cancel', nasty)],
  retry: [foreign('retry', () => failed, '--json'), own('retry', nasty)],
  delete: [own('delete', () => done), own('delete', nasty)],
  deregister: [own('deregister', () => worker), own('deregister', nasty)],
};

/** They go on until they are stopped; their words go the same way (see the tests of the terminal). */
const lasting = ['start', 'serve', 'worker', 'bench'];

describe('on a terminal nothing hides, reorders or forges:', () => {
  const all = Object.values(shown).flat();
  test.each(all)('$title', async ({ args, isForeign }) => {
    const { stdout, stderr } = await run(args(), true);
    const said = stdout + stderr;
    expect(said).not.toBe('');
    expect(said).not.toMatch(dangers);
    expect(said).not.toMatch(/^\s*FORGED/m);
    if (isForeign) expect(said).toContain(shownStart);
    if (args().includes('--json')) expect(() => JSON.parse(stdout) as unknown).not.toThrow();
  });

  test('an event', async () => {
    const end = run(['events', '--types', 'worker_registered', '--count', '1'], true);
    // Until the stream is open, nobody hears of them.
    while ((await Promise.race([end, Promise.resolve(undefined)])) === undefined) {
      await live.worker(() => undefined, { name: nasty });
    }
    const { stdout } = await end;
    expect(stdout).toContain(shownStart);
    expect(stdout).not.toMatch(dangers);
    expect(stdout).not.toMatch(/^\s*FORGED/m);
  });

  test('every command is in the table', () => {
    const tree = createCommandTree(contextOf([], [], false));
    const names = tree.commands.flatMap((command) => leavesOf(command, ''));
    expect(names.toSorted()).toEqual([...Object.keys(shown), ...lasting].toSorted());
  });

  test('a command that there is not', async () => {
    const { stderr } = await run([nasty], true);
    expect(stderr).toContain(shownStart);
    expect(stderr).not.toMatch(dangers);
  });
});

test('into a pipe goes JSON as the coordinator sent it', async () => {
  const id = await live.submit([1], { name: nasty, requirements: { labels: { none: 'x' } } });
  const { stdout } = await run(['job', id, '--json'], false);
  expect(stdout).toContain('\u009b2J\u0085\u202e\u2066\u200b\u061c\u{e0041}\u2028\ufeff');
});

function showing(isForeign: boolean, args: readonly (string | (() => string))[]): Shown {
  return {
    isForeign,
    title: args
      .map((each) => (each === nasty ? 'NASTY' : String(each).replace(/^.*=> /, '')))
      .join(' '),
    args: () => args.map((each) => (typeof each === 'string' ? each : each())),
  };
}

function leavesOf(command: Command, above: string): string[] {
  const path = `${above}${command.name()}`;
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((each) => leavesOf(each, `${path} `));
}

/** Commands that work on this machine alone. */
const asksNobody = new Set(['compare', 'simulate', 'tune', 'backup', 'restore', 'try']);

async function run(args: readonly string[], isTTY: boolean) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const context = contextOf(stdout, stderr, isTTY);
  const address = asksNobody.has(args[0] ?? '') ? [] : ['--url', live.url];
  try {
    await createCommandTree(context).parseAsync([...args, ...address], { from: 'user' });
  } catch (error) {
    // As `main.ts` tells it; what the parser of the arguments refuses, it has said already.
    const { lines } = explain(error);
    const isTold = (error as Error).name === 'CommanderError';
    for (const line of isTold ? [] : lines) context.terminal.note(line);
  }
  // The line at the bottom is taken away and written anew: a stroke of ours begins with it.
  const strokes = stderr.map((text) => (text === '\r\u001b[2K' ? '' : text.replace(/^\r/, '')));
  return { stdout: stdout.join(''), stderr: strokes.join('') };
}

function contextOf(stdout: string[], stderr: string[], isTTY: boolean): Context {
  const sink = (lines: string[]) => ({
    isTTY,
    columns: 100,
    write: (text: string) => lines.push(text) > 0,
    once: () => undefined,
  });
  return {
    terminal: createTerminal(sink(stdout), sink(stderr), { NO_COLOR: '1' }),
    folder,
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  };
}
