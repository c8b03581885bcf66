import { describe, expect, it } from 'vitest';
import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { signed, valueText } from './criteria.ts';
import { decisionColumns, decisionSentence, isAssumed, partsOfTask } from './decision-story.ts';
import { findingOf, scoreText } from './findings.ts';
import { algorithmIds, methodOf } from './methods.ts';
import {
  countChoices,
  countOf,
  nextTasks,
  nextTasksSentence,
  turnsOf,
  usualCount,
} from './next-tasks.ts';
import { rankSlopes, slopesSentence } from './rank-slopes.ts';

const name = (id: string): string => id;

function ranked(id: string, rank: number, score: number | null, more = {}): RankedWorkerResource {
  return {
    worker_id: id,
    rank,
    score,
    eligible: true,
    reasons: [],
    selected: rank === 1,
    criteria: {},
    details: {},
    ...more,
  };
}

const last = {
  at: '2026-01-01T00:00:00.000Z',
  algorithm: 'edas',
  effective_weights: { cpu: 0.5, latency: 0.5, battery: 0 },
  task_id: 'job.7',
  job_id: 'job',
  worker_id: 'atlas',
  reason: 'highest appraisal score 0.81',
  duration_microseconds: 14,
};

const cell = (value: number | null, contribution: number) => ({
  value,
  weight: 0.5,
  contribution,
  kind: 'benefit' as const,
  imputed: false,
  projected: false,
});

describe('the last decision', () => {
  it('says by how much the chosen one was ahead, and of whom', () => {
    const workers = [
      ranked('atlas', 1, 0.81),
      ranked('cedar', 2, 0.9, { eligible: false }),
      ranked('dune', 3, 0.78),
    ];
    expect(decisionSentence(last, workers, name)).toBe('went to atlas, 0.03 ahead of dune, no tie');
  });

  it('counts those in a tie', () => {
    const workers = ['atlas', 'b', 'c'].map((id, place) => ranked(id, place + 1, 0.5));
    expect(decisionSentence(last, workers, name)).toBe('went to atlas, in a tie with two others');
  });

  it('says so when nobody else could take it, and keeps the reason where no score decides', () => {
    expect(decisionSentence(last, [ranked('atlas', 1, 0.8)], name)).toBe(
      'went to atlas: nobody else could take it',
    );
    const turn = { ...last, algorithm: 'wrr', reason: 'its turn at a share of 40 %' };
    expect(decisionSentence(turn, [ranked('atlas', 1, 0.8), ranked('b', 2, 0.1)], name)).toBe(
      'went to atlas: its turn at a share of 40 %',
    );
  });

  it('strikes a column that nobody reports, and one that is the same for all', () => {
    const workers = [
      ranked('a', 1, 1, {
        criteria: { cpu: cell(80, 0.1), latency: cell(null, 0), memory: cell(5, 0) },
      }),
      ranked('b', 2, 0, {
        criteria: { cpu: cell(40, -0.1), latency: cell(null, 0), memory: cell(5, 0) },
      }),
    ];
    const weights = { cpu: 0.4, latency: 0.3, memory: 0.3, battery: 0 };
    expect(decisionColumns(workers, weights)).toEqual([
      { id: 'cpu', weight: 0.4, leftOut: null },
      { id: 'memory', weight: 0.3, leftOut: 'the same for all' },
      { id: 'latency', weight: 0.3, leftOut: 'no device reports it' },
    ]);
    expect(decisionColumns([ranked('a', 1, null)], weights)).toEqual([]);
  });

  it('knows the job and the place in it by the id of the task', () => {
    expect(partsOfTask('a.b.12')).toEqual({ job: 'a.b', index: 12 });
  });

  it('has values with their units, and signs of what they add', () => {
    expect(valueText('memory', 8000)).toBe('8\u202fGB');
    expect(valueText('failure_rate', 0.004)).toBe('0.4\u202f%');
    expect(valueText('latency', null)).toBe('n/a');
    expect([signed(0.0174), signed(-0.08), signed(-0.0001)]).toEqual([
      '+0.017',
      '\u22120.080',
      '0.000',
    ]);
  });
});

describe('what a picture shows, in a sentence', () => {
  const two = [ranked('atlas', 1, 0.9), ranked('dune', 2, -0.2)];

  it.each(algorithmIds)('names the first and the last under %s', (algorithm) => {
    const finding = findingOf(algorithm, two, name);
    expect(finding).toContain('atlas');
    expect(finding).toContain('dune');
    expect(methodOf(algorithm).does).not.toBe('');
  });

  it('says when there is nothing to choose', () => {
    expect(findingOf('edas', [], name)).toBe('No device is there to be ranked.');
    expect(findingOf('edas', two.slice(0, 1), name)).toContain('nothing to choose');
    const equal = [ranked('a', 1, 0), ranked('b', 2, 0)];
    expect(findingOf('least_loaded', equal, name)).toContain('All 2 devices are equal');
  });

  it('tells a share under wrr, a place where nothing is compared, and counts as they are', () => {
    expect(scoreText('wrr', ranked('a', 1, 0.7, { details: { share: 0.081 } }))).toBe('8.1\u202f%');
    expect(scoreText('fifo', ranked('a', 4, null))).toBe('4');
    expect(scoreText('performance', ranked('a', 1, 812.4))).toBe('812');
    expect(scoreText('mabac', ranked('a', 1, -0.0428))).toBe('\u22120.04');
  });
});

