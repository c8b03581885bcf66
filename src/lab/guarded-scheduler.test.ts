import { expect, test } from 'vitest';
import { defaultWeights, type SchedulerConfig, type Snapshot } from '../core/snapshot.ts';
import { byScore } from '../scheduling/by-score.ts';
import { guarded } from './guarded-scheduler.ts';

const config: SchedulerConfig = {
  algorithm: 'fifo',
  weighting: 'manual',
  weights: defaultWeights,
  updatedAt: 0,
};

function snapshotOf(ids: readonly string[]): Snapshot {
  const observed = {} as Snapshot['workers'][number]['observed'];
  const workers = ids.map((id) => ({
    id,
    type: 'pc',
    slots: 1,
    activeTasks: 0,
    assignedSinceHeartbeat: 0,
    idleSince: 0,
    observed,
  }));
  return { workers, version: 1 };
}

/** What it says when a module with this default export places one task on one of two workers. */
function fault(made: unknown): string {
  try {
    const scheduler = guarded(made, '/somewhere/mine.ts')(config);
    scheduler.begin(snapshotOf(['a', 'b']));
    expect(scheduler.memory).toBeDefined();
    const contest = scheduler.contest(Uint8Array.of(1, 1));
    contest.take(contest.best());
    contest.drop(0);
    return `placed, then ${contest.best()}`;
  } catch (error) {
    expect(error).toMatchObject({ name: 'ContenderFault' });
    return (error as Error).message;
  }
}

const nothing = () => {};
/** A scheduler by hand, with one part replaced. */
const handmade = (part: object) => () => ({
  algorithm: 'fifo',
  queueOrder: 'submission',
  memory: { type: 'none' },
  begin: nothing,
  contest: () => ({ best: () => -1, take: nothing, drop: nothing }),
  rank: nothing,
  ...part,
});
const naming = (best: () => unknown) =>
  handmade({ contest: () => ({ best, take: nothing, drop: nothing }) });

test('a sound scheduler decides as it is', () => {
  expect(fault(byScore(({ id }) => (id === 'b' ? 2 : 1)))).toBe('placed, then 1');
});

test.each<[string, unknown, string]>([
  ['has no default export', undefined, 'mine.ts has no default export that makes one'],
  ['exports an object', {}, 'has no default export that makes one'],
  ['makes nothing', () => undefined, 'has made undefined, which is no scheduler'],
  ['makes null', () => null, 'has made null, which is no scheduler'],
  ['makes a promise', async () => ({}), 'without begin(…)'],
  ['exports a class', Map, 'has failed in its default export: Constructor Map requires'],
  ['misses a part', handmade({ rank: 5 }), 'without rank(…)'],
  ['has another order', handmade({ queueOrder: 'fifo' }), 'the queueOrder fifo'],
  ['has no memory', handmade({ memory: null }), 'has no memory'],
  ['opens no contest', handmade({ contest: nothing }), 'a contest without best(…)'],
  ['scores with NaN', byScore(() => NaN), 'The score of worker a is NaN: it must be finite'],
  ['names nobody known', naming(() => 7), 'has named row 7 in best()'],
  ['names a text', naming(() => 'a'), 'has named row a in best()'],
  ['names a promise', naming(() => Promise.resolve(0)), 'has named row [object Promise]'],
  ['names whoever was dropped', naming(() => 0), 'has named row 0 in best()'],
  [
    'sorts what it is given',
    byScore((_, workers) => (workers as unknown[]).reverse().length),
    'has failed in begin: Cannot assign to read only property',
  ],
  [
    'throws a text',
    byScore(() => {
      const thrown: unknown = 'no idea';
      throw thrown;
    }),
    'mine.ts has failed in begin: no idea',
  ],
])('a scheduler that %s is told in a sentence', (_, made, sentence) => {
  expect(fault(made)).toContain(sentence);
});

test('the line of the module that threw is told', () => {
  const error = new Error('lost');
  error.stack =
    'Error: lost\n    at score (file:///somewhere/mine.ts:12:7)\n    at begin (x.ts:1:2)';
  const failing = () => {
    throw error;
  };
  expect(fault(handmade({ begin: failing }))).toBe(
    'The scheduler mine.ts has failed in begin: lost (line 12)',
  );
});
