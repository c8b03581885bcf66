// The commands that tell what happens and why, and those that change who gets what.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { cliCoordinator } from '../support/cli-coordinator.ts';
import { runCli, startCli } from '../support/cli-process.ts';

const PICKY = `export default (n) => {
  if (n === 1) throw new Error('I do not like ' + n);
  return { n };
};\n`;

const coordinator = cliCoordinator({ 'picky.js': PICKY }, ['--limit', 'result_bytes=2000']);
const { folder, muster } = coordinator;

async function submit(...args: readonly string[]): Promise<string> {
  return (await muster('submit', 'picky.js', ...args)).stdout.trim();
}

const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await muster(...args, '--json')).stdout);

/** Without the lines that name a worker by its id as well: the machine may have a long name. */
function tooWide(text: string): string[] {
  return text.split('\n').filter((line) => line.length > 80 && !line.includes(' given to '));
}

describe('explain', () => {
  let job: string;

  beforeAll(async () => {
    const range = ['--range', '0:2', '--max-attempts', '2', '--retry-delay', '0'];
    job = await submit(...range, '--out', 'out.ndjson');
  });

  test('tells the attempts, errors and end of a task that failed', async () => {
    const { code, stdout } = await muster('explain', job, '1');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^task 1 of job \S+ \(picky\): failed\n/);
    expect(stdout).toMatch(
      /attempt 1 given to \S+ \(\S+\)\n.*failed after \d+ ms: Error: I do not/,
    );
    expect(stdout).toMatch(/attempt 2 given to /);
    expect(stdout).toContain(`muster retry ${job}\n(runs the program that was submitted; `);
  });

  test('shows the decision that placed it, with its table, in 80 columns without colours', async () => {
    const { stdout } = await muster('explain', job, '1');
    expect(stdout).toMatch(
      /\ndecided +[\d:.]+ by fifo, for attempt 2\nselected +\S+\nbecause +first/,
    );
    expect(stdout).toMatch(/\nRANK +WORKER +SCORE\n +1 .* selected\n/);
    expect(tooWide(stdout)).toEqual([]);
    expect(stdout).not.toContain('\u001b');
    const first = await muster('explain', job, '1', '--attempt', '1');
    expect(first.stdout).toContain('by fifo, for attempt 1');
    expect((await muster('explain', job, '1', '--attempt', '0')).code).toBe(2);
  });

  test('takes the id of the task as well, and shows its result', async () => {
    expect((await muster('explain', `${job}.0`)).stdout).toMatch(/\nresult: \{"n":0\}\n$/);
    expect(await json('explain', `${job}.0`)).toMatchObject({
      index: 0,
      status: 'completed',
      waiting: null,
      decision: { algorithm: 'fifo', attempt: 1, worker_count: 1 },
    });
  });

  test('says what a task waits for', async () => {
    const waiting = await submit('--range', '0:1', '--require-label', 'gpu=yes');
    const { stdout } = await muster('explain', waiting, '0');
    expect(stdout).toMatch(
      /\nThe one worker, \S+, cannot take it: label gpu is not set, asked for yes\./,
    );
    expect(stdout).toMatch(/\nWORKER +WHY IT DOES NOT RUN THERE\n\S+ +label gpu is not set/);
    expect((await muster('cancel', waiting)).code).toBe(0);
    expect((await muster('explain', waiting, '0')).stdout).toContain(
      'Cancelled with its job before it was given to a worker.',
    );
  });

  test('answers a mistake with a sentence', async () => {
    expect(await muster('explain', job)).toMatchObject({ code: 2, stdout: '' });
    const beyond = await muster('explain', job, '7');
    expect(beyond).toMatchObject({ code: 4, stdout: '' });
    expect(beyond.stderr).toContain('no task with the index "7"');
    expect((await muster('explain', `${job}x`, '0')).stderr).toContain(`Did you mean "${job}"?`);
  });
});