describe('where the next tasks go', () => {
  const draft = [
    { worker_id: 'a', tasks: 5 },
    { worker_id: 'b', tasks: 3 },
  ];
  const before = [
    { worker_id: 'b', tasks: 4 },
    { worker_id: 'c', tasks: 4 },
  ];

  it('is told as kept, gained and lost against what is in force', () => {
    expect(nextTasks(draft, before)).toEqual([
      { workerId: 'a', tasks: 5, before: 0, kept: 0, gained: 5, lost: 0 },
      { workerId: 'b', tasks: 3, before: 4, kept: 3, gained: 0, lost: 1 },
      { workerId: 'c', tasks: 0, before: 4, kept: 0, gained: 0, lost: 4 },
    ]);
    expect(nextTasks(draft, null).every(({ gained, lost }) => gained + lost === 0)).toBe(true);
  });

  it('is summed up in a sentence', () => {
    const rows = nextTasks(draft, before);
    expect(nextTasksSentence({ rows, workers: 20, unplaced: 2, isCompared: true })).toBe(
      '2 of 20 devices get some. 5 tasks would go elsewhere than now. 2 tasks would find no free slot.',
    );
    const same = nextTasks(draft, draft);
    expect(nextTasksSentence({ rows: same, workers: 2, unplaced: 0, isCompared: true })).toBe(
      '2 of 2 devices get some. None would go elsewhere than now.',
    );
  });

  it('has the turns of each device in their order', () => {
    expect(turnsOf(['a', 'b', 'a'])).toEqual(
      new Map([
        ['a', [0, 2]],
        ['b', [1]],
      ]),
    );
  });

  it('is asked for a third of the slots at first, and for no more than the coordinator places', () => {
    expect([0, 4, 129, 90_000].map(usualCount)).toEqual([1, 1, 40, 1000]);
    expect(countChoices(129, 40)).toEqual([10, 40, 100]);
    expect(countChoices(12, 25)).toEqual([4, 10, 25, 40, 100]);
  });

  it('takes a count from the address only when it is one', () => {
    expect(['40', '0', '1.5', '2000', 'x', null].map(countOf)).toEqual([
      40,
      ...Array(5).fill(null),
    ]);
  });
});

describe('two rankings side by side', () => {
  const ranking = (...ids: readonly string[]) =>
    ids.map((id, place) => ({ worker_id: id, rank: place + 1, selected: place === 0 }));
  const room = { most: 20, rowHeight: 10 };

  it('are joined by lines from one place to the other', () => {
    const { slopes, height } = rankSlopes(ranking('a', 'b', 'c'), ranking('c', 'a', 'b'), room);
    expect(height).toBe(30);
    expect(slopes.map(({ leftY, rightY }) => [leftY, rightY])).toEqual([
      [5, 15],
      [15, 25],
      [25, 5],
    ]);
    expect(slopesSentence(slopes, { left: 'edas', right: 'aras' }, name)).toBe(
      'aras puts c first instead of a; 3 of 3 stand elsewhere; c moves most, from 3 to 1.',
    );
  });

  it('are said to be alike when they are', () => {
    const { slopes } = rankSlopes(ranking('a', 'b'), ranking('a', 'b'), room);
    expect(slopesSentence(slopes, { left: 'edas', right: 'aras' }, name)).toBe(
      'edas and aras rank these devices alike.',
    );
  });

  it('keep the first of the other one in view among many', () => {
    const ids = Array.from({ length: 100 }, (_, place) => `w${place}`);
    const turned = [...ids.slice(50), ...ids.slice(0, 50)];
    const { slopes, leftOut } = rankSlopes(ranking(...ids), ranking(...turned), room);
    expect(slopes.some(({ right }) => right === 1)).toBe(true);
    expect(slopes.length + leftOut).toBe(100);
  });
});

it('a failure rate is assumed where no task has ended, which has no throughput either', () => {
  const told = { value: 2, weight: 0.2, contribution: 0, kind: 'benefit', imputed: false };
  const criteria = (more: object) => ({ throughput: { ...told, ...more } }) as never;
  expect(isAssumed('failure_rate', criteria({ imputed: true }))).toBe(true);
  expect(isAssumed('failure_rate', criteria({ value: null }))).toBe(true);
  expect(isAssumed('failure_rate', criteria({}))).toBe(false);
  expect(isAssumed('memory', criteria({ imputed: true }))).toBe(false);
});
