import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasManyJobs } from '../playable.ts';
import { drawPlan } from './draw-plan.ts';
import { parseScenario, readScenario, shippedScenarios } from './read-scenario.ts';

const least = {
  scenario: 'test',
  devices: [{ class: 'pc', count: 2 }],
  jobs: [{ job: 'batch', tasks: 3, work_seconds: 1 }],
};

function parse(scenario: object, folder = '.') {
  return parseScenario(JSON.stringify(scenario), 'mine.json', folder);
}

function fault(scenario: object): string {
  try {
    parse(scenario);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was taken.');
}

describe('readScenario', () => {
  test.each(shippedScenarios())('the shipped scenario %s is one, under its own name', (name) => {
    const scenario = readScenario(name, '.');
    expect(scenario.scenario).toBe(name);
    expect(scenario.about.length).toBeGreaterThan(40);
    expect(drawPlan(scenario, 1).devices.length).toBeGreaterThan(0);
  });

  test('a name that is not shipped is answered with those that are', () => {
    expect(() => readScenario('nothing', '.')).toThrow(/no scenario "nothing".*mixed-pcs/);
  });

  test.each<[string, object, RegExp]>([
    ['a missing field', { ...least, jobs: [{ job: 'a' }] }, /^mine\.json: jobs\[0\]\.work_seconds/],
    ['an unknown field', { ...least, sheduler: 1 }, /mine\.json: the file: .*sheduler/],
    ['a negative count', { ...least, devices: [{ class: 'a', count: -1 }] }, /devices\[0\]\.count/],
    [
      'an amount of no known form',
      { ...least, jobs: [{ job: 'a', work_seconds: { gamma: 1 } }] },
      /jobs\[0\]\.work_seconds: .*scenarios\.md/,
    ],
    [
      'a wrong amount inside a form',
      { ...least, jobs: [{ job: 'a', work_seconds: { log_normal: { mean: -1, cv: 1 } } }] },
      /jobs\[0\]\.work_seconds\.log_normal\.mean/,
    ],
    [
      'two classes of one name',
      { ...least, devices: [least.devices[0], least.devices[0]] },
      /two classes of devices are named "pc"/,
    ],
  ])('%s is named with its place', (_, scenario, sentence) => {
    expect(fault(scenario)).toMatch(sentence);
  });

  test('numbers of a file are drawn from', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-scenario-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'sizes.txt'), '4\n\n7.5\n');
    const scenario = parse(
      { ...least, jobs: [{ job: 'a', tasks: 50, work_seconds: { file: 'sizes.txt' } }] },
      folder,
    );
    const [job] = drawPlan(scenario, 1).jobs;
    expect(new Set(job!.workSeconds)).toEqual(new Set([4, 7.5]));
    writeFileSync(join(folder, 'sizes.txt'), '4\nfour\n');
    expect(() =>
      parse({ ...least, jobs: [{ job: 'a', work_seconds: { file: 'sizes.txt' } }] }, folder),
    ).toThrow('mine.json: sizes.txt has "four" in line 2, which is no number from 0');
  });

  const arriving = (numbers: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-scenario-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'arrivals.txt'), numbers);
    const job = { job: 'a', work_seconds: 1, arrivals: { file: 'arrivals.txt' } };
    return parse({ ...least, jobs: [job] }, folder);
  };

  test('jobs come at the moments that a file says, in seconds from the beginning on', () => {
    const scenario = arriving('0\n12.5\r\n\n12.5\n90\n');
    expect(scenario.jobs[0]!.arrivals).toEqual({ at_seconds: [0, 12.5, 12.5, 90] });
    const settle = scenario.settle_seconds;
    expect(drawPlan(scenario, 1).jobs.map(({ atMs }) => atMs / 1000 - settle)).toEqual([
      0, 12.5, 12.5, 90,
    ]);
    // What is told of it can be played without the file.
    expect(parse(scenario)).toEqual(scenario);
    expect(hasManyJobs(scenario)).toBe(true);
    expect(hasManyJobs(arriving('3'))).toBe(false);
  });

  test.each([
    ['times between arrivals', '4\n3\n', /has 3 after 4\. Arrivals are seconds .* ascending order/],
    [
      'dates',
      `${Date.UTC(2026, 0)}`,
      /has "1767225600000" in line 1, which is no number from 0 to/,
    ],
    ['words', '1\n\nnoon', /arrivals\.txt has "noon" in line 3/],
    ['nothing', '\n', /arrivals\.txt has no numbers/],
    ['too many', '1\n'.repeat(100_001), /has 100001 numbers; 100000 are the most/],
  ])('a file of arrivals with %s is refused', (_, numbers, sentence) => {
    expect(() => arriving(numbers)).toThrow(sentence);
  });

  test('a label that is called file names none', () => {
    const labels = { file: 'cabinet' };
    const { devices, jobs } = parse({
      ...least,
      devices: [{ class: 'pc', count: 1, labels }],
      jobs: [{ job: 'a', work_seconds: 1, requirements: { labels } }],
    });
    expect([devices[0]!.labels, jobs[0]!.requirements!.labels]).toEqual([labels, labels]);
  });
});

describe('drawPlan', () => {
  test('follows from the seed alone', () => {
    const scenario = readScenario('pcs-and-phones', '.');
    const [one, same, other] = [1, 1, 2].map((seed) => drawPlan(scenario, seed));
    expect(same!.jobs).toEqual(one!.jobs);
    expect(same!.devices.map(({ speed }) => speed)).toEqual(one!.devices.map(({ speed }) => speed));
    expect(other!.jobs).not.toEqual(one!.jobs);
  });

  test('a class more changes nothing of the others', () => {
    const more = { ...least, devices: [{ class: 'new', count: 1 }, ...least.devices] };
    const speeds = (scenario: object) =>
      drawPlan(parse(scenario), 3)
        .devices.filter((device) => device.class === 'pc')
        .map(({ speed }) => speed);
    const drawn = { speed: { uniform: [1, 2] } };
    const vary = (scenario: typeof least) => ({
      ...scenario,
      devices: scenario.devices.map((kind) => ({ ...kind, ...drawn })),
    });
    expect(speeds(vary(more))).toEqual(speeds(vary(least)));
  });

  test('steps of load are repeated, and last until the next', () => {
    const load = {
      steps: [
        { at_seconds: 10, percent: 50 },
        { at_seconds: 30, percent: 0 },
      ],
      repeat_seconds: 60,
    };
    const scenario = parse({ ...least, devices: [{ class: 'pc', count: 1, load }] });
    const spans = drawPlan(scenario, 1).devices[0]!.load();
    expect(Array.from({ length: 4 }, () => spans.next().value)).toEqual([
      { percent: 0, forMs: 10_000 },
      { percent: 50, forMs: 20_000 },
      { percent: 0, forMs: 30_000 },
      { percent: 0, forMs: 10_000 },
    ]);
  });

  test('arrivals by Poisson come at the rate that is asked for', () => {
    const arrivals = { poisson_per_hour: 360, count: 2000 };
    const scenario = parse({ ...least, jobs: [{ job: 'a', arrivals, work_seconds: 1 }] });
    const { jobs } = drawPlan(scenario, 1);
    const seconds = (jobs.at(-1)!.atMs - jobs[0]!.atMs) / 1000;
    // Ten seconds in the mean, with a deviation of ten: four standard errors.
    expect(Math.abs(seconds / 1999 - 10)).toBeLessThan(40 / Math.sqrt(1999));
  });
});
