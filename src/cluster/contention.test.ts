// When a member tries to lead.

import { describe, expect, test } from 'vitest';
import { Contention, type Position } from './contention.ts';

const alone = { rank: 0, recentTerms: 0 };
const at = (sequence: number, term = 'a', isOver = false): Position => ({ sequence, term, isOver });

/** Reads every half second, from 0 on. */
function reads(contention: Contention, positions: readonly Position[]): void {
  for (const [i, position] of positions.entries()) contention.saw(position, i * 500);
}

describe('a log that stands still', () => {
  test('is taken over after three seconds, from where it was seen first', () => {
    const contention = new Contention();
    reads(contention, [at(4), ...Array.from({ length: 6 }, () => at(5))]);
    expect(contention.chance(3_499, alone)).toBeNull();
    expect(contention.chance(3_500, alone)).toEqual({
      from: at(5),
      readAt: 500,
      because: 'stood_still',
    });
  });

  test('is not one that was read too seldom: nobody knows what it did in between', () => {
    const contention = new Contention();
    contention.saw(at(5), 0);
    contention.saw(at(5), 5_000);
    contention.saw(at(5), 10_000);
    expect(contention.chance(10_000, alone)).toBeNull();
    contention.saw(at(5), 10_500);
    expect(contention.chance(10_500, alone)).not.toBeNull();
  });

  test('is not one that could not be read: a database that was away is no dead leader', () => {
    const contention = new Contention();
    reads(contention, [at(5), at(5), at(5), at(5)]);
    contention.failedToRead();
    contention.saw(at(5), 4_000);
    expect(contention.chance(4_000, alone)).toBeNull();
  });

  test('is left to those that come before, a while for each', () => {
    const contention = new Contention();
    reads(
      contention,
      Array.from({ length: 8 }, () => at(5)),
    );
    expect(contention.chance(3_500, { rank: 2, recentTerms: 0 })).toBeNull();
    expect(contention.chance(3_600, { rank: 2, recentTerms: 0 })).not.toBeNull();
  });

  test('is waited for longer when terms have followed each other fast, but not for ever', () => {
    const contention = new Contention();
    reads(
      contention,
      Array.from({ length: 100 }, () => at(5)),
    );
    expect(contention.chance(5_900, { rank: 0, recentTerms: 3 })).toBeNull();
    expect(contention.chance(6_000, { rank: 0, recentTerms: 3 })).not.toBeNull();
    expect(contention.chance(29_900, { rank: 0, recentTerms: 50 })).toBeNull();
    expect(contention.chance(30_000, { rank: 0, recentTerms: 50 })).not.toBeNull();
  });

  test('that goes on within a term, or goes back, is counted anew', () => {
    const contention = new Contention();
    reads(contention, [at(5), at(5), at(5), at(5), at(5), at(5), at(4)]);
    expect(contention.chance(3_100, alone)).toBeNull();
  });
});

test('a term that has said that it has ended is followed at once', () => {
  const contention = new Contention();
  contention.saw(at(5, 'a', true), 100);
  expect(contention.chance(100, alone)).toEqual({
    from: at(5, 'a', true),
    readAt: 100,
    because: 'ended',
  });
});

test('whoever comes later leaves a term that has ended to the others, for a moment', () => {
  const contention = new Contention();
  contention.saw(at(5, 'a', true), 100);
  expect(contention.chance(699, { rank: 2, recentTerms: 0 })).toBeNull();
  expect(contention.chance(700, { rank: 2, recentTerms: 0 })).toMatchObject({ because: 'ended' });
});

describe('a leader whose line broke', () => {
  test('is followed when it was refused twice, and has not been at work for a second', () => {
    const contention = new Contention();
    contention.saw(at(5), 0);
    contention.lineReset('a');
    contention.refused('a');
    expect(contention.chance(1_000, alone)).toBeNull();
    contention.refused('a');
    expect(contention.chance(990, alone)).toBeNull();
    expect(contention.chance(1_000, alone)).toMatchObject({ because: 'refused', readAt: 0 });
  });

  test('goes on when it is at work', () => {
    const contention = new Contention();
    contention.lineReset('a');
    contention.refused('a');
    contention.refused('a');
    for (let i = 0; i < 10; i++) {
      contention.saw(at(5 + i), i * 500);
      expect(contention.chance(i * 500 + 499, alone)).toBeNull();
    }
  });

  test('is left alone when it is reached again', () => {
    const contention = new Contention();
    contention.saw(at(5), 0);
    contention.lineReset('a');
    contention.refused('a');
    contention.reached();
    contention.refused('a');
    expect(contention.chance(1_000, alone)).toBeNull();
  });

  test('is not judged by the line to the one before', () => {
    const contention = new Contention();
    contention.saw(at(5), 0);
    contention.lineReset('a');
    contention.refused('a');
    contention.refused('a');
    contention.saw(at(6, 'b'), 500);
    expect(contention.chance(1_500, alone)).toBeNull();
  });

  test('was never open: refusals alone say nothing', () => {
    const contention = new Contention();
    contention.saw(at(5), 0);
    contention.refused('a');
    contention.refused('a');
    expect(contention.chance(1_000, alone)).toBeNull();
  });
});

test('whoever was too late counts anew', () => {
  const contention = new Contention();
  reads(
    contention,
    Array.from({ length: 8 }, () => at(5)),
  );
  contention.lost();
  expect(contention.chance(3_600, alone)).toBeNull();
});