describe('submit', () => {
  test('asks for what workers must have', async () => {
    const job = await submit('--range', '0:1', '--require-type', 'pc,browser', '--min-ram-mb', '1');
    expect((await muster('results', job, '--follow')).code).toBe(0);
    const { code, stderr } = await muster(
      'submit',
      'picky.js',
      '--range',
      '0:1',
      '--min-ram-mb',
      'x',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('"x" is not a number of MB');
  });

  test('with a key that was used before is the same job', async () => {
    const args = ['--range', '5:1', '--idempotency-key', 'once'];
    const first = await submit(...args);
    expect(await submit(...args)).toBe(first);
    const other = await muster('submit', 'picky.js', ...args, '--name', 'another');
    expect(other).toMatchObject({ code: 4, stdout: '' });
    expect(other.stderr).toContain('The key "once" came with another body');
  });
});

describe('scheduler', () => {
  test('shows, activates and weighs', async () => {
    const shown = await muster('scheduler');
    expect(shown.stdout).toMatch(/^algorithm {2}fifo\n/);
    expect(shown.stderr).toContain('fifo does not read the weights');
    expect((await muster('scheduler', 'activate', 'edas')).stdout).toMatch(/^algorithm {2}edas\n/);
    const set = await muster('scheduler', 'set', '--weights', 'cpu=.4,latency=0');
    expect(set.stdout).toMatch(/\ncpu +0\.4 +0\.4\n/);
    expect(await json('scheduler', 'set', '--weighting', 'entropy')).toMatchObject({
      weighting: 'entropy',
      weights: { cpu: 0.4, latency: 0 },
    });
  });

  test.each([
    [['activate', 'edsa'], 'Did you mean "edas"?'],
    [['set'], 'Nothing to set.'],
    [['set', '--weights', 'cup=1'], 'Did you mean "cpu"?'],
    [['set', '--weights', 'cpu=-1'], '"cpu=-1" is not a weight'],
    [['edas'], 'muster scheduler activate edas'],
    [['nonsense'], 'There are: show, activate, set, info, criteria, history, preview.'],
  ])('answers %j with a sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await muster('scheduler', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  test('info ranks the workers and names the last decision', async () => {
    await submit('--range', '0:1', '--out', 'one.ndjson');
    const { code, stdout } = await muster('scheduler', 'info');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nlast decision {2}\S+\.0 → /);
    expect(stdout).toMatch(/\nRANK +WORKER +SCORE/);
    expect(await json('scheduler', 'info')).toMatchObject({ workers: [{ rank: 1 }] });
  });
});

