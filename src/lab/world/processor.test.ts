import { describe, expect, test } from 'vitest';
import { Clock } from '../../simulator/clock.ts';
import { Processor } from './processor.ts';

function playAll(clock: Clock): void {
  while (clock.step(Infinity));
}

function machine(cores: number, speed = 1) {
  const clock = new Clock(0);
  const processor = new Processor(clock, { cores, speed });
  const ends: [string, number][] = [];
  const begin = (name: string, work: number, cpuShare = 1) =>
    processor.begin(work, cpuShare, () => ends.push([name, Math.round(clock.now)]));
  return { clock, processor, ends, begin };
}

describe('Processor', () => {
  test('does work at its speed', () => {
    const { clock, ends, begin } = machine(1, 2);
    begin('a', 10);
    playAll(clock);
    expect(ends).toEqual([['a', 5000]]);
  });

  test('tasks on cores of their own do not slow each other', () => {
    const { clock, ends, begin } = machine(2);
    begin('a', 3);
    begin('b', 4);
    playAll(clock);
    expect(ends).toEqual([
      ['a', 3000],
      ['b', 4000],
    ]);
  });

  test('tasks share a core fairly, and go on faster when one is done', () => {
    const { clock, ends, begin } = machine(1);
    begin('a', 1);
    begin('b', 3);
    playAll(clock);
    // Both at half speed until a is done after 2 s; then b has 2 left.
    expect(ends).toEqual([
      ['a', 2000],
      ['b', 4000],
    ]);
  });

  test('other programs take their fair part, from when they begin', () => {
    const { clock, processor, ends, begin } = machine(1);
    begin('a', 3);
    clock.after(1000, () => processor.setOthers(100));
    playAll(clock);
    // One second alone, then two seconds of work at half speed.
    expect(ends).toEqual([['a', 5000]]);
  });

  test('other programs on free cores are not noticed', () => {
    const { clock, processor, ends, begin } = machine(4);
    processor.setOthers(75);
    begin('a', 2);
    playAll(clock);
    expect(ends).toEqual([['a', 2000]]);
    expect(processor.loadPercent).toBe(75);
  });

  test('tasks that wait for most of their time share a core without loss', () => {
    const { clock, processor, ends, begin } = machine(1);
    for (const name of ['a', 'b', 'c']) begin(name, 2, 0.25);
    expect(processor.loadPercent).toBe(75);
    playAll(clock);
    expect(ends).toEqual([
      ['a', 2000],
      ['b', 2000],
      ['c', 2000],
    ]);
    expect(processor.cpuSeconds(2, 0.25)).toBe(0.5);
  });

  test('beside other programs a task is slowed in that share of its time in which it computes', () => {
    const { clock, processor, ends, begin } = machine(1);
    processor.setOthers(100);
    begin('computes', 1);
    begin('waits', 4, 0.5);
    playAll(clock);
    // Asked for are 2.5 cores: the first takes 2.5 s. By then the second, at 1 / (0.5 + 0.5 × 2.5), has done 10 / 7; the
    // rest goes on at 1 / (0.5 + 0.5 × 1.5).
    expect(ends).toEqual([
      ['computes', 2500],
      ['waits', Math.round(2500 + (4 - 10 / 7) * 1250)],
    ]);
  });

  test('tells how far a task is, and stops it', () => {
    const { clock, processor, ends, begin } = machine(1);
    const a = begin('a', 10);
    clock.step(0);
    clock.after(4000, () => {
      expect(processor.doneBy(a)).toBeCloseTo(4);
      processor.end(a);
    });
    playAll(clock);
    expect(ends).toEqual([]);
    expect(processor.busy).toBe(0);
  });

  test('a task of no work is done at once', () => {
    const { clock, ends, begin } = machine(1);
    begin('a', 0);
    playAll(clock);
    expect(ends).toEqual([['a', 0]]);
  });
});
