import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
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

function kinds(count: number, more: object) {
  return Array.from({ length: count }, (_, i) => ({ class: `pc ${i}`, count: 1, ...more }));
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
    [
      'a missing field',
      { ...least, jobs: [{ job: 'a' }] },
      /^mine\.json: jobs\[0\]\.work_seconds is missing\.$/,
    ],
    [
      'an unknown field',
      { ...least, setle_seconds: 1 },
      /^mine\.json: the file has the unknown field "setle_seconds" \(did you mean "settle_seconds"\?\)/,
    ],
    [
      'a misspelt field before that which it leaves missing',
      { ...least, devices: [{ clas: 'pc', count: 1 }] },
      /devices\[0\] has the unknown field "clas" \(did you mean "class"\?\)/,
    ],
    [
      'a negative count',
      { ...least, devices: [{ class: 'a', count: -1 }] },
      /devices\[0\]\.count must be an integer from 1 to 100000\.$/,
    ],
    [
      'a list without an item',
      { ...least, devices: [] },
      /devices must be a list of 1 to 10000\.$/,
    ],
    [
      'an amount of no known form',
      { ...least, jobs: [{ job: 'a', work_seconds: { paretto: { least: 1, alpha: 2 } } }] },
      /jobs\[0\]\.work_seconds has the unknown field "paretto" \(did you mean "pareto"\?\); it must be a number, \{"uniform": …\}/,
    ],
    [
      'a text instead of an amount',
      { ...least, jobs: [{ job: 'a', work_seconds: '10s' }] },
      /jobs\[0\]\.work_seconds must be a number, \{"uniform": …\}/,
    ],
    [
      'a negative amount',
      { ...least, jobs: [{ job: 'a', work_seconds: -1 }] },
      /jobs\[0\]\.work_seconds must be a number from 0 to/,
    ],
    [
      'a wrong amount inside a form',
      { ...least, jobs: [{ job: 'a', work_seconds: { log_normal: { mean: -1, cv: 1 } } }] },
      /jobs\[0\]\.work_seconds\.log_normal\.mean must be a number above 0/,
    ],
    [
      'a bound inside of its form',
      {
        ...least,
        jobs: [{ job: 'a', work_seconds: { normal: { mean: 9, cv: 0.1, at_least: 2 } } }],
      },
      /work_seconds\.normal has at_least, which belongs beside normal: \{"normal": \{…\}, "at_least": …\}/,
    ],
    [
      'a missing field of a form',
      { ...least, jobs: [{ job: 'a', work_seconds: 1, arrivals: { poisson_per_hour: 3 } }] },
      /jobs\[0\]\.arrivals\.count is missing\.$/,
    ],
    [
      'arrivals of no known form',
      {
        ...least,
        jobs: [{ job: 'a', work_seconds: 1, arrivals: { poisson_per_second: 3, count: 2 } }],
      },
      /arrivals has the unknown field "poisson_per_second".*; it must be \{"at_seconds": \[…\]\}, \{"every_seconds"/,
    ],
    [
      'a missing field of a load',
      {
        ...least,
        devices: [{ class: 'a', count: 1, load: { episodes: { for_seconds: 1, percent: 5 } } }],
      },
      /devices\[0\]\.load\.episodes\.every_seconds is missing/,
    ],
    [
      'an unknown field of a load',
      {
        ...least,
        devices: [{ class: 'a', count: 1, load: { steps: [{ at: 1, percent: 5 }] } }],
      },
      /devices\[0\]\.load\.steps\[0\] has the unknown field "at"/,
    ],
    [
      'a pause that is none',
      { ...least, jobs: [{ ...least.jobs[0], checkpoint_every_seconds: 1e-9 }] },
      /checkpoint_every_seconds must be a number from 0.1 to /,
    ],
    [
      'two classes of one name',
      { ...least, devices: [least.devices[0], least.devices[0]] },
      /two classes of devices are named "pc"/,
    ],
  ])('%s is named with its place', (_, scenario, sentence) => {
    expect(fault(scenario)).toMatch(sentence);
  });

  test.each<[string, (path: string) => void, string]>([
    ['a folder', (path) => mkdirSync(path), 'mine.json is a folder.'],
    ['a device', (path) => symlinkSync(devNull, path), 'is no file, but a pipe or a device.'],
    ['not there', () => {}, 'mine.json cannot be read: there is no such file.'],
    ['in another code', (path) => writeFileSync(path, 'ä', 'utf16le'), 'is no text in UTF-8'],
    ['larger than any', (path) => truncateSync(path, 64_000_001), 'is larger than 64 MB.'],
  ])('a file that is %s is told as such', (_, make, sentence) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-scenario-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'mine.json');
    if (sentence.includes('MB')) writeFileSync(path, '');
    make(path);
    expect(() => readScenario('mine.json', folder)).toThrow(sentence);
  });

  test.each([
    [
      '{"scenario": "a",\n "devices": NaN}',
      /^mine\.json is not valid JSON \(unexpected "N" in line 2 at column 13\)\.$/,
    ],
    ['{\n// no comments\n}', /unexpected "\/" in line 2 at column 1/],
    ['{"scenario": ', /it ends too early/],
  ])('what is no JSON is told with its place: %j', (text, sentence) => {
    expect(() => parseScenario(text, 'mine.json', '.')).toThrow(sentence);
  });

  test('a trace is not taken for a scenario that is not there', () => {
    expect(() => readScenario('night.trace.ndjson', '.')).toThrow(
      /^night\.trace\.ndjson is a trace, and here a scenario is needed/,
    );
  });

  test('a file may be in capitals, and begin with a byte order mark', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-scenario-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'mine.JSON'), `\ufeff${JSON.stringify(least)}`);
    expect(readScenario('mine.JSON', folder).scenario).toBe('test');
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

