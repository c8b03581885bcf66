import { describe, expect, test } from 'vitest';
import { parseScenario } from './read-scenario.ts';

function parse(device: object, job: object = {}) {
  const scenario = {
    scenario: 'test',
    devices: [{ class: 'pc', count: 2, ...device }],
    jobs: [{ job: 'batch', work_seconds: 1, ...job }],
  };
  return parseScenario(JSON.stringify(scenario), 'mine.json', '.');
}

describe('amounts of a scenario', () => {
  test.each<[string, object, object, RegExp]>([
    [
      'a normal amount that would often be below 0',
      {},
      { work_seconds: { normal: { mean: 10, cv: 1 } } },
      /^mine\.json: jobs\[0\]\.work_seconds has a cv of 1, so 16 % of the draws would be below 0: take log_normal/,
    ],
    [
      'a uniform amount with its ends the wrong way round',
      { latency_ms: { uniform: [5, 2] } },
      {},
      /devices\[0\]\.latency_ms is from 5 to 2: write the lesser first/,
    ],
    [
      'bounds that contradict each other',
      {},
      { work_seconds: { log_normal: { mean: 1, cv: 1 }, at_least: 3, at_most: 2 } },
      /has at_least 3, above at_most 2/,
    ],
    [
      'bounds that leave nothing',
      {},
      { work_seconds: { pareto: { least: 5, alpha: 1 }, at_most: 5 } },
      /between which hardly any draw would lie/,
    ],
    ['a speed of 0', { speed: 0 }, {}, /devices\[0\]\.speed may be 0: then nothing/],
    ['a speed that may be 0', { speed: { one_of: [0, 1] } }, {}, /devices\[0\]\.speed may be 0/],
    [
      'a battery that is fuller than full',
      { battery: { level_percent: { uniform: [50, 150] } } },
      {},
      /devices\[0\]\.battery\.level_percent goes up to 150: a percentage is at most 100/,
    ],
    [
      'a level as a fraction',
      { battery: { level_percent: 0.8 } },
      {},
      /level_percent is 0\.8 percent at most, which looks like a fraction: write 80/,
    ],
    ['a load as a fraction', { load: 0.5 }, {}, /devices\[0\]\.load is 0\.5 percent at most/],
    [
      'a load of episodes beyond all',
      { load: { episodes: { every_seconds: 1, for_seconds: 1, percent: 101 } } },
      {},
      /devices\[0\]\.load\.episodes\.percent goes up to 101/,
    ],
    ['no tasks', {}, { tasks: 0 }, /jobs\[0\]\.tasks must be an integer from 1 to/],
  ])('%s is refused with a sentence', (_, device, job, sentence) => {
    expect(() => parse(device, job)).toThrow(sentence);
  });

  test('what says openly that it is cut off is taken', () => {
    const work_seconds = { normal: { mean: 10, cv: 1 }, at_least: 0 };
    expect(parse({}, { work_seconds }).jobs[0]!.work_seconds).toEqual(work_seconds);
    expect(parse({ battery: { level_percent: 1 }, load: 0 }).devices[0]!.load).toBe(0);
  });
});
