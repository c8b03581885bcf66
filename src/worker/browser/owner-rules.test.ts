import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hoursBeginAtMs,
  readRules,
  restOf,
  type RestSituation,
  rulesToBeginWith,
  slotsMaxOf,
} from './owner-rules.ts';
import type { OwnerRules, PageSigns } from './page-messages.ts';

const noon = new Date(2026, 5, 15, 12, 0).getTime();
const signs: PageSigns = {
  isVisible: true,
  isOnline: true,
  batteryPercent: 50,
  isCharging: false,
  isMetered: false,
  networkType: null,
  pressure: null,
  isKeptAwake: false,
};
const rules: OwnerRules = {
  onlyCharging: false,
  minBatteryPercent: null,
  onlyUnmetered: false,
  hours: null,
  slots: 1,
  name: '',
};

function situation(
  more: Partial<OwnerRules> = {},
  seen: Partial<PageSigns> = {},
  rest: Partial<RestSituation> = {},
): RestSituation {
  return {
    rules: { ...rules, ...more },
    signs: { ...signs, ...seen },
    isHandheld: false,
    isPaused: false,
    ignoresBatteryUntilMs: null,
    ...rest,
  };
}

const because = (given: RestSituation, nowMs = noon) => restOf(given, nowMs)?.because ?? null;

describe('a device', () => {
  test('works while no rule is against it', () => {
    expect(restOf(situation(), noon)).toBeNull();
  });

  test('hands over what runs when it is unplugged and should work only while charging', () => {
    const onlyCharging = situation({ onlyCharging: true });
    expect(restOf(onlyCharging, noon)).toEqual({ because: 'charging', keeps: false });
    expect(because(situation({ onlyCharging: true }, { isCharging: true }))).toBeNull();
  });

  test('rests below the level of battery that its owner has set, unless it is plugged in', () => {
    expect(because(situation({ minBatteryPercent: 51 }))).toBe('battery');
    expect(because(situation({ minBatteryPercent: 50 }))).toBeNull();
    expect(because(situation({ minBatteryPercent: 51 }, { isCharging: true }))).toBeNull();
  });

  test('helps on battery for as long as its owner said, and not longer', () => {
    const until = { ignoresBatteryUntilMs: noon };
    const given = situation({ onlyCharging: true, minBatteryPercent: 90 }, {}, until);
    expect(because(given, noon - 1)).toBeNull();
    expect(because(given, noon)).toBe('charging');
  });

  test('rests where data costs money', () => {
    expect(because(situation({ onlyUnmetered: true }, { isMetered: true }))).toBe('metered');
  });

  test('does not rest for ever for what its browser does not tell', () => {
    const unknown = { batteryPercent: null, isCharging: null, isMetered: null };
    const strict = { onlyCharging: true, minBatteryPercent: 100, onlyUnmetered: true };
    expect(because(situation(strict, unknown))).toBeNull();
  });

  test('that is paused by hand says that, whatever else holds', () => {
    expect(because(situation({ onlyCharging: true }, {}, { isPaused: true }))).toBe('paused');
  });

  test('keeps its tasks and asks for a longer lease when it is a hidden handheld', () => {
    const hidden = { isVisible: false };
    const handheld = { isHandheld: true };
    expect(restOf(situation({}, hidden, handheld), noon)).toEqual({
      because: 'hidden',
      keeps: true,
      leaseSeconds: 600,
    });
    expect(restOf(situation({ onlyCharging: true }, hidden, handheld), noon)).toEqual({
      because: 'charging',
      keeps: false,
      leaseSeconds: 600,
    });
    expect(restOf(situation({}, hidden), noon)).toBeNull();
  });
});

describe.each([
  ['UTC', 0],
  ['Europe/Berlin', -60],
  ['America/New_York', 300],
  ['Australia/Lord_Howe', -660],
  ['Asia/Kolkata', -330],
] as const)('hours in %s', (zone, winterOffset) => {
  const zoneBefore = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = zone;
  });
  afterAll(() => {
    if (zoneBefore === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zoneBefore;
  });

  const minute = fc.integer({ min: 0, max: 1439 });
  // Around the days on which clocks are changed, above all.
  const moment = fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
    ...['03-08', '03-29', '04-05', '10-04', '10-25', '11-01'].map((day) => {
      const at = Date.parse(`2026-${day}T00:00:00Z`);
      return fc.integer({ min: at - 24 * 3_600_000, max: at + 48 * 3_600_000 });
    }),
  );

  test('are those of its clock', () => {
    expect(new Date(Date.UTC(2026, 0, 15)).getTimezoneOffset()).toBe(winterOffset);
  });

  test('begin again exactly when it is said', () => {
    fc.assert(
      fc.property(minute, minute, moment, (fromMinute, toMinute, nowMs) => {
        const given = situation({ hours: { fromMinute, toMinute } });
        if (restOf(given, nowMs) === null) return;
        const untilMs = hoursBeginAtMs({ fromMinute, toMinute }, nowMs);
        expect(untilMs).toBeGreaterThan(nowMs);
        expect(untilMs - nowMs).toBeLessThanOrEqual(25 * 3_600_000);
        expect(because(given, untilMs)).toBeNull();
        expect(because(given, untilMs - 1)).toBe('hours');
      }),
    );
  });

  test('over midnight are the others turned round', () => {
    fc.assert(
      fc.property(minute, minute, moment, (fromMinute, toMinute, nowMs) => {
        fc.pre(fromMinute !== toMinute);
        const one = because(situation({ hours: { fromMinute, toMinute } }), nowMs);
        const turned = { fromMinute: toMinute, toMinute: fromMinute };
        expect(because(situation({ hours: turned }), nowMs) === null).toBe(one === 'hours');
      }),
    );
  });
});

test('equal ends of hours allow any time', () => {
  const hours = { fromMinute: 600, toMinute: 600 };
  expect(because(situation({ hours }))).toBeNull();
});

describe('rules', () => {
  test('to begin with are stricter on a handheld', () => {
    expect(rulesToBeginWith({ isHandheld: true, cores: 8 })).toEqual({
      onlyCharging: true,
      minBatteryPercent: null,
      onlyUnmetered: true,
      hours: null,
      slots: 2,
      name: '',
    });
    expect(rulesToBeginWith({ isHandheld: false, cores: 8 }).slots).toBe(7);
    expect(rulesToBeginWith({ isHandheld: false, cores: null }).slots).toBe(1);
    expect(slotsMaxOf({ isHandheld: false, cores: 8 })).toBe(8);
  });

  test('that were kept by another version, or damaged, are those to begin with where they are wrong', () => {
    const about = { isHandheld: false, cores: 4 };
    const kept = {
      onlyCharging: 'yes',
      minBatteryPercent: 101,
      hours: { fromMinute: -1, toMinute: 5 },
      slots: 99,
      name: ` ${'n'.repeat(300)}`,
    };
    expect(readRules(kept, about)).toEqual({
      ...rulesToBeginWith(about),
      slots: 4,
      name: 'n'.repeat(200),
    });
    expect(readRules(null, about)).toEqual(rulesToBeginWith(about));
  });

  test('that are right come back as they were', () => {
    const kept = { ...rules, minBatteryPercent: 20, hours: { fromMinute: 1320, toMinute: 360 } };
    expect(readRules(structuredClone(kept), { isHandheld: true, cores: 4 })).toEqual(kept);
  });
});
