// Comparisons, from scenarios to verdicts.

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { compare, type CompareOptions } from '../../../src/lab/compare/compare.ts';
import type { Comparison } from '../../../src/lab/compare/comparison.ts';
import { namedContenders } from '../../../src/lab/compare/named-contenders.ts';
import { readScenario } from '../../../src/lab/scenario/read-scenario.ts';
import type { Scenario } from '../../../src/lab/scenario/scenario.ts';

const seeds = [1, 2, 3, 4, 5, 6];

/** As the shipped one, in a fifth of the time: fewer tasks than workers, again and again. */
const fewTasks = fewerArrivals(readScenario('few-tasks', '.'), 8);

function fewerArrivals(scenario: Scenario, count: number): Scenario {
  const jobs = scenario.jobs.map((job) => ({ ...job, arrivals: { every_seconds: 60, count } }));
  return { ...scenario, jobs };
}

interface More extends Partial<CompareOptions> {
  readonly files?: readonly string[];
}

/** On one thread: to begin one takes longer than most of these runs. */
async function comparisonOf(scenario: Scenario, algorithms: string, more: More = {}) {
  const { files = [], ...rest } = more;
  return compare({
    rounds: [{ scenario, seeds }],
    contenders: await namedContenders(algorithms, files, '.'),
    version: 'test',
    threads: 1,
    ...rest,
  });
}

describe('compare', () => {
  let plain: Comparison;

  beforeAll(async () => {
    plain = await comparisonOf(fewTasks, 'edas,fifo');
  });

  test('on one thread and on several comes the same, byte for byte', async () => {
    const several = await comparisonOf(fewTasks, 'edas,fifo', { threads: 3 });
    expect(JSON.stringify(several)).toBe(JSON.stringify(plain));
  });

  test('where every decision has a choice, the better algorithm is found and the other told worse', async () => {
    const { scenarios } = await comparisonOf(fewTasks, 'performance,round_robin');
    const [found] = scenarios;
    expect(found!.is_shipped).toBe(false);
    expect(found!.deciding_measure).toBe('job_turnaround_seconds_mean');
    const { best, contenders } = found!.measures.job_turnaround_seconds_mean;
    expect(best).toBe('performance');
    expect(contenders[1]!.against_best!.is_different).toBe(true);
    expect(contenders[1]!.against_best!.wins).toBe(0);
    expect(found!.choice.contested_share).toBeGreaterThan(0.95);
    expect(found!.verdict.join(' ')).toMatch(/performance is best.*round_robin by \d+ %/);
  });

  test('algorithms that decide the same are not told different', async () => {
    const scenario = readScenario('homogeneous-pcs', '.');
    const rounds = [{ scenario, seeds: [1, 2, 3] }];
    const { scenarios } = await comparisonOf(scenario, 'least_loaded,priority', { rounds });
    const { is_shipped, measures, verdict } = scenarios[0]!;
    expect(is_shipped).toBe(true);
    expect(measures.makespan_seconds.not_worse_than_best).toEqual(['least_loaded', 'priority']);
    expect(verdict[0]).toMatch(/no difference .* can be told at 95 %/);
  });

  test('decision times are told beside what repeats, and change nothing of it', async () => {
    const how = { wantsDecisionTimes: true };
    const { scenarios, ...rest } = await comparisonOf(fewTasks, 'edas,fifo', how);
    const [{ decision_times: times, ...found }] = scenarios as [(typeof scenarios)[0]];
    expect(JSON.stringify({ ...rest, scenarios: [found] })).toBe(JSON.stringify(plain));
    expect(times!.map(({ contender }) => contender)).toEqual(['edas', 'fifo']);
    for (const time of times!) {
      const own = found.runs.filter(({ contender }) => contender === time.contender);
      expect(time.decisions).toBe(own.reduce((sum, run) => sum + run.measures.decisions, 0));
      expect(time.p50_microseconds).toBeGreaterThan(0);
      expect(time.p95_microseconds).toBeGreaterThanOrEqual(time.p50_microseconds!);
      const parts = time.by_candidates.map(({ decisions }) => decisions);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(time.decisions);
    }
  });

  test('one that is interrupted compares the seeds that are done', async () => {
    const interruption = new AbortController();
    const { scenarios } = await comparisonOf(fewTasks, 'fifo,edas', {
      signal: interruption.signal,
      onDone: (done) => {
        if (done === 5) interruption.abort();
      },
    });
    const [found] = scenarios;
    expect(found!.seeds).toEqual([1, 2]);
    expect(found!.missing).toBe(8);
    expect(found!.runs).toHaveLength(4);
  });

  test('a scheduler of one’s own takes part under the name of its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-scheduler-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'slowest.ts');
    // Far from the package, it finds what schedulers are made with.
    writeFileSync(
      file,
      `import { byScore } from 'muster/scheduling';
       export default byScore(({ observed }) => observed.networkLatencyMs ?? 0);`,
    );
    const { scenarios, contenders } = await comparisonOf(fewTasks, 'fifo', { files: [file] });
    expect(contenders).toEqual([
      { name: 'fifo', algorithm: 'fifo' },
      {
        name: 'slowest',
        file: 'slowest.ts',
        sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
      },
    ]);
    const [found] = scenarios;
    expect(found!.contenders).toEqual(['fifo', 'slowest']);
    const [one, other] = found!.measures.job_turnaround_seconds_mean.contenders;
    // It takes those that are far away, and they are the slow ones.
    expect(other!.mean).toBeGreaterThan(one!.mean!);
  });

  test('a scheduler that cannot be loaded is told before anything is played', async () => {
    await expect(namedContenders('fifo', ['nowhere.ts'], '/tmp')).rejects.toThrow(
      /The scheduler .*nowhere\.ts cannot be loaded/,
    );
    await expect(namedContenders('fifo,fifo', [], '.')).rejects.toThrow('Two contenders');
    await expect(namedContenders('fastest', [], '.')).rejects.toThrow('no algorithm "fastest"');
  });

  test.each([
    ['throws', `() => { throw new Error('lost') }`, 'has failed in begin: lost (line 3)'],
    ['throws nothing', `() => { throw undefined }`, 'has failed in begin: undefined'],
    ['ends the program', `() => process.exit(0)`, 'has ended the program (process.exit)'],
    [
      'fails where nobody can catch it',
      `() => { queueMicrotask(() => { throw new Error('too late') }); return 1 }`,
      'too late',
    ],
  ])(
    'a scheduler that %s in its thread ends the comparison with a sentence',
    async (_, score, sentence) => {
      const folder = mkdtempSync(join(tmpdir(), 'muster-scheduler-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'bad.ts');
      writeFileSync(
        file,
        `import { byScore } from 'muster/scheduling';

       export default byScore(${score});`,
      );
      const comparing = comparisonOf(readScenario('six-phones', '.'), 'fifo', {
        files: [file],
        threads: 2,
      });
      await expect(comparing).rejects.toMatchObject({
        name: 'CellFault',
        message: expect.stringMatching(/^six-phones, seed \d+, bad\.ts: /),
      });
      await expect(comparing).rejects.toThrow(sentence);
    },
  );
});