describe('the guide', () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../docs/guides/scenarios.md'),
    'utf8',
  );
  const blocks = [...guide.matchAll(/^```json\n([^]*?)^```/gm)].map(
    ([, text]) => JSON.parse(text!) as object,
  );

  test('shows scenarios, devices and amounts that are taken as they stand there', () => {
    const scenarios = blocks.filter((block) => 'scenario' in block);
    const devices = blocks.filter((block) => Array.isArray(block));
    const amounts = blocks.filter((block) => !('scenario' in block) && !Array.isArray(block));
    for (const scenario of scenarios) parse(scenario);
    for (const some of devices) parse({ ...least, devices: some });
    for (const amount of amounts) parse({ ...least, jobs: [{ job: 'a', work_seconds: amount }] });
    expect([scenarios, devices, amounts].map(({ length }) => length)).toEqual([1, 1, 1]);
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

  test.each<[string, object, string]>([
    ['devices', { devices: kinds(2, { count: 100_000 }) }, 'All devices of the scenario together'],
    ['slots', { devices: kinds(1, { count: 2000, slots: 1024 }) }, 'more than the 1000000 that'],
    [
      'jobs',
      {
        jobs: [
          { job: 'a', work_seconds: 1, arrivals: { every_seconds: 1, count: 100_000 } },
          ...least.jobs,
        ],
      },
      'All jobs of the scenario',
    ],
    [
      'tasks',
      { jobs: [{ job: 'a', work_seconds: 1, tasks: 5e6, arrivals: { at_seconds: [0, 0, 0] } }] },
      'All tasks of the scenario',
    ],
  ])('more %s than a run can hold are told before they are drawn', (_, part, sentence) => {
    expect(() => drawPlan(parse({ ...least, ...part }), 1)).toThrow(sentence);
  });

  test.each<[object, object, boolean]>([
    [{ min_ram_mb: 8193 }, {}, false],
    [{ min_ram_mb: 8192 }, {}, true],
    [{ min_ram_mb: 1 }, { does_not_say: ['memory'] }, false],
    [{ type: ['browser'] }, {}, false],
    [{ labels: { toString: 'x' } }, {}, false],
    [{ labels: { room: '2' } }, { labels: { room: '2' } }, true],
    [{ min_battery_percent: 20 }, {}, true],
    [{ min_battery_percent: 20 }, { type: 'android_node' }, false],
    [{ min_battery_percent: 20 }, { type: 'android_node', battery: {} }, true],
  ])(
    'requirements %j of devices %j: a run that would never end is not begun',
    (requirements, more, isPlayed) => {
      const scenario = parse({
        ...least,
        devices: kinds(1, more),
        jobs: [{ job: 'a', work_seconds: 1, requirements }],
      });
      const sentence = 'No device meets the requirements of the job "a" (seed 1)';
      if (isPlayed) expect(drawPlan(scenario, 1).jobs).toHaveLength(1);
      else expect(() => drawPlan(scenario, 1)).toThrow(sentence);
    },
  );

  test('a first job that comes after the time is over is told, a later one not', () => {
    const late = { job: 'late', work_seconds: 1, arrivals: { at_seconds: [7200] } };
    const played = (jobs: object[]) => drawPlan(parse({ ...least, jobs, most_hours: 1 }), 1).jobs;
    expect(() => played([late])).toThrow('The job "late" comes first, after 2.0027');
    expect(played([late, ...least.jobs])).toHaveLength(2);
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
