// The lab from a terminal, when what it is given does what it may not: a sentence and the exit code, never a stack, never
// a wait without end.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endOf, runCli, startCli } from '../support/cli-process.ts';

let folder: string;

const scenario = {
  scenario: 'small',
  devices: [{ class: 'pc', count: 2 }],
  jobs: [{ job: 'a', tasks: 4, work_seconds: 1 }],
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-lab-'));
  writeFileSync(join(folder, 'small.json'), JSON.stringify(scenario));
  mkdirSync(join(folder, 'folder'));
  mkdirSync(join(folder, 'folder.json'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const score = (body: string) =>
  `import { byScore } from 'muster/scheduling'; export default byScore(() => { ${body} });`;

test.each([
  ['process.exit(0)', 'has ended the program (process.exit)'],
  ['await new Promise(() => {})', 'waits for something that never comes'],
  ['throw null', 'cannot be loaded: null'],
  [
    `${score('return 1')} Promise.reject(new Error('alone'))`,
    'has failed where nobody waits for it: alone',
  ],
  [score('process.exit(0)'), 'has ended the program (process.exit)'],
  [score(`throw new Error('lost')`), 'mine.mjs has failed in begin: lost (line 1)'],
])(
  'a scheduler of `%s` is told, and nothing is printed as if it had been played',
  async (source, sentence) => {
    writeFileSync(join(folder, 'mine.mjs'), source);
    const end = await runCli(['simulate', 'small.json', '--scheduler', 'mine.mjs'], { folder });
    expect(end).toMatchObject({ code: 2, stdout: '' });
    expect(end.stderr).toContain(`muster: The scheduler `);
    expect(end.stderr).toContain(sentence);
    expect(end.stderr.trim().split('\n')).toHaveLength(1);
  },
);

test.each([
  [['compare', 'small.json', '--out', 'nowhere/a.html'], 'its folder does not exist'],
  [['compare', 'small.json', '--out', 'a.html', '--out', 'folder.json'], 'is a folder'],
  [['simulate', 'small.json', '--attempts', 'folder'], '"folder" is a folder'],
])('%j: where nothing can be written is told', async (args, why) => {
  const end = await runCli(args, { folder });
  expect(end).toMatchObject({ code: 2, stdout: '' });
  expect(end.stderr).toMatch(/^muster: ".*" /);
  expect(end.stderr).toContain(why);
});

test('what cannot be tuned is told: a trace, and a scenario in which nothing can be measured', async () => {
  const trace = await runCli(['tune', 'night.ndjson'], { folder });
  expect(trace).toMatchObject({ code: 2, stdout: '' });
  expect(trace.stderr).toMatch(/^muster: "night\.ndjson" is a trace: /);
  const dead = { class: 'pc', count: 1, battery: { level_percent: 0 } };
  const [name, text] = ['dead.json', JSON.stringify({ ...scenario, devices: [dead] })];
  writeFileSync(join(folder, name), text);
  const few = ['--candidates', '2', '--search-seeds', '1', '--held-out-seeds', '2'];
  const { code, stdout } = await runCli(['tune', name, ...few, '--threads', '1'], { folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Nothing can be judged by makespan: no run of small has any\./);
});

test('a recording without a name of its file is not begun', async () => {
  const environment = { MUSTER_RECORD: '' };
  const end = await runCli(['serve', '--port', '0'], { folder, environment });
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('The name of the file for --record (MUSTER_RECORD) is empty.');
});

/** Takes nothing, as a full disk; only Linux has it. */
const fullDevice = '/dev/full';
const untried = existsSync(fullDevice) ? '' : ` (untried: there is no ${fullDevice})`;

test.runIf(untried === '')(`a file that takes no more is told${untried}`, async () => {
  const end = await runCli(['simulate', 'small.json', '--attempts', fullDevice], { folder });
  expect(end).toEqual({
    code: 2,
    stdout: '',
    stderr: 'muster: "/dev/full" cannot be written: the disk is full.\n',
  });
});

test.runIf(untried === '')(
  `an output that takes no more ends the command with a sentence${untried}`,
  () => {
    const full = openSync(fullDevice, 'w');
    const end = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts'), 'simulate', 'small.json'],
      { cwd: folder, stdio: ['ignore', full, 'pipe'], encoding: 'utf8' },
    );
    expect(end.status).toBe(2);
    expect(end.stderr).toBe('muster: the output cannot be written: the disk is full.\n');
  },
);

test('a comparison that is ended before one seed is done writes nothing', async () => {
  writeFileSync(join(folder, 'begun.mjs'), score(`console.error('begun'); for (;;);`));
  const args = ['compare', 'small.json', '--algorithms', 'fifo', '--scheduler', 'begun.mjs'];
  const child = startCli([...args, '--out', 'none.json', '--threads', '2'], { folder });
  const ended = endOf(child);
  // Nobody knows when its threads play: it listens from before they are started.
  child.stderr!.once('data', () => child.kill('SIGINT'));
  const end = await ended;
  expect(end.code).toBe(130);
  expect(end.stderr).toContain('there is nothing to compare. "none.json": not written.');
  expect(existsSync(join(folder, 'none.json'))).toBe(false);
});
