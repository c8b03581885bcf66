import { expect, test } from 'vitest';
import { TermuxBattery } from './termux-battery.ts';

function stage() {
  let nowMs = 0;
  const waiting: ((text: string | null) => void)[] = [];
  const battery = new TermuxBattery(
    (answer) => void waiting.push(answer),
    () => nowMs,
  );
  let asked = 0;
  return {
    battery,
    /** Reads, and says how often the command was started by now. */
    asked: () => {
      battery.read();
      asked += waiting.length - asked;
      return asked;
    },
    tell: (text: string | null) => waiting.at(-1)!(text),
    pass: (ms: number) => void (nowMs += ms),
  };
}

const status = (more: object) =>
  JSON.stringify({ health: 'GOOD', temperature: 31.2, current: -350, ...more });

test.each([
  [{ percentage: 72, plugged: 'UNPLUGGED', status: 'DISCHARGING' }, 72, false],
  [{ percentage: 72, plugged: 'PLUGGED_AC', status: 'NOT_CHARGING' }, 72, true],
  [{ percentage: 100, plugged: 'UNPLUGGED', status: 'FULL' }, 100, true],
  [{ percentage: 0, status: 'CHARGING' }, 0, true],
])('what the command says is read: %j', (said, levelPercent, isCharging) => {
  const { battery, tell } = stage();
  expect(battery.read()).toBeNull();
  tell(status(said));
  expect(battery.read()).toEqual({ levelPercent, isCharging });
});

test.each(['', 'null', '[]', 'Termux:API is not there', status({ percentage: 101 }), status({})])(
  'anything else is no battery: %j',
  (text) => {
    const { battery, tell } = stage();
    battery.read();
    tell(text);
    expect(battery.read()).toBeNull();
  },
);

test('it is asked once a minute, and never twice at a time', () => {
  const { asked, tell, pass } = stage();
  expect([asked(), asked()]).toEqual([1, 1]);
  pass(600_000);
  expect(asked()).toBe(1);
  tell(status({ percentage: 50 }));
  pass(59_999);
  expect(asked()).toBe(1);
  pass(1);
  expect(asked()).toBe(2);
});

test('where it fails it is asked more and more seldom, once an hour at the least', () => {
  const { asked, tell, pass } = stage();
  const pauses = [120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 3_600_000];
  let count = asked();
  for (const pause of pauses) {
    tell(null);
    pass(pause - 1);
    expect(asked()).toBe(count);
    pass(1);
    expect(asked()).toBe(++count);
  }
});
