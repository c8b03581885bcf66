import { describe, expect, test } from 'vitest';
import { Interruption } from './interruption.ts';

/** Asks for every tenth of a millisecond; returns when it was interrupted. */
function interruptions(
  interruption: Interruption,
  clock: { ms: number },
  untilMs: number,
): readonly number[] {
  const found: number[] = [];
  for (let asked = 0; clock.ms < untilMs; asked++) {
    clock.ms = asked / 10;
    if (interruption.isDue()) found.push(Math.round(clock.ms));
  }
  return found;
}

function stage() {
  const clock = { ms: 0 };
  return { clock, interruption: new Interruption(() => clock.ms) };
}

describe('code in the interpreter', () => {
  test('is left alone while it is loaded', () => {
    const { clock, interruption } = stage();
    expect(interruptions(interruption, clock, 100)).toEqual([]);
  });

  test('is interrupted some milliseconds after the order, and again while it goes on', () => {
    const { clock, interruption } = stage();
    interruption.restart();
    interruption.enter(() => clock.ms >= 100);
    const found = interruptions(interruption, clock, 700);
    expect(found).toHaveLength(3);
    expect(found[0]).toBeGreaterThanOrEqual(100);
    expect(found[0]).toBeLessThan(120);
    expect(found[1]! - found[0]!).toBeGreaterThanOrEqual(250);
  });

  test('has a second to give way when it looks after the order by itself', () => {
    const { clock, interruption } = stage();
    interruption.restart();
    interruption.enter(() => clock.ms >= 100);
    interruption.giveGrace();
    const [first] = interruptions(interruption, clock, 1_300);
    expect(first).toBeGreaterThanOrEqual(1_100);
    expect(first).toBeLessThan(1_130);
  });

  test('keeps the second from step to step', () => {
    const { clock, interruption } = stage();
    interruption.restart();
    interruption.giveGrace();
    interruption.enter(() => true);
    expect(interruptions(interruption, clock, 900)).toEqual([]);
    interruption.idle();
    interruption.enter(() => true);
    clock.ms = 1_100;
    expect(Array.from({ length: 200 }, () => interruption.isDue())).toContain(true);
  });

  test('is interrupted at once where nothing should run', () => {
    const { interruption } = stage();
    interruption.idle();
    expect(interruption.isDue()).toBe(true);
  });

  test('costs a look at the clock every 64th time, and one after the order every 5 ms', () => {
    let looks = 0;
    let orders = 0;
    const interruption = new Interruption(() => ++looks / 10);
    interruption.restart();
    interruption.enter(() => ++orders < 0);
    for (let asked = 0; asked < 64_000; asked++) interruption.isDue();
    expect(looks).toBeLessThan(1_010);
    expect(orders).toBeLessThan(25);
  });

  test('is interrupted as soon as it asks when it asks seldom', () => {
    const { clock, interruption } = stage();
    interruption.restart();
    interruption.enter(() => clock.ms >= 1_000);
    const asked: number[] = [];
    for (; clock.ms < 1_100; clock.ms += 20) if (interruption.isDue()) asked.push(clock.ms);
    expect(asked).toEqual([1_000]);
  });
});