describe('scheduler preview', () => {
  test('ranks under another algorithm and places tasks, and changes nothing', async () => {
    const before = await json('scheduler');
    const args = ['--algorithm', 'mabac', '--weights', 'cpu=1,battery=.5', '--tasks', '3'];
    const { code, stdout, stderr } = await muster('scheduler', 'preview', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^algorithm {2}mabac\nweighting {2}manual\nnext task {2}to \S+\nbecause /,
    );
    expect(stdout).toMatch(/\nRANK +WORKER +SCORE +CPU +BATTERY/);
    expect(stdout).toMatch(
      /\nWORKER +TASKS +SHARE\n\S+ +1 +100 %\n2 tasks would find no free slot\n$/,
    );
    expect(tooWide(stdout)).toEqual([]);
    expect(await json('scheduler', 'preview', ...args)).toMatchObject({ unplaced: 2 });
    expect(await json('scheduler')).toEqual(before);
  });

  test('minds what workers must have', async () => {
    const { stdout } = await muster('scheduler', 'preview', '--require-label', 'gpu=yes');
    expect(stdout).toMatch(/\nnext task +to nobody\nbecause +no worker is eligible\n/);
  });

  test.each([
    [['--tasks', '0'], '"0" is not a number of tasks'],
    [['--algorithm', 'edsa'], 'Did you mean "edas"?'],
    [['--weights', 'cup=1'], 'Did you mean "cpu"?'],
  ])('answers %j with a sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await muster('scheduler', 'preview', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});

test('scheduler criteria tells the nine in 80 columns', async () => {
  const { code, stdout } = await muster('scheduler', 'criteria');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^cpu +CPU availability, %, more is better\n/);
  expect(stdout.split('\n\n')).toHaveLength(9);
  expect(tooWide(stdout)).toEqual([]);
  expect(await json('scheduler', 'criteria')).toHaveLength(9);
});

test('scheduler history tells what was in force, with the weights that changed', async () => {
  const before = (await json('scheduler', 'history')) as object[];
  await muster('scheduler', 'set', '--weights', 'cpu=0.41');
  await muster('scheduler', 'activate', 'wrr');
  const { code, stdout } = await muster('scheduler', 'history', '--last', '2');
  expect(code).toBe(0);
  expect(stdout).toMatch(/\n.* wrr .* as before\n.* cpu=0.41\n$/);
  expect(tooWide(stdout)).toEqual([]);
  expect(await json('scheduler', 'history')).toHaveLength(before.length + 2);
});

describe('what happens', () => {
  test('is told a line each, until so many have come', async () => {
    const args = ['events', '--types', 'job_submitted,job_finished', '--count', '2', '--json'];
    const child = startCli(args, { folder, environment: { MUSTER_URL: coordinator.url } });
    const lines = createInterface({ input: child.stdout! });
    const told: { type: string; job_id: string }[] = [];
    lines.on('line', (line) => told.push(JSON.parse(line) as (typeof told)[number]));
    const ended = once(child, 'exit');
    // It says nothing when it listens: submit until it has heard of one.
    while (told.length === 0) await submit('--range', '0:1', '--out', 'one.ndjson');
    expect(await ended).toEqual([0, null]);
    expect(told).toHaveLength(2);
    expect(told[0]?.type).toMatch(/^job_/);
  });

  test('of a job that nobody knows is refused with the nearest', async () => {
    const [job] = (await json('jobs', '--limit', '1')) as { id: string }[];
    const { code, stderr } = await muster('events', '--job', `${job?.id}x`);
    expect(code).toBe(4);
    expect(stderr).toContain(`Did you mean "${job?.id}"?`);
  });

  test('of types that there are not is refused once', async () => {
    const { code, stderr } = await muster('events', '--types', 'nonsense');
    expect(code).toBe(4);
    expect(stderr.match(/job_submitted/g)).toHaveLength(1);
  });
});

describe('figures', () => {
  test('are counters, and how well the work went', async () => {
    expect((await muster('stats')).stdout).toMatch(/^workers +1 online of 1\n/);
    const metrics = await muster('metrics');
    expect(metrics).toMatchObject({ code: 0, stderr: '' });
    expect(metrics.stdout).toMatch(/\nthroughput +[\d.]+/);
    expect(metrics.stdout).not.toContain('NaN');
    expect(await json('metrics')).toMatchObject({ worker_performance: [{ type: 'pc' }] });
    const unknown = await muster('metrics', '--job', 'x');
    expect(unknown.code).toBe(4);
  });

  test('of a measurement leave no job behind', async () => {
    const before = (await json('jobs')) as unknown[];
    const figures = await json('bench', '--tasks', '300', '--round-trips', '3');
    expect(figures).toMatchObject({ tasks: 300, round_trips: 3, workers: 1 });
    expect(await json('jobs')).toEqual(before);
    expect((await muster('bench', '--tasks', '0')).code).toBe(2);
  });
});

test('delete removes a job that has ended, and no other', async () => {
  const job = await submit('--range', '0:1', '--out', 'one.ndjson');
  expect((await muster('delete', job)).stderr).toContain('is removed');
  expect((await muster('job', job)).code).toBe(4);
  const waiting = await submit('--range', '0:1', '--require-label', 'gpu=yes');
  expect((await muster('delete', waiting)).code).toBe(4);
  expect((await muster('cancel', waiting)).code).toBe(0);
});

test('a limit of the interface is what serve was told', async () => {
  const limits = (await (await fetch(`${coordinator.url}/api/limits`)).json()) as object;
  expect(limits).toMatchObject({ result_bytes: 2000, body_bytes: 8_388_608 });
  const { code, stderr } = await muster('serve', '--limit', 'result_byte=1');
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "result_bytes"?');
});

describe('doctor', () => {
  const checksOf = (stdout: string) =>
    (JSON.parse(stdout) as { check: string }[]).map(({ check }) => check);
  test('finds everything in order where a coordinator runs', async () => {
    const { code, stdout } = await muster('doctor', '--json');
    const findings = JSON.parse(stdout) as { check: string; status: string; finding: string }[];
    const problems = findings.filter(({ status }) => status === 'problem');
    expect({ code, problems }).toEqual({ code: 0, problems: [] });
    const found = Object.fromEntries(findings.map(({ check, finding }) => [check, finding]));
    expect(found['sandbox']).toContain('ran a task');
    expect(found['store']).toContain('is in use by a coordinator');
    expect(found['coordinator']).toContain('answers at');
  });

  test('names what is wrong, says what to do, and ends with 1', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
    writeFileSync(join(own, 'notes.db'), 'my notes');
    const args = ['doctor', '--store', 'sqlite:notes.db', '--host', '203.0.113.7', '--port', '0'];
    const { code, stdout, stderr } = await runCli(args, {
      folder: own,
      environment: { MUSTER_URL: coordinator.url },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/problem +store +\S*notes\.db .*\n +→ Restore a backup/);
    expect(stdout).toMatch(/problem +port +cannot listen on 0 on 203\.0\.113\.7/);
    expect(stderr).toContain('2 problems');
    rmSync(own, { recursive: true });
  });

  test('looks deep into a database that is named, and at nothing else', async () => {
    const own = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
    const copy = (name: string) => ['doctor', '--deep', '--json', '--store', `sqlite:${name}`];
    const options = { folder: own, environment: { MUSTER_URL: coordinator.url } };
    await openSqliteStore(join(own, 'copy.db')).close();
    const { code, stdout } = await runCli(copy('copy.db'), options);
    expect(code).toBe(0);
    expect(checksOf(stdout)).toEqual(['store', 'store structure', 'store values']);

    const missing = await runCli(copy('none.db'), options);
    expect(missing.code).toBe(1);
    expect(checksOf(missing.stdout)).toEqual(['store']);
    rmSync(own, { recursive: true });
  });
});

test('deregister removes a worker for good', async () => {
  const [worker] = (await json('workers')) as { id: string }[];
  const { code, stderr } = await muster('deregister', worker?.id ?? '');
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is removed'),
  });
  expect(await json('workers')).toEqual([]);
  const bench = await muster('bench');
  expect(bench).toMatchObject({ code: 4, stdout: '' });
  expect(bench.stderr).toContain('No worker is online');
});
