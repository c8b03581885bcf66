import { expect, test } from 'vitest';
import { RandomBytes } from './random-bytes.ts';

function drawn(random: RandomBytes, count: number): readonly number[] {
  const bytes = new Uint8Array(count);
  random.drawInto(bytes);
  return [...bytes];
}

test('are the same for a task wherever it runs, and others for another task', () => {
  const [a, b, c] = [new RandomBytes(), new RandomBytes(), new RandomBytes()];
  a.restart('job-1');
  b.restart('job-1');
  c.restart('job-2');
  const bytes = drawn(a, 8);
  expect(bytes).toEqual([26, 178, 177, 144, 168, 243, 171, 120]);
  expect(drawn(b, 8)).toEqual(bytes);
  expect(drawn(c, 8)).not.toEqual(bytes);
});

test('go on after a checkpoint where they were', () => {
  const [whole, begun, resumed] = [new RandomBytes(), new RandomBytes(), new RandomBytes()];
  for (const random of [whole, begun, resumed]) random.restart('job-1');
  const all = drawn(whole, 24);
  expect(begun.state()).toBeNull();
  drawn(begun, 10);
  resumed.resume(begun.state()!);
  expect(drawn(resumed, 14)).toEqual(all.slice(10));
});

test.each(['', 'null', '[1,2,3]', '[1,2,3,"4"]', '{"length":4}'])(
  'stay as they are for a state that is none: %s',
  (state) => {
    const [random, other] = [new RandomBytes(), new RandomBytes()];
    for (const each of [random, other]) each.restart('job-1');
    random.resume(state);
    expect(random.state()).toBeNull();
    expect(drawn(random, 4)).toEqual(drawn(other, 4));
  },
);
